"""Judges of the edge-cloud paper's theory, and of Figures 12 and 13."""

from __future__ import annotations

import itertools

import pandas as pd

from benchmarks.claim import Evidence, Finding, Judge, judged
from benchmarks.table import interval_of

__all__ = [
    "below",
    "dual_feasible",
    "falls_with_speed",
    "far_below_guarantee",
    "fractional_guarantee",
    "guarantee_holds",
    "lemma_1",
    "lemma_4",
    "near_optimum",
]

_RATIO = 1.7
_NEAR = 1.1
_ROUND_OFF = 1e-6


def _both(evidence: Evidence) -> pd.DataFrame:
    """Runs of Figures 12 and 13, those that are in both once."""
    frames = [evidence.frame("jct-12"), evidence.frame("jct-13")]
    keys = ["jobs", "servers", "seed", "epsilon"]
    return pd.concat(frames, ignore_index=True).drop_duplicates(keys)


def lemma_1(evidence: Evidence) -> Finding:
    """Total JCT at least the objective of ILP (4), of A_online's schedules at offline speed."""
    frame = _both(evidence)
    frame = frame[frame["epsilon"] == 0.0]
    share = frame["fractional"] / frame["total_jct"]
    return judged(
        bool((share <= 1.0).all()),
        f"(4) is {share.min():.3f} to {share.max():.3f} of the total JCT in {len(frame)} runs",
    )


def dual_feasible(evidence: Evidence) -> Finding:
    """(6a) with alpha and beta as Alg. 2 sets them."""
    frame = _both(evidence)
    broken = int((frame["dual_violation"] > _ROUND_OFF).sum())
    return judged(
        broken == 0,
        f"(6a) is violated in {broken} of {len(frame)} runs, by up to "
        f"{frame['dual_violation'].max():.3g} slots",
        "the proof counts the new chunk's own 1/D on every worker, which only its own worker has"
        if broken
        else "",
    )


def lemma_4(evidence: Evidence) -> Finding:
    """Sum of alpha over sum of beta."""
    ratio = _both(evidence)["alpha_over_beta"]
    off = int(((ratio - 1.0).abs() > _ROUND_OFF).sum())
    return judged(
        off == 0,
        f"sum of alpha / sum of beta from {ratio.min():.6f} to {ratio.max():.6f}; not 1 in {off} "
        f"of {len(ratio)} runs",
        "it is exact where upload delays depend on the server alone; here they are drawn for each "
        "job and server"
        if off
        else "",
    )


def guarantee_holds(evidence: Evidence) -> Finding:
    """Certified upper end of the ratio against D_max (1 + 1/epsilon)."""
    frame = _both(evidence).dropna(subset=["guarantee"])
    inside = int((frame["ratio_upper"] <= frame["guarantee"]).sum())
    proven = int((frame["dual_violation"] <= _ROUND_OFF).sum())
    return judged(
        inside == len(frame),
        f"holds in {inside} of {len(frame)} runs; (6a), which its proof needs, in {proven}",
    )


def fractional_guarantee(evidence: Evidence) -> Finding:
    """Objective of ILP (4) over the optimum of its relaxation, against 1 + 1/epsilon."""
    frame = _both(evidence)
    frame = frame[frame["epsilon"] > 0]
    ratio = frame["fractional"] / frame["paper_bound"]
    inside = int((ratio <= 1.0 + 1.0 / frame["epsilon"]).sum())
    return judged(
        inside == len(frame), f"holds in {inside} of {len(frame)} runs, ratio <= {ratio.max():.3f}"
    )


def far_below_guarantee(evidence: Evidence) -> Finding:
    """Certified upper end of the ratio less than half of D_max (1 + 1/epsilon)."""
    frame = _both(evidence).dropna(subset=["guarantee"])
    share = frame["ratio_upper"] / frame["guarantee"]
    return judged(bool((share < 0.5).all()), f"at most {share.max():.4f} of the guarantee")


def _value(frame: pd.DataFrame, kind: str) -> pd.Series:
    if kind == "certified":
        return frame["ratio_upper"]
    return frame["total_jct" if kind == "bound" else "fractional"] / frame["paper_bound"]


def below(figure: str, varied: str, kind: str) -> Judge:
    """Mean ratio of every point and speed below 1.7.

    ``kind``: ``"certified"``, the upper end against the offline optimum; ``"bound"``, total JCT
    over the relaxation of ILP (4); ``"fractional"``, the objective of ILP (4) over it.
    """

    def judge(evidence: Evidence) -> Finding:
        frame = evidence.frame(figure)
        frame = frame.assign(value=_value(frame, kind))
        means = frame.groupby(["epsilon", varied])["value"].mean()
        words = ", ".join(
            f"epsilon {epsilon:g}: {part.min():.3f} to {part.max():.3f}"
            for epsilon, part in means.groupby(level="epsilon")
        )
        proven = int((frame["offline_status"] == "optimal").sum())
        return judged(
            bool((means < _RATIO).all()),
            f"{words}; worst single run {frame['value'].max():.3f}; optimum proven for {proven} of "
            f"{len(frame)}",
        )

    return judge


def falls_with_speed(figure: str, varied: str) -> Judge:
    """At every point, the ratio is smaller at each higher speed."""

    def judge(evidence: Evidence) -> Finding:
        frame = evidence.frame(figure)
        failing = []
        for point, part in frame.groupby(varied):
            wide = part.pivot(index="seed", columns="epsilon", values="ratio_upper")
            for one, two in itertools.pairwise(wide.columns):
                if not interval_of(wide[one] - wide[two])[0] > 0:
                    failing.append(f"{varied} {point}, {one:g} to {two:g}")
        means = frame.groupby("epsilon")["ratio_upper"].mean()
        return judged(
            not failing,
            "mean of all runs: " + ", ".join(f"epsilon {e:g} {m:.3f}" for e, m in means.items()),
            f"not shown for {'; '.join(failing)}" if failing else "",
        )

    return judge


def near_optimum(figure: str, varied: str) -> Judge:
    """With epsilon 0.5 the mean ratio of every point is at most 1.1."""

    def judge(evidence: Evidence) -> Finding:
        frame = evidence.frame(figure)
        means = frame[frame["epsilon"] == 0.5].groupby(varied)["ratio_upper"].mean()
        return judged(
            bool((means <= _NEAR).all()),
            f"{means.min():.3f} to {means.max():.3f}",
            "below 1: at 1.5 times the speed it beats the optimum at the offline speed"
            if means.max() < 1.0
            else "",
        )

    return judge
