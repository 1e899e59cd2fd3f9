"""Claims of a paper, their tests, and pictures: data that name studies and look at frames alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.study.scheme import Reading
from benchmarks.study.study import has_failed, succeeded

Values: TypeAlias = Sequence[float] | np.ndarray | pd.Series

Numbers: TypeAlias = tuple[Values, str]
"""Those that are held against a limit, and what was measured in words."""

Differences: TypeAlias = tuple[Mapping[str, Values], str]
"""Values per seed that have to be above 0, by name, and what was measured in words."""


@dataclass(frozen=True)
class Finding:
    """What was measured about a claim: the numbers; and what decides, if they do not say it.

    ``number`` is the one that comes closest to changing the verdict, as :class:`Test` says.
    """

    verdict: Literal["reproduced", "not reproduced", "not testable"]
    measured: str
    why: str = ""
    number: float = math.nan


@dataclass(frozen=True)
class Test:
    """How a claim is judged; :mod:`benchmarks.study.tests` has the usual ones.

    ``words`` are the statistic and its threshold, as ``judge(*frames) -> Finding`` applies them.
    It sees the frames of the claim's studies alone, and runs nothing. If its findings have a
    number, ``level`` is where that changes the verdict (up to the spread over seeds).
    """

    words: str
    judge: Callable[..., Finding]
    level: float = 0.0


@dataclass(frozen=True)
class Claim:
    """A statement of a paper that measurements could contradict.

    ``source`` is a figure, theorem or section, ``text`` what the paper says. The test was fixed
    before anything was measured; it is given the frames of the studies of these names, in order.
    Where these have an axis of readings, the claim is judged in each of its own ``readings``, of
    which the first is the registered one (:func:`benchmarks.study.tests.in_readings`).
    """

    name: str
    source: str
    text: str
    test: Test
    studies: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()


def said(
    problem: str, lines: str, tests: Mapping[str, Test], readings: tuple[Reading, ...] = ()
) -> Iterator[Claim]:
    """Claims from lines ``name; source; studies; text``, and their tests by name.

    Studies are named without the problem. Each claim is judged in all of the readings.
    """
    for line in lines.strip().splitlines():
        name, source, studies, text = line.split("; ", 3)
        named = tuple(f"{problem}-{study}" for study in studies.split())
        yield Claim(name, source, text, tests[name], named, readings)


@dataclass(frozen=True)
class Picture:
    """A figure of a paper, or one of ours, as ``source`` says.

    The name is ``<problem>-<name>``, as on the command line. What is drawn is the frame of a study,
    without failed cells: ``plot(frame, axes or None) -> matplotlib figure``. The rows of a study
    ``beside`` it, if there is one, follow; claims do not see these.
    """

    name: str
    title: str
    source: str
    study: str
    plot: Callable[[pd.DataFrame, Axes | None], Figure]
    beside: str = ""

    def frame(self, frames: Callable[[str], pd.DataFrame]) -> pd.DataFrame:
        """What is drawn, and rows of failed cells; ``frames`` gives that of a study by name."""
        names = filter(None, (self.study, self.beside))
        return pd.concat(map(frames, names), ignore_index=True)


def judged(passed: bool, measured: str, why: str = "", number: float = math.nan) -> Finding:
    """Make a finding from a test that has an outcome."""
    return Finding("reproduced" if passed else "not reproduced", measured, why, number)


def judge(claim: Claim, frame: Callable[[str], pd.DataFrame]) -> Finding:
    """Judge a claim by the frames of its studies, which ``frame`` gives by name.

    Where cells of a study failed it is not testable: what is left is not what the test is about.
    """
    frames = {name: frame(name) for name in claim.studies}
    failed = {name: int(has_failed(found).sum()) for name, found in frames.items()}
    lost = [f"{count} of its cells failed in {name}" for name, count in failed.items() if count]
    if lost:
        return Finding("not testable", "-", "; ".join(lost))
    return claim.test.judge(*map(succeeded, frames.values()))
