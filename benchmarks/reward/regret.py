"""Regret of policies of ``reward`` on one instance, with what is certain about it.

Two comparators, not to be mixed. *Regret* is the reward of the best fixed decision in hindsight
minus the reward achieved, (6); it may be negative, since a policy may change its decision and a
heuristic sees ``x(t)`` first. *Dynamic regret* is that of the best decision of every slot, given
``x(t)``, minus the reward achieved; it is never negative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.regret_sizes import Study
from benchmarks.reward.settings import Settings, parse_servers
from benchmarks.reward.tables import slot_table
from benchmarks.study.run import Run, run_policy
from models.reward import RewardInstance
from models.reward.reward import RewardFunction
from online.policy import Policy
from online.reward.oga import OGASched
from online.reward.steps import Constant
from online.reward.theory import regret_bound
from solvers.reward.hindsight import FixedOptimum, best_fixed
from solvers.reward.offline import solve

__all__ = ["STUDIES", "measure", "scaled"]

_TOLERANCE = 1e-6  # of the best fixed decision, relative; certified
_TIME_LIMIT = 300.0  # seconds for it; the interval is valid whatever is reached
_POINTS = 100  # of a curve

STUDIES = {
    "default": Study(
        base=(10, 2000),
        slots=(250, 500, 1000, 2000),
        ports=(5, 10, 20, 40),
        servers="128",
        seeds=(0, 1, 2, 3, 4),
        arrivals=("bernoulli", "alternating", "coin", "drifting"),
    ),
    "quick": Study(
        base=(4, 200),
        slots=(50, 100, 200),
        ports=(2, 4, 8),
        servers="16",
        seeds=(0, 1, 2),
        arrivals=("bernoulli", "alternating"),
    ),
}


def measure(
    instance: RewardInstance, policies: Sequence[type[Policy]], dynamic: float | None
) -> list[dict[str, Any]]:
    """Run policies on an instance and compare them with decisions made in hindsight.

    Parameters
    ----------
    instance : RewardInstance
    policies : sequence of Policy subclasses
    dynamic : float or None
        Seconds for the optima of the slots; None = no dynamic regret.

    Returns
    -------
    list of dict
        One per policy, JSON types:

        - ``ports``, ``servers``, ``slots``, ``density``: size of the instance;
        - ``commits``: whether every decision was made before its arrivals were known;
        - ``objective``: reward achieved, by the scorer;
        - ``fixed_lower``, ``fixed_upper``: the best fixed decision, certified;
        - ``regret_lower``, ``regret_upper``: regret, as an interval for that reason;
        - ``bound``: (14); ``bound_proven``: whether Theorem 1 holds for this policy;
        - ``inequality_left``, ``inequality_right``: the proof's inequality on this very run, at
          the best fixed decision known (None for a policy without gradient steps);
        - ``dynamic_lower``, ``dynamic_upper``: dynamic regret (None where not asked for);
        - ``curve_slots``, ``curve_regret``: regret after so many slots, against the decision
          that is best over all of them.
    """
    cluster = instance.cluster
    best = best_fixed(cluster, instance.weights, tolerance=_TOLERANCE, time_limit=_TIME_LIMIT)
    runs = [run_policy(instance, policy) for policy in policies]
    optima = _slot_optima(instance, runs, dynamic)
    bound = regret_bound(cluster)
    fixed = _fixed_rewards(instance, best)
    servers = len(cluster.capacities)
    size = {
        "ports": len(cluster.requests),
        "servers": servers,
        "slots": cluster.slots,
        "density": len(cluster.port_edges) / servers,
    }
    rows = []
    for run in runs:
        achieved = run.score.objective
        slots, curve = _curve(fixed, slot_table(run)["reward"].to_numpy())
        rows.append(
            {
                "policy": run.policy.name,
                **size,
                "commits": all(row["committed"] for row in run.trace.decisions),
                "objective": achieved,
                "fixed_lower": best.value,
                "fixed_upper": best.bound,
                "regret_lower": best.value - achieved,
                "regret_upper": best.bound - achieved,
                "bound": bound,
                "bound_proven": _is_proven(run.policy) and not cluster.has_gangs,
                **_inequality(run.policy, best),
                "dynamic_lower": None if optima is None else optima[0] - achieved,
                "dynamic_upper": None if optima is None else optima[1] - achieved,
                "curve_slots": slots,
                "curve_regret": curve,
            }
        )
    return rows


def _fixed_rewards(instance: RewardInstance, best: FixedOptimum) -> np.ndarray:
    """Reward of the fixed decision in every slot, shape (T,)."""
    reward = RewardFunction(instance.cluster)(best.y).reward
    return instance.cluster.active(instance.arrivals) @ reward


def _curve(fixed: np.ndarray, achieved: np.ndarray) -> tuple[list[int], list[float]]:
    regret = np.cumsum(fixed - achieved)
    slots = np.unique(np.linspace(1, len(regret), _POINTS).round().astype(int))
    return slots.tolist(), regret[slots - 1].tolist()


def _slot_optima(
    instance: RewardInstance, runs: Sequence[Run], dynamic: float | None
) -> tuple[float, float] | None:
    """Interval of the sum of the optima of all slots."""
    if dynamic is None:
        return None
    best = max(runs, key=lambda run: run.score.objective)
    result = solve(instance, time_limit=dynamic, start=best.trace.schedule)
    assert result.objective is not None and result.bound is not None
    lower = max(result.objective, best.score.objective)
    return lower, max(lower, result.bound)


def _is_proven(policy: Policy) -> bool:
    return isinstance(policy, OGASched) and isinstance(policy.rule, Constant)


def _inequality(policy: Policy, best: FixedOptimum) -> dict[str, float | None]:
    left, right = policy.path.inequality(best.y) if isinstance(policy, OGASched) else (None, None)
    return {"inequality_left": left, "inequality_right": right}


def scaled(settings: Mapping[str, Any], study: Study, factor: float) -> dict[str, Any]:
    """Settings of the workload with a multiple of the density that the base has."""
    if factor == 1.0:
        return dict(settings)
    ports, slots = study.base
    servers = parse_servers(study.servers)
    base = Settings(ports=ports, servers=servers, slots=slots, seed=None, **settings)
    return {**settings, "density": factor * base.edges / servers}
