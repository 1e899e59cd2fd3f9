"""The same limit of work gives the same to the bit on an idle and on a loaded machine."""

from __future__ import annotations

import multiprocessing
import os

import numpy as np
import pytest

from benchmarks.utility import WORKLOAD
from solvers.utility import offline
from solvers.utility.deadlines import DeadlineOptions, state


def _burn() -> None:
    while True:
        pass


@pytest.mark.slow
def test_a_loaded_machine_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    # On the grid of time, where no proof is hoped for, and with every program in a child process.
    ins = WORKLOAD.draw(jobs=20, slots=20, servers=(6, 6), seed=1, load=None)[0]
    options = DeadlineOptions(provable=0)
    monkeypatch.setattr(state, "SMALL_MIP", 0)
    idle = offline.solve(ins, time_limit=None, work_limit=1.0, options=options)
    burners = [
        multiprocessing.get_context("spawn").Process(target=_burn, daemon=True)
        for _ in range(2 * (os.cpu_count() or 1))
    ]
    for burner in burners:
        burner.start()
    try:
        loaded = offline.solve(ins, time_limit=None, work_limit=1.0, options=options)
    finally:
        for burner in burners:
            burner.kill()
            burner.join()
    assert idle.objective is not None and idle.bound is not None
    assert idle.gap is not None and idle.gap > 1e-3  # the work ended it, no proof did
    assert (idle.objective, idle.bound) == (loaded.objective, loaded.bound)
    assert np.array_equal(idle.schedule.workers, loaded.schedule.workers)
    assert np.array_equal(idle.schedule.ps, loaded.schedule.ps)
    assert not idle.timed and not loaded.timed
