"""A study: grid x seeds x readings x schemes, measured, to one tidy frame."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd
from msgspec.structs import replace

from benchmarks.study.cell import Cell, Needs, Outcome
from benchmarks.study.compute import compute
from benchmarks.study.engine import Engine
from benchmarks.study.grid import Grid
from benchmarks.study.scheme import Reading, Scheme, run_roots
from benchmarks.study.store import Store

SIZES = ("quick", "default", "paper")
"""Seconds; a few minutes; as large as in the paper."""


@dataclass(frozen=True)
class Entry:
    """A scheme in a reading, with the parameters that this gives it; "" where there is no reading.

    The settings of its instance are those of the point, with the reading's on top, apart from what
    the scheme ignores.
    """

    scheme: Scheme
    reading: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Trial:
    """All that is compared at one point with one seed; no entries if the study has no schemes."""

    problem: str
    point: Mapping[str, Any]
    seed: int
    entries: tuple[Entry, ...] = ()

    def point_of(self, entry: Entry | None) -> dict[str, Any]:
        """The point as a row of the entry has it: what its reading overlays is what ran."""
        settings = entry.settings if entry else {}
        return {name: settings.get(name, value) for name, value in self.point.items()}


def trial_on(source: Mapping[str, Any], schemes: Sequence[Scheme], **point: Any) -> Trial:
    """A trial of schemes on one instance: the settings of its entries are the source of that."""
    entries = tuple(Entry(scheme, "", source) for scheme in schemes)
    return Trial(source["problem"], point, source["seed"] or 0, entries)


class Measure(Protocol):
    """What is measured in a trial: cells that may run anywhere, and rows made of them."""

    def cells(self, trial: Trial) -> list[Cell]:
        """Cells of a trial, independent of each other."""

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """Rows, from the outcomes of all cells, in their order; pure."""


@dataclass(frozen=True)
class Study:
    """What is measured, at which points, with which schemes; owned by a problem.

    The name is ``<problem>-<name>``. There is a grid for each size, and a number of seeds, 0, 1,
    ... The readings are of one choice, the first is the registered one. A scheme to which they make
    no difference has rows in the first one alone.
    """

    name: str
    problem: str
    measure: Measure
    grids: Mapping[str, Grid]
    seeds: Mapping[str, int]
    schemes: tuple[Scheme, ...] = ()
    readings: tuple[Reading, ...] = ()

    @classmethod
    def by_size(
        cls,
        problem: str,
        name: str,
        measure: Measure,
        grids: Sequence[Grid],
        seeds: Sequence[int],
        schemes: Sequence[Scheme] = (),
        readings: Sequence[Reading] = (),
    ) -> Study:
        """A study with grids and numbers of seeds in the order of ``SIZES``."""
        points, count = dict(zip(SIZES, grids, strict=True)), dict(zip(SIZES, seeds, strict=True))
        whole = f"{problem}-{name}"
        return cls(whole, problem, measure, points, count, tuple(schemes), tuple(readings))

    def trials(self, size: str, seeds: Sequence[int] | None = None) -> list[Trial]:
        """Trials of one of ``SIZES``, point by point; seeds replace those of the size."""
        chosen = range(self.seeds[size]) if seeds is None else seeds
        return [
            Trial(self.problem, point, seed, tuple(self._entries(point)))
            for point in self.grids[size]
            for seed in chosen
        ]

    def in_reading(self, reading: Reading) -> Study:
        """The study in one reading, in place of its axis of readings: rows do not name it.

        What its points and schemes set stays: a reading says what they leave open. A parameter
        ``policy`` of a reading is another policy that runs under the name of the scheme.
        """
        return dataclasses.replace(
            self,
            grids={size: Grid((reading.settings,)) * grid for size, grid in self.grids.items()},
            schemes=tuple(_read(reading, one, one.parameters) for one in self.schemes),
            readings=(),
        )

    def _entries(self, point: Mapping[str, Any]) -> Iterator[Entry]:
        readings = self.readings or (Reading(""),)
        registered = readings[0]
        varied = {name for reading in readings for name in reading.settings}
        told = {name for reading in readings for name in reading.parameters}
        alike = [s for s in self.schemes if s.name not in told and varied <= set(s.ignores)]
        differ = [scheme for scheme in self.schemes if scheme not in alike]
        pairs = [(registered, scheme) for scheme in alike]
        pairs += [(reading, scheme) for reading in readings for scheme in differ]
        for reading, scheme in pairs:
            settings = {**point, **reading.settings}
            for name in registered.settings.keys() & set(scheme.ignores):
                settings[name] = registered.settings[name]
            yield Entry(_read(reading, scheme, {}), reading.name, settings)

    def frame(
        self,
        size: str = "default",
        seeds: Sequence[int] | None = None,
        *,
        store: Store | None = None,
        engine: Engine | None = None,
        progress: bool = False,
    ) -> pd.DataFrame:
        """Measure the trials of a size; see :func:`frames_of`, and :meth:`trials` for the seeds."""
        plan = (self.measure, self.trials(size, seeds))
        words = self.name if progress else ""
        return frames_of([plan], store=store, engine=engine, progress=words)[0]


def _read(reading: Reading, scheme: Scheme, kept: Mapping[str, Any]) -> Scheme:
    """A scheme in a reading, which changes its parameters but for those that are kept."""
    told = {**scheme.parameters, **reading.parameters.get(scheme.name, {}), **kept}
    return replace(scheme, policy=told.pop("policy", scheme.policy), parameters=told)


def frames_of(
    plans: Sequence[tuple[Measure, Sequence[Trial]]],
    *,
    store: Store | None = None,
    engine: Engine | None = None,
    progress: str = "",
) -> list[pd.DataFrame]:
    """Measure the trials of several measures in one go; a frame for each.

    A frame is tidy, and the same for the same arguments: rows are in the order of the plan,
    whatever ran them. A trial in which a cell failed has one row for each failure, with the point,
    the seed and ``error``; that column is there only if some failed. For the other parameters see
    :func:`benchmarks.study.compute.compute`.
    """
    cells = [[measure.cells(trial) for trial in trials] for measure, trials in plans]
    flat = [cell for of_plan in cells for of_trial in of_plan for cell in of_trial]
    outcomes = iter(compute(flat, store=store, engine=engine, progress=progress))
    frames = []
    for (measure, trials), of_plan in zip(plans, cells, strict=True):
        rows: list[dict[str, Any]] = []
        for trial, of_trial in zip(trials, of_plan, strict=True):
            own = list(itertools.islice(outcomes, len(of_trial)))
            rows += (found := measure.rows(trial, own))
            if engine is not None:
                engine.failed += faults(found, own)
        frame = pd.DataFrame(rows)
        for name in frame.columns[frame.isna().any()]:
            values = [row.get(name) for row in rows]
            if {type(value) for value in values} - {type(None)} == {int}:
                frame[name] = pd.array(values, dtype="Int64")  # whole where failed rows have none
        frames.append(frame)
    return frames


@dataclass(frozen=True)
class Each:
    """One cell for each scheme of a trial, or one for the trial if there are no schemes.

    The function, ``"module:function"``, is called as ``(**settings, seed=..., scheme=...,
    reading=...)``, where the scheme is a mapping with ``name``, ``policy`` and ``parameters``;
    without schemes with settings and seed alone. It returns what measures: a callable whose
    :class:`benchmarks.study.cell.Result` has a list of records as its value. ``roots`` are what it
    looks up by name, besides the problem's instances and its policies; the rest is as in ``Cell``.
    """

    function: str
    roots: tuple[str, ...] = ()
    needs: Needs = Needs()
    kept: bool = True

    def cells(self, trial: Trial) -> list[Cell]:
        """One for each scheme."""
        return [self._cell(trial, entry) for entry in trial.entries or [None]]

    def _cell(self, trial: Trial, entry: Entry | None) -> Cell:
        seed, who, policies = {"seed": trial.seed}, "", list[str]()
        parameters = {**trial.point_of(entry), **seed}
        at = [f"{key}={value}" for key, value in parameters.items()]
        if entry is not None:
            scheme, who = entry.scheme, entry.scheme.name
            told = {"name": who, "policy": scheme.policy, "parameters": dict(scheme.parameters)}
            reading = {"reading": entry.reading} if entry.reading else {}
            parameters = {**entry.settings, "scheme": told, **reading, **seed}
            policies.append(scheme.policy)
        roots = (*run_roots(trial.problem, *policies), *self.roots)
        label = " ".join([self.function.partition(":")[2], *at, who])
        return Cell(self.function, parameters, roots, needs=self.needs, kept=self.kept, label=label)

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """The records of all cells."""
        return rows_of(trial, outcomes)


def rows_of(trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The records of the cells of :class:`Each`, and a row for each that failed."""
    return [
        row
        for entry, one in zip(trial.entries or [None], outcomes, strict=True)
        for row in (one.result.value if one.result else failed_rows(trial, [one], entry))
    ]


