"""The measure of regret: runs, the best fixed decision of each instance, and their comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from benchmarks.contract import RegretParts, RegretSizes, regret_parts
from benchmarks.study.cell import Cell, Effort, Outcome
from benchmarks.study.grid import Grid
from benchmarks.study.instances import (
    Source,
    drawn,
    instance_roots,
    package_of,
)
from benchmarks.study.offline import offline_cell
from benchmarks.study.run import label_of
from benchmarks.study.scheme import policy_roots
from benchmarks.study.study import Trial

__all__ = ["TRACE", "Regret", "along", "at_base", "sizes_grid"]

TRACE = "trace"
"""Name of the arrivals of the trace itself."""

_SIZE = ("jobs", "slots", "servers")


@dataclass(frozen=True)
class Regret:
    """Regret of the schemes of a trial.

    A point has ``arrivals`` and either ``jobs``, ``slots``, ``servers`` and further settings, or
    the ``file`` of an instance.

    Parameters
    ----------
    dynamic : float or None
        Seconds for the optima of an instance's slots; None = no dynamic regret.
    trace : mapping, optional
        Of :func:`benchmarks.study.instances.trace_digest`.
    files : mapping of str to tuple
        Source and data of each instance file, by its hash.
    """

    dynamic: float | None = None
    trace: Mapping[str, Any] | None = None
    files: Mapping[str, tuple[Source, Mapping[str, bytes]]] = field(default_factory=dict)

    def source(self, trial: Trial) -> tuple[Source, Mapping[str, bytes]]:
        """Source of the instance of a trial, and the data that cells need with it."""
        point = trial.point
        if "file" in point:
            return self.files[point["file"]]
        more = {
            name: value
            for name, value in point.items()
            if name not in _SIZE and (name, value) != ("arrivals", TRACE)
        }
        size = {name: point[name] for name in _SIZE}
        return drawn(trial.problem, **size, seed=trial.seed, settings=more, trace=self.trace), {}

    def cells(self, trial: Trial) -> list[Cell]:
        """The best fixed decision, the optima of the slots if asked for, and a run each."""
        parts = regret_parts(trial.problem)
        source, data = self.source(trial)
        roots = instance_roots(trial.problem)
        cells = [
            Cell(
                parts.fixed,
                {"instance": dict(source)},
                roots=roots,
                data=data,
                label=f"best fixed decision of {label_of(source)}",
            )
        ]
        if self.dynamic is not None:
            cells.append(offline_cell(source, Effort(self.dynamic), data=data))
        for entry in trial.entries:
            scheme = entry.scheme
            cells.append(
                Cell(
                    parts.run,
                    {
                        "instance": dict(source),
                        "policy": scheme.policy,
                        "parameters": dict(scheme.parameters),
                    },
                    roots=(
                        *roots,
                        package_of("online", trial.problem),
                        *policy_roots(trial.problem, scheme.policy),
                    ),
                    data=data,
                    kept=scheme.is_importable,
                    label=f"{scheme.name} on {label_of(source)}",
                )
            )
        return cells

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """A row for each scheme: the instance, and its record or an error."""
        parts = regret_parts(trial.problem)
        fixed, *rest = outcomes
        optima = [rest.pop(0)] if self.dynamic is not None else []
        errors = [
            f"{what}: {outcome.status}: {outcome.message}"
            for what, outcome in [
                ("best fixed decision", fixed),
                *(("optima of slots", one) for one in optima),
            ]
            if outcome.result is None
        ]
        head = {"problem": trial.problem, **self._instance(trial, fixed)}
        records = iter(() if errors else self._compared(parts, fixed, optima, rest))
        rows = []
        for entry, run in zip(trial.entries, rest, strict=True):
            found = [*errors]
            if run.result is None:
                found.append(f"{run.status}: {run.message}")
            name = {"policy": entry.scheme.name}
            if found:
                rows.append({**head, **name, **self._size(trial, fixed), "error": "; ".join(found)})
            else:
                rows.append({**head, **next(records), **name})
        return rows

    def _compared(
        self,
        parts: RegretParts,
        fixed: Outcome,
        optima: Sequence[Outcome],
        runs: Sequence[Outcome],
    ) -> list[dict[str, Any]]:
        assert fixed.result is not None
        optimum = None
        if optima:
            assert optima[0].result is not None
            value = optima[0].result.value  # of a maximum: the least bound is the best
            optimum = value["objective"], min(bound["value"] for bound in value["bounds"])
        done = [run.result for run in runs if run.result is not None]
        return parts.compare(fixed.result, done, optimum)

    def _instance(self, trial: Trial, fixed: Outcome) -> dict[str, Any]:
        arrivals = trial.point["arrivals"]
        if fixed.result is None:
            label = label_of(self.source(trial)[0])
            return {
                "instance": label,
                "instance_hash": "",
                "seed": trial.seed,
                "arrivals": arrivals,
            }
        known = fixed.result.value
        return {
            "instance": known["instance"],
            "instance_hash": known["instance_hash"],
            "seed": known["instance_seed"],
            "arrivals": arrivals,
        }

    def _size(self, trial: Trial, fixed: Outcome) -> dict[str, Any]:
        """Size of an instance in a row without a record."""
        if fixed.result is not None:
            return {name: fixed.result.value[name] for name in ("ports", "slots")}
        point = trial.point
        return {"ports": point.get("jobs"), "slots": point.get("slots")}


def sizes_grid(
    problem_name: str, sizes: RegretSizes, settings: Mapping[str, Any], scaling: str
) -> Grid:
    """Points of all arrivals, horizons and numbers of ports.

    Parameters
    ----------
    problem_name : str
    sizes : RegretSizes
    settings : mapping
        Of the workload, at all points.
    scaling : {"degree", "density"}
        What stays the same as ports are added: the servers of a port, so that the density grows
        with the ports; or the density, so that the servers of a port become fewer.
    """
    scaled = regret_parts(problem_name).scaled
    ports, slots = sizes.base

    def point(arrivals: str, count: int, factor: float) -> dict[str, Any]:
        pattern = {} if arrivals == TRACE else {"arrivals": arrivals}
        size = {"jobs": count, "slots": slots, "servers": sizes.servers}
        return {**scaled({**settings, **pattern}, sizes, factor), "arrivals": arrivals, **size}

    grid = Grid(())
    for arrivals in sizes.arrivals:
        grid += Grid.star(point(arrivals, ports, 1.0), slots=sizes.slots)
        grid += Grid(
            tuple(
                point(arrivals, count, count / ports if scaling == "degree" else 1.0)
                for count in sizes.ports
                if count != ports
            )
        )
    return grid


def along(frame: pd.DataFrame, sizes: RegretSizes, axis: str) -> pd.DataFrame:
    """Rows in which only this axis differs from the base."""
    if axis == "slots":
        return frame[frame["ports"] == sizes.base[0]]
    return frame[frame["slots"] == sizes.base[1]]


def at_base(frame: pd.DataFrame, sizes: RegretSizes) -> pd.Series:
    """Which rows are of the size of the base."""
    return (frame["ports"] == sizes.base[0]) & (frame["slots"] == sizes.base[1])
