"""What the paper proves, and the example of its introduction."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from benchmarks.study.claim import Claim, Finding, Test, judged
from benchmarks.study.tests import Above, Below, Holds

__all__ = ["THEORY"]

_EXAMPLES, _GUARANTEE = ("examples",), ("guarantee",)
_RUNS = ("jobs-ps", "servers-ps", "jobs-allreduce", "servers-allreduce", "types", "workers")


def _dearer(frame: pd.DataFrame) -> tuple[np.ndarray, str]:
    literal, oracle = frame["literal"].iat[0], frame["oracle"].iat[0]
    return np.array([literal - oracle]), f"Algorithm 4 pays {literal:g}, the least is {oracle:g}"


def _beyond(frame: pd.DataFrame) -> tuple[np.ndarray, str]:
    ratio, promised = frame["exhausted_ratio"].iat[0], frame["exhausted_promised"].iat[0]
    return np.array([ratio - promised]), f"ratio {ratio:.4g}, 2 log lambda = {promised:.3g}"


def _feasible(*frames: pd.DataFrame) -> Finding:
    """The scorer found no violation in any run: one that breaks a constraint is a failed cell."""
    runs = sum(int((frame["policy"] == "a-online").sum()) for frame in frames)
    return judged(runs > 0, f"0 violations of (2a)-(2o), (15a), (15b) in {runs} runs")


def _within(frame: pd.DataFrame) -> tuple[pd.Series, str]:
    """Ratios minus 4 alpha, whether its assumptions hold or not."""
    applies, upper = frame["guarantee_applies"].astype(bool), frame["ratio_upper"]
    text = (
        f"ratio {upper.min():.3g} to {upper.max():.3g}, 4 alpha {frame['guarantee'].min():g} to "
        f"{frame['guarantee'].max():g}; proven for {applies.sum()} of {len(frame)} runs"
    )
    return upper - frame["guarantee"], text


def _assumed(frame: pd.DataFrame) -> tuple[np.ndarray, str]:
    """Share of the runs at the paper's ranges for which all assumptions hold."""
    drawn = frame[~frame["ample"].astype(bool)]
    reasons = drawn["guarantee_fails"].str.split("; ").explode().value_counts(sort=False)
    told = ", ".join(f"{name} ({count})" for name, count in reasons.items() if name)
    share = drawn["guarantee_applies"].astype(bool).mean()
    return np.array([share]), f"{100 * share:.0f} % of {len(drawn)} runs; what fails: {told}"


def _shared(frame: pd.DataFrame) -> Finding:
    """Mean completion of the two jobs, of the optimum and with ideal demands."""
    best, ideal = frame["optimum"].iat[0], frame["ideal"].iat[0]
    close = np.allclose([best, ideal], [12.5, 15.0], atol=1e-6)
    return judged(close, f"optimum {best:g} ms, FIFO with ideal demands {ideal:g} ms")


# Name, source, and what the paper says.
_SAID = """
sec1-shared; Sec. 1; One GPU for one job and two for the other is best: 12.5 ms, else 15 ms.
thm1-optimal; Theorem 1; Algorithms 4 and 5 yield an optimal solution of (13).
thm2-feasible; Theorems 2, 7; A_maxweight computes feasible solutions, and so does A_online.
thm3-ratio; Theorem 3; The approximation ratio of A_maxweight is 2 log lambda.
thm5-ratio; Theorem 5; A_online is 4 alpha-competitive.
sec5-assumed; Sec. 5.1; Jobs weigh at least what they hold, and f / C <= 1 / log lambda.
"""
_TESTS: Mapping[str, tuple[Test, tuple[str, ...]]] = {
    "sec1-shared": (
        Holds("means of the two jobs of the example, optimal and in turn", _shared),
        _EXAMPLES,
    ),
    "thm1-optimal": (
        Below("cost by Algorithm 4 minus the least cost, by hand,", 0.0, _dearer, True),
        _EXAMPLES,
    ),
    "thm2-feasible": (
        Holds("no violation in any run of Figures 2, 3, 5, 6, 9, 10, by the scorer", _feasible),
        _RUNS,
    ),
    "thm3-ratio": (Below("ratio minus 2 log lambda, by hand,", 0.0, _beyond, True), _EXAMPLES),
    "thm5-ratio": (
        Below("upper end of the ratio minus 4 alpha", 0.0, _within, True, "in every run"),
        _GUARANTEE,
    ),
    "sec5-assumed": (
        Above("share of the runs at the paper's ranges to which the proof applies", 0.5, _assumed),
        _GUARANTEE,
    ),
}

THEORY: tuple[Claim, ...] = tuple(
    Claim(name, source, text, test, tuple(f"completion-{study}" for study in studies))
    for name, source, text in (line.split("; ") for line in _SAID.strip().splitlines())
    for test, studies in [_TESTS[name]]
)
