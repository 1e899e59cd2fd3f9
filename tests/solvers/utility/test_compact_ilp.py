"""The compact ILP handed to HiGHS whole: against brute force, and its faults."""

from __future__ import annotations

import pytest

from models.errors import InputError
from models.scoring import Score, Violation
from models.utility import UtilityInstance, UtilitySchedule, score
from solvers.errors import WrongSolution
from solvers.utility import compact_ilp
from solvers.utility.compact_ilp import solve
from tests.models.utility.small import instance, job
from tests.seeds import seeds
from tests.solvers.utility.test_exact import SMALL, best, contended


@pytest.mark.parametrize("seed", seeds(40, quick=15))
def test_equals_brute_force(seed: int) -> None:
    ins = contended(seed)
    result = solve(ins, mip_rel_gap=0.0)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(best(seed), **SMALL)
    assert score(ins, result.schedule).objective == result.objective
    again = solve(ins, start=result.schedule, mip_rel_gap=0.0)
    assert again.objective == pytest.approx(best(seed), **SMALL)


def test_a_schedule_that_the_scorer_refuses_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def strict(ins: UtilityInstance, schedule: UtilitySchedule) -> Score:
        judged = score(ins, schedule)
        return Score(judged.objective, (Violation("(2)", "idle"),), judged.completion, judged.value)

    monkeypatch.setattr(compact_ilp, "score", strict)
    with pytest.raises(WrongSolution, match=r"small: \(2\) idle"):
        solve(contended(0))


def test_a_schedule_just_above_the_scorers_tolerance_gives_way_to_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A stand-in for HiGHS's tolerance on top of the scorer's: a capacity that is broken by
    # less than the tolerant capacity. Only the start, which runs nothing, is accepted.
    def strict(ins: UtilityInstance, schedule: UtilitySchedule) -> Score:
        judged = score(ins, schedule)
        full = (Violation("(4)", "full"),) if len(schedule.workers) else ()
        return Score(judged.objective, full, judged.completion, judged.value)

    ins = contended(0)
    nothing = UtilitySchedule.build(ins, [False] * len(ins.jobs), [], [])
    monkeypatch.setattr(compact_ilp, "score", strict)
    without = solve(ins)
    assert (without.status, without.schedule, without.objective) == ("bounded", None, None)
    assert without.bound == pytest.approx(best(0))
    result = solve(ins, start=nothing)
    assert (result.status, result.schedule, result.objective) == ("feasible", nothing, 0.0)
    assert "exceeds a capacity" in result.message


def test_a_capacity_broken_by_far_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two workers where one fits.
    ins = instance([job("a", work=1), job("b", work=1)], slots=1)
    both = UtilitySchedule.build(
        ins, [True, True], [[0, 0, 0, 1], [1, 0, 0, 1]], [[0, 0, 0, 1], [1, 0, 0, 1]]
    )
    monkeypatch.setattr(compact_ilp, "schedule_from_values", lambda *_: both)
    with pytest.raises(WrongSolution, match=r"small: \(4\) worker server 0 uses 2 of 1"):
        solve(ins)


def test_a_start_that_the_model_refuses_is_a_fault_of_the_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InputError("start: row is violated")

    ins = contended(0)
    monkeypatch.setattr(compact_ilp, "solve_model", refuse)
    with pytest.raises(WrongSolution, match="start: row is violated"):
        solve(ins, start=UtilitySchedule.build(ins, [False] * len(ins.jobs), [], []))
