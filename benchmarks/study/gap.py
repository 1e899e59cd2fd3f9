"""The measure of gaps: how far bound and schedule of a method are apart after a time limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.contract import experiments_of, gap_methods
from benchmarks.study.cell import Cell, Needs, Outcome
from benchmarks.study.instances import instance_roots, show_servers, show_size
from benchmarks.study.ratio import source_of
from benchmarks.study.run import label_of
from benchmarks.study.study import Trial

__all__ = ["GRACE", "Gap"]

GRACE = 60.0
"""Seconds past its time limit after which a run is killed."""


@dataclass(frozen=True)
class Gap:
    """Gap, seconds and memory of methods, each from nothing in a process of its own.

    Method, limit and threads are part of what a cell is, and so are its seconds and memory: a run
    is found again, but never one that was killed or failed.

    Parameters
    ----------
    methods : tuple of str
        Names in the problem's :class:`benchmarks.contract.GapMethods`.
    limits : tuple of float
        Seconds.
    """

    methods: tuple[str, ...]
    limits: tuple[float, ...]
    threads: int = 1

    def cells(self, trial: Trial) -> list[Cell]:
        """One for each method and limit."""
        source = source_of(trial, trial.point)
        module = experiments_of(trial.problem).gap.partition(":")[0]
        threads = {"threads": self.threads}
        return [
            Cell(
                "benchmarks.study.gap_cell:solve",
                {"instance": source, "method": method, "time_limit": limit, **threads},
                roots=(*instance_roots(trial.problem), module),
                needs=Needs(threads=self.threads, limit=limit + GRACE, fresh=True),
                timed=True,
                label=f"{method}, {limit:g} s, {label_of(source)}",
            )
            for method in self.methods
            for limit in self.limits
        ]

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """A row for each cell.

        Returns
        -------
        list of dict
            ``problem``, ``size``, the point, ``seed``, ``method``, ``time_limit``, ``threads``;
            ``seconds`` taken (without loading and drawing) and ``cpu_seconds`` of it, of the
            process and its children (None if it did not end by itself); what the cell found
            (:func:`benchmarks.study.gap_cell.solve`), with no gap where a method looks for no
            schedule, and ``status`` "killed" where the process ran a minute past its limit or
            held too much memory, "failed" where it ended with an error; ``overrun``, by how much
            the seconds are more than the limit; ``memory_mb``, the peak of the process and its
            children (None if not on Linux).
        """
        known = gap_methods(trial.problem).methods
        plan = [(method, limit) for method in self.methods for limit in self.limits]
        point = {**trial.point, "servers": show_servers(trial.point["servers"])}
        size = show_size(point["jobs"], point["slots"], point["servers"])
        rows = []
        for (method, limit), outcome in zip(plan, outcomes, strict=True):
            found = _without_result(outcome) if outcome.result is None else outcome.result.value
            rows.append(
                {
                    "problem": trial.problem,
                    "size": size,
                    **point,
                    "seed": trial.seed,
                    "method": method,
                    "time_limit": limit,
                    "threads": self.threads,
                    "seconds": outcome.seconds,
                    "cpu_seconds": outcome.cpu_seconds,
                    **found,
                    **({"gap": None} if known[method].bound_only else {}),
                    "overrun": outcome.seconds - limit,
                    "memory_mb": None if outcome.memory_mb is None else round(outcome.memory_mb),
                }
            )
        return rows


def _without_result(outcome: Outcome) -> dict[str, Any]:
    stopped = outcome.status in ("out of time", "out of memory")
    return {
        "load": None,
        "objective": None,
        "bound": None,
        "gap": 1.0,
        "bound_source": None,
        "status": "killed" if stopped else "failed",
        "message": outcome.message,
    }
