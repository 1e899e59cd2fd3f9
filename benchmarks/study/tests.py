"""The tests by which claims are judged. Each says itself in words, so that both cannot differ.

*Above 0* and *better* mean throughout that the 95 % bootstrap interval of the mean over seeds lies
above 0. ``what`` is what is measured, and ``where`` the cases, in words; ``rows`` takes the rows of
a frame that count, and computes what is compared; ``differences``, ``number`` and ``numbers`` take
the frames of the claim's studies, and return what is measured with a text that says it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from benchmarks.study.claim import Claim, Finding, Test, judged
from benchmarks.study.scheme import Reading
from benchmarks.study.statistics import (
    against_best,
    bootstrap_interval,
    compare_first,
    compared,
    grouped_trend,
)
from benchmarks.study.study import in_every_reading

__all__ = [
    "BETTER",
    "Above",
    "Below",
    "Best",
    "Holds",
    "InReading",
    "Moves",
    "Near",
    "NoTrend",
    "NotTestable",
    "Rows",
    "in_readings",
]

BETTER = "95 % bootstrap interval of the paired difference > 0"
_CLEAR_RHO, _CLEAR_P = 0.3, 0.05

Rows = Callable[[pd.DataFrame], pd.DataFrame]
"""Takes the rows of a frame that count, and computes what is compared."""


@dataclass(frozen=True)
class Best:
    """One series is better than every other one in every group, paired by seed.

    Parameters
    ----------
    first : str
        The series.
    value, groups : str, tuple of str
        Columns.
    sense : {"max", "min"}
        Whether a larger or a smaller value is better.
    others : str
        Words for the other series; empty = all of them, unnamed.
    among : tuple of str
        The other series that count, which are then named; empty = all.
    """

    what: str
    first: str
    value: str
    groups: tuple[str, ...] = ()
    sense: Literal["max", "min"] = "max"
    where: str = ""
    rows: Rows | None = None
    others: str = ""
    among: tuple[str, ...] = ()

    def words(self) -> str:
        """The test as a sentence."""
        others = self.others or ", ".join(self.among)
        than = f"better than {others} ({BETTER})" if others else BETTER
        return ", ".join(filter(None, [f"{self.what}: {than}", self.where]))

    def judge(self, frame: pd.DataFrame) -> Finding:
        """Compare."""
        part = frame if self.rows is None else self.rows(frame)
        if self.among:
            part = part[part["policy"].isin((self.first, *self.among))]
        table = compare_first(
            part, value=self.value, groups=self.groups, first=self.first, sense=self.sense
        )
        text = against_best(table, self.groups, self.first, self.sense)
        verdict, why = compared(table, self.groups)
        return Finding(verdict, text, why)


@dataclass(frozen=True)
class Moves:
    """Every one of some differences or slopes is above 0.

    Parameters
    ----------
    differences : callable
        ``(*frames) -> (values per seed by name, text)``.
    named : bool
        Whether the finding names those that are not above 0, if they have names.
    """

    what: str
    differences: Callable[..., tuple[Mapping[str, Sequence[float] | np.ndarray | pd.Series], str]]
    named: bool = True

    def words(self) -> str:
        """The test as a sentence."""
        return f"{self.what}: 95 % bootstrap interval > 0"

    def judge(self, *frames: pd.DataFrame) -> Finding:
        """Look at the lower end of each interval."""
        values, text = self.differences(*frames)
        failing = [name for name, part in values.items() if not bootstrap_interval(part)[0] > 0]
        named = [name for name in failing if name and self.named]
        apart = "; " if any("," in name for name in named) else ", "
        return judged(not failing, text, f"not shown for {apart.join(named)}" if named else "")


@dataclass(frozen=True)
class Near:
    """A number is within a band around what the paper says.

    Parameters
    ----------
    target, band : float
        In the unit.
    unit : str
        e.g. "%"; the band of percentages is in percentage points.
    """

    what: str
    target: float
    band: float
    number: Callable[..., tuple[float, str]]
    unit: str = ""

    def words(self) -> str:
        """The test as a sentence."""
        points = "percentage points" if self.unit == "%" else self.unit
        target = f"{self.target:g} {self.unit}".strip()
        return f"{self.what}: {target} within {self.band:g} {points}".strip()

    def judge(self, *frames: pd.DataFrame) -> Finding:
        """Compare the number with the target."""
        number, text = self.number(*frames)
        return judged(abs(number - self.target) <= self.band, text)


@dataclass(frozen=True)
class Below:
    """Every one of some numbers is below a limit.

    Parameters
    ----------
    or_equal : bool
        Whether the limit itself will do.
    why : callable, optional
        ``(numbers) -> what decides, in words``; written behind the finding.
    """

    what: str
    limit: float
    numbers: Callable[..., tuple[Sequence[float] | np.ndarray | pd.Series, str]]
    or_equal: bool = False
    where: str = ""
    why: Callable[[np.ndarray], str] | None = None

    _signs: ClassVar[tuple[str, str]] = ("<", "at most")

    def words(self) -> str:
        """The test as a sentence."""
        sign = self._signs[self.or_equal]
        return " ".join(filter(None, [f"{self.what} {sign} {self.limit:g}", self.where]))

    def judge(self, *frames: pd.DataFrame) -> Finding:
        """Compare the numbers with the limit; not testable if there are none."""
        numbers, text = self.numbers(*frames)
        values = np.asarray(numbers, dtype=float)
        if not values.size:
            return Finding("not testable", text)
        why = "" if self.why is None else self.why(values)
        return judged(bool(self._hold(values).all()), text, why)

    def _hold(self, values: np.ndarray) -> np.ndarray:
        return values <= self.limit if self.or_equal else values < self.limit


@dataclass(frozen=True)
class Above(Below):
    """Every one of some numbers is above a limit; told as :class:`Below` is."""

    _signs: ClassVar[tuple[str, str]] = (">", "at least")

    def _hold(self, values: np.ndarray) -> np.ndarray:
        return values >= self.limit if self.or_equal else values > self.limit


@dataclass(frozen=True)
class NoTrend:
    """No clear trend: the mean rank correlation within groups is small, or chance explains it.

    Parameters
    ----------
    x, y, group : str
        Columns: what may cause a trend, what may have one, and what is held fixed.
    caveat : str
        Written behind the finding.
    """

    what: str
    x: str
    y: str
    group: str
    rows: Rows | None = None
    caveat: str = ""

    def words(self) -> str:
        """The test as a sentence."""
        return f"{self.what}: |rho| < {_CLEAR_RHO:g} or p >= {_CLEAR_P:g} (permutation)"

    def judge(self, frame: pd.DataFrame) -> Finding:
        """Correlate."""
        part = frame if self.rows is None else self.rows(frame)
        rho, p = grouped_trend(part, x=self.x, y=self.y, group=self.group)
        if np.isnan(rho):
            return Finding("not testable", "the ratio or its factor is constant")
        clear = abs(rho) >= _CLEAR_RHO and p < _CLEAR_P
        spread = f"{part[self.x].min():.3g} to {part[self.x].max():.3g}"
        text = f"rho = {rho:.2f}, p = {p:.3f}, {self.x} from {spread}, {len(part)} instances"
        found = "" if clear else "no clear trend found, which does not prove that there is none"
        return judged(not clear, text, "; ".join(filter(None, [found, self.caveat])))


@dataclass(frozen=True)
class Holds:
    """A predicate of the frames holds: for what no other test says.

    Parameters
    ----------
    what : str
        Statistic and threshold, as the predicate applies them.
    predicate : callable
        ``(*frames) -> Finding``; it sees the frames alone, and runs nothing.
    """

    what: str
    predicate: Callable[..., Finding]

    def words(self) -> str:
        """The test as a sentence."""
        return self.what

    def judge(self, *frames: pd.DataFrame) -> Finding:
        """Apply the predicate."""
        return self.predicate(*frames)


@dataclass(frozen=True)
class NotTestable:
    """A claim that cannot be tested here."""

    why: str

    def words(self) -> str:
        """There is none."""
        return "none"

    def judge(self, *frames: pd.DataFrame) -> Finding:
        """Say why."""
        return Finding("not testable", "-", self.why)


@dataclass(frozen=True)
class InReading:
    """Another test, of the rows of one reading; see :func:`in_readings`.

    Parameters
    ----------
    readings : sequence of Reading
        All of the choice, the registered one first.
    """

    test: Test
    reading: Reading
    readings: Sequence[Reading]

    def words(self) -> str:
        """The test, and what is read."""
        return f"{self.test.words()}; {self.reading.words}"

    def judge(self, *frames: pd.DataFrame) -> Finding:
        """Judge the rows of the reading, and of the schemes that are indifferent to it."""
        every = [in_every_reading(frame, self.readings) for frame in frames]
        return self.test.judge(*(part[part["reading"] == self.reading.name] for part in every))


def in_readings(claim: Claim, readings: Sequence[Reading]) -> list[Claim]:
    """A claim in each reading of a choice; the registered one keeps its name."""
    return [
        replace(
            claim,
            name=claim.name if place == 0 else f"{claim.name}-{reading.name}",
            test=InReading(claim.test, reading, readings),
        )
        for place, reading in enumerate(readings)
    ]
