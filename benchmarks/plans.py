"""Plans thousands of random instances and holds each plan against everything that must hold of it.

    python -m benchmarks.plans --count 5000 --seed 0

An instance is made from its seed alone, so a failure comes back with `--seed SEED --count 1`. The instance behind it
is also written as a document, for `pdors plan`. Exit code 0: every plan holds; 1: some do not; 130: interrupted.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from pdors.files import write_instance
from pdors.model.job import Instance
from tests.support.plan_properties import SETTINGS, Setting, broken_advice_on_epochs, broken_properties
from tests.support.random_instances import random_instance

INTERRUPTED = 130
_MOST_SENTENCES = 3


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    started, failed, done = time.perf_counter(), 0, 0
    try:
        for seed in range(options.seed, options.seed + options.count):
            failed += _check_seed(seed, options)
            done += 1
            if not options.quiet:
                _show_progress(done, options.count, failed, time.perf_counter() - started)
    except KeyboardInterrupt:
        print(f"\ninterrupted after {done} of {options.count} instances, {failed} with a plan that fails")
        return INTERRUPTED
    seconds = time.perf_counter() - started
    print(f"\n{done} instances in {seconds:.0f} seconds, {failed} with a plan that fails")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    first_line, *_ = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plans", description=first_line)
    parser.add_argument("--count", type=_at_least(1), default=1000, help="instances (default 1000)")
    parser.add_argument("--seed", type=_at_least(0), default=0, help="seed of the first; the others follow (default 0)")
    parser.add_argument(
        "--paper-every",
        type=_at_least(0),
        default=20,
        metavar="N",
        help="use the paper's solver, which is slow, on every Nth instance and on a single one; 0: never (default 20)",
    )
    parser.add_argument(
        "--out", type=Path, default=Path(), metavar="FOLDER", help="where instances go whose plans fail (default: here)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress")
    return parser


def _at_least(least: int) -> Callable[[str], int]:
    def integer(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"got {number}, expected at least {least}")
        return number

    return integer


def _check_seed(seed: int, options: argparse.Namespace) -> bool:
    """Whether some plan of this instance fails."""
    instance = random_instance(seed)
    with_paper = options.paper_every and (options.count == 1 or seed % options.paper_every == 0)
    failures = {
        setting: sentences
        for setting in SETTINGS
        if (with_paper or not setting.draws) and (sentences := _failures(instance, setting))
    }
    if failures:
        path = options.out / f"plan-{seed}.json"
        options.out.mkdir(parents=True, exist_ok=True)
        write_instance(instance, path)
        print(f"\rseed {seed} fails, see {path}")
        for setting, sentences in failures.items():
            for sentence in sentences[:_MOST_SENTENCES]:
                print(f"    {setting}: {sentence}")
            if len(sentences) > _MOST_SENTENCES:
                print(f"    {setting}: and {len(sentences) - _MOST_SENTENCES} more")
    return bool(failures)


def _failures(instance: Instance, setting: Setting) -> list[str]:
    """What does not hold; a warning or an exception is a failure like any other."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            advice = [] if setting.draws else broken_advice_on_epochs(instance, setting)
            return [*broken_properties(instance, setting), *advice]
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return [f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"]


def _show_progress(done: int, count: int, failed: int, seconds: float) -> None:
    left = seconds / done * (count - done)
    sys.stderr.write(f"\r{done} of {count}, {failed} failed, {left:.0f} seconds left   ")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
