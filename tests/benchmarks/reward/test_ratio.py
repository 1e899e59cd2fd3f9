"""The ratio of `reward`: schedules are archives; who is compared with the optimum of every slot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.door import Evaluation, evaluate
from benchmarks.ratio import main
from benchmarks.regret import main as regret
from models.reward import RewardInstance, RewardSchedule, score
from online.reward.drf import DRF
from online.reward.oga import OGASchedConstant
from tests.models.reward.cases import random_reward
from tests.models.reward.small import WORTHLESS, reward, worthless

POLICIES = [OGASchedConstant, DRF]


@pytest.fixture(scope="module")
def ins() -> RewardInstance:
    return random_reward(np.random.default_rng(4), most=2)


@pytest.fixture(scope="module")
def found(ins: RewardInstance) -> Evaluation:
    return evaluate(ins, POLICIES, time_limit=10.0)


def test_schedules_are_kept_as_archives(
    ins: RewardInstance, found: Evaluation, tmp_path: Path
) -> None:
    ins.write(tmp_path / "one.json")
    options = ["--problem", "reward", "--instance", str(tmp_path / "one.json")]
    names = [policy.name for policy in POLICIES]
    assert main([*options, "--policy", ",".join(names), "--out", str(tmp_path / "out")]) == 0
    (kept,) = (tmp_path / "out" / "instances").iterdir()
    for name, row in zip(names, found.rows, strict=True):
        schedule = RewardSchedule.read(kept / "schedules" / f"{name}.npz", ins)
        assert score(ins, schedule).objective == row.objective
        assert score(ins, found.schedules[name]).objective == row.objective
    best = score(ins, RewardSchedule.read(kept / "offline.npz", ins)).objective
    assert best == found.rows[0].offline_lower == score(ins, found.best).objective


def test_the_optimum_of_every_slot_bounds_whoever_sees_the_arrivals(found: Evaluation) -> None:
    # Unlike the best fixed decision, which a heuristic may beat.
    for row in found.rows:
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


@pytest.mark.parametrize(("alpha", "beta"), WORTHLESS)
def test_an_optimum_of_nothing_is_proven(alpha: float, beta: list[float]) -> None:
    (row,) = evaluate(worthless(alpha, beta), ["ogasched"], time_limit=5.0).rows
    assert (row.offline_status, row.offline_lower, row.offline_upper) == ("optimal", 0.0, 0.0)


def test_commands_say_that_an_optimum_of_nothing_is_proven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worthless(0.5, [1.0, 1.0]).write(tmp_path / "one.json")
    options = ["--problem", "reward", "--instance", str(tmp_path / "one.json")]
    options += ["--policy", "ogasched,drf"]
    assert main([*options, "--out", str(tmp_path / "ratio")]) == 0
    assert "Optimum proven (gap <= 0.0001) on 1 of 1 instances." in capsys.readouterr().out
    assert regret([*options, "--out", str(tmp_path / "regret")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "it is certified to 0.0e+00 relative at worst" in said
