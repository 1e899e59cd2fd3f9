"""What cells of ``reward`` measure: runs of one policy on one synthetic instance."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.reward.settings import Settings
from benchmarks.reward.tables import slot_table
from benchmarks.reward.workload import generate
from benchmarks.study.cell import Result
from benchmarks.study.run import Run, run_policy, small_instance
from benchmarks.study.scheme import policy_of
from models.reward import RewardInstance
from online.registry import build_policy
from online.reward.theory import gradient_bound

__all__ = ["curve", "draw", "first_steps", "gradients", "seconds", "totals"]

_POINTS = 100  # of a curve


def draw(
    *, ports: int, beta_low: float, beta_high: float, seed: int, **settings: Any
) -> RewardInstance:
    """Draw an instance; the other settings are those of the workload."""
    chosen = Settings(jobs=ports, beta=(beta_low, beta_high), seed=seed, **settings)
    return generate(chosen, np.random.default_rng(seed))[0]


def _prepared(scheme: Mapping[str, Any], settings: Mapping[str, Any]) -> Callable[[], Run]:
    """Draw the instance and compile; what is returned runs the policy."""
    policy = policy_of("reward", scheme["policy"])
    parameters = scheme["parameters"]
    small, instance = small_instance("reward"), draw(**settings)
    run_policy(small, build_policy(policy, small, **parameters))
    return lambda: run_policy(instance, build_policy(policy, instance, **parameters))


def totals(*, scheme: Mapping[str, Any], **settings: Any) -> Callable[[], Result]:
    """Prepare a run.

    ``reward`` is accumulated; ``average``, ``gain`` and ``penalty`` are means per slot; and
    ``negative`` is the share of the slots with a reward below 0.
    """
    run = _prepared(scheme, settings)
    return lambda: Result([{**settings, "policy": scheme["name"], **_sums(run())}])


def first_steps(*, scheme: Mapping[str, Any], **settings: Any) -> Callable[[], Result]:
    """Prepare the same, with ``initial`` and ``factor`` of the steps of a policy that has them."""
    run = _prepared(scheme, settings)
    steps = {name: scheme["parameters"].get(name) for name in ("initial", "factor")}
    return lambda: Result([{**settings, "policy": scheme["name"], **steps, **_sums(run())}])


def _sums(run: Run) -> dict[str, float]:
    slots = slot_table(run)
    return {
        "reward": float(slots["reward"].sum()),
        "average": float(slots["reward"].mean()),
        "gain": float(slots["gain"].mean()),
        "penalty": float(slots["penalty"].mean()),
        "negative": float((slots["reward"] < 0).mean()),
    }


def curve(*, scheme: Mapping[str, Any], **settings: Any) -> Callable[[], Result]:
    """Prepare a run: ``average`` and accumulated ``reward`` after each of some numbers of slots."""
    run = _prepared(scheme, settings)

    def measure() -> Result:
        table = slot_table(run())
        total = table["reward"].cumsum()
        points = np.unique(np.linspace(0, len(table), _POINTS + 1).round().astype(int))[1:]
        return Result(
            [
                {
                    **settings,
                    "policy": scheme["name"],
                    "slot": int(point),
                    "average": float(table["average"].iat[point - 1]),
                    "reward": float(total.iat[point - 1]),
                }
                for point in points
            ]
        )

    return measure


def gradients(*, scheme: Mapping[str, Any], **settings: Any) -> Callable[[], Result]:
    """Prepare a run of a policy with gradient steps.

    ``growth`` is the mean step of the last tenth of the slots over that of the first, minus 1;
    ``share`` the largest squared gradient as a part of (22).
    """
    run = _prepared(scheme, settings)
    bound = gradient_bound(draw(**settings).cluster) ** 2

    def measure() -> Result:
        rows = [row for row in run().trace.decisions if "step" in row]
        steps = np.array([row["step"] for row in rows])
        tenth = max(1, len(steps) // 10)
        record = {
            **settings,
            "policy": scheme["name"],
            "growth": float(steps[-tenth:].mean() / steps[:tenth].mean() - 1.0),
            "share": max(row["gradient_square"] for row in rows) / bound,
        }
        return Result([record])

    return measure


def seconds(*, scheme: Mapping[str, Any], **settings: Any) -> Callable[[], Result]:
    """Prepare a run that is timed: ``seconds``."""
    run = _prepared(scheme, settings)

    def measure() -> Result:
        begin = time.perf_counter()
        run()
        took = time.perf_counter() - begin
        return Result([{**settings, "policy": scheme["name"], "seconds": took}])

    return measure
