"""Regret of policies of ``reward`` on one instance, with what is certain about it.

Two comparators, not to be mixed. *Regret* is the reward of the best fixed decision in hindsight
minus the reward achieved, (6); it may be negative, since a policy may change its decision and a
heuristic sees ``x(t)`` first. *Dynamic regret* is that of the best decision of every slot, given
``x(t)``, minus the reward achieved; it is never negative.

The best fixed decision and each run are cells of their own, so that another policy solves nothing
again; :func:`compare` puts them together.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.contract import RegretParts, RegretSizes
from benchmarks.reward.best_decision import decide, packed, unpacked
from benchmarks.reward.measures import draw, slot_table
from benchmarks.reward.settings import Settings
from benchmarks.study.cell import Result
from benchmarks.study.instances import Source, as_bytes, instance_of
from benchmarks.study.offline import incumbent_file
from benchmarks.study.run import (
    policy_rng,
    run_policy,
    run_until_compiled,
    small_instance,
    warm_policy,
)
from benchmarks.study.scheme import policy_of
from models.reward import RewardInstance
from online.policy import Policy
from online.registry import build_policy
from online.reward.adversary import against
from online.reward.oga import OGASched, OGASchedConstant, OGASchedLiteral
from online.reward.steps import Constant
from online.reward.theory import GradientPath
from solvers.reward.offline import solve

__all__ = ["REGRET", "adaptive", "compare", "measure", "run", "step_rules"]


def run(
    *,
    instance: Source,
    policy: str,
    parameters: Mapping[str, Any],
    data: Mapping[str, bytes] | None = None,
) -> Callable[[], Result]:
    """Prepare a run: draw the instance, and compile what the policy needs on a small one.

    The value of its result has ``policy``, ``commits`` and ``objective``, as in the records of
    :func:`measure`, and ``constant``, whether it is OGASched with the step of Theorem 1. A file
    holds the reward of every slot, and of OGASched its moves.
    """
    chosen = policy_of(instance["problem"], policy)
    warm_policy(instance["problem"], policy)
    target = instance_of(instance, data)
    return lambda: _run(target, chosen, parameters)[0]


def adaptive(
    *, instance: Source, policy: str, parameters: Mapping[str, Any]
) -> Callable[[], Result]:
    """Prepare a run on arrivals that adapt to it (:mod:`online.reward.adversary`), and its record.

    The value is that of :func:`compare`, with the instance that came of it and its load.
    """
    chosen = policy_of(instance["problem"], policy)
    warm_policy(instance["problem"], policy)
    run_until_compiled(lambda: decide(small_instance("reward")))
    base = instance_of(instance)

    def duel() -> Result:
        rng = policy_rng(base.seed or 0)
        met = against(base, build_policy(chosen, base, **parameters), rng)
        fixed = decide(met)
        told = {name: fixed.value[name] for name in ("instance", "instance_hash", "load")}
        (record,) = compare(fixed, [_run(met, chosen, parameters)[0]], None)
        return Result(told | record)

    return duel


def _run(
    instance: RewardInstance, policy: type[Policy], parameters: Mapping[str, Any]
) -> tuple[Result, Any]:
    """What is to be compared of a run, and its schedule."""
    done = run_policy(instance, policy, **parameters)
    ran = done.policy
    arrays = {"rewards": slot_table(done)["reward"].to_numpy()}
    if isinstance(ran, OGASched):
        path = ran.path
        sums = np.array([path.along, path.squares])
        arrays |= {"start": path.start, "moves": path.moves, "sums": sums}
    value = {
        "policy": ran.name,
        "commits": all(row["committed"] for row in done.trace.decisions),
        "objective": done.score.objective,
        "constant": isinstance(ran, OGASched) and isinstance(ran.rule, Constant),
    }
    return Result(value, packed(**arrays)), done.trace.schedule


def _path_length(optimum: Result) -> float | None:
    """Sum of the distances between allocations of neighbouring slots; None if not kept."""
    with np.load(io.BytesIO(optimum.files[incumbent_file("reward")])) as kept:
        if "allocations" not in kept:
            return None
        pairs = itertools.pairwise(kept["allocations"])
        return sum(float(np.linalg.norm(two - one)) for one, two in pairs)


def compare(fixed: Result, runs: Sequence[Result], optimum: Result | None) -> list[dict[str, Any]]:
    """Compare runs with decisions made in hindsight; a record of each, see :func:`measure`.

    See :class:`benchmarks.contract.RegretParts`; the optimum is the sum of those of all slots.
    """
    known, best = fixed.value, unpacked(fixed)
    slots = best["slots"]
    ends, length = None, None
    if optimum is not None:
        lower = max([optimum.value["objective"], *(one.value["objective"] for one in runs)])
        bounds = (bound["value"] for bound in optimum.value["bounds"])
        ends, length = (lower, max(lower, min(bounds))), _path_length(optimum)
    records = []
    for one in runs:
        achieved, arrays = one.value["objective"], unpacked(one)
        sides: tuple[float | None, ...] = (None, None)
        if "moves" in arrays:
            path = GradientPath(arrays["start"], arrays["moves"], *arrays["sums"].tolist())
            sides = path.inequality(best["y"])
        regret = np.cumsum(best["rewards"] - arrays["rewards"])
        anytime = best["prefix"] - np.cumsum(arrays["rewards"])[slots - 1]
        records.append(
            {
                "policy": one.value["policy"],
                **{name: known[name] for name in ("ports", "servers", "slots", "density")},
                "commits": one.value["commits"],
                "objective": achieved,
                **{name: known[name] for name in ("fixed_lower", "fixed_upper", "fixed_gap")},
                "regret_lower": known["fixed_lower"] - achieved,
                "regret_upper": known["fixed_upper"] - achieved,
                "bound": known["bound"],
                "bound_proven": one.value["constant"] and not known["gangs"],
                "inequality_left": sides[0],
                "inequality_right": sides[1],
                "anytime": float(np.nanmax(anytime)),
                "dynamic_lower": None if ends is None else ends[0] - achieved,
                "dynamic_upper": None if ends is None else ends[1] - achieved,
                "path_length": length,
                "curve_slots": slots.tolist(),
                "curve_regret": regret[slots - 1].tolist(),
                "curve_anytime": [None if np.isnan(one) else one for one in anytime.tolist()],
            }
        )
    return records


def measure(
    instance: RewardInstance, policies: Sequence[type[Policy]], dynamic: float | None
) -> list[dict[str, Any]]:
    """Run policies on an instance and compare them with decisions made in hindsight.

    Parameters
    ----------
    dynamic : float or None
        Seconds for the optima of the slots; None = no dynamic regret.

    Returns
    -------
    list of dict
        One per policy, JSON types:

        - ``ports``, ``servers``, ``slots``, ``density``: size of the instance;
        - ``commits``: whether every decision was made before its arrivals were known;
        - ``objective``: reward achieved, by the scorer;
        - ``fixed_lower``, ``fixed_upper``, ``fixed_gap``: the best fixed decision, certified, and
          how far the ends are apart, relative to the bound;
        - ``regret_lower``, ``regret_upper``: regret, as an interval for that reason;
        - ``bound``: (14); ``bound_proven``: whether Theorem 1 holds for this policy;
        - ``inequality_left``, ``inequality_right``: the proof's inequality on this very run, at
          the best fixed decision known (None for a policy without gradient steps);
        - ``anytime``: anytime regret, the largest after some number of slots against the decision
          that is best over these, of 20 numbers or more; an upper end;
        - ``dynamic_lower``, ``dynamic_upper``: dynamic regret (None where not asked for);
        - ``path_length``: of the optima of the slots, the sum of the distances between each and the
          next (None as well where they were too large to keep);
        - ``curve_slots``, ``curve_regret``, ``curve_anytime``: regret after so many slots, against
          the decision that is best over all; and over these (None where not computed).
    """
    runs = [_run(instance, policy, {}) for policy in policies]
    optimum = None
    if dynamic is not None:
        _, start = max(runs, key=lambda one: one[0].value["objective"])
        found = solve(instance, time_limit=dynamic, start=start)
        assert found.schedule is not None
        value = {"objective": found.objective, "bounds": [{"value": found.bound}]}
        name = incumbent_file("reward")
        optimum = Result(value, {name: as_bytes(found.schedule.write, name)})
    return compare(decide(instance), [result for result, _ in runs], optimum)


def step_rules(**settings: Any) -> Callable[[], Result]:
    """Prepare runs of OGASched with three step rules on an instance that is drawn, and measure.

    Of :func:`measure`: ``reward``, the ends of the best fixed reward and of the regret, ``bound``
    (14), and both sides of the inequality of the proof.
    """
    instance, rules = draw(**settings), (OGASched, OGASchedConstant, OGASchedLiteral)
    kept = ("fixed_lower", "fixed_upper", "regret_lower", "regret_upper", "bound")

    def told(row: Mapping[str, Any]) -> dict[str, Any]:
        head = {**settings, "policy": row["policy"], "reward": row["objective"]}
        return head | {name: row[name] for name in (*kept, "inequality_left", "inequality_right")}

    return lambda: Result([told(row) for row in measure(instance, rules, None)])


def _scaled(settings: Mapping[str, Any], sizes: RegretSizes, factor: float) -> dict[str, Any]:
    """Settings of the workload with a multiple of the density that the base has."""
    if factor == 1.0:
        return dict(settings)
    ports, slots = sizes.base
    base = Settings(jobs=ports, servers=sizes.servers, slots=slots, seed=None, **settings)
    return {**settings, "density": factor * base.edges / base.servers}


_USUAL = RegretSizes(
    base=(10, 2000),
    slots=(250, 500, 1000, 2000),
    ports=(5, 10, 20, 40),
    servers=128,
    seeds=(0, 1, 2, 3, 4),
    arrivals=("bernoulli", "alternating", "coin", "drifting"),
)
_QUICK = RegretSizes(
    (4, 200), (50, 100, 200), (2, 4, 8), 16, (0, 1, 2), ("bernoulli", "alternating")
)

REGRET = RegretParts(
    sizes={"default": _USUAL, "quick": _QUICK},
    fixed="benchmarks.reward.best_decision:best_decision",
    run="benchmarks.reward.regret:run",
    adaptive="benchmarks.reward.regret:adaptive",
    compare=compare,
    scaled=_scaled,
)
