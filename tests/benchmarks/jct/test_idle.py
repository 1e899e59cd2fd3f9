"""Idle slots of `jct` cost nothing: neither after the last job nor between two crowds of jobs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import numba
import numpy as np
import pytest

from benchmarks.jct import WORKLOAD
from benchmarks.jct.gap import GAP
from benchmarks.study.run import Run, run_policy
from models.jct import JctInstance
from online.registry import find_policy, policy_names
from tests.models.jct.small import random_instance

ROOT = Path(__file__).parents[3]
OURS = tuple(
    f"{ROOT / package}{os.sep}" for package in ("models", "solvers", "online", "benchmarks")
)


def later(ins: JctInstance, distance: int, *, factor: int = 1) -> JctInstance:
    """All jobs of an instance, and the same again so many slots later; a longer horizon."""
    again = [
        msgspec.structs.replace(job, id=f"{job.id}-again", arrival=job.arrival + distance)
        for job in ins.file.jobs
    ]
    slots = factor * (ins.cluster.slots + distance)
    return JctInstance.from_file(
        msgspec.structs.replace(ins.file, jobs=[*ins.file.jobs, *again], slots=slots)
    )


def crowd(seed: int) -> JctInstance:
    """Ten jobs on three servers, all done within 300 slots."""
    rng = np.random.default_rng(seed)
    return random_instance(rng, jobs=10, servers=3, most_workers=2, chunks=4, slots=300)


@pytest.mark.parametrize("name", sorted(policy_names("jct")))
@pytest.mark.parametrize("seed", range(3))
def test_a_longer_pause_has_no_more_events(name: str, seed: int) -> None:
    def told(run: Run) -> list[tuple[object, ...]]:
        keys = ("event", "job", "preempted", "busy")
        return [tuple(row[key] for key in keys) for row in run.trace.decisions]

    # Tiresias-L knows the median service of all jobs, which doubling them leaves as it is.
    near, far = (
        run_policy(later(crowd(seed), distance, factor=factor), find_policy("jct", name))
        for distance, factor in ((300, 1), (300_000, 10))
    )
    assert near.score.completion[:10].max() < 300
    assert told(near) == told(far)
    if name != "batchsche":  # whose batches grow with the clock: late jobs wait longer for theirs
        assert near.score.value.tolist() == far.score.value.tolist()


def work(name: str, instance: JctInstance) -> tuple[int, int]:
    """Lines of our own code that run, and the most bytes held meanwhile."""
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        lines += 1
        return trace

    def run() -> None:
        if name == "bound":
            GAP.methods["bound"].solve(instance, 600.0, 1)
        else:
            run_policy(instance, find_policy("jct", name))

    run()  # what is kept from one run to the next
    sys.settrace(trace)
    run()
    sys.settrace(None)
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return lines, peak


def print_work() -> None:
    """For each policy and the bound: the work of an instance, and with ten times the horizon."""
    assert numba.config.DISABLE_JIT  # lines of kernels count like all others
    ins, _ = WORKLOAD.draw(jobs=20, slots=100, servers=15, seed=0)
    wide = JctInstance.from_file(msgspec.structs.replace(ins.file, slots=10 * ins.cluster.slots))
    names = [*sorted(policy_names("jct")), "bound"]
    print(json.dumps({name: (work(name, ins), work(name, wide)) for name in names}))


@pytest.mark.slow
def test_ten_times_the_horizon_is_no_more_work() -> None:
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "from tests.benchmarks.jct.test_idle import print_work; print_work()",
        ],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=600,
    )
    assert told.returncode == 0, told.stderr
    known = json.loads(told.stdout)
    assert set(known) == {*policy_names("jct"), "bound"}
    for name, (narrow, wide) in known.items():
        assert narrow[0] > 10_000, name
        assert wide[0] <= narrow[0], name
        assert wide[1] - narrow[1] <= 200 * (9 * 100), name  # bytes; a few numbers per slot more
