"""Given deadlines in whole workers: the optimum where all are allowed, and what is done with."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from models.utility import UtilityInstance
from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs import solve as run_highs
from solvers.highs.feasibility import settle
from solvers.utility.deadlines.prove import bound_program, with_whole_workers
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.exact import solve
from solvers.utility.separation import PackingSeparator
from solvers.utility.totals_program import TotalsProgram
from tests.models.utility.small import constant, instance, job
from tests.solvers.utility.test_exact import SEEDS, best, contended
from tests.solvers.utility.test_time_grid import state_of, two_alike

pytestmark = pytest.mark.usefixtures("highs_here")


def completed(state: DeadlineState, ends: dict[int, int]) -> float:
    upper = with_whole_workers(state, ends)
    return (upper + state.totals.left_out) / state.factor


def any_deadlines(state: DeadlineState) -> dict[int, int]:
    return {i: limits.earliest for i, limits in state.totals.limits.items()}


@pytest.mark.parametrize("cuts", [True, False])
def test_where_every_deadline_is_allowed_it_is_the_optimum(
    cuts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without cuts, slots have to be written out.
    written: list[tuple[int, int]] = []
    write_out = TotalsProgram.write_out
    monkeypatch.setattr(
        TotalsProgram,
        "write_out",
        lambda self, side, slot: (written.append((side, slot)), write_out(self, side, slot)),
    )
    if not cuts:
        monkeypatch.setattr(PackingSeparator, "cut", lambda *_: None)
    for seed in SEEDS[:6] if cuts else SEEDS[12:20]:
        state = state_of(contended(seed), best(seed) + 1.0)
        if not state.totals.limits:
            continue
        columns = state.totals.columns
        upper = completed(state, any_deadlines(state))
        assert state.totals.columns == columns  # slots are written out in a copy
        assert state.known.objective == pytest.approx(best(seed), rel=1e-4)
        assert upper >= best(seed) * (1 - 1e-6)
        assert upper <= best(seed) * (1 + 1e-4) + 1e-6
    assert cuts or len(written) > 2


def test_deadlines_are_kept() -> None:
    # One job of the two, at slot 3 or later, is worth 2.3841, however early it runs.
    state = state_of(two_alike(), 30.0)
    upper = with_whole_workers(state, {0: 3})
    assert (upper + state.totals.left_out) / state.factor == pytest.approx(2.3841, rel=1e-3)
    # The schedule that was made of it has the other job, too, since that fits.
    assert state.known.objective == pytest.approx(12.3841, abs=1e-4)


@pytest.mark.parametrize("found", [True, False])
def test_what_highs_has_not_proven_is_no_bound(
    found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # HiGHS has the optimum, or nothing, and a bound that is 10 % above it, or none.
    gaps = []

    def solved(program: LinearProgram, options: HighsOptions, **_: object) -> MatrixResult:
        gaps.append(options.mip_rel_gap)
        result = run_highs(program, replace(options, mip_rel_gap=0.0))
        assert result.objective is not None
        if found:
            return replace(result, status="feasible", bound=1.1 * result.objective)
        return replace(result, status="interrupted", x=None, objective=None, bound=None)

    monkeypatch.setattr("solvers.utility.deadlines.state.run_highs", solved)
    state = state_of(two_alike(), 30.0)
    upper = completed(state, any_deadlines(state))
    assert upper == (pytest.approx(1.1 * 12.3841, rel=1e-3) if found else math.inf)
    rough, fine = state.options.rough_gap[True], state.options.gap[True]
    assert gaps == ([rough, fine] if found else [rough])


def optimum_known(ins: UtilityInstance) -> DeadlineState:
    state = state_of(ins, 30.0)
    state.known.offer(solve(ins).schedule)
    return state


def test_better_ones_are_asked_for_where_the_best_schedule_is_not_among_them() -> None:
    # The optimum, 12.3841, has slots 1 and 3. It is the answer where they are allowed; where
    # they are done with, nothing better is left.
    state = optimum_known(two_alike())
    both = any_deadlines(state)
    assert completed(state, both) == pytest.approx(12.3841, rel=1e-4)
    for ends in ({0: 1, 1: 3}, {0: 3, 1: 1}):
        state.forbid(ends)
    assert completed(state, both) == -math.inf
    assert completed(state, {0: 1}) == -math.inf


def test_the_program_for_the_bound_starts_from_the_best_schedule_unless_that_is_excluded() -> None:
    state = state_of(two_alike(), 30.0)
    program, _, start = bound_program(state, 1.0, rough=False)
    best = state.best_point(state.on_grid)
    assert start is not None
    assert start.tolist() == best.tolist()
    assert settle(program, start)[0] is not None
    state.forbid(state.on_grid.ends(best))
    restricted, _, start = bound_program(state, 1.0, rough=False)
    assert start is None
    # One row forbids the deadlines, the other asks for more than the schedule.
    assert restricted.matrix.shape[0] == program.matrix.shape[0] + 2
    assert restricted.row_lower[-1] == state.objective_to_beat


def test_a_program_without_deadlines_has_no_start() -> None:
    # A job worth nothing leaves no deadline.
    state = state_of(instance([job("a", utility=constant(0.0))]), 1.0)
    program, _, start = bound_program(state, 1.0, rough=False)
    assert not program.is_mip
    assert start is None
