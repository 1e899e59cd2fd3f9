"""A claim of a paper: data that names studies, and a test of their frames that says itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import pandas as pd

from benchmarks.study.study import has_failed, succeeded

__all__ = ["Claim", "Finding", "Test", "Verdict", "judge", "judged"]

Verdict = Literal["reproduced", "not reproduced", "not testable"]


@dataclass(frozen=True)
class Finding:
    """What was measured about a claim.

    Parameters
    ----------
    measured : str
        The numbers.
    why : str
        What decides, where the numbers alone do not say it.
    """

    verdict: Verdict
    measured: str
    why: str = ""


class Test(Protocol):
    """How a claim is judged: it sees frames alone, and runs nothing."""

    def words(self) -> str:
        """The statistic and its threshold, as they are applied."""

    def judge(self, *frames: pd.DataFrame) -> Finding:
        """Judge the frames of the claim's studies."""


@dataclass(frozen=True)
class Claim:
    """A statement of a paper that measurements could contradict.

    Parameters
    ----------
    source : str
        Figure, theorem or section.
    text : str
        What the paper says.
    test : Test
        Fixed before anything is measured.
    studies : tuple of str
        Names of the studies whose frames the test is given, in this order.
    """

    name: str
    source: str
    text: str
    test: Test
    studies: tuple[str, ...] = ()


def judged(passed: bool, measured: str, why: str = "") -> Finding:
    """Make a finding from a test that has an outcome."""
    return Finding("reproduced" if passed else "not reproduced", measured, why)


def judge(claim: Claim, frame: Callable[[str], pd.DataFrame]) -> Finding:
    """Judge a claim.

    Parameters
    ----------
    frame : callable
        ``(name of a study) -> its frame``.

    Returns
    -------
    Finding
        Not testable where cells of a study failed: what is left is not what the test is about.
    """
    frames = [frame(name) for name in claim.studies]
    failed: Mapping[str, int] = {
        name: int(has_failed(found).sum())
        for name, found in zip(claim.studies, frames, strict=True)
    }
    lost = [f"{count} of its cells failed in {name}" for name, count in failed.items() if count]
    if lost:
        return Finding("not testable", "-", "; ".join(lost))
    return claim.test.judge(*map(succeeded, frames))
