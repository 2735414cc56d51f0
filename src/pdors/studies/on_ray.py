"""Runs on a Ray cluster, by its address."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pdors.errors import PdorsError
from pdors.studies.ray_cell import software
from pdors.studies.runs import Result, Run

_SECONDS_TO_CANCEL = 10.0
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # under `uv run` the working folder would be sent to every machine
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # without it Ray warns of a default that changes
}
_PATIENCE = {"RAY_gcs_rpc_server_reconnect_timeout_s": "20"}
"""How long Ray tries to reach a head that does not answer any more; whoever set it otherwise knows why."""


@dataclass(frozen=True, slots=True)
class OnRay:
    """A `Backend` that sends each run to a Ray cluster as a task of one CPU.

    Ray ends the process that talks to a cluster when the cluster is lost, and writes where it likes: that process is
    a child of this one (`ray_driver`). Runs of a lost worker or machine are computed again, a few times at most.

    `address`: HOST:PORT, or auto for what RAY_ADDRESS names, or else the cluster that this machine is part of;
    `seconds_to_connect`: to an answering head; `seconds_without_machines`: how long the cluster may have no CPU at all.
    """

    address: str = "auto"
    seconds_to_connect: float = 20.0
    seconds_without_machines: float = 120.0

    def compute(self, runs: Sequence[Run]) -> Iterator[tuple[int, Result]]:
        if not runs:
            return
        if find_spec("ray") is None:
            raise PdorsError("a Ray cluster needs ray here too: pip install 'pdors[ray]'")
        address = _checked(self.address)
        with TemporaryDirectory(prefix="pdors-ray-") as folder, _driver(self, address, runs, Path(folder)) as driver:
            known, done = False, 0
            while done < len(runs):
                match _next(driver):
                    case ("connected",):
                        known = True
                    case ("done", index, result):
                        done += 1
                        yield index, result
                    case ("failed", text, None):
                        raise PdorsError(text)
                    case ("failed", text, index):
                        raise PdorsError(f"{text}\nthe run is {_short(runs[index].identity)}")
                    case _ if known:
                        raise PdorsError(
                            f"the Ray cluster at {address} is gone; {done} of {len(runs)} runs came back, and are kept"
                            f"\n{_last_words(Path(folder))}"
                        )
                    case _:
                        raise PdorsError(
                            f"no Ray cluster at {address} answers, or this machine is not part of it; "
                            f"ray start --address={address} --num-cpus=0 makes it so\n{_last_words(Path(folder))}"
                        )


def _checked(address: str) -> str:
    """HOST:PORT or auto; what else Ray takes would start a cluster, or reach it in a way that loses runs."""
    named = (os.environ.get("RAY_ADDRESS") or address) if address == "auto" else address
    host, _, port = named.rpartition(":")
    if named != "auto" and not (host and "/" not in host and port.isdecimal()):
        raise PdorsError(f"the address of a Ray cluster is auto or HOST:PORT, as in 10.0.0.1:6379; got {named!r}")
    return named


@contextmanager
def _driver(
    settings: OnRay, address: str, runs: Sequence[Run], folder: Path
) -> Iterator[subprocess.Popen[bytes]]:  # fmt: skip
    with (folder / "runs").open("w+b") as posed, (folder / "said").open("wb") as said:
        pickle.dump(software(), posed)
        for run in runs:
            pickle.dump(pickle.dumps((run.identity, run)), posed)
        posed.seek(0)
        environment = _PATIENCE | {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
        process = subprocess.Popen(  # noqa: S603 - this package, by this Python
            [sys.executable, "-P", "-m", "pdors.studies.ray_driver", address,
             str(settings.seconds_to_connect), str(settings.seconds_without_machines)],
            stdin=posed, stdout=subprocess.PIPE, stderr=said, cwd=folder, env=environment | _SETTINGS,
            start_new_session=True,  # Ctrl-C is for this process, which then ends that one
        )  # fmt: skip
        try:
            yield process
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """It cancels on the cluster what it still has there."""
    try:
        process.terminate()
        process.wait(_SECONDS_TO_CANCEL)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()
    finally:
        if process.stdout is not None:
            process.stdout.close()


def _next(driver: subprocess.Popen[bytes]) -> tuple[Any, ...]:
    """What the driver tells next; nothing when it has ended."""
    assert driver.stdout is not None  # noqa: S101 - for mypy: it was opened as a pipe
    try:
        told: tuple[Any, ...] = pickle.load(driver.stdout)  # noqa: S301 - from a child of this process
    except (EOFError, pickle.UnpicklingError):
        return ()
    return told


def _last_words(folder: Path) -> str:
    lines = (folder / "said").read_text(errors="replace").split("\n")
    return _short(next((f"Ray's last words: {line.strip()}" for line in reversed(lines) if line.strip()), ""))


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:300] + "..."
