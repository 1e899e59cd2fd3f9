"""A study: grid x seeds x readings x schemes, measured, to one tidy frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import pandas as pd

from benchmarks.study.cell import Cell, Needs, Outcome
from benchmarks.study.compute import compute
from benchmarks.study.engine import Engine
from benchmarks.study.grid import Grid
from benchmarks.study.instances import instance_roots, world_module
from benchmarks.study.scheme import Reading, Scheme, policy_roots
from benchmarks.study.store import Store

__all__ = [
    "SIZES",
    "Each",
    "Entry",
    "Measure",
    "Size",
    "Study",
    "Trial",
    "failed_rows",
    "frame_of",
    "frames_of",
    "has_failed",
    "in_every_reading",
    "succeeded",
    "trial_on",
]

Size = Literal["quick", "default", "paper"]

SIZES: tuple[Size, ...] = ("quick", "default", "paper")
"""Seconds; a few minutes; as large as in the paper."""


@dataclass(frozen=True)
class Entry:
    """A scheme in a reading, and the settings of its instance.

    Parameters
    ----------
    scheme : Scheme
        With the parameters that the reading gives it.
    reading : str
        Name of the reading; empty where a study has none.
    settings : mapping
        Of the point, with those of the reading on top, apart from what the scheme ignores.
    """

    scheme: Scheme
    reading: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Trial:
    """All that is compared at one point with one seed.

    Parameters
    ----------
    entries : tuple of Entry
        Empty if the study has no schemes.
    """

    problem: str
    point: Mapping[str, Any]
    seed: int
    entries: tuple[Entry, ...] = ()


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

    Parameters
    ----------
    name : str
        ``<problem>-<name>``.
    grids : mapping of str to Grid
        By size.
    seeds : mapping of str to int
        How many, by size: 0, 1, ...
    readings : tuple of Reading
        Of one choice; the first is the registered one. A scheme that ignores all settings of the
        readings has rows in the first one alone.
    """

    name: str
    problem: str
    measure: Measure
    grids: Mapping[str, Grid]
    seeds: Mapping[str, int]
    schemes: tuple[Scheme, ...] = ()
    readings: tuple[Reading, ...] = ()

    def trials(self, size: str, seeds: Sequence[int] | None = None) -> list[Trial]:
        """Trials of one of ``SIZES``, point by point; seeds replace those of the size."""
        chosen = range(self.seeds[size]) if seeds is None else seeds
        return [
            Trial(self.problem, point, seed, tuple(self._entries(point)))
            for point in self.grids[size]
            for seed in chosen
        ]

    def _entries(self, point: Mapping[str, Any]) -> Iterator[Entry]:
        readings = self.readings or (Reading("", ""),)
        registered = readings[0]
        varied = {name for reading in readings for name in reading.settings}
        indifferent = [s for s in self.schemes if self.readings and varied <= set(s.ignores)]
        for scheme in indifferent:
            yield Entry(scheme, registered.name, {**point, **registered.settings})
        for reading in readings:
            for scheme in self.schemes:
                if scheme in indifferent:
                    continue
                settings = {**point, **reading.settings}
                for name in set(scheme.ignores) & registered.settings.keys():
                    settings[name] = registered.settings[name]
                more = reading.parameters.get(scheme.name, {})
                told = replace(scheme, parameters={**scheme.parameters, **more})
                yield Entry(told, reading.name, settings)

    def frame(
        self,
        size: str = "default",
        seeds: Sequence[int] | None = None,
        *,
        store: Store | None = None,
        engine: Engine | None = None,
        progress: bool = False,
    ) -> pd.DataFrame:
        """Measure, and put the rows in the order of the plan, whatever ran them.

        Parameters
        ----------
        size, seeds
            See :meth:`trials`.
        store, engine, progress
            See :func:`benchmarks.study.compute.compute`; progress is said under the study's name.

        Returns
        -------
        DataFrame
            Tidy, the same for the same arguments. A trial in which a cell failed has one row for
            each failure, with the point, the seed and ``error``; that column is there only if
            some failed.
        """
        trials = self.trials(size, seeds)
        words = self.name if progress else ""
        return frame_of(self.measure, trials, store=store, engine=engine, progress=words)


def frame_of(
    measure: Measure,
    trials: Sequence[Trial],
    *,
    store: Store | None = None,
    engine: Engine | None = None,
    progress: str = "",
) -> pd.DataFrame:
    """Measure trials; see :meth:`Study.frame`."""
    return frames_of([(measure, trials)], store=store, engine=engine, progress=progress)[0]


