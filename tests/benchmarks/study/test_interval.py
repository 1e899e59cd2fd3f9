"""Intervals that contain the optimum, and the ratios that follow."""

from __future__ import annotations

import pytest

from benchmarks.study.interval import (
    Bound,
    ContradictedBound,
    Incumbent,
    offline_interval,
    ratio_interval,
    solved_intervals,
)


def test_interval_takes_the_best_of_both_sides() -> None:
    interval = offline_interval(
        "max",
        [Incumbent(7.0, "a"), Incumbent(9.0, "b")],
        [Bound(12.0, "milp"), Bound(10.0, "prices")],
    )
    assert (interval.lower, interval.upper, interval.status) == (9.0, 10.0, "bounded")
    assert (interval.bound_source, interval.incumbent.schedule) == ("prices", "b")
    assert ratio_interval("max", 4.5, interval) == (2.0, pytest.approx(10 / 4.5))
    least = offline_interval("min", [Incumbent(9.0, "a")], [Bound(8.9999, "milp")])
    assert least.status == "optimal"
    assert ratio_interval("min", 18.0, least) == (2.0, pytest.approx(18 / 8.9999))


def test_a_schedule_better_than_a_bound_is_an_error() -> None:
    with pytest.raises(ContradictedBound, match="contradicts"):
        offline_interval("max", [Incumbent(10.0, None)], [Bound(9.0, "milp")])


def test_wider_schedules_have_an_interval_of_their_own() -> None:
    # 8 beats the MILP's 9, and contradicts nothing: its schedule is none of the MILP's.
    known = [Incumbent(10.0, "own"), Incumbent(8.0, "moves", wider=True)]
    bounds = [{"value": 9.0, "source": "milp"}, {"value": 7.0, "source": "prices"}]
    solved = {"objective": None, "bounds": bounds, "negligible": 0.0}
    found = solved_intervals("min", solved, known)
    assert (found[False].lower, found[False].upper) == (9.0, 10.0)
    assert (found[True].lower, found[True].upper) == (7.0, 8.0)
    assert [found[wider].bound_source for wider in (False, True)] == ["milp", "prices"]
    assert found[True].incumbent.schedule == "moves"
    # An own schedule is one of the wider kind, too; without a bound there is no interval.
    assert solved_intervals("min", solved, known[:1])[True].upper == 10.0
    assert list(solved_intervals("min", {**solved, "bounds": bounds[:1]}, known)) == [False]
    assert list(solved_intervals("min", solved, known[1:])) == [True]


def test_zero_objectives_are_treated_explicitly() -> None:
    some = offline_interval("max", [Incumbent(5.0, None)], [Bound(5.0, "milp")])
    none = offline_interval("max", [Incumbent(0.0, None)], [Bound(0.0, "prices")])
    assert ratio_interval("max", 0.0, some) == (float("inf"), float("inf"))
    assert ratio_interval("max", 0.0, none) == (1.0, 1.0)


def test_negative_objectives_have_no_quotient() -> None:
    # Rewards may be negative; whoever ends below 0 where 5 was possible is infinitely far off.
    some = offline_interval("max", [Incumbent(5.0, None)], [Bound(6.0, "milp")])
    assert ratio_interval("max", -1.0, some) == (float("inf"), float("inf"))
    # Nothing better than -1 is known, 0 is possible: the ratio is 1 at least, at most anything.
    unknown = offline_interval("max", [Incumbent(-1.0, None)], [Bound(0.0, "milp")])
    assert ratio_interval("max", -1.0, unknown) == (1.0, float("inf"))


def test_nothing_where_next_to_nothing_was_possible_is_optimal() -> None:
    found = offline_interval(
        "max", [Incumbent(0.0, None)], [Bound(8e-9, "prices")], negligible=1e-8
    )
    assert (found.lower, found.upper, found.status) == (0.0, 0.0, "optimal")
    assert ratio_interval("max", 0.0, found) == (1.0, 1.0)
    assert ratio_interval("max", -1.0, found) == (float("inf"), float("inf"))


def test_what_is_more_than_negligible_is_measured_as_before() -> None:
    known, bound = [Incumbent(9.0, None)], [Bound(10.0, "prices")]
    found = offline_interval("max", known, bound, negligible=2.0)
    assert (found.lower, found.upper, found.status) == (9.0, 10.0, "bounded")


def test_a_bound_by_prices_may_be_of_own_schedules_alone() -> None:
    runs = [Incumbent(9.0, "own"), Incumbent(8.0, "wider", wider=True)]
    bounds = [{"value": 8.5, "source": "prices", "own": True}, {"value": 7.0, "source": "prices"}]
    solved = {"objective": None, "bounds": bounds, "negligible": 0.0}
    found = solved_intervals("min", solved, runs)
    assert (found[False].lower, found[False].upper) == (8.5, 9.0)
    assert (found[True].lower, found[True].upper) == (7.0, 8.0)
    assert set(solved_intervals("min", {**solved, "bounds": bounds[:1]}, runs)) == {False}
