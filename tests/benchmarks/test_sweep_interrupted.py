"""A sweep of 500 cells ends with the same bytes whatever runs it and whatever happens to that.

One process runs it to the end; two that are killed, and those of a cluster, are held against it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from online.process_tree import descendants
from tests.benchmarks.study.dask_cluster import loopback
from tests.test_layers import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc"),
]

PATIENCE = 300.0  # seconds

# So small that every optimum is proven, and most cells of the problem whose cells take least; one
# policy of ten is a user's. A single job of `completion` is proven without the clock.
STUDY = f"""
seeds = 2
time_limit = 60

[[study]]
problem = "utility"
policies = ["oasis", "fifo", "drf", "rrh", "dorm", "zero-price", "mine.py:EveryOther"]
base = {{ jobs = 4, slots = 6, servers = "3+3" }}

[[study]]
problem = "jct"
policies = ["a-online", "a-online-e", "srtf", "tiresias-l", "batchsche", "all-cloud"]
base = {{ jobs = 2, slots = 10, servers = 3 }}

[[study]]
problem = "completion"
policies = ["a-online", "fifo", "drf", "antman", "tiresias"]
base = {{ jobs = 1, slots = 6, servers = 2, worker_types = 2, ps_types = 2, max_duration = 4 }}

[[study]]
problem = "reward"
policies = [
    "ogasched", "ogasched-constant", "ogasched-literal", "ogasched-adaptive",
    "drf", "fairness", "binpacking", "spreading", "mine.py:Copy",
]
base = {{ jobs = 2, servers = 3 }}
vary = {{ slots = {list(range(4, 28))} }}
"""

MINE = '''
"""Policies of a user's."""

from online.policy import Arrival, Decision
from online.reward.drf import DRF
from online.utility.fifo import FIFO


class EveryOther(FIFO):
    """Every other job."""

    name = "every-other"

    def step(self, event):
        if isinstance(event, Arrival) and event.job.index % 2:
            return Decision()
        return super().step(event)


class Copy(DRF):
    """The same under another name."""

    name = "copy"
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all sweeps run."""
    folder = tmp_path_factory.mktemp("sweeps")
    (folder / "study.toml").write_text(STUDY)
    (folder / "mine.py").write_text(MINE)
    return folder


def start(folder: Path, out: str, *options: str) -> subprocess.Popen[str]:
    """Start the sweep in a process of its own; a user's policy has none, which would take long."""
    command = sys.executable, "-m", "benchmarks.sweep"
    return subprocess.Popen(
        [*command, "study.toml", "--out", out, "--no-isolate", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def rows(folder: Path, out: str) -> bytes:
    return (folder / out / "rows.csv").read_bytes()


def stored(folder: Path, out: str) -> dict[str, int]:
    """Finished cells, and when they were written."""
    return {
        file.name: file.stat().st_mtime_ns for file in (folder / out / "cells").glob("[!.]*.json")
    }


def wait_for(running: subprocess.Popen[str], folder: Path, out: str, count: int) -> None:
    """Wait until so many cells are finished."""
    deadline = time.monotonic() + PATIENCE
    while len(stored(folder, out)) < count:
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    """Whether a process has ended; somebody may still have to wait for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> bytes:
    """The rows of a sweep in one process that nothing happens to."""
    running = start(folder, "undisturbed", "--workers", "1")
    assert running.communicate()[1].count("failed") == 0
    assert running.returncode == 0
    frame = pd.read_csv(folder / "undisturbed" / "rows.csv")
    assert set(frame["problem"]) == {"utility", "jct", "completion", "reward"}
    assert len(stored(folder, "undisturbed")) >= 450  # some trials share an optimum
    assert not frame["offline_time_limited"].any() and frame["error"].isna().all()
    return rows(folder, "undisturbed")


def test_it_has_500_cells(undisturbed: bytes, folder: Path) -> None:
    frame = pd.read_csv(folder / "undisturbed" / "rows.csv")
    instances = frame.groupby(["study", "instance_hash"]).ngroups
    assert len(frame) + instances >= 500


def kill_a_worker(running: subprocess.Popen[str]) -> None:
    worker = next(
        pid
        for pid in descendants(running.pid)
        if b"benchmarks.study.guard" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )
    os.kill(worker, signal.SIGKILL)


def test_killed_and_taken_up_again_it_ends_with_the_same_rows(
    undisturbed: bytes, folder: Path
) -> None:
    # A worker first, then the command itself: nobody is left, and nothing is written but cells.
    running = start(folder, "killed", "--workers", "2")
    wait_for(running, folder, "killed", 60)
    kill_a_worker(running)
    wait_for(running, folder, "killed", 200)
    left = descendants(running.pid)
    running.kill()
    running.communicate()
    deadline = time.monotonic() + 10.0
    while not all(map(is_gone, left)):
        assert time.monotonic() < deadline, "a process is left behind"
        time.sleep(0.05)
    assert not (folder / "killed" / "rows.csv").exists()
    before = stored(folder, "killed")

    # The same again, and a worker dies near the end: one cell is lost, and the command says so.
    running = start(folder, "killed", "--workers", "2")
    wait_for(running, folder, "killed", 350)
    kill_a_worker(running)
    errors = running.communicate()[1]
    assert running.returncode == 1, errors
    (line,) = [line for line in errors.splitlines() if line.startswith("killed: ")]
    assert "its process was killed by SIGKILL" in line
    ours = rows(folder, "killed").decode().splitlines()
    lost = [ours[n] != row for n, row in enumerate(undisturbed.decode().splitlines())]
    assert 1 <= sum(lost) <= 9, "the rows of one instance at most"
    assert all("killed by SIGKILL" in ours[n] for n, is_lost in enumerate(lost) if is_lost)

    # And again.
    running = start(folder, "killed", "--workers", "2")
    errors = running.communicate()[1]
    assert running.returncode == 0, errors
    assert rows(folder, "killed") == undisturbed
    after = stored(folder, "killed")
    assert {name: after[name] for name in before} == before, "a finished cell was run again"


def test_a_cluster_that_loses_a_worker_ends_with_the_same_rows(
    undisturbed: bytes, folder: Path
) -> None:
    with loopback(folder / "dask", run_in=folder) as cluster:
        victim, _ = cluster.add_worker(), cluster.add_worker()
        running = start(folder, "cluster", "--cluster", cluster.address)
        wait_for(running, folder, "cluster", 200)
        victim.kill()
        errors = running.communicate()[1]
    assert running.returncode == 0, errors
    assert rows(folder, "cluster") == undisturbed
