"""Regret of policies of ``reward`` on one instance, with what is certain about it.

Two comparators, not to be mixed. *Regret* is the reward of the best fixed decision in hindsight
minus the reward achieved, (6); it may be negative, since a policy may change its decision and a
heuristic sees ``x(t)`` first. *Dynamic regret* is that of the best decision of every slot, given
``x(t)``, minus the reward achieved; it is never negative.

The best fixed decision and each run are cells of their own, so that another policy solves nothing
again; :func:`compare` puts them together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.contract import RegretParts, RegretSizes
from benchmarks.reward.best_decision import best_decision, decide, packed, unpacked
from benchmarks.reward.measures import draw, slot_table
from benchmarks.reward.settings import Settings
from benchmarks.study.cell import Result
from benchmarks.study.instances import Source, instance_of
from benchmarks.study.offline import incumbent_file
from benchmarks.study.run import policy_rng, run_policy, warm_policy
from benchmarks.study.scheme import policy_of
from models.reward import RewardInstance
from models.reward.load import load
from models.reward.schedule import path_length
from online.policy import Policy
from online.registry import build_policy
from online.reward.adversary import against
from online.reward.oga import OGASched, OGASchedConstant, OGASchedLiteral
from online.reward.steps import Constant
from online.reward.theory import GradientPath

__all__ = ["REGRET", "adaptive", "compare", "measure", "run", "step_rules"]

_MET = ("instance", "instance_hash", "load")  # of arrivals that adapt
_KEPT = "fixed_lower fixed_upper regret_lower regret_upper bound".split()
_KEPT += ["inequality_left", "inequality_right"]
_KNOWN = "ports servers slots density fixed_lower fixed_upper fixed_gap bound".split()


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
    return lambda: _run(target, chosen, parameters)


def adaptive(
    *, instance: Source, policy: str, parameters: Mapping[str, Any]
) -> Callable[[], Result]:
    """Prepare a run on arrivals that adapt to it (:mod:`online.reward.adversary`), and its record.

    The value is that of :func:`compare`, with the instance that came of it and its load.
    """
    chosen = policy_of(instance["problem"], policy)
    warm_policy(instance["problem"], policy)
    best_decision(instance=instance)  # which compiles what it needs
    base = instance_of(instance)

    def duel() -> Result:
        met = against(base, build_policy(chosen, base, **parameters), policy_rng(base.seed or 0))
        fixed = decide(met)
        (record,) = compare(fixed, [_run(met, chosen, parameters)], None)
        return Result({name: fixed.value[name] for name in _MET} | record)

    return duel


def _run(
    instance: RewardInstance, policy: type[Policy] | Policy, parameters: Mapping[str, Any]
) -> Result:
    """What is to be compared of a run."""
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
    return Result(value, packed(**arrays), said=done.said)


def compare(fixed: Result, runs: Sequence[Result], optimum: Result | None) -> list[dict[str, Any]]:
    """Compare runs with decisions made in hindsight; a record of each, see :func:`measure`.

    See :class:`benchmarks.contract.RegretParts`; the optimum is the sum of those of all slots.
    """
    known, best = fixed.value, unpacked(fixed)
    slots = best["slots"]
    ends, length = None, None
    if optimum is not None:
        lower = max([optimum.value["objective"], *(one.value["objective"] for one in runs)])
        ends = lower, max(lower, min(bound["value"] for bound in optimum.value["bounds"]))
        length = path_length(optimum.files[incumbent_file("reward")])
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
                **{name: known[name] for name in _KNOWN},
                "commits": one.value["commits"],
                "objective": achieved,
                "regret_lower": known["fixed_lower"] - achieved,
                "regret_upper": known["fixed_upper"] - achieved,
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
    instance: RewardInstance, policies: Sequence[type[Policy] | Policy]
) -> list[dict[str, Any]]:
    """Run policies on an instance and compare them with decisions made in hindsight.

    The optima of the slots are not among these. A record of each policy, JSON types:

    - ``ports``, ``servers``, ``slots``, ``density``: size of the instance;
    - ``commits``: whether every decision was made before its arrivals were known;
    - ``objective``: reward achieved, by the scorer; ``fixed_lower``, ``fixed_upper``,
      ``fixed_gap``: the best fixed decision, certified, and how far the ends are apart, relative to
      the bound; ``regret_lower``, ``regret_upper``: regret, as an interval for that reason;
    - ``bound``: (14); ``bound_proven``: whether Theorem 1 holds for this policy;
    - ``inequality_left``, ``inequality_right``: the proof's inequality on this very run, at the
      best fixed decision known (None for a policy without gradient steps);
    - ``curve_slots``, ``curve_regret``, ``curve_anytime``: regret after so many slots, against the
      decision that is best over all, and over these (None where not tried; 20 numbers or more
      are); ``anytime``: the largest of the latter (upper ends);
    - ``dynamic_lower``, ``dynamic_upper``, ``path_length``: dynamic regret, and the sum of the
      distances between the optima of neighbouring slots (None where not asked for).
    """
    return compare(decide(instance), [_run(instance, one, {}) for one in policies], None)


def step_rules(**settings: Any) -> Callable[[], Result]:
    """Prepare runs of OGASched with three step rules on an instance that is drawn, and measure.

    The load, and of :func:`measure`: ``reward``, the ends of the best fixed reward and of the
    regret, ``bound`` (14), and both sides of the inequality of the proof.
    """
    instance, rules = draw(**settings), (OGASched, OGASchedConstant, OGASchedLiteral)
    names = {"policy": "policy", "reward": "objective"} | {name: name for name in _KEPT}

    def rows() -> Result:
        head, found = {**settings, "load": load(instance)}, measure(instance, rules)
        return Result([head | {n: row[name] for n, name in names.items()} for row in found])

    return rows


def _scaled(settings: Mapping[str, Any], sizes: RegretSizes, factor: float) -> dict[str, Any]:
    """Settings of the workload with a multiple of the density that the base has."""
    if factor == 1.0:
        return dict(settings)
    ports, slots = sizes.base
    base = Settings(jobs=ports, servers=sizes.servers, slots=slots, seed=None, **settings)
    return {**settings, "density": factor * base.edges / base.servers}


_QUICK = RegretSizes(
    (4, 200), (50, 100, 200), (2, 4, 8), 16, (0, 1, 2), ("bernoulli", "alternating")
)
_KINDS = ("bernoulli", "alternating", "coin", "drifting")
_SLOTS, _PORTS = (250, 500, 1000, 2000), (5, 10, 20, 40)
_USUAL = RegretSizes((10, 2000), _SLOTS, _PORTS, 128, (0, 1, 2, 3, 4), _KINDS)

REGRET = RegretParts(
    sizes={"default": _USUAL, "quick": _QUICK},
    fixed="benchmarks.reward.best_decision:best_decision",
    run="benchmarks.reward.regret:run",
    adaptive="benchmarks.reward.regret:adaptive",
    compare=compare,
    scaled=_scaled,
)