def failed_rows(
    trial: Trial, outcomes: Sequence[Outcome], entry: Entry | None = None
) -> list[dict[str, Any]]:
    """A row for each cell that failed: where it was, and why."""
    who = {} if entry is None else {"policy": entry.scheme.name}
    return [
        {**trial.point_of(entry), "seed": trial.seed, **who, "error": outcome.error}
        for outcome in outcomes
        if outcome.error
    ]


def faults(rows: Sequence[Mapping[str, Any]], outcomes: Sequence[Outcome]) -> list[str]:
    """A line for each row with an error that is no failure of the cells it is made of."""
    known = [outcome.error for outcome in outcomes if outcome.error]
    names = ("problem", "instance", "seed", "policy")
    return [
        f"failed: {', '.join(f'{name} {row[name]}' for name in names if name in row)}: {error}"
        for row in rows
        if (error := row.get("error")) and not any(text in error for text in known)
    ]


def has_failed(frame: pd.DataFrame) -> pd.Series:
    """Which rows are of failed cells."""
    if "error" not in frame:
        return pd.Series(False, index=frame.index)
    return frame["error"].notna() & (frame["error"] != "")


def succeeded(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a frame without those of failed cells."""
    if "error" not in frame:
        return frame
    left = frame[~has_failed(frame)].drop(columns="error").reset_index(drop=True)
    return left.infer_objects()  # of columns that failed rows leave empty


def in_every_reading(frame: pd.DataFrame, readings: Sequence[Reading]) -> pd.DataFrame:
    """A frame with the rows of indifferent schemes once for each reading.

    Indifferent are those that have rows in the registered reading, the first, alone.
    """
    elsewhere = frame.loc[frame["reading"] != readings[0].name, "policy"]
    differ = frame["policy"].isin(elsewhere)
    parts: list[pd.DataFrame] = []
    for name in (reading.name for reading in readings):
        parts += [frame[~differ].assign(reading=name), frame[differ & (frame["reading"] == name)]]
    return pd.concat(parts, ignore_index=True)
