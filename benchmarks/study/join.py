"""Runs and the offline side of one instance together: interval, ratio, guarantee. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.study.cell import Outcome
from benchmarks.study.interval import Bound, Incumbent, Interval, offline_intervals, ratio_interval
from benchmarks.study.rows import Row, Timing
from benchmarks.study.scheme import Scheme, policy_of
from benchmarks.study.worker import one_line
from models.problem import Problem, problem
from online.policy import Guarantee

__all__ = ["Joined", "join", "timings_of"]


@dataclass(frozen=True)
class Joined:
    """All that is known of one instance.

    Parameters
    ----------
    rows : tuple of Row
        One for each scheme; with an error where its run or the offline solve failed.
    best : str or None
        Name of the scheme that made the best of the problem's own schedules, or, where none is
        known, of the wider ones; None if the offline cell did, or there is none.
    evidence : tuple of mapping or None
        What the run of each scheme says for its guarantee (:meth:`online.policy.Policy.evidence`).
    """

    rows: tuple[Row, ...]
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
    """Rows of schemes on one instance.

    The optimum lies between the best of all schedules known and the best bound. Schedules that
    may do more than the problem's own (:attr:`models.problem.Problem.wider`) have an interval
    of their own: all schedules known, and the bounds that hold for these too.

    Parameters
    ----------
    runs, offline : sequence of Outcome, Outcome
        Of the run cell of each scheme, and of the offline cell.
    seed, name : int or None, str
        Of the instance, for rows of which nothing else is known.

    Raises
    ------
    ContradictedBound
        If a schedule is better than a bound allows: a fault of the code.
    """
    kind = problem(problem_name)
    values = [None if run.result is None else run.result.value for run in runs]
    solved = None if offline.result is None else offline.result.value
    incumbents: list[Incumbent] = []
    bounds: list[Bound] = []
    if solved is not None:
        bounds = [Bound(bound["value"], bound["source"]) for bound in solved["bounds"]]
        if solved["objective"] is not None:
            incumbents.append(Incumbent(solved["objective"], None))
    for scheme, value in zip(schemes, values, strict=True):
        if value is not None:
            incumbents.append(Incumbent(value["objective"], scheme.name, value["wider"]))
    negligible = 0.0 if solved is None else solved["negligible"]
    intervals = offline_intervals(kind.sense, incumbents, bounds, negligible=negligible)
    limited = offline.result is not None and not offline.result.proven
    rows = tuple(
        _row(kind, scheme, run, value, offline, solved, intervals, limited, (name, seed))
        for scheme, run, value in zip(schemes, runs, values, strict=True)
    )
    best = intervals[min(intervals)].incumbent.schedule if intervals else None
    evidence = tuple(None if value is None else value["evidence"] for value in values)
    return Joined(rows, best, evidence)


def timings_of(joined: Joined, offline: Outcome, runs: Sequence[Outcome]) -> list[Timing]:
    """Times of the rows, of what ran now: the outcomes that were joined."""
    solved = offline.result.times.get("offline") if offline.result else None
    timings = []
    for row, run in zip(joined.rows, runs, strict=True):
        if run.result is None:
            continue
        decided = run.result.times.get("policy")
        if decided is not None or solved is not None:
            decisions = run.result.value["decisions"]
            timings.append(Timing(row.instance_hash, row.policy, decisions, decided, solved))
    return timings


def _row(
    kind: Problem,
    scheme: Scheme,
    run: Outcome,
    value: Mapping[str, Any] | None,
    offline: Outcome,
    solved: Mapping[str, Any] | None,
    intervals: Mapping[bool, Interval],
    limited: bool,
    instance: tuple[str, int | None],
) -> Row:
    known = value or solved or {}
    head = {
        "problem": kind.name,
        "instance": known.get("instance", instance[0]),
        "instance_hash": known.get("instance_hash", ""),
        "seed": known.get("instance_seed", instance[1]),
        "load": known.get("load"),
        "policy": scheme.name,
    }
    errors = [
        f"{what}: {outcome.status}: {outcome.message}"
        for what, outcome in (("run", run), ("offline", offline))
        if outcome.status != "done"
    ]
    interval = None if value is None else intervals.get(value["wider"])
    if value is None or solved is None or interval is None:
        missing = errors or ["offline: no bound that holds for its schedules"]
        done = {} if value is None else _of_run(value)
        return Row(**head, **done, error="; ".join(missing))
    try:
        guarantee = _guarantee(kind, scheme, value["evidence"], interval)
    except Exception as error:  # of a user's policy: its row says so, the others go on
        return Row(**head, **_of_run(value), error=f"guarantee: failed: {one_line(error)}")
    lower, upper = ratio_interval(kind.sense, value["objective"], interval)
    return Row(
        **head,
        **_of_run(value),
        offline_lower=interval.lower,
        offline_upper=interval.upper,
        offline_allows=kind.wider if value["wider"] else "",
        offline_status=interval.status,
        offline_time_limited=limited,
        bound_source=interval.bound_source,
        offline_certified=solved["certified"],
        ratio_lower=lower,
        ratio_upper=upper,
        guarantee=guarantee.ratio if guarantee else None,
        guarantee_applies=guarantee.applies if guarantee else None,
        guarantee_fails=guarantee.fails if guarantee else "",
    )


def _of_run(value: Mapping[str, Any]) -> dict[str, Any]:
    names = ("objective", "completed", "jobs", "violations")
    return {**{name: value[name] for name in names}, "clairvoyant_bounds": value["clairvoyant"]}


def _guarantee(
    kind: Problem, scheme: Scheme, evidence: Mapping[str, Any] | None, interval: Interval
) -> Guarantee | None:
    if evidence is None:
        return None
    best_known = interval.lower if kind.sense == "max" else interval.upper
    return policy_of(kind.name, scheme.policy).applies(evidence, best_known)
