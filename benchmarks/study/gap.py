"""Gaps: how far bound and schedule of a method are apart after a time limit; measure and cell."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.contract import experiments_of, gap_methods
from benchmarks.study.cell import Cell, Needs, Outcome, Result
from benchmarks.study.instances import Source, instance_of, instance_roots, show_servers, show_size
from benchmarks.study.offline import scored
from benchmarks.study.ratio import source_of
from benchmarks.study.run import label_of, run_until_compiled, small_instance
from benchmarks.study.study import Trial
from models.problem import problem
from solvers.result import SolveResult, relative_gap

GRACE = 60.0
"""Seconds past its time limit after which a run is killed."""

_WARM_UP = 10.0  # seconds for a small instance, at most
_UNITS = {"time_limit": "s", "work_limit": "units"}
_FOUND = ("load", "objective", "bound", "gap", "bound_source", "solver", "status", "message")


@dataclass(frozen=True)
class Gap:
    """Gap, seconds and memory of methods, each from nothing in a process of its own.

    Methods are named as in :class:`benchmarks.contract.GapMethods`; limits are in seconds or,
    with ``by="work_limit"``, in units of work, and nothing ends a run but these. Both, and threads,
    are part of what a cell is, and so are its seconds and memory: a run is found again, but never
    one that was killed or failed. ``by_load``: points differ in the load asked for, and ``size`` in
    the rows says it.
    """

    methods: tuple[str, ...]
    limits: tuple[float, ...]
    threads: int = 1
    by: str = "time_limit"
    by_load: bool = False

    def cells(self, trial: Trial) -> list[Cell]:
        """One for each method and limit."""
        source = source_of(trial, trial.point)
        module = experiments_of(trial.problem).gap.partition(":")[0]
        shared = {"instance": source, "threads": self.threads}
        return [
            Cell(
                "benchmarks.study.gap:solve",
                {**shared, "method": method, self.by: limit},
                roots=(*instance_roots(trial.problem), module),
                needs=Needs(threads=self.threads, limit=self._seconds(limit), fresh=True),
                timed=True,
                label=f"{method}, {limit:g} {_UNITS[self.by]}, {label_of(source)}",
            )
            for method, limit in itertools.product(self.methods, self.limits)
        ]

    def _seconds(self, limit: float) -> float | None:
        """Seconds after which a run is killed."""
        return limit + GRACE if self.by == "time_limit" else None

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """A row for each cell: the point, what :func:`solve` found, and what it took.

        ``seconds`` are without loading and drawing, ``cpu_seconds`` those of the process and its
        children (None if it did not end by itself), ``memory_mb`` is the peak of these (None if
        not on Linux), ``overrun`` what the seconds are more than the limit, if that is in seconds.
        A method that looks for no schedule has no gap. ``status`` is "killed" where the process ran
        a minute past its limit or held too much memory, "failed" where it ended with an error.
        """
        known = gap_methods(trial.problem).methods
        point = {**trial.point, "servers": show_servers(trial.point["servers"])}
        size = show_size(point)
        if self.by_load:
            asked = point["load"]
            size += ", as drawn" if asked is None else f", load {asked:g}"
        head = {"problem": trial.problem, "size": size, **point, "seed": trial.seed}
        plan = itertools.product(self.methods, self.limits)
        rows = []
        for (method, limit), outcome in zip(plan, outcomes, strict=True):
            killed = outcome.status in ("out of time", "out of memory")
            status = "killed" if killed else "failed"
            found = dict.fromkeys(_FOUND) | {"gap": 1.0, "status": status}
            found["message"] = outcome.message
            if outcome.result is not None:
                found = dict(outcome.result.value)
            if known[method].bound_only:
                found["gap"] = None
            memory = None if outcome.memory_mb is None else round(outcome.memory_mb)
            row = {**head, "method": method, self.by: limit, "threads": self.threads}
            row |= {"seconds": outcome.seconds, "cpu_seconds": outcome.cpu_seconds, **found}
            if self.by == "time_limit":
                row["overrun"] = outcome.seconds - limit
            rows.append({**row, "memory_mb": memory})
        return rows


def solve(
    *,
    instance: Source,
    method: str,
    threads: int,
    time_limit: float | None = None,
    work_limit: float | None = None,
) -> Callable[[], Result]:
    """Prepare a solve: compile what the method and the scorer need on a small instance, and draw.

    The value of its result is ``load`` of the instance; ``objective`` by the scorer and ``bound``
    (None where there is none), ``gap`` (relative to the bound; 1 where there is no schedule or no
    bound, and at most 1), ``bound_source``, the name of the ``solver``, its ``status`` and
    ``message``.
    """
    chosen = gap_methods(instance["problem"]).methods[method]
    small = small_instance(instance["problem"])
    run_until_compiled(
        lambda: _found(small, chosen.solve(small, time_limit=_WARM_UP, threads=threads))
    )
    target = instance_of(instance)
    effort: dict[str, Any] = {"time_limit": time_limit, "threads": threads}
    if work_limit is not None:
        effort["work_limit"] = work_limit
    return lambda: Result(_found(target, chosen.solve(target, **effort)))


def _found(instance: Any, result: SolveResult[Any]) -> dict[str, Any]:
    known, objective = problem(instance.problem), None
    if result.schedule is not None:
        objective, _ = scored(instance, result.schedule, f"{result.solver} on")
    nothing = known.negligible(instance)
    gap = relative_gap(known.sense, objective, result.bound, negligible=nothing)
    return {
        "load": known.load(instance),
        "objective": objective,
        "bound": result.bound,
        "gap": 1.0 if gap is None else min(gap, 1.0),
        "bound_source": None if result.bound is None else result.bound_source,
        "solver": result.solver,
        "status": result.status,
        "message": result.ending,
    }
