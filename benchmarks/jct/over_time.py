"""What claims of Figure 11 look at: use of the edge over time and makespans, also in words."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.jct.readings import GANGS, OWN
from benchmarks.jct.studies import SCHEMES
from benchmarks.study.frames import wide
from benchmarks.study.statistics import interval_of

__all__ = ["busy_shares", "highest_shares", "makespans", "rank_correlations", "rises_at_peaks"]


def _runs(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """A value of whole runs, which every span repeats; in the first reading of the frame."""
    return wide(frame.drop_duplicates(["seed", "policy"]), value)


def _curves(frame: pd.DataFrame) -> pd.DataFrame:
    """Utilisation in the slots in which jobs arrive, 0 once a scheme is done."""
    return wide(frame[frame["slot"] < frame["slots"]], "utilisation", "slot").fillna(0.0)


def highest_shares(frame: pd.DataFrame) -> tuple[np.ndarray, str]:
    """Highest share of the edge's workers in a slot, of every run of the paper's own schemes."""
    peaks = _runs(frame, "peak")
    text = ", ".join(
        f"{name} {100 * peak.min():.1f} to {100 * peak.max():.1f} %, "
        f"100 % in {int((peak == 1.0).sum())} of {len(peak)}"
        for name, peak in peaks.items()
    )
    return peaks[list(OWN)].to_numpy().ravel(), f"highest of a run: {text}"


def busy_shares(frame: pd.DataFrame) -> tuple[dict[str, pd.Series], str]:
    """How much more of the edge the paper's own schemes use than gangs while jobs arrive."""
    busy = _runs(frame, "busy")
    more = {f"{own} against {gang}": busy[own] - busy[gang] for own in OWN for gang in GANGS}
    means = ", ".join(f"{name} {100 * mean:.1f} %" for name, mean in busy.mean().items())
    return more, f"while jobs arrive: {means}"


def rank_correlations(frame: pd.DataFrame) -> tuple[list[float], str]:
    """Mean over the seeds of the rank correlation with A_online's curve; NaN if one is constant."""
    parts = [part.rank() for _, part in _curves(frame).groupby(level="seed")]
    means = {
        name: float(np.mean([part["a-online"].corr(part[name]) for part in parts]))
        for name in SCHEMES[1:]
    }
    text = ", ".join(f"{name} {mean:.2f}" for name, mean in means.items())
    return [*means.values()], f"rank correlation with A_online: {text}"


def rises_at_peaks(frame: pd.DataFrame) -> tuple[list[float], str]:
    """Rise from before to after the busiest span of each half: lower ends of the intervals."""
    curves = _curves(frame)
    first = frame[(frame["policy"] == "a-online") & (frame["slot"] < frame["slots"])]
    rises = []
    for seed, part in first.groupby("seed"):
        slots, counts = part["slot"].to_numpy(), part["submissions"].to_numpy()
        shares = curves.loc[seed].reindex(slots, fill_value=0.0)
        half = len(slots) // 2
        for place in (int(counts[:half].argmax()), half + int(counts[half:].argmax())):
            before, after = max(0, place - 1), min(len(slots) - 1, place + 1)
            rises.append(shares.iloc[after] - shares.iloc[before])
    found = {name: interval_of([rise[name] for rise in rises]) for name in SCHEMES}
    text = ", ".join(f"{name} {told}" for name, (_, _, told) in found.items())
    return [low for low, _, _ in found.values()], f"rise of the share: {text}"


def makespans(other: str, frame: pd.DataFrame) -> tuple[float, str]:
    """Mean over the seeds of A_online's makespan over another scheme's."""
    spans = _runs(frame, "makespan")
    ratio = spans["a-online"] / spans[other]
    one, two = spans["a-online"].mean(), spans[other].mean()
    return ratio.mean(), f"{interval_of(ratio)[2]} times; {one:.4g} and {two:.4g} slots"
