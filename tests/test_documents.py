"""The pages on the paper name functions and tests that exist, and leave out no equation."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

MAP, DEVIATIONS = Path("docs/paper-map.md"), Path("docs/deviations.md")
EQUATIONS = 39
"""The paper numbers so many."""

both_pages = pytest.mark.parametrize("page", [MAP, DEVIATIONS], ids=lambda page: page.stem)


def functions_of(path: str) -> set[str]:
    return {node.name for node in ast.parse(Path(path).read_text()).body if isinstance(node, ast.FunctionDef)}


@both_pages
def test_code_that_is_named_exists(page: Path) -> None:
    names = set(re.findall(r"`(pdors[\w.]+)`", page.read_text()))
    assert len(names) > 10
    for name in names:
        resolve_name(name)


@both_pages
def test_tests_that_are_named_exist(page: Path) -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page.read_text()))
    assert len(named) > 50
    assert [(path, test) for path, test in sorted(named) if test not in functions_of(path)] == []


@both_pages
def test_links_lead_to_what_they_name(page: Path) -> None:
    for name, target in re.findall(r"\[`?(.+?)`?\]\(([^)]+)\)", page.read_text()):
        path = (page.parent / target).resolve()
        assert path.exists(), target
        if path.suffix == ".py":
            assert f"{name}.".startswith(".".join(path.relative_to(Path("src").resolve()).with_suffix("").parts) + ".")


def test_every_equation_has_its_row() -> None:
    cells = re.findall(r"^\| ([^|]*) \|", MAP.read_text(), re.MULTILINE)
    numbers = {int(number) for cell in cells for number in re.findall(r"\((\d+)\)", cell)}
    assert numbers == set(range(1, EQUATIONS + 1))
