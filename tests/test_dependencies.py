"""Every dependency is declared, told about and pinned; none of the three without the others."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

PROJECT = tomllib.loads(Path("pyproject.toml").read_text())
MORE = [
    requirement
    for extra, requirements in PROJECT["project"]["optional-dependencies"].items()
    for requirement in requirements
    if extra != "dev"
]
SECTIONS = {
    "At run time": PROJECT["project"]["dependencies"],
    "For more": MORE,
    "To develop": [name for name in PROJECT["project"]["optional-dependencies"]["dev"] if name not in MORE],
    "To build": [*PROJECT["build-system"]["requires"], "editables"],
}
"""Heading on the page -> requirements; editables is what an editable installation needs."""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(requirements: Iterable[str]) -> set[str]:
    return {canonical(re.match(r"[\w.-]+", requirement)[0]) for requirement in requirements}  # type: ignore[index]


def rows(heading: str) -> dict[str, list[str]]:
    page = Path("docs/dependencies.md").read_text()
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")
    ]
    return {canonical(row[0]): row[1:] for row in cells[2:]}


def pins(name: str) -> dict[str, str]:
    """Package -> its entry, as far as the next one."""
    text = re.sub(r"^\s*#.*\n", "", Path(f"requirements/{name}.txt").read_text(), flags=re.MULTILINE)
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)
    assert not entries[0].strip()
    return {canonical(entry.split("==")[0]): entry for entry in entries[1:]}


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_dependency_has_its_row_and_every_row_its_dependency(heading: str) -> None:
    told = rows(heading)
    assert set(told) == required(SECTIONS[heading])
    assert all(len(cells) == 2 and all(cells) for cells in told.values())


def test_headings_are_those() -> None:
    assert re.findall(r"^## (.*)$", Path("docs/dependencies.md").read_text(), re.MULTILINE) == list(SECTIONS)


@pytest.mark.parametrize(("name", "headings"), [("runtime", ("At run time", "To build")), ("dev", tuple(SECTIONS))])
def test_what_is_declared_is_pinned(name: str, headings: tuple[str, ...]) -> None:
    assert set().union(*(required(SECTIONS[heading]) for heading in headings)) <= set(pins(name))


@pytest.mark.parametrize("name", ["runtime", "dev"])
def test_every_pin_is_one_release_with_hashes(name: str) -> None:
    for entry in pins(name).values():
        assert re.match(r"[\w.-]+==[\w.]+( ;[^\\]*)? \\\n", entry), entry
        assert re.findall(r"--hash=(\w+):", entry)
        assert set(re.findall(r"--hash=(\w+):", entry)) == {"sha256"}


def test_both_files_pin_the_same_releases() -> None:
    runtime, dev = pins("runtime"), pins("dev")
    assert set(runtime) <= set(dev)
    release = re.compile(r"==([\w.]+)")
    assert all(release.search(runtime[package])[1] == release.search(dev[package])[1] for package in runtime)  # type: ignore[index]


@pytest.mark.parametrize(
    "path", [*sorted(Path("requirements").iterdir()), Path("scripts/lock"), Path("pyproject.toml")]
)
def test_no_index_is_named(path: str) -> None:
    """Where packages come from is for whoever installs them to say."""
    text = Path(path).read_text()
    assert not re.search(r"^\s*(-i|--index-url|--extra-index-url|--find-links|--trusted-host)\b", text, re.MULTILINE)
    assert "://" not in text
