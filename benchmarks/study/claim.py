"""Claims of a paper, their tests, and pictures: data that name studies and look at frames alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.study.study import has_failed, succeeded


@dataclass(frozen=True)
class Finding:
    """What was measured about a claim: the numbers; and what decides, if they do not say it."""

    verdict: Literal["reproduced", "not reproduced", "not testable"]
    measured: str
    why: str = ""


@dataclass(frozen=True)
class Test:
    """How a claim is judged; :mod:`benchmarks.study.tests` has the usual ones.

    ``words`` are the statistic and its threshold, as ``judge(*frames) -> Finding`` applies them.
    It sees the frames of the claim's studies alone, and runs nothing.
    """

    words: str
    judge: Callable[..., Finding]


@dataclass(frozen=True)
class Claim:
    """A statement of a paper that measurements could contradict.

    ``source`` is a figure, theorem or section, ``text`` what the paper says. The test was fixed
    before anything was measured; it is given the frames of the studies of these names, in order.
    """

    name: str
    source: str
    text: str
    test: Test
    studies: tuple[str, ...] = ()


def said(problem: str, lines: str, tests: Mapping[str, Test]) -> Iterator[Claim]:
    """Claims from lines ``name; source; studies; text``, and their tests by name.

    Studies are named without the problem.
    """
    for line in lines.strip().splitlines():
        name, source, studies, text = line.split("; ")
        named = tuple(f"{problem}-{study}" for study in studies.split())
        yield Claim(name, source, text, tests[name], named)


@dataclass(frozen=True)
class Picture:
    """A figure of a paper, or one of ours, as ``source`` says.

    The name is ``<problem>-<name>``, as on the command line. What is drawn is the frame of the
    study of that name, without failed cells: ``plot(frame, axes or None) -> matplotlib figure``.
    """

    name: str
    title: str
    source: str
    study: str
    plot: Callable[[pd.DataFrame, Axes | None], Figure]


def judged(passed: bool, measured: str, why: str = "") -> Finding:
    """Make a finding from a test that has an outcome."""
    return Finding("reproduced" if passed else "not reproduced", measured, why)


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
