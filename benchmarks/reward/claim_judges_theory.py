"""Judges of the OGASched paper's propositions, theorem, equations and running times."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pandas as pd

from benchmarks.claim import Evidence, Finding, Judge, judged
from benchmarks.evaluate import run_policy
from benchmarks.growth import Growth, fit_growth
from benchmarks.reward.figures_common import base_cell, draw
from benchmarks.reward.figures_regret import regret_along
from benchmarks.table import bootstrap_interval
from models.reward import RewardInstance
from models.reward.reward import slot_reward
from online.reward.oga import OGASched, OGASchedLiteral
from online.reward.theory import gradient_bound
from solvers.reward.projection import project

__all__ = [
    "bound_holds",
    "concave",
    "gradient_below_bound",
    "inequality_holds",
    "linear_in_servers",
    "projection_exact",
    "regular_graph",
    "running_time",
    "steps_grow",
    "sublinear",
]

_PAIRS = 200
_NEAR_ONE = (0.8, 1.2)  # an exponent of linear growth
_HOUR = 3600.0


# ---- by hand and on drawn points --------------------------------------------------------------


def concave(evidence: Evidence) -> Finding:
    """Proposition 1: the reward of a slot in the middle of two allocations, against the mean."""
    instance = draw(**base_cell(ports=4, servers=8, slots=1), seed=0)
    cluster = instance.cluster
    rng = np.random.default_rng(0)
    arrived = np.ones(len(cluster.copies), dtype=np.int64)
    least = np.inf
    for _ in range(_PAIRS):
        one, two = (
            project(
                rng.uniform(0.0, 2.0, cluster.shape) * cluster.upper * rng.random(),
                cluster.upper,
                cluster.capacities,
                cluster.server_start,
            )
            for _ in range(2)
        )
        values = [slot_reward(cluster, y, arrived)[0] for y in (0.5 * (one + two), one, two)]
        least = min(least, values[0] - 0.5 * (values[1] + values[2]))
    return judged(
        least >= -1e-9,
        f"reward of the middle minus mean reward: at least {least:.3g} over {_PAIRS} random pairs "
        "of feasible allocations, utilities of all kinds",
    )


def _algorithm_1(z: np.ndarray, most: np.ndarray, capacity: float) -> np.ndarray:
    """Lines 7 to 31 of Alg. 1 for one (r, k), as printed; z is in descending order."""
    ports = list(range(len(z)))
    y = np.zeros(len(z))
    full: list[int] = []
    free = ports.copy()
    while True:
        while free:
            rho = 2.0 / len(free) * (z[free].sum() - capacity + most[full].sum())  # (13)
            y[full] = most[full]
            y[free] = z[free] - rho / 2.0
            dropped = [place for place in free if y[place] < 0.0]
            if not dropped:
                break
            y[dropped[0] :] = 0.0
            free = [place for place in free if place < dropped[0]]
        if full or y[0] <= most[0]:
            return y
        full, free = [0], ports[1:]


def projection_exact(evidence: Evidence) -> Finding:
    """Alg. 1 on two cases by hand: one that fits as it is, one where the second port is full."""
    cases = (
        (np.array([1.0, 1.0]), np.array([10.0, 10.0]), 10.0),
        (np.array([10.0, 9.0]), np.array([10.0, 1.0]), 5.0),
    )
    texts, same = [], []
    for z, most, capacity in cases:
        printed = _algorithm_1(z, most, capacity)
        exact = project(z[:, None].copy(), most[:, None], np.array([[capacity]]), np.array([0, 2]))[
            :, 0
        ]
        same.append(np.allclose(printed, exact))
        texts.append(f"z = {_tuple(z)}: Alg. 1 {_tuple(printed)}, projection {_tuple(exact)}")
    return judged(
        all(same),
        "; ".join(texts),
        "Alg. 1 fills every server even where z fits, and checks the first port alone against its "
        "request; here the projection is exact",
    )


def _tuple(values: np.ndarray) -> str:
    return f"({', '.join(f'{value:g}' for value in values)})"


def regular_graph(evidence: Evidence) -> Finding:
    """Below (19): number of edges of a right 2-regular graph of 2 ports and 3 servers."""
    ports, servers, degree = 2, 3, 2
    edges = sum(degree for _ in range(servers))
    return judged(
        edges == degree * ports,
        f"2 ports, 3 servers, each connected to both: {edges} edges, d |L| = {degree * ports}, "
        f"d |R| = {degree * servers}",
        "the sum over l and R_l counts the edges, so the bound is d |R|, in which |L| does not "
        "appear",
    )


# ---- runs of the policies ---------------------------------------------------------------------


@cache
def _literal_runs(quick: bool) -> tuple[tuple[np.ndarray, float], ...]:
    """Steps of (26) on three instances, and the largest squared gradient as a part of (22)."""
    size = {"ports": 4, "servers": 16, "slots": 60} if quick else {}
    found = []
    for seed in range(3):
        instance = draw(**base_cell(**size), seed=seed)
        run = run_policy(instance, OGASchedLiteral)
        rows = [row for row in run.trace.decisions if "step" in row]
        steps = np.array([row["step"] for row in rows])
        most = max(row["gradient_square"] for row in rows)
        found.append((steps, most / gradient_bound(instance.cluster) ** 2))
    return tuple(found)


def steps_grow(evidence: Evidence) -> Finding:
    """Below Fig. 2: mean of the steps (26) over the last tenth of the slots and over the first."""
    growth = []
    for steps, _ in _literal_runs(evidence.size == "quick"):
        tenth = max(1, len(steps) // 10)
        growth.append(steps[-tenth:].mean() / steps[:tenth].mean() - 1.0)
    low, high = bootstrap_interval(growth)
    return judged(
        low > 0,
        f"mean step of the last tenth over that of the first, minus 1: {np.mean(growth):.3g} "
        f"[{low:.3g}, {high:.3g}], 3 seeds",
    )


def gradient_below_bound(evidence: Evidence) -> Finding:
    """(22) in the same runs."""
    most = max(share for _, share in _literal_runs(evidence.size == "quick"))
    return judged(most <= 1.0, f"largest squared gradient is {most:.3g} of (22), 3 seeds")


def running_time(servers: int, ports: int, slots: int, hours: float) -> Judge:
    """Time of a run of OGASched, from that of its first slots."""

    def judge(evidence: Evidence) -> Finding:
        tried = 50 if evidence.size == "quick" else 500
        cell = base_cell(ports=ports, servers=servers)
        run_policy(draw(**{**cell, "slots": 2}, seed=0), OGASched)  # compiles the kernels
        instance: RewardInstance = draw(**{**cell, "slots": tried}, seed=0)
        begin = time.perf_counter()
        run_policy(instance, OGASched)
        seconds = (time.perf_counter() - begin) * slots / tried
        return judged(
            seconds >= hours * _HOUR,
            f"{seconds:.1f} s for T = {slots} on one core of this machine, from {tried} slots; "
            f"{ports} ports, {servers} servers, density 2.5",
            "other code, another machine, and perhaps another density: this does not contradict "
            "what they measured",
        )

    return judge


# ---- regret -----------------------------------------------------------------------------------


def _telling(frame: pd.DataFrame, policy: str) -> pd.DataFrame:
    """Runs on which (14) says something: it lies below the best fixed reward."""
    return frame[(frame["policy"] == policy) & (frame["bound"] < frame["fixed_lower"])]


def bound_holds(policy: str) -> Judge:
    """Regret at most (14) where doing nothing would violate it."""

    def judge(evidence: Evidence) -> Finding:
        frame = evidence.frame("reward-regret")
        runs = _telling(frame, policy)
        every = int((frame["policy"] == policy).sum())
        if runs.empty:
            return Finding("not testable", f"(14) says nothing on all {every} runs")
        share = runs["regret_upper"] / runs["bound"]
        return judged(
            bool((share <= 1.0).all()),
            f"regret at most {share.max():.3g} of (14) on the {len(runs)} of {every} runs on which "
            "it says something",
        )

    return judge


def inequality_holds(evidence: Evidence) -> Finding:
    """(15) summed over the slots, at the best fixed decision, in all runs of all step rules."""
    frame = evidence.frame("reward-regret")
    room = 1e-9 * frame["inequality_right"].abs()
    held = int((frame["inequality_left"] <= frame["inequality_right"] + room).sum())
    closest = (frame["inequality_left"] / frame["inequality_right"]).max()
    return judged(
        held == len(frame),
        f"holds on {held} of {len(frame)} runs; the left side is at most {closest:.3g} of the "
        "right one",
    )


def _growths(evidence: Evidence, axis: str, policy: str) -> dict[str, Growth]:
    """Growth of regret along an axis, by arrivals."""
    frame = evidence.frame("reward-regret")
    frame = regret_along(frame[frame["policy"] == policy], axis)
    found = {}
    for arrivals, part in frame.groupby("arrivals", sort=False):
        ends = [
            part.pivot(index=axis, columns="seed", values=f"regret_{end}")
            for end in ("lower", "upper")
        ]
        found[str(arrivals)] = fit_growth(
            ends[0].index.to_numpy(), ends[0].to_numpy(), ends[1].to_numpy()
        )
    return found


def _words(found: dict[str, Growth]) -> str:
    return "; ".join(
        f"{name}: {growth.verdict} ({growth.why})"
        if growth.low is None or growth.high is None or growth.exponent is None
        else f"{name}: exponent {growth.exponent:.2f} [{growth.low:.2f}, {growth.high:.2f}]"
        for name, growth in found.items()
    )


def sublinear(axis: str, policy: str) -> Judge:
    """The exponent's interval lies below 1 for all arrivals that have one."""

    def judge(evidence: Evidence) -> Finding:
        found = _growths(evidence, axis, policy)
        known = [growth for growth in found.values() if growth.low is not None]
        if not known:
            return Finding("not testable", _words(found))
        return judged(all(growth.verdict == "sublinear" for growth in known), _words(found))

    return judge


def linear_in_servers(evidence: Evidence) -> Finding:
    """The exponent over |R| is near 1 for all arrivals that have one."""
    found = _growths(evidence, "servers", "ogasched-constant")
    known = [growth.exponent for growth in found.values() if growth.exponent is not None]
    if not known:
        return Finding("not testable", _words(found))
    low, high = _NEAR_ONE
    return judged(all(low <= exponent <= high for exponent in known), _words(found))
