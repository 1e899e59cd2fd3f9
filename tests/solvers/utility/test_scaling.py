"""Everything proven of an instance scales with its priorities, status included."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import pytest

from benchmarks.study.interval import Bound, Incumbent, offline_interval
from models.sigmoid import Sigmoid
from models.utility import UtilityInstance, UtilitySchedule, score
from solvers.highs import HighsOptions, LinearProgram, solve
from solvers.result import SolveResult, relative_gap
from solvers.utility.compact_ilp import relaxation
from solvers.utility.exact import solve as solve_exactly
from solvers.utility.offline import solve as solve_offline
from solvers.utility.price_bound import price_bound
from solvers.utility.scaling import scale_utilities
from tests.models.utility.small import constant, instance, job
from tests.seeds import seeds
from tests.solvers.utility.test_exact import contended

pytestmark = pytest.mark.usefixtures("short_local_search")

FACTORS = [2.0**-32, 1e-9, 1e-3, 1e6, 2.0**32]


def times(ins: UtilityInstance, factor: float) -> UtilityInstance:
    """The instance with all priorities multiplied."""

    def more(utility: Sigmoid) -> Sigmoid:
        return msgspec.structs.replace(utility, priority=utility.priority * factor)

    jobs = [msgspec.structs.replace(one, utility=more(one.utility)) for one in ins.file.jobs]
    return UtilityInstance.from_file(msgspec.structs.replace(ins.file, jobs=jobs))


@cache
def unscaled(seed: int) -> tuple[SolveResult[UtilitySchedule], SolveResult[UtilitySchedule]]:
    """Exactly, and offline."""
    return solve_exactly(contended(seed)), solve_offline(contended(seed), time_limit=None)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("seed", seeds(8, quick=3))
def test_optimum_and_interval_scale(seed: int, factor: float) -> None:
    ins, scaled = contended(seed), times(contended(seed), factor)
    # Powers of two change no digit; others change the last one, and with it HiGHS's path.
    exactly = {"rel": 0.0, "abs": 0.0} if np.frexp(factor)[0] == 0.5 else {"rel": 1e-6, "abs": 0.0}
    one, other = unscaled(seed)[0], solve_exactly(scaled)
    assert one.status == other.status == "optimal"
    assert other.objective == pytest.approx(one.objective * factor, **exactly)
    assert other.bound == pytest.approx(one.bound * factor, rel=exactly["rel"] and 1e-4, abs=0.0)
    assert score(scaled, other.schedule).objective == other.objective
    # Prices of certificates are rounded to decimal digits, and with them the search's path.
    one, other = unscaled(seed)[1], solve_offline(scaled, time_limit=None)
    assert one.status == other.status == "optimal"
    for found, expected in ((other.objective, one.objective), (other.bound, one.bound)):
        assert found == pytest.approx(expected * factor, rel=2e-4, abs=0.0)
    one, other = relaxation(ins), relaxation(scaled)
    assert other.bound == pytest.approx(one.bound * factor, **exactly)
    if exactly["rel"] == 0.0:
        assert (other.duals.worker == one.duals.worker * factor).all()
    assert price_bound(scaled, other.duals).value == pytest.approx(
        price_bound(ins, one.duals).value * factor, rel=1e-6, abs=0.0
    )


def test_tiny_priorities_are_not_all_the_same() -> None:
    # One place, jobs worth 1e-9 and 3e-9. HiGHS's absolute tolerances call any choice optimal.
    jobs = [job(f"j{v}", utility=constant(v * 1e-9)) for v in (1.0, 3.0, 2.0)]
    ins = instance(jobs, slots=1)
    result = solve_exactly(ins)
    assert (result.status, result.objective) == ("optimal", pytest.approx(3e-9, rel=1e-9, abs=0.0))
    assert result.bound == pytest.approx(3e-9, rel=1e-4, abs=0.0)


def test_the_factor_is_a_power_of_two_and_keeps_the_hash() -> None:
    # Alone, the jobs are worth 3e-9 at most; "late" cannot run.
    jobs = [job("a", utility=constant(3e-9)), job("late", work=9, utility=constant(1e9))]
    ins = instance(jobs)
    scaled = scale_utilities(ins)
    assert np.frexp(scaled.factor)[0] == 0.5
    assert 64 <= 3e-9 * scaled.factor < 128
    assert float(scaled.instance.jobs[0].utility(0)) == 3e-9 * scaled.factor
    assert scaled.instance.hash == ins.hash
    for nothing in (instance([]), instance([job("late", work=9)])):
        assert scale_utilities(nothing).factor == 1.0
    assert np.isfinite(scale_utilities(instance([job("a", utility=constant(1e-12))])).factor)


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12])
def test_claims_of_the_adapter_are_relative(factor: float) -> None:
    # max a + 2 b, a + b <= 3, a, b <= 2 whole: 5 at (1, 2), in any unit.
    program = LinearProgram(
        sense="max",
        cost=np.array([1.0, 2.0]) * factor,
        matrix=[[1, 1]],
        row_upper=3,
        upper=2,
        integer=True,
    )
    options = HighsOptions(mip_rel_gap=1e-4)
    assert options.highs_options()["mip_abs_gap"] == 0.0
    result = solve(program, options)
    # HiGHS takes costs below its tolerances for 0; but it must not call that optimal.
    assert result.objective == pytest.approx(5 * factor, rel=1e-9, abs=0.0) or not result.is_optimal


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12])
def test_gaps_and_intervals_are_relative(factor: float) -> None:
    assert relative_gap("max", 8 * factor, 10 * factor) == pytest.approx(0.2)
    some = offline_interval("max", [Incumbent(8 * factor, None)], [Bound(10 * factor, "prices")])
    assert some.status == "bounded"
    with pytest.raises(RuntimeError, match="contradicts"):
        offline_interval("max", [Incumbent(10 * factor, None)], [Bound(9 * factor, "milp")])
    # The word of a MILP solver is good to 1e-6; prices are to 1e-9.
    hair = [Incumbent(10 * factor * (1 + 1e-7), None)]
    assert offline_interval("max", hair, [Bound(10 * factor, "milp")]).status == "optimal"
    with pytest.raises(RuntimeError, match="contradicts"):
        offline_interval("max", hair, [Bound(10 * factor, "prices")])
    assert relative_gap("max", 0.0, 0.0) == 0.0
    assert relative_gap("max", -1.0, 0.0) == float("inf")
