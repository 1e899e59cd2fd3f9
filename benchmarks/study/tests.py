"""The tests by which claims are judged. Each says itself in words, so that both cannot differ.

*Above 0* and *better* mean throughout that the 95 % bootstrap interval of the mean over seeds lies
above 0. ``what`` is what is measured, and ``where`` the cases, in words; ``rows`` takes the rows of
a frame that count, and computes what is compared; ``differences``, ``number`` and ``numbers`` take
the frames of the claim's studies, and return what is measured with a text that says it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from benchmarks.study.claim import Claim, Differences, Finding, Numbers, Test, judged
from benchmarks.study.scheme import Reading
from benchmarks.study.statistics import bootstrap_interval, compare_first, grouped_trend
from benchmarks.study.study import in_every_reading

_BETTER = "95 % bootstrap interval of the paired difference > 0"
_NOT_BETTER = {
    "worse": "worse than",
    "open": "not shown to be better than",
    "unknown": "too few seeds to compare with",
}
_CLEAR_RHO, _CLEAR_P = 0.3, 0.05

Rows = Callable[[pd.DataFrame], pd.DataFrame]


class Best(Test):
    """One series is better than every other one in every group, paired by seed.

    Not testable if nothing speaks against it, but somewhere fewer than two seeds can be compared.

    Series are those of the column ``policy``; ``value`` and ``groups`` are columns, and ``sense``
    says whether a larger or a smaller value is better. The other series that count are those
    ``among``, which are then named, or all; ``others`` are other words for them.
    """

    def __init__(
        self,
        what: str,
        first: str,
        value: str,
        groups: Sequence[str] = (),
        sense: Literal["max", "min"] = "max",
        where: str = "",
        rows: Rows = lambda frame: frame,
        others: str = "",
        among: Sequence[str] = (),
    ) -> None:
        def judge(frame: pd.DataFrame) -> Finding:
            part = rows(frame)
            if among:
                part = part[part["policy"].isin((first, *among))]
            table = compare_first(part, value=value, groups=groups, first=first, sense=sense)
            means = "; ".join(
                _against_best(str(group), part, first, sense)
                for group, part in table.groupby("group", sort=False)
            )
            found = {name: table.loc[table["outcome"] == name, "who"] for name in _NOT_BETTER}
            why = "; ".join(
                f"{_NOT_BETTER[name]} {', '.join(who)}" for name, who in found.items() if len(who)
            )
            if set(table["outcome"]) - {"better"} == {"unknown"}:
                return Finding("not testable", means, why)
            return judged(not why, means, why, _least_lead(table))

        others = others or ", ".join(among)
        than = f"better than {others} ({_BETTER})" if others else _BETTER
        super().__init__(", ".join(filter(None, [f"{what}: {than}", where])), judge)


def _least_lead(table: pd.DataFrame) -> float:
    """Mean lead over the other series, in percent of its mean, where it is least."""
    return float((100.0 * table["gain"] / table["mean_other"].abs()).min())


def _against_best(group: str, table: pd.DataFrame, first: str, sense: str) -> str:
    """Mean of the first series and of the best other one in a group, in words."""
    label = f"{group}: " if group else ""
    means = table["mean_other"].dropna()
    if means.empty:
        return f"{label}nothing to compare"
    row = table.loc[means.idxmax() if sense == "max" else means.idxmin()]
    return (
        f"{label}{first} {row['mean_first']:.4g}, best other {row['other']} "
        f"{row['mean_other']:.4g} (better on {row['wins']} of {row['pairs']} seeds)"
    )


class Moves(Test):
    """Every one of some differences or slopes is above 0; not testable where one is missing.

    ``differences(*frames)`` gives a text and, by name, values per seed, NaN if missing. The finding
    names those that are not above 0, if they have names, unless ``named`` is false.
    """

    def __init__(
        self,
        what: str,
        differences: Callable[..., Differences],
        named: bool = True,
    ) -> None:
        def judge(*frames: pd.DataFrame) -> Finding:
            values, text = differences(*frames)
            if any(np.isnan(part).any() for part in values.values()):
                return Finding("not testable", text, "a value is missing")
            failing = [name for name, part in values.items() if not bootstrap_interval(part)[0] > 0]
            names = [name for name in failing if name and named]
            apart = "; " if any("," in name for name in names) else ", "
            why = f"not shown for {apart.join(names)}" if names else ""
            least = min((float(np.mean(part)) for part in values.values()), default=math.nan)
            return judged(not failing, text, why, least)

        super().__init__(f"{what}: 95 % bootstrap interval > 0", judge)


class Near(Test):
    """A number is within a band around what the paper says, in a unit, and above ``least``.

    Not testable if it is NaN. The band of percentages, unit "%", is in percentage points.
    """

    def __init__(
        self,
        what: str,
        target: float,
        band: float,
        number: Callable[..., tuple[float, str]],
        unit: str = "",
        least: float = -math.inf,
    ) -> None:
        def judge(*frames: pd.DataFrame) -> Finding:
            found, text = number(*frames)
            if math.isnan(found):
                return Finding("not testable", text)
            return judged(found > least and abs(found - target) <= band, text, number=found)

        middle = f"{target:g} {unit}".strip()
        points = "percentage points" if unit == "%" else unit
        super().__init__(f"{what}: {middle} within {band:g} {points}".strip(), judge, target)


class Below(Test):
    """Every one of some numbers is below a limit, or ``or_equal``; not testable without numbers.

    ``why(numbers)`` says what decides, in words, which are written behind the finding.
    """

    _signs: ClassVar[tuple[str, str]] = ("<", "at most")
    _side: ClassVar[int] = 1

    def __init__(
        self,
        what: str,
        limit: float,
        numbers: Callable[..., Numbers],
        or_equal: bool = False,
        where: str = "",
        why: Callable[[np.ndarray], str] = lambda _: "",
    ) -> None:
        def judge(*frames: pd.DataFrame) -> Finding:
            found, text = numbers(*frames)
            values = np.asarray(found, dtype=float)
            if not values.size:
                return Finding("not testable", text)
            room = self._side * (limit - values)
            closest = float(values[np.argmin(np.where(np.isnan(room), -np.inf, room))])
            passed = bool((room >= 0 if or_equal else room > 0).all())
            return judged(passed, text, why(values), closest)

        words = f"{what} {self._signs[or_equal]} {limit:g}"
        super().__init__(" ".join(filter(None, [words, where])), judge, limit)


class Above(Below):
    """Every one of some numbers is above a limit; told as :class:`Below` is."""

    _signs = (">", "at least")
    _side = -1


class NoTrend(Test):
    """No clear trend: the mean rank correlation within groups is small, or chance explains it.

    ``x``, ``y`` and ``group`` are columns: what may cause a trend, what may have one, and what is
    held fixed. The caveat is written behind the finding.
    """

    def __init__(self, what: str, x: str, y: str, group: str, caveat: str = "") -> None:
        def judge(frame: pd.DataFrame) -> Finding:
            rho, p = grouped_trend(frame, x=x, y=y, group=group)
            if np.isnan(rho):
                return Finding("not testable", "the ratio or its factor is constant")
            clear = abs(rho) >= _CLEAR_RHO and p < _CLEAR_P
            spread = f"{frame[x].min():.3g} to {frame[x].max():.3g}"
            text = f"rho = {rho:.2f}, p = {p:.3f}, {x} from {spread}, {len(frame)} instances"
            found = "" if clear else "no clear trend found, which does not prove that there is none"
            return judged(not clear, text, "; ".join(filter(None, [found, caveat])), abs(rho))

        rule = f"|rho| < {_CLEAR_RHO:g} or p >= {_CLEAR_P:g} (permutation)"
        super().__init__(f"{what}: {rule}", judge, _CLEAR_RHO)


class Holds(Test):
    """A predicate ``(*frames) -> Finding`` holds: for what no other test says."""


class NotTestable(Test):
    """A claim that cannot be tested here, and why."""

    def __init__(self, why: str) -> None:
        super().__init__("none", lambda *frames: Finding("not testable", "-", why))


def in_readings(claim: Claim) -> list[Claim]:
    """A claim in each of its readings; the registered one, the first, keeps its name.

    Each judges the rows of its reading, and of the schemes that are indifferent to the choice. A
    claim without readings is as it is.
    """
    readings = claim.readings
    if not readings:
        return [claim]

    def test(reading: Reading) -> Test:
        def judge(*frames: pd.DataFrame) -> Finding:
            every = [in_every_reading(frame, readings) for frame in frames]
            return claim.test.judge(*(part[part["reading"] == reading.name] for part in every))

        return Test(f"{claim.test.words}; {reading.words}", judge, claim.test.level)

    names = [claim.name, *(f"{claim.name}-{reading.name}" for reading in readings[1:])]
    return [
        replace(claim, name=name, test=test(reading), readings=())
        for name, reading in zip(names, readings, strict=True)
    ]
