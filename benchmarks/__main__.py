"""All benchmarks: `python -m benchmarks [right|fast|small|ready|engine|offline|prices ...] [--quick] [--write]`.

Prints the figures; with --write they go to docs/benchmarks.md, with date, commit and machine. --quick takes smaller
problems, to see that everything runs. Exit code 1: a figure misses what is wanted.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from benchmarks.results import ROOT, Result, circumstances, table

GROUPS = ("right", "fast", "small", "ready", "engine", "offline", "prices")
PAGE = ROOT / "docs" / "benchmarks.md"
_INTRODUCTION = """# Benchmarks

    python -m benchmarks --write

runs everything below in some minutes and writes this page; `python -m benchmarks fast --write` runs one part and writes
it anew. Times that depend on the machine stand beside a ratio taken in the same run.
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; all if none is named")
    parser.add_argument("--quick", action="store_true", help="smaller problems")
    parser.add_argument("--write", action="store_true", help=f"write to {PAGE.relative_to(ROOT)} (not --quick)")
    chosen = parser.parse_args()
    groups = chosen.groups or list(GROUPS)
    if unknown := set(groups) - set(GROUPS):
        parser.error(f"no such group: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    if chosen.write and chosen.quick:
        parser.error("--write needs the groups in full")
    measured: dict[str, list[Result]] = {}
    for group in groups:
        module = import_module(f"benchmarks.{group}")
        measured[group] = module.run(quick=chosen.quick, tell=_tell)
        _tell("")
        print(f"\n{module.__doc__.strip()}\n\n{table(measured[group])}", flush=True)
    if chosen.write:
        PAGE.write_text(_page(measured))
        _tell(f"written to {PAGE.relative_to(ROOT)}\n")
    return 0 if all(result.holds for results in measured.values() for result in results) else 1


def _page(measured: dict[str, list[Result]]) -> str:
    """The parts that were measured, and of the others what stands there."""
    standing = PAGE.read_text().split("\n## ")[1:] if PAGE.exists() else []
    parts = {part.partition("\n")[0]: part for part in standing}
    for group, results in measured.items():
        title, _, text = import_module(f"benchmarks.{group}").__doc__.strip().partition(": ")
        where = f"Measured on {circumstances()}."
        parts[title] = f"{title}\n\n{text[0].upper()}{text[1:]}\n\n{where}\n\n{table(results)}\n"
    titles = [import_module(f"benchmarks.{group}").__doc__.partition(":")[0] for group in GROUPS]
    return _INTRODUCTION + "".join(f"\n## {parts[title]}" for title in titles if title in parts)


def _tell(what: str) -> None:
    """One line on a terminal, that the next one replaces."""
    if sys.stderr.isatty() or what.endswith("\n"):
        print(f"\r\x1b[K{what}" if sys.stderr.isatty() else what, end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
