"""Whether a value of a figure has a trend: rank correlation within groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from benchmarks.claim import Evidence, Finding, Judge, judged

__all__ = ["grouped_trend", "no_trend"]

_CLEAR_RHO, _CLEAR_P = 0.3, 0.05


def grouped_trend(
    frame: pd.DataFrame, *, x: str, y: str, group: str, shuffles: int = 1999
) -> tuple[float, float]:
    """Rank correlation within groups, and how likely chance gives one as large.

    Parameters
    ----------
    frame : DataFrame
    x, y, group : str
        Columns.
    shuffles : int
        Permutations of y within the groups, drawn from a fixed seed.

    Returns
    -------
    rho : float
        Mean over the groups of Spearman's rho; groups in which x or y is constant have none
        and are left out. NaN if that leaves no group.
    p : float
        Two-sided permutation p-value, NaN with it.
    """
    ranks = []
    for _, part in frame.groupby(group, sort=True):
        centred = part[[x, y]].rank()
        centred = centred - centred.mean()
        if (centred.abs().sum() > 0).all():
            ranks.append(centred.to_numpy())
    if not ranks:
        return float("nan"), float("nan")

    def mean_rho(tables: Sequence[np.ndarray]) -> float:
        return float(
            np.mean(
                [
                    (t[:, 0] @ t[:, 1]) / np.sqrt((t[:, 0] @ t[:, 0]) * (t[:, 1] @ t[:, 1]))
                    for t in tables
                ]
            )
        )

    rho = mean_rho(ranks)
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(shuffles):
        shuffled = [np.column_stack([t[:, 0], rng.permutation(t[:, 1])]) for t in ranks]
        hits += abs(mean_rho(shuffled)) >= abs(rho) - 1e-12
    return rho, (1 + hits) / (1 + shuffles)


def no_trend(
    figure: str,
    *,
    x: str,
    y: str,
    group: str,
    rows: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
    caveat: str = "",
) -> Judge:
    """No clear trend: |rho| < 0.3 or p >= 0.05, within groups.

    Parameters
    ----------
    figure : str
    x, y, group : str
        Columns: what may cause a trend, what may have one, and what is held fixed.
    rows : callable, optional
        Takes the rows that count.
    caveat : str
        Written behind the finding.
    """

    def judge(evidence: Evidence) -> Finding:
        frame = evidence.frame(figure)
        frame = frame if rows is None else rows(frame)
        rho, p = grouped_trend(frame, x=x, y=y, group=group)
        if np.isnan(rho):
            return Finding("not testable", "the ratio or its factor is constant")
        clear = abs(rho) >= _CLEAR_RHO and p < _CLEAR_P
        spread = f"{frame[x].min():.3g} to {frame[x].max():.3g}"
        none_found = (
            "" if clear else "no clear trend found, which does not prove that there is none"
        )
        return judged(
            not clear,
            f"rho = {rho:.2f}, p = {p:.3f}, {x} from {spread}, {len(frame)} instances",
            "; ".join(filter(None, [none_found, caveat])),
        )

    return judge
