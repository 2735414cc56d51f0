r"""Runs every policy on random instances and on traces, and holds each run against everything that must hold of it.

    python -m benchmarks.contests --count 300
    python -m benchmarks.contests --count 0 --trace google:job_events \
        --trace elasticflow:cluster06.csv,--throughputs,throughputs_A100

Decisions pass the check, promises are kept, nobody beats the offline bound; with --optimum-seconds nobody beats the
optimum, which does not exceed the bound either. A trace is what `pdors trace` is given, with commas for blanks.
Exit code 0: all holds; 1: something does not; 130: interrupted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pdors.cli.main import run
from pdors.files import read_instance
from pdors.model.job import Instance
from pdors.policies.registry import POLICY_NAMES
from tests.support.contests import broken_contest
from tests.support.random_instances import random_instance

INTERRUPTED = 130


def main() -> int:
    options = _options()
    failed = done = 0
    started = time.perf_counter()
    try:
        for name, instance in _instances(options):
            sentences = list(
                broken_contest(instance, policies=options.policies.split(","), optimum_seconds=options.optimum_seconds)
            )
            done += 1
            failed += bool(sentences)
            for sentence in sentences:
                print(f"{name}: {sentence}", flush=True)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        seconds = time.perf_counter() - started
        print(f"{done} instances in {seconds:.0f} seconds, {failed} with a run that fails")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.contests", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=300, help="random instances (default 300)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first; the others follow (default 0)")
    parser.add_argument("--policies", default=",".join(POLICY_NAMES), help="with commas between (default: all)")
    parser.add_argument("--optimum-seconds", type=float, metavar="S", help="for the optimum of each (default: none)")
    parser.add_argument("--trace", action="append", default=[], metavar="KIND:PATH[,OPTION...]", help="see above")
    parser.add_argument("--jobs", type=int, default=100, help="of each trace (default 100)")
    parser.add_argument("--slots", type=int, default=80, help="of each trace (default 80)")
    return parser.parse_args()


def _instances(options: argparse.Namespace) -> Iterator[tuple[str, Instance]]:
    for seed in range(options.seed, options.seed + options.count):
        yield f"seed {seed}", random_instance(seed)
    for trace in options.trace:
        kind, _, rest = trace.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "instance.json")
            size = ["--jobs", str(options.jobs), "--slots", str(options.slots), "--seed", "1", "-o", str(path)]
            if run(["trace", kind, *rest.split(","), *size]):
                raise SystemExit(f"{trace} cannot be read")
            yield trace, read_instance(path)


if __name__ == "__main__":
    sys.exit(main())
