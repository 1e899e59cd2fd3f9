"""What claims share: statements to be judged, readings of the baselines, and tests of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from benchmarks.reward.studies import BASELINES, GENEROUS, RULES, SETTINGS
from benchmarks.study.claim import Claim, Test
from benchmarks.study.frames import along, end_of, expression, moves_along
from benchmarks.study.tests import Above, Best, Moves, NotTestable, Rows

__all__ = ["FIRST", "Differences", "Numbers", "Says", "best", "changes", "takes_hours"]

FIRST = RULES[0]
"""The policy that claims are about, unless they say otherwise."""

Differences = tuple[dict[str, pd.Series], str]
"""By name, one per seed, which have to be above 0; and what was measured in words."""

Numbers = tuple[Sequence[float] | pd.Series, str]
"""Those that are held against a limit, and what was measured in words."""

_READINGS = {"": BASELINES, "-generous": GENEROUS}  # by what is added to the name of a claim
_WORDS = {"reward": "accumulated reward", "average": "average reward"}


class Says(NamedTuple):
    """What the paper says, to be judged once or more."""

    name: str
    source: str
    text: str

    def judged(self, study: str, test: Test, suffix: str = "") -> Claim:
        """Judge it by one study."""
        return Claim(self.name + suffix, self.source, self.text, test, (f"reward-{study}",))

    def in_both_readings(self, study: str, test: Callable[[Sequence[str]], Test]) -> list[Claim]:
        """Judge it of each reading of the baselines."""
        return [self.judged(study, test(names), suffix) for suffix, names in _READINGS.items()]

    def of_the_best(self, study: str, column: str, value: str = "reward") -> list[Claim]:
        """Judge that OGASched is the best: two step rules, two readings of the baselines."""
        return [
            self.judged(study, best(rule, names, column, value), rule.removeprefix(FIRST) + suffix)
            for rule in RULES
            for suffix, names in _READINGS.items()
        ]

    def not_testable(self, why: str) -> Claim:
        """Say why it cannot be judged here."""
        return Claim(*self, NotTestable(why))


def best(
    first: str,
    others: Sequence[str],
    column: str,
    value: str = "reward",
    where: str = "",
    rows: Rows | None = None,
) -> Best:
    """A policy is better than others at the end of curves (``slot``) or along a setting."""
    if column == "slot":
        where, rows = where or "at the end", partial(end_of, x="slot")
    return Best(
        f"{_WORDS[value]} of {first}",
        first,
        value,
        (column,),
        where=where or f"at every value of {column}",
        rows=rows or partial(along, settings=SETTINGS, varied=(column,)),
        among=tuple(name for name in others if name != first),
    )


def changes(
    column: str, value: str = "reward", policies: Sequence[str] = (FIRST, *BASELINES), **more: Any
) -> Moves:
    """See :func:`benchmarks.study.frames.moves_along`."""
    return moves_along(_WORDS[value], value, column, policies, SETTINGS, **more)


def takes_hours(ports: int, slots: int, least: float) -> Above:
    """A run of so many slots takes so many hours."""
    numbers = expression(
        f"seconds * {slots} / slots / 3600",
        f"{{took:.1f}} s for T = {slots} on one core of this machine, from {{tried}} slots; "
        f"{ports} ports, {{servers}} servers, density {{density:g}}",
        f"ports == {ports}",
        took=f"(seconds * {slots} / slots).max()",
        tried="slots.max()",
        servers="servers.max()",
        density="density.max()",
    )
    what = f"hours of a run with T = {slots}:"
    why = (
        "other code, another machine, and perhaps another density: this does not contradict what "
        "they measured"
    )
    return Above(what, least, numbers, or_equal=True, why=lambda _: why)
