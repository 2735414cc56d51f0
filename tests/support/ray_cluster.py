"""A Ray cluster of several nodes on this machine, each on a loopback address of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType

NODE = "PDORS_TEST_NODE"
"""The variable that names the node to what runs on it."""

_ENVIRONMENT = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_enable_worker_prestart": "0",
    # A node that does not answer is dead after seconds, but not one that has to wait for its turn on a busy machine.
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "5",
}
_OPTIONS = (
    "--min-worker-port=0", "--max-worker-port=0", "--dashboard-agent-listen-port=0", "--include-log-monitor=false",
    "--object-store-memory=80000000", "--disable-usage-stats",
)  # fmt: skip


_GUARD = """
import os, shutil, signal, sys
from tests.support.ray_cluster import Node
home, *sessions = sys.stdin.read().split()
for session in sessions:
    Node("", int(session)).kill()
shutil.rmtree(home, ignore_errors=True)
"""
"""Lives until the tests are gone, however they end, and ends what they have started."""


@dataclass(frozen=True)
class Node:
    """All processes of a node have the session of the command that started it."""

    name: str
    session: int

    def processes(self) -> list[int]:
        return [process for process, session in _sessions() if session == self.session]

    def computing(self) -> list[int]:
        """The workers that have a run in hand: Ray gives such a process the name of its task."""
        named = ((process, Path(f"/proc/{process}/cmdline")) for process in self.processes())
        return [process for process, line in named if line.exists() and b"told_by_cell" in line.read_bytes()]

    def signal(self, number: signal.Signals) -> None:
        for process in self.processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                continue

    def kill(self) -> None:
        """A killed raylet may have been about to start a worker: until none is left."""
        while self.processes():
            self.signal(signal.SIGKILL)
            time.sleep(0.02)


@dataclass
class RayCluster:
    """A head without CPUs, and the nodes that are added to it; at the end every process of it is gone."""

    home: Path = field(default_factory=lambda: Path(mkdtemp(prefix="ray-", dir="/tmp")))
    nodes: list[Node] = field(default_factory=list)
    address: str = ""
    guard: subprocess.Popen[str] = field(init=False)

    def __enter__(self) -> RayCluster:
        self.guard = subprocess.Popen(
            [sys.executable, "-c", _GUARD], stdin=subprocess.PIPE, text=True, start_new_session=True
        )
        self._tell_guard(self.home)
        # Otherwise the head asks the network which cloud it is in.
        (self.home / "ray_bootstrap_config.yaml").write_text("provider: {type: local}\n")
        try:
            (said,) = self._start(({},), "--head", "--port=0", "--num-cpus=0", "--include-dashboard=false")
            self.address = re.search(r"--address='([\d.]+:\d+)'", said)[1]  # type: ignore[index]
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.guard.communicate()

    @property
    def head(self) -> Node:
        return self.nodes[0]

    def add(self, *environments: Mapping[str, str]) -> list[Node]:
        """A node of one CPU for each, with more in its environment."""
        self._start(environments, f"--address={self.address}", "--num-cpus=1")
        return self.nodes[-len(environments) :]

    def _start(self, environments: Sequence[Mapping[str, str]], *options: str) -> list[str]:
        started = [self._started(environment, options) for environment in environments]
        said = []
        for process, log in started:
            code = process.wait(60)
            said.append(log.read_text())
            assert code == 0, said[-1]
        return said

    def _started(self, more: Mapping[str, str], options: Sequence[str]) -> tuple[subprocess.Popen[bytes], Path]:
        # Every process of the tests has a net of its own, so that their clusters do not meet.
        own = os.getpid()
        host = f"127.{64 + own // 250 % 128}.{1 + own % 250}.{11 + len(self.nodes)}"
        command = [
            str(Path(sys.executable).with_name("ray")), "start", *options, f"--node-ip-address={host}",
            # Nodes that start at the same time in the same folder take each other's names for theirs.
            f"--temp-dir={self.home / str(len(self.nodes))}", *_OPTIONS,
        ]  # fmt: skip
        name = f"{self.home.name}-{len(self.nodes)}"
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("RAY_", "PYTEST_"))}
        environment = kept | _ENVIRONMENT | {"HOME": str(self.home), "PYTHONPATH": str(Path.cwd()), NODE: name} | more
        log = self.home / f"{name}.log"
        with log.open("w") as said:
            process = subprocess.Popen(command, stdout=said, stderr=said, env=environment, start_new_session=True)
        self.nodes.append(Node(name, process.pid))
        self._tell_guard(process.pid)
        return process, log

    def _tell_guard(self, what: object) -> None:
        assert self.guard.stdin is not None
        self.guard.stdin.write(f"{what}\n")
        self.guard.stdin.flush()


def _sessions() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if fields[0] != "Z":
                yield int(entry.name), int(fields[3])
