"""Judges of what the edge-cloud paper says about Figure 11."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.claim import Evidence, Finding, Judge, judged
from benchmarks.jct.figures_common import OWN, SCHEMES, in_every_reading
from benchmarks.table import interval_of

__all__ = ["fuller", "makespan", "reaches_full", "rises_at_peaks", "similar_trends"]

_BAND = 0.05  # of a ratio of makespans
_SIMILAR = 0.5  # rank correlation of two curves
_GANGS = ("srtf", "tiresias-l")


def _rows(evidence: Evidence, reading: str) -> pd.DataFrame:
    frame = in_every_reading(evidence.frame("jct-11"))
    return frame[frame["reading"] == reading]


def _runs(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """A value of the runs: a row per seed, a column per scheme."""
    once = frame.drop_duplicates(["seed", "policy"])
    return once.pivot(index="seed", columns="policy", values=value)


def reaches_full(evidence: Evidence) -> Finding:
    """In some slot all edge workers train, in every run of A_online and A_online-E."""
    peaks = _runs(_rows(evidence, "gpus"), "peak")
    text = ", ".join(
        f"{name} {100 * peaks[name].min():.1f} to {100 * peaks[name].max():.1f} %, "
        f"100 % in {int((peaks[name] == 1.0).sum())} of {len(peaks)}"
        for name in peaks.columns
    )
    return judged(bool((peaks[list(OWN)] == 1.0).all(axis=None)), f"highest of a run: {text}")


def fuller(reading: str) -> Judge:
    """A_online and A_online-E use more of the edge than SRTF and Tiresias-L while jobs arrive."""

    def judge(evidence: Evidence) -> Finding:
        busy = _runs(_rows(evidence, reading), "busy")
        failing = [
            f"{own} against {gang}"
            for own in OWN
            for gang in _GANGS
            if not interval_of(busy[own] - busy[gang])[0] > 0
        ]
        text = ", ".join(f"{name} {100 * mean:.1f} %" for name, mean in busy.mean().items())
        return judged(
            not failing,
            f"while jobs arrive: {text}",
            f"not shown for {', '.join(failing)}" if failing else "",
        )

    return judge


def _curves(evidence: Evidence, reading: str) -> pd.DataFrame:
    """Utilisation in the slots in which jobs arrive, 0 once a scheme is done."""
    frame = _rows(evidence, reading)
    frame = frame[frame["slot"] < frame["slots"]]
    return frame.pivot(index=["seed", "slot"], columns="policy", values="utilisation").fillna(0.0)


def similar_trends(reading: str) -> Judge:
    """The curves of all schemes go up and down together with that of A_online."""

    def judge(evidence: Evidence) -> Finding:
        curves = _curves(evidence, reading)
        pieces, similar = [], True
        for name in SCHEMES[1:]:
            both = [
                part["a-online"].rank().corr(part[name].rank())
                for _, part in curves.groupby(level="seed")
            ]
            mean = float(np.mean(both))  # NaN if a curve is constant
            similar &= mean > _SIMILAR
            pieces.append(f"{name} {mean:.2f}")
        return judged(similar, f"rank correlation with A_online: {', '.join(pieces)}")

    return judge


def rises_at_peaks(reading: str) -> Judge:
    """Utilisation is higher after each of the two busiest spans than before, with every scheme."""

    def judge(evidence: Evidence) -> Finding:
        frame = _rows(evidence, reading)
        curves = _curves(evidence, reading)
        rises: dict[str, list[float]] = {name: [] for name in SCHEMES}
        first = frame[(frame["policy"] == "a-online") & (frame["slot"] < frame["slots"])]
        for seed, part in first.groupby("seed"):
            slots = part["slot"].to_numpy()
            half = len(slots) // 2
            counts = part["submissions"].to_numpy()
            for place in (int(counts[:half].argmax()), half + int(counts[half:].argmax())):
                before, after = slots[max(0, place - 1)], slots[min(len(slots) - 1, place + 1)]
                for name in SCHEMES:
                    own = curves[name].loc[seed]
                    rises[name].append(float(own.get(after, 0.0) - own.get(before, 0.0)))
        found = {name: interval_of(values) for name, values in rises.items()}
        return judged(
            all(low > 0 for low, _, _ in found.values()),
            "rise of the share: " + ", ".join(f"{n} {text}" for n, (_, _, text) in found.items()),
        )

    return judge


def makespan(other: str, times: float, reading: str) -> Judge:
    """Makespan of A_online over that of another scheme, against the paper's."""

    def judge(evidence: Evidence) -> Finding:
        spans = _runs(_rows(evidence, reading), "makespan")
        ratio = spans["a-online"] / spans[other]
        return judged(
            abs(float(ratio.mean()) - times) <= _BAND,
            f"{interval_of(ratio)[2]} times; {spans['a-online'].mean():.4g} and "
            f"{spans[other].mean():.4g} slots",
        )

    return judge
