"""A Dask scheduler with workers on loopback, each a process that a test may kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.test_layers import ROOT

__all__ = ["Loopback", "loopback"]

_PATIENCE = 120.0  # seconds to start


class Loopback:
    """A scheduler and its workers.

    Parameters
    ----------
    folder : Path
        Of its files.
    run_in : Path
        Where the workers run.
    """

    def __init__(self, folder: Path, run_in: Path) -> None:
        self._folder, self._run_in = folder, run_in
        self._about = folder / "scheduler.json"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._start("dask_scheduler", "--port", "0", "--dashboard-address", ":0")
        deadline = time.monotonic() + _PATIENCE
        while not self._about.exists() or not self._about.read_text().endswith("}"):
            assert time.monotonic() < deadline, self.said
            time.sleep(0.1)
        self.address: str = json.loads(self._about.read_text())["address"]

    def add_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker of one thread, and wait until the scheduler has it."""
        before = self.said.count("Register worker")
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
        started = self._start("dask_worker", *options, **environment)
        deadline = time.monotonic() + _PATIENCE
        while self.said.count("Register worker") == before:
            assert time.monotonic() < deadline, self.said
            time.sleep(0.1)
        return started

    @property
    def said(self) -> str:
        """What all its processes have printed."""
        return (self._folder / "log").read_text()

    def _start(self, module: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1"]
        with (self._folder / "log").open("ab") as log:
            started = subprocess.Popen(
                [*command, "--scheduler-file", str(self._about), *options],
                cwd=self._run_in,
                env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
                stdout=log,
                stderr=log,
            )
        self._processes.append(started)
        return started

    def lose_scheduler(self) -> None:
        """Kill the scheduler."""
        self._processes[0].kill()

    def end(self) -> None:
        """End all that still runs."""
        for process in self._processes:
            process.kill()
            process.wait()


@contextmanager
def loopback(folder: Path, run_in: Path | None = None) -> Iterator[Loopback]:
    """A scheduler, until the end of the block."""
    folder.mkdir(exist_ok=True)
    cluster = Loopback(folder, run_in or folder)
    try:
        yield cluster
    finally:
        cluster.end()
