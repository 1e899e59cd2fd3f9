"""The results folder of the `reward` problem: schedules are archives, and are found again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.evaluate import Cell, evaluate
from benchmarks.results import ResultsFolder
from models.reward import RewardInstance, RewardSchedule, score
from online.reward.drf import DRF
from online.reward.oga import OGASchedConstant
from tests.models.reward.cases import random_reward
from tests.models.reward.small import reward

POLICIES = [OGASchedConstant, DRF]


@pytest.fixture(scope="module")
def ins() -> RewardInstance:
    return random_reward(np.random.default_rng(4), most=2)


@pytest.fixture(scope="module")
def cell(ins: RewardInstance) -> Cell:
    return evaluate(ins, POLICIES, time_limit=10.0)


def test_schedules_are_kept_as_archives_and_a_cell_is_taken_up_again(
    ins: RewardInstance, cell: Cell, tmp_path: Path
) -> None:
    results = ResultsFolder(tmp_path, {}, POLICIES)
    assert results.load(ins) is None
    results.save(ins, cell)
    assert results.load(ins) == (list(cell.rows), list(cell.timings))
    (kept,) = (tmp_path / "cells").iterdir()
    names = [f"schedules/{policy.name}.npz" for policy in POLICIES]
    for name, row in zip(names, cell.rows, strict=True):
        assert score(ins, RewardSchedule.read(kept / name, ins)).objective == row.objective
    best = score(ins, RewardSchedule.read(kept / "offline.npz", ins)).objective
    assert best == cell.interval.lower
    (kept / names[1]).unlink()
    assert results.load(ins) is None


def test_the_optimum_of_every_slot_bounds_whoever_sees_the_arrivals(cell: Cell) -> None:
    # Unlike the best fixed decision, which a heuristic may beat.
    for row in cell.rows:
        assert row.objective <= row.offline_upper * (1.0 + 1e-9)
        assert row.ratio_lower >= 1.0 - 1e-6
        assert row.violations == 0


def test_an_overhead_above_the_gain_gives_an_infinite_ratio() -> None:
    # f = ln(1 + y), beta = 1: y = 0 is best of all, since the slope is below 1 everywhere. DRF
    # gives 2 units and earns ln 3 - 2 < 0.
    ins = reward([[2.0]], [[2.0]], [[1]], kind="log", beta=[1.0])
    row = evaluate(ins, [DRF], time_limit=10.0).rows[0]
    assert row.objective == pytest.approx(np.log(3.0) - 2.0)
    assert row.ratio_upper == float("inf")
