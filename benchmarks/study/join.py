"""Runs and the offline side of one instance together: interval, ratio, guarantee. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.study.cell import Outcome
from benchmarks.study.guard import one_line
from benchmarks.study.interval import (
    ContradictedBound,
    Incumbent,
    Interval,
    ratio_interval,
    solved_intervals,
)
from benchmarks.study.rows import Row, Timing
from benchmarks.study.scheme import Scheme, policy_of
from models.problem import Problem, problem

__all__ = ["Joined", "join"]


@dataclass(frozen=True)
class Joined:
    """All that is known of one instance: a row for each scheme, times of those that ran now.

    ``best`` is the name of the scheme that made the best of the problem's own schedules, or, where
    none is known, of the wider ones; None if the offline cell did, or there is none. ``evidence``
    is what each run says for its guarantee (:meth:`online.policy.Policy.evidence`).
    """

    rows: tuple[Row, ...]
    timings: tuple[Timing, ...]
    best: str | None
    evidence: tuple[Mapping[str, Any] | None, ...]


def join(
    problem_name: str,
    schemes: Sequence[Scheme],
    runs: Sequence[Outcome],
    offline: Outcome,
    *,
    seed: int | None,
    name: str = "",
) -> Joined:
    """Rows of schemes on one instance, from the outcomes of their run cells and the offline cell.

    The optimum lies between the best of all schedules known and the best bound. Schedules that
    may do more than the problem's own (:attr:`models.problem.Problem.wider`) have an interval
    of their own: all schedules known, and the bounds that hold for these too. Where a schedule is
    better than a bound allows, which is a fault of the code, all rows say so. Seed and name are of
    the instance, for rows of which nothing else is known.
    """
    kind = problem(problem_name)
    values = [run.result.value if run.result else None for run in runs]
    known = [
        Incumbent(value["objective"], scheme.name, value["wider"])
        for scheme, value in zip(schemes, values, strict=True)
        if value
    ]
    about = {"instance": name, "instance_hash": "", "instance_seed": seed, "load": None}
    intervals: dict[bool, Interval] = {}
    faults = _failure("offline", offline)
    if offline.result:
        about = offline.result.value
        try:
            intervals = solved_intervals(kind.sense, offline.result.value, known)
        except ContradictedBound as error:
            faults = [f"offline: {error}"]
    rows, timings = [], []
    solve_time = offline.result.times.get("offline") if offline.result else None
    for scheme, run in zip(schemes, runs, strict=True):
        row = _row(kind, scheme, run, offline, intervals, faults, about)
        rows.append(row)
        times = run.result.times.get("policy") if run.result else None, solve_time
        if run.result and times != (None, None):
            decisions = run.result.value["decisions"]
            timings.append(Timing(row.instance_hash, row.policy, decisions, *times))
    best = intervals[min(intervals)].incumbent.schedule if intervals else None
    evidence = tuple(value and value["evidence"] for value in values)
    return Joined(tuple(rows), tuple(timings), best, evidence)


def _failure(what: str, outcome: Outcome) -> list[str]:
    return [] if outcome.result else [f"{what}: {outcome.status}: {outcome.message}"]


def _row(
    kind: Problem,
    scheme: Scheme,
    run: Outcome,
    offline: Outcome,
    intervals: Mapping[bool, Interval],
    faults: Sequence[str],
    about: Mapping[str, Any],
) -> Row:
    value = run.result.value if run.result else None
    about = value or about
    found = {name: about[name] for name in ("instance", "instance_hash", "load")}
    found |= {"problem": kind.name, "seed": about["instance_seed"], "policy": scheme.name}
    errors = [*_failure("run", run), *faults]
    if value is not None:
        found |= {name: value[name] for name in ("objective", "completed", "jobs", "violations")}
        found["clairvoyant_bounds"] = value["clairvoyant"]
        if not errors and value["wider"] not in intervals:
            errors = ["offline: no bound that holds for its schedules"]
    if value is None or offline.result is None or errors:
        return Row(**found, error="; ".join(errors))
    interval = intervals[value["wider"]]
    if value["evidence"] is not None:
        best_known = interval.lower if kind.sense == "max" else interval.upper
        try:
            policy = policy_of(kind.name, scheme.policy)
            guarantee = policy.applies(value["evidence"], best_known)
        except Exception as error:  # of a user's policy: its row says so, the others go on
            return Row(**found, error=f"guarantee: failed: {one_line(error)}")
        if guarantee is not None:
            found |= {"guarantee": guarantee.ratio, "guarantee_applies": guarantee.applies}
            found["guarantee_fails"] = guarantee.fails
    lower, upper = ratio_interval(kind.sense, value["objective"], interval)
    return Row(
        **found,
        offline_lower=interval.lower,
        offline_upper=interval.upper,
        offline_allows=kind.wider if value["wider"] else "",
        offline_status=interval.status,
        offline_time_limited=not offline.result.proven,
        bound_source=interval.bound_source,
        offline_certified=offline.result.value["certified"],
        ratio_lower=lower,
        ratio_upper=upper,
    )
