"""The join of runs and an offline solve, on outcomes made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from benchmarks.study.cell import Outcome, Result
from benchmarks.study.ratio import join
from benchmarks.study.rows import Timing
from benchmarks.study.scheme import Scheme, given_policy
from online.policy import Decision, Event, Guarantee, Policy

ABOUT = {
    "instance": "i",
    "instance_hash": "h",
    "instance_seed": 4,
    "load": 0.5,
    "origin": "",
    "negligible": 0.0,
}
SCHEMES = (Scheme("fifo", "fifo"), Scheme("drf", "drf"))


def ran(
    objective: float, *, wider: bool = False, faster: bool = False, evidence: Any = None
) -> Outcome:
    value = {
        **ABOUT,
        "objective": objective,
        "completed": 2,
        "jobs": 3,
        "violations": 0,
        "wider": wider,
        "faster": faster,
        "clairvoyant": False,
        "decisions": 7,
        "evidence": evidence,
    }
    return Outcome("done", Result(value, times={"policy": 0.125}))


def solved(
    objective: float | None,
    *bounds: tuple[float, str],
    certified: float | None = None,
    timed: bool = False,
    **more: Any,
) -> Outcome:
    value = {
        **ABOUT,
        "objective": objective,
        "bounds": [{"value": bound, "source": source} for bound, source in bounds],
        "certified": certified,
        "negligible": 0.0,
        "timed": timed,
    }
    return Outcome("done", Result(value, times={"offline": 2.0}, **more))


FAILED = Outcome("killed", message="its process was killed")


def test_the_optimum_lies_between_the_best_of_all_schedules_and_the_best_bound() -> None:
    offline = solved(9.0, (12.0, "milp"), (11.0, "prices"), certified=11.0, proven=False)
    found = join("utility", SCHEMES, [ran(10.0), ran(5.0)], offline, seed=4)
    fifo, drf = found.rows
    assert found.best == "fifo"
    assert (
        (fifo.offline_lower, fifo.offline_upper)
        == (10.0, 11.0)
        == (
            drf.offline_lower,
            drf.offline_upper,
        )
    )
    assert (drf.ratio_lower, drf.ratio_upper) == (2.0, 2.2)
    assert (fifo.offline_status, fifo.bound_source, fifo.offline_certified) == (
        "bounded",
        "prices",
        11.0,
    )
    assert fifo.offline_time_limited
    assert (fifo.instance, fifo.instance_hash, fifo.seed, fifo.load) == ("i", "h", 4, 0.5)
    assert (fifo.completed, fifo.jobs, fifo.violations, fifo.error) == (2, 3, 0, "")


def test_the_offline_schedule_may_be_the_best() -> None:
    found = join("utility", SCHEMES, [ran(10.0), ran(5.0)], solved(11.0, (11.0, "milp")), seed=4)
    assert found.best is None
    assert [row.offline_status for row in found.rows] == ["optimal"] * 2
    assert not found.rows[0].offline_time_limited


def test_a_faster_policy_says_nothing_of_the_optimum() -> None:
    offline = solved(9.0, (11.0, "milp"), proven=False)
    found = join("utility", SCHEMES, [ran(12.0, faster=True), ran(10.0)], offline, seed=4)
    assert found.best == "drf"
    assert [(row.offline_lower, row.offline_upper) for row in found.rows] == [(10.0, 11.0)] * 2
    assert (found.rows[0].ratio_upper, found.rows[0].error) == (11.0 / 12.0, "")


def test_a_proof_that_the_clock_steered_is_marked() -> None:
    # Its interval is as wide as the gap that counts as proven, and another run has another one.
    steered = solved(11.0, (11.0, "milp"), timed=True)
    (row,) = join("utility", SCHEMES[:1], [ran(10.0)], steered, seed=4).rows
    assert row.offline_status == "optimal" and row.offline_time_limited


def test_minimisation() -> None:
    schemes = (Scheme("a-online", "a-online"), Scheme("srtf", "srtf"))
    offline = solved(8.0, (7.0, "milp"), (5.0, "prices"), certified=5.0)
    found = join("jct", schemes, [ran(14.0), ran(6.0, wider=True)], offline, seed=4)
    own, wider = found.rows
    assert (own.offline_lower, own.offline_upper, own.ratio_upper) == (7.0, 8.0, 2.0)
    # Migration may beat the MILP's bound: only prices hold for it.
    assert (wider.offline_lower, wider.offline_upper) == (5.0, 6.0)
    assert (wider.offline_allows, own.offline_allows) == ("migration", "")
    assert wider.ratio_upper == pytest.approx(6.0 / 5.0)
    assert found.best is None
    alone = join("jct", schemes[1:], [ran(6.0, wider=True)], solved(None, (5.0, "prices")), seed=4)
    assert alone.best == "srtf"  # nobody has an own schedule


def test_a_failed_run_takes_nobody_with_it() -> None:
    found = join("utility", SCHEMES, [FAILED, ran(5.0)], solved(10.0, (10.0, "milp")), seed=4)
    failed, fine = found.rows
    assert failed.error == "run: killed: its process was killed"
    assert (failed.objective, failed.ratio_upper, failed.offline_lower) == (None, None, None)
    assert (failed.instance, failed.seed, failed.load) == ("i", 4, 0.5)
    assert (fine.ratio_upper, fine.error) == (2.0, "")


def test_a_failed_solve_is_the_error_of_all_rows() -> None:
    late = Outcome("out of time", message="still running after 60 s")
    found = join("utility", SCHEMES, [ran(10.0), FAILED], late, seed=4)
    assert [row.error for row in found.rows] == [
        "offline: out of time: still running after 60 s",
        "run: killed: its process was killed; offline: out of time: still running after 60 s",
    ]
    assert (found.rows[0].objective, found.rows[0].ratio_upper) == (10.0, None)
    nobody = join("utility", SCHEMES[:1], [FAILED], late, seed=9, name="utility seed 9")
    assert (nobody.rows[0].instance, nobody.rows[0].seed) == ("utility seed 9", 9)


def test_a_schedule_better_than_a_bound_is_the_error_of_all_rows_of_its_instance() -> None:
    found = join("utility", SCHEMES, [ran(10.0), FAILED], solved(8.0, (9.0, "prices")), seed=4)
    fault = (
        "offline: objective 10.0 contradicts the bound 9.0 from prices: one of them is wrong, a "
        "fault of the code"
    )
    assert [row.error for row in found.rows] == [
        fault,
        f"run: killed: its process was killed; {fault}",
    ]
    assert (found.rows[0].objective, found.rows[0].ratio_upper, found.best) == (10.0, None, None)


class Promising(Policy):
    """Its guarantee is what it is told."""

    name = "promising"

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        pass

    def step(self, event: Event) -> Decision:
        return Decision()

    @classmethod
    def applies(cls, evidence: Mapping[str, Any], best_known: float) -> Guarantee | None:
        if evidence["ratio"] < 1:
            raise LookupError("no guarantee")
        return Guarantee(evidence["ratio"] * best_known, True, "")


def test_a_guarantee_is_given_the_best_schedule_and_may_fail_alone() -> None:
    schemes = (Scheme("promising", given_policy(Promising)), *SCHEMES[:1])
    for ratio, expected, error in ((3.0, 30.0, ""), (0.5, None, "guarantee: failed: LookupError")):
        runs = [ran(10.0, evidence={"ratio": ratio}), ran(5.0)]
        row, other = join("utility", schemes, runs, solved(8.0, (12.0, "milp")), seed=4).rows
        assert row.guarantee == expected
        assert row.error.startswith(error)
        assert other.guarantee is None and other.error == ""


def test_times_are_those_of_what_ran_now() -> None:
    runs, offline = [ran(10.0), ran(5.0)], solved(11.0, (11.0, "milp"))

    def timings(runs: Sequence[Outcome], offline: Outcome) -> tuple[Timing, ...]:
        return join("utility", SCHEMES, runs, offline, seed=4).timings

    first, _ = timings(runs, offline)
    assert (first.decisions, first.policy_seconds, first.offline_seconds) == (7, 0.125, 2.0)
    looked_up = [Outcome("done", Result(run.result.value), ran=False) for run in runs if run.result]
    stored = Outcome("done", Result(offline.result.value), ran=False) if offline.result else FAILED
    assert timings(looked_up, stored) == ()
    (only,) = timings([looked_up[0], runs[1]], stored)
    assert (only.policy, only.policy_seconds, only.offline_seconds) == ("drf", 0.125, None)
    assert timings([FAILED, FAILED], FAILED) == ()
