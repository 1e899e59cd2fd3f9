"""What the tests of the OASiS paper's claims look at: numbers of frames, and how they are told."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.study.claim import Finding, judged
from benchmarks.study.statistics import bootstrap_interval, interval_of, slopes

__all__ = [
    "Numbers",
    "above_promised",
    "days_to_optimum",
    "dual_broken",
    "first_refused",
    "gain_of_underestimates",
    "initial_dual",
    "lead_slopes",
    "overpaid",
    "primal_feasible",
    "ratio_in_band",
    "slowest_decision",
    "smaller_on_testbed",
]

_BAND = (1.05, 1.55)  # what rounds to 1.1 ... 1.5
_DAY = 86400.0

Numbers = tuple[pd.Series | np.ndarray, str]
"""Numbers, and the text of what was measured."""


def overpaid(frame: pd.DataFrame) -> Numbers:
    """What Alg. 2 pays above the optimum of (27)."""
    alg_2, optimum = frame["alg_2"].iat[0], frame["optimum"].iat[0]
    text = f"one job by hand: Alg. 2 pays {alg_2}, the optimum of (27) is {optimum:g}"
    return frame["alg_2"] - frame["optimum"], text


def primal_feasible(*frames: pd.DataFrame) -> Finding:
    """Runs of OASiS; one that breaks a constraint fails, and no claim is judged by its study."""
    kept = [f[f["policy"] == "oasis"] if "policy" in f else f for f in frames]
    runs = sum(map(len, kept))
    return judged(runs > 0, f"0 violations of (2)-(13) in {runs} runs")


def dual_broken(frame: pd.DataFrame) -> Numbers:
    """Whether (20), over all schedules in full capacities, fails at the final prices of a run."""
    broken = frame["guarantee_fails"].str.contains("dual feasibility")
    return broken, f"(20) is violated at the end of {broken.sum()} of {len(frame)} runs"


def above_promised(frame: pd.DataFrame, by_hand: pd.DataFrame) -> Numbers:
    """The ratio minus 2 alpha, of the instance by hand last."""
    above = frame["ratio_upper"] - 2 * frame["log_u_over_l"]
    ratio, promised = by_hand["ratio"].iat[0], by_hand["promised"].iat[0]
    text = (
        f"ratio <= 2 alpha on {(above <= 0).sum()} of {len(frame)} instances of Fig. 5, all "
        f"assumptions of the proof hold on {frame['guarantee_applies'].astype(bool).sum()}; by "
        f"hand: ratio {ratio:.4g}, 2 alpha = {promised:.3g}"
    )
    return np.append(above, ratio - promised), text


def first_refused(frame: pd.DataFrame) -> Numbers:
    """Whether the first job of a run is refused."""
    admitted = frame["first_admitted"].astype(bool)
    return ~admitted, f"the first job is admitted in {admitted.sum()} of {len(frame)} runs"


def initial_dual(frame: pd.DataFrame) -> Numbers:
    """D_0 minus half of the best objective known, where the optimum itself may be more."""
    holds = int((frame["initial_dual"] <= frame["offline_lower"] / 2).sum())
    broken = int((frame["initial_dual"] > frame["offline_upper"] / 2).sum())
    text = f"holds on {holds}, is violated on {broken} of {len(frame)} instances"
    return frame["initial_dual"] - frame["offline_lower"] / 2, text


def slowest_decision(frame: pd.DataFrame) -> Numbers:
    """Seconds."""
    jobs, slowest = frame["jobs"].max(), frame["slowest"].max()
    return frame["slowest"], f"slowest of {jobs} jobs {1e3 * slowest:.1f} ms on this machine"


def days_to_optimum(frame: pd.DataFrame) -> Numbers:
    """Median time; none if not all optima were proven."""
    seconds = frame["seconds"].dropna().astype(float)
    if len(seconds) < len(frame):
        found = f"{len(seconds)} of {len(frame)} proven within {frame['time_limit'].iat[0]:g} s"
        return np.array([]), f"{found}: the limit is too low"
    text = f"median {seconds.median():.1f} s, slowest {seconds.max():.1f} s on this machine"
    return np.array([seconds.median() / _DAY]), text


def _rivals(frame: pd.DataFrame, *index: str) -> tuple[pd.Series, pd.Series]:
    """Utility of OASiS and of the best other scheme, run by run."""
    wide = frame.pivot(index=index, columns="policy", values="utility")
    return wide["oasis"], wide.drop(columns="oasis").max(axis=1)


def lead_slopes(frame: pd.DataFrame) -> tuple[dict[str, np.ndarray], str]:
    """Slope, over the number of jobs, of the lead of OASiS over the best other scheme."""
    oasis, best = _rivals(frame, "seed", "jobs")
    lead = (oasis - best).unstack("jobs")
    found = slopes(lead)
    leads = ", ".join(f"{mean:.4g} at {count}" for count, mean in lead.mean().items())
    text = f"{leads} jobs; slope {interval_of(found)[2].replace(' [', ' per 100 jobs [')}"
    return {"": found}, f"lead over the best other scheme: {text}"


def ratio_in_band(frame: pd.DataFrame) -> Finding:
    """Mean ratio at every number of servers and range of priorities, against 1.1 to 1.5."""
    means = frame.groupby(["servers", "priority"])[["ratio_lower", "ratio_upper"]].mean()
    inside = (means["ratio_lower"] >= _BAND[0]) & (means["ratio_upper"] < _BAND[1])
    proven = int((frame["offline_status"] == "optimal").sum())
    measured = (
        f"means from {means['ratio_lower'].min():.3f} to {means['ratio_upper'].max():.3f}, "
        f"median {means['ratio_upper'].median():.3f}; {int(inside.sum())} of {len(means)} points "
        f"in the band; worst single run {frame['ratio_upper'].max():.3f}; optimum proven on "
        f"{proven} of {len(frame)} instances"
    )
    return judged(bool(inside.all()), measured)


def gain_of_underestimates(frame: pd.DataFrame) -> tuple[dict[str, np.ndarray], str]:
    """Mean utility below the actual U/L minus that above it, with the most jobs."""
    frame = frame[frame["jobs"] == frame["jobs"].max()]
    under = frame[frame["scale"] < 1].groupby("seed")["utility"].mean()
    over = frame[frame["scale"] > 1].groupby("seed")["utility"].mean()
    gain = (under - over).to_numpy()
    exact = frame.loc[frame["scale"] == 1, "utility"].mean()
    text = (
        f"{frame['jobs'].iat[0]} jobs: {under.mean():.4g} underestimated, {exact:.4g} exact, "
        f"{over.mean():.4g} overestimated; difference {interval_of(gain)[2]}, positive on "
        f"{int((gain > 0).sum())} of {len(gain)} seeds"
    )
    return {"": gain}, text


def smaller_on_testbed(testbed: pd.DataFrame, simulation: pd.DataFrame) -> Finding:
    """Relative lead over the best other scheme: testbed against Fig. 3's largest point."""
    most = simulation[simulation["jobs"] == simulation["jobs"].max()]
    ends, pieces = [], []
    for name, frame in (("testbed", testbed), ("simulation", most)):
        oasis, best = _rivals(frame, "seed")
        lead = 100 * (oasis / best - 1).to_numpy()
        ends.append(bootstrap_interval(lead))
        pieces.append(f"{name} {lead.mean():.1f} % [{ends[-1][0]:.1f}, {ends[-1][1]:.1f}]")
    measured = "relative lead over the best other scheme: " + ", ".join(pieces)
    if ends[1][1] <= 0:
        return Finding("not reproduced", measured, "there is no lead in the simulation to compare")
    return judged(ends[0][1] < ends[1][0], measured)
