"""The measure of regret: runs, the best fixed decision of each instance, and their comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from benchmarks.contract import RegretSizes, regret_parts
from benchmarks.study.cell import Cell, Effort, Outcome, Result
from benchmarks.study.grid import Grid
from benchmarks.study.instances import instance_roots, world_module
from benchmarks.study.offline import offline_cell
from benchmarks.study.run import label_of
from benchmarks.study.scheme import policy_roots
from benchmarks.study.study import Trial

__all__ = ["TRACE", "Regret", "along", "at_base", "sizes_grid"]

TRACE = "trace"
"""Name of the arrivals of the trace itself."""


@dataclass(frozen=True)
class Regret:
    """Regret of the schemes of a trial; the settings of an entry are the source of its instance.

    Parameters
    ----------
    dynamic : float or None
        Seconds for the optima of an instance's slots; None = no dynamic regret.
    data : mapping
        By the file hash of a source, what its cells need with it.
    """

    dynamic: float | None = None
    data: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)

    def cells(self, trial: Trial) -> list[Cell]:
        """The best fixed decision, the optima of the slots if asked for, and a run each."""
        parts, name = regret_parts(trial.problem), trial.problem
        source = trial.entries[0].settings
        data = self.data.get(source.get("file", ""), {})
        on, instance, roots = label_of(source), {"instance": dict(source)}, instance_roots(name)
        label = f"best fixed decision of {on}"
        cells = [Cell(parts.fixed, instance, roots=roots, data=data, label=label)]
        if self.dynamic is not None:
            cells.append(offline_cell(source, Effort(self.dynamic), data=data))
        for scheme in (entry.scheme for entry in trial.entries):
            online = world_module(name), *policy_roots(name, scheme.policy)
            told = {"policy": scheme.policy, "parameters": dict(scheme.parameters)}
            cells.append(
                Cell(
                    parts.run,
                    {**instance, **told},
                    roots=(*roots, *online),
                    data=data,
                    kept=scheme.is_importable,
                    label=f"{scheme.name} on {on}",
                )
            )
        return cells

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """A row for each scheme: the instance, and its record or an error."""
        fixed, *runs = outcomes
        optima = [runs.pop(0)] if self.dynamic is not None else []
        sides = [("best fixed decision", fixed), *(("optima of slots", one) for one in optima)]
        errors = [f"{what}: {o.status}: {o.message}" for what, o in sides if o.result is None]
        source = trial.entries[0].settings
        known = fixed.result.value if fixed.result else {}
        head = {
            "problem": trial.problem,
            "instance": known.get("instance", label_of(source)),
            "instance_hash": known.get("instance_hash", ""),
            "seed": source["seed"],
            **trial.point,
            "load": known.get("load"),
        }
        done = [run.result for run in runs if run.result is not None and not errors]
        records: Iterator[dict[str, Any]] = iter(())
        if fixed.result is not None and done:
            optimum = _optimum(optima[0].result) if optima else None
            records = iter(regret_parts(trial.problem).compare(fixed.result, done, optimum))
        rows = []
        for entry, run in zip(trial.entries, runs, strict=True):
            name = {"policy": entry.scheme.name}
            if run.result is not None and not errors:
                rows.append({**head, **next(records), **name})
            else:
                size = {"ports": source.get("jobs"), "slots": source.get("slots")}
                own = [] if run.result is not None else [f"{run.status}: {run.message}"]
                rows.append({**head, **name, **size, "error": "; ".join([*errors, *own])})
        return rows


def _optimum(offline: Result | None) -> tuple[float, float]:
    """Interval of a maximum, from the result of an offline cell: the least bound is the best."""
    assert offline is not None
    return offline.value["objective"], min(bound["value"] for bound in offline.value["bounds"])


def sizes_grid(
    problem_name: str, sizes: RegretSizes, settings: Mapping[str, Any], scaling: str
) -> Grid:
    """Points of all arrivals, horizons and numbers of ports.

    Parameters
    ----------
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
