"""The multiverse: the claims of a paper, judged in a sample of the readings of what it leaves open.

The sample is fixed: the registered reading, a star of those in which one choice is read otherwise,
and a balanced design of combinations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.choice import Choice, combined
from benchmarks.study.claim import Claim, judge
from benchmarks.study.engine import Engine
from benchmarks.study.grid import Grid
from benchmarks.study.scheme import Reading
from benchmarks.study.store import Store
from benchmarks.study.study import Study, frames_of, succeeded

REGISTERED = "registered"
PICK = "choice "
"""In front of the name of a choice, in the column that has its reading."""

_SIZE = "default"  # the only one here
_SEED = 0  # of the design


@dataclass(frozen=True)
class Universe:
    """One reading of all choices.

    ``picks`` is the reading of each choice, by its name; ``designed`` whether it belongs to the
    balanced design.
    """

    reading: Reading
    picks: Mapping[str, str]
    designed: bool


@dataclass(frozen=True)
class Multiverse:
    """What a problem declares of its readings: ``benchmarks.<problem>.readings.MULTIVERSE``.

    Parameters
    ----------
    choices : tuple of Choice
    points : mapping of str to Grid
        Studies that take part, by name, and where they are measured: the multiverse has a size of
        its own. What a point sets no reading changes; it is what the claims are about.
    headlines : tuple of str
        Claims that the specification curve shows.
    theory : tuple of str
        Claims that are not judged, though their studies take part: proofs of the paper's are of
        its own reading.
    seeds : int
        0, 1, ... of each point.
    count : int
        Combinations in the design; with the star there are more readings.
    """

    choices: tuple[Choice, ...]
    points: Mapping[str, Grid]
    headlines: tuple[str, ...]
    theory: tuple[str, ...] = ()
    seeds: int = 5
    count: int = 40

    def universes(self) -> list[Universe]:
        """The sample, the registered reading first; what is in star and design stands once."""
        axes = {choice.name: [one.name for one in choice.readings] for choice in self.choices}
        base = {name: names[0] for name, names in axes.items()}
        design = Grid.design(self.count, _SEED, **axes)
        points = Grid((base,)) + Grid.star(base, **axes) + design
        return [Universe(self._reading(point), point, point in design) for point in points]

    def _reading(self, picks: Mapping[str, str]) -> Reading:
        parts = [
            next(one for one in choice.readings if one.name == picks[choice.name])
            for choice in self.choices
        ]
        other = [
            f"{choice.name}={part.name}"
            for choice, part in zip(self.choices, parts, strict=True)
            if part != choice.readings[0]
        ]
        return combined(parts, Reading(", ".join(other) or REGISTERED))

    def takes_part(self, claim: Claim) -> bool:
        """Whether a claim is judged: all its studies depend on the readings."""
        studied = bool(claim.studies) and all(name in self.points for name in claim.studies)
        return studied and claim.name not in self.theory

    def frame(
        self,
        studies: Sequence[Study],
        claims: Sequence[Claim],
        seeds: Sequence[int] | None = None,
        *,
        store: Store | None = None,
        engine: Engine | None = None,
        progress: str = "",
    ) -> pd.DataFrame:
        """Judge the claims that take part in every universe: a row for each of both.

        Columns: ``reading``; ``designed``; those of the choices; ``load``, the mean of the claim's
        studies; ``claim`` and ``source``; and of the finding ``verdict``, ``number``, its
        ``level``, ``measured`` and ``why``. Where a cell failed, a claim is not testable in that
        reading. The same arguments give the same frame; what the store has is not run again.
        """
        judged = [claim for claim in claims if self.takes_part(claim)]
        needed = {name for claim in judged for name in claim.studies}
        chosen = [
            replace(study, grids={_SIZE: self.points[study.name]}, seeds={_SIZE: self.seeds})
            for study in studies
            if study.name in needed
        ]
        universes = self.universes()
        plans = [
            (study.measure, study.in_reading(universe.reading).trials(_SIZE, seeds))
            for universe in universes
            for study in chosen
        ]
        measured = iter(frames_of(plans, store=store, engine=engine, progress=progress))
        rows: list[dict[str, Any]] = []
        for universe in universes:
            rows += _rows(universe, judged, {study.name: next(measured) for study in chosen})
        return pd.DataFrame(rows)


def _rows(
    universe: Universe, claims: Sequence[Claim], frames: Mapping[str, pd.DataFrame]
) -> Iterator[dict[str, Any]]:
    known = {name: succeeded(frame) for name, frame in frames.items()}
    loads = {name: frame["load"] for name, frame in known.items() if "load" in frame}
    head = {"reading": universe.reading.name, "designed": universe.designed}
    head |= {f"{PICK}{name}": pick for name, pick in universe.picks.items()}
    for claim in claims:
        means = [float(loads[name].mean()) for name in claim.studies if name in loads]
        head["load"] = float(np.mean(means)) if means else np.nan
        finding = judge(claim, frames.__getitem__)
        found = {"verdict": finding.verdict, "number": finding.number, "level": claim.test.level}
        about = {"claim": claim.name, "source": claim.source}
        yield {**head, **about, **found, "measured": finding.measured, "why": finding.why}