def frames_of(
    plans: Sequence[tuple[Measure, Sequence[Trial]]],
    *,
    store: Store | None = None,
    engine: Engine | None = None,
    progress: str = "",
) -> list[pd.DataFrame]:
    """Measure the trials of several measures in one go; a frame for each."""
    parts = [[measure.cells(trial) for trial in trials] for measure, trials in plans]
    cells = [cell for part in parts for of_trial in part for cell in of_trial]
    outcomes = iter(compute(cells, store=store, engine=engine, progress=progress))
    frames = []
    for (measure, trials), part in zip(plans, parts, strict=True):
        rows: list[dict[str, Any]] = []
        for trial, of_trial in zip(trials, part, strict=True):
            rows += measure.rows(trial, [next(outcomes) for _ in of_trial])
        frames.append(_frame(rows))
    return frames


def _frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Make a frame in which whole numbers stay whole where failed rows have none."""
    frame = pd.DataFrame(rows)
    for name in frame.columns[frame.isna().any()]:
        values = [row.get(name) for row in rows]
        if {type(value) for value in values} - {type(None)} == {int}:
            frame[name] = pd.array(values, dtype="Int64")
    return frame


@dataclass(frozen=True)
class Each:
    """One cell for each scheme of a trial, or one for the trial if there are no schemes.

    Parameters
    ----------
    function : str
        ``"module:function"``, called in the cell as ``(**settings, seed=..., scheme=...,
        reading=...)``; the scheme is a mapping with ``name``, ``policy`` and ``parameters``.
        Without schemes it is called with settings and seed alone. It returns what measures: a
        callable whose :class:`benchmarks.study.cell.Result` has a list of records as its value.
    roots : tuple of str
        What it looks up by name, besides the problem's instances and its policies.
    kept : bool
        Whether its results may be looked up later; not if it measures times.
    """

    function: str
    roots: tuple[str, ...] = ()
    needs: Needs = field(default_factory=Needs)
    kept: bool = True

    def cells(self, trial: Trial) -> list[Cell]:
        """One for each scheme."""
        name = trial.problem
        roots = (*instance_roots(name), world_module(name), *self.roots)
        at = [f"{key}={value}" for key, value in {**trial.point, "seed": trial.seed}.items()]

        def cell(parameters: Mapping[str, Any], more: tuple[str, ...], who: str) -> Cell:
            return Cell(
                self.function,
                {**parameters, "seed": trial.seed},
                roots=(*roots, *more),
                needs=self.needs,
                kept=self.kept,
                label=" ".join([self.function.partition(":")[2], *at, who]),
            )

        if not trial.entries:
            return [cell(trial.point, (), "")]
        cells = []
        for entry in trial.entries:
            scheme, reading = entry.scheme, {"reading": entry.reading} if entry.reading else {}
            told = {
                "name": scheme.name,
                "policy": scheme.policy,
                "parameters": dict(scheme.parameters),
            }
            parameters = {**entry.settings, "scheme": told, **reading}
            cells.append(cell(parameters, policy_roots(name, scheme.policy), scheme.name))
        return cells

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """The records of all cells."""
        rows: list[dict[str, Any]] = []
        for entry, outcome in zip(trial.entries or [None], outcomes, strict=True):
            found = outcome.result
            rows += failed_rows(trial, [outcome], entry) if found is None else found.value
        return rows


def failed_rows(
    trial: Trial, outcomes: Sequence[Outcome], entry: Entry | None = None
) -> list[dict[str, Any]]:
    """A row for each cell that failed: where it was, and why."""
    who = {} if entry is None else {"policy": entry.scheme.name}
    return [
        {**trial.point, "seed": trial.seed, **who, "error": f"{o.status}: {o.message}"}
        for o in outcomes
        if o.status != "done"
    ]


def succeeded(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a frame without those of failed cells."""
    if "error" not in frame:
        return frame
    left = frame[~has_failed(frame)].drop(columns="error").reset_index(drop=True)
    return left.infer_objects()  # of columns that failed rows leave empty


def has_failed(frame: pd.DataFrame) -> pd.Series:
    """Which rows are of failed cells."""
    if "error" not in frame:
        return pd.Series(False, index=frame.index)
    return frame["error"].fillna("") != ""


def in_every_reading(frame: pd.DataFrame, readings: Sequence[Reading]) -> pd.DataFrame:
    """A frame with the rows of indifferent schemes once for each reading.

    Parameters
    ----------
    frame : DataFrame
        With ``policy`` and ``reading``. Indifferent are those that have rows in the registered
        reading alone.
    readings : sequence of Reading
        The registered one first.
    """
    elsewhere = frame.loc[frame["reading"] != readings[0].name, "policy"]
    differ = frame["policy"].isin(elsewhere.unique())
    parts = [
        rows
        for reading in readings
        for rows in (
            frame[~differ].assign(reading=reading.name),
            frame[differ & (frame["reading"] == reading.name)],
        )
    ]
    return pd.concat(parts, ignore_index=True)
