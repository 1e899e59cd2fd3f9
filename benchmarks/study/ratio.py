"""The measure of competitive ratios: runs, the offline side of each instance, and their join."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from benchmarks.study.cell import Cell, Effort, Outcome
from benchmarks.study.guard import one_line
from benchmarks.study.instances import Source, drawn, instance_of
from benchmarks.study.interval import (
    ContradictedBound,
    Incumbent,
    Interval,
    ratio_interval,
    solved_intervals,
)
from benchmarks.study.offline import offline_cell
from benchmarks.study.rows import Row, Timing
from benchmarks.study.run import label_of, run_cell
from benchmarks.study.scheme import Scheme, policy_of
from benchmarks.study.study import Entry, Study, Trial
from models.problem import Problem, problem
from online.parameters import check_parameters

_COLUMNS = {item.name for item in fields(Row)}


def source_of(
    trial: Trial, settings: Mapping[str, Any], trace: Mapping[str, Any] | None = None
) -> Source:
    """Source of the instance of a trial: ``jobs``, ``slots``, ``servers``, and more settings."""
    more = {name: value for name, value in settings.items() if name != "time_limit"}
    sizes = {name: more.pop(name) for name in ("jobs", "slots", "servers")}
    return drawn(trial.problem, **sizes, seed=trial.seed, settings=more, trace=trace)


def asked(setting: str) -> str:
    """Column of a setting of a point in the rows of :class:`Ratio`."""
    return f"asked_{setting}" if setting in _COLUMNS else setting


@dataclass(frozen=True)
class Ratio:
    """Competitive ratios of the schemes of a trial.

    ``effort`` and ``starts`` are those of :func:`benchmarks.study.offline.offline_cell`; by default
    each point says the effort as ``time_limit``, in seconds. ``source(trial, settings)`` is that of
    an instance; ``data`` are, by the file hash of a source, what its cells need with it: instances
    that are given. ``record(trial, row, evidence of the run)`` makes a record where a study's frame
    is not made of rows.
    """

    effort: Effort | None = None
    starts: tuple[str, ...] | None = None
    source: Callable[[Trial, Mapping[str, Any]], Source] = source_of
    data: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    record: Callable[[Trial, Row, Mapping[str, Any]], dict[str, Any]] | None = None

    def cells(self, trial: Trial) -> list[Cell]:
        """Of each instance the offline cell, and then a run cell for each scheme."""
        cells = []
        effort = self.effort or Effort(trial.point["time_limit"])
        for source, entries in self._instances(trial):
            data = self.data.get(source.get("file", ""))
            cells.append(offline_cell(source, effort, starts=self.starts, data=data))
            cells += [run_cell(source, entry.scheme, data=data) for entry in entries]
        return cells

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """Rows of :class:`benchmarks.study.rows.Row`, with the point and the reading in front.

        A setting that the reading overlays is in them as it ran (:meth:`Trial.point_of`).
        A setting of the point whose name is a column of the rows, too, is ``asked_<name>``: what
        was asked for need not be what was drawn (``load``) or what is counted (``jobs``).
        """
        rows = []
        for entries, joined in self.join(trial, outcomes):
            for entry, row, evidence in zip(entries, joined.rows, joined.evidence, strict=True):
                point = trial.point_of(entry)
                reading = {"reading": entry.reading} if entry.reading else {}
                if self.record is None:
                    shown = {asked(name): value for name, value in point.items()}
                    rows.append({**shown, **reading, **asdict(row)})
                elif row.error:
                    told = {"seed": trial.seed, "policy": row.policy, "error": row.error}
                    rows.append({**point, **reading, **told})
                else:
                    ran = replace(trial, point=point)
                    rows.append({**reading, **self.record(ran, row, evidence or {})})
        return rows

    def join(
        self, trial: Trial, outcomes: Sequence[Outcome]
    ) -> list[tuple[Sequence[Entry], Joined]]:
        """The schemes and what is known, instance by instance."""
        found: list[tuple[Sequence[Entry], Joined]] = []
        left = iter(outcomes)
        for source, entries in self._instances(trial):
            offline, runs = next(left), [next(left) for _ in entries]
            schemes, name = [entry.scheme for entry in entries], label_of(source)
            one = join(trial.problem, schemes, runs, offline, seed=source["seed"], name=name)
            found.append((entries, one))
        return found

    def _instances(self, trial: Trial) -> list[tuple[Source, list[Entry]]]:
        """Instances of a trial, which readings may draw differently, and who runs on each."""
        found: dict[str, tuple[Source, list[Entry]]] = {}
        for entry in trial.entries:
            source = self.source(trial, entry.settings)
            found.setdefault(json.dumps(source, sort_keys=True), (source, []))[1].append(entry)
        return list(found.values())


def check_ratios(study: Study, size: str, seed: int) -> None:
    """Find out before anything is run what cannot be drawn or built, at every point with a seed.

    InputError if a setting is bad, or a policy has no such parameter.
    """
    assert isinstance(study.measure, Ratio)
    for trial in study.trials(size, [seed]):
        for entry in trial.entries:
            check_parameters(policy_of(study.problem, entry.scheme.policy), entry.scheme.parameters)
            instance_of(study.measure.source(trial, entry.settings))


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
    kind, solved = problem(problem_name), offline.result
    values = [run.result.value if run.result else None for run in runs]
    known = [
        Incumbent(value["objective"], scheme.name, value["wider"])
        for scheme, value in zip(schemes, values, strict=True)
        if value and not value["faster"]
    ]
    about = {"instance": name, "instance_hash": "", "instance_seed": seed, "load": None}
    intervals: dict[bool, Interval] = {}
    faults = [] if solved else [f"offline: {offline.error}"]
    if solved:
        about = solved.value
        try:
            intervals = solved_intervals(kind.sense, solved.value, known)
        except ContradictedBound as error:
            faults = [f"offline: {error}"]
    rows, timings = [], []
    solve_time = solved.times.get("offline") if solved else None
    for scheme, run in zip(schemes, runs, strict=True):
        rows.append(row := _row(kind, scheme, run, offline, intervals, faults, about))
        times = run.result.times.get("policy") if run.result else None, solve_time
        if run.result and times != (None, None):
            decisions = run.result.value["decisions"]
            timings.append(Timing(row.instance_hash, row.policy, decisions, *times))
    best = intervals[min(intervals)].incumbent.schedule if intervals else None
    evidence = tuple(value and value["evidence"] for value in values)
    return Joined(tuple(rows), tuple(timings), best, evidence)


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
    errors = [*([] if value else [f"run: {run.error}"]), *faults]
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
        offline_time_limited=not offline.result.proven or offline.result.value["timed"],
        bound_source=interval.bound_source,
        offline_certified=offline.result.value["certified"],
        ratio_lower=lower,
        ratio_upper=upper,
    )
