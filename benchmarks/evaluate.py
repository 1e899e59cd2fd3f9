"""One instance: solve it offline, run every policy on it, score all by the one scorer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.offline import Bound, Incumbent, Interval, offline_interval, ratio_interval
from benchmarks.rows import Row, Timing
from models.problem import Problem, has_sub_package, problem, sub_package
from models.scoring import Score
from online.policy import Guarantee, Policy
from online.registry import build_policy, knows_future
from online.run import Trace, raised_by, run

__all__ = ["Cell", "InfeasibleSchedule", "Run", "evaluate", "policy_rng", "run_policy"]

_POLICY_STREAM = 0x504F4C


class InfeasibleSchedule(RuntimeError):
    """A schedule that breaks a constraint: a fault of the code that made it, not of the input."""


@dataclass(frozen=True)
class Run:
    """One policy on one instance, scored."""

    policy: Policy
    trace: Trace
    score: Score


@dataclass(frozen=True)
class Cell:
    """Everything known of one instance.

    The certificate has a ``bound`` and ``write(path)``; None if the problem has none.
    """

    rows: tuple[Row, ...]
    timings: tuple[Timing, ...]
    interval: Interval
    runs: tuple[Run, ...]
    certificate: Any | None


def run_policy(instance: Any, policy: type[Policy] | Policy, seed: int | None = None) -> Run:
    """Run one policy and score it.

    Parameters
    ----------
    instance : Instance
    policy : Policy or subclass of it
        A class is built for the instance; an object is run as it is.
    seed : int, optional
        Of the policy's generator (:func:`policy_rng`); by default the instance's own, or 0.

    Raises
    ------
    InfeasibleSchedule
        If the scorer finds a violation.
    """
    if isinstance(policy, type):
        policy = build_policy(policy, instance)
    seed = seed if seed is not None else instance.seed or 0
    trace = run(instance, policy, policy_rng(seed))
    return Run(policy, trace, _checked(problem(instance.problem), instance, trace.schedule, policy))


def policy_rng(seed: int) -> np.random.Generator:
    """Generator of a policy: ``default_rng([seed, 0x504F4C])``, a negative seed plus 2^64.

    The tag sets it apart from ``default_rng(seed)``, which drew the instance: with the same
    stream a policy would draw the jobs again, those of the future too.
    """
    return np.random.default_rng([seed % 2**64, _POLICY_STREAM])


def _checked(kind: Problem, instance: Any, schedule: Any, maker: Any) -> Score:
    score = kind.score(instance, schedule)
    if not score.feasible:
        name = getattr(maker, "name", maker)
        raise InfeasibleSchedule(
            f"{name} on '{instance.name}': {len(score.violations)} violations, first "
            f"{score.violations[0]}"
        )
    return score


def evaluate(
    instance: Any,
    policies: Sequence[type[Policy]],
    *,
    time_limit: float | None,
    threads: int = 1,
) -> Cell:
    """Competitive ratios of policies on one instance.

    The offline interval is the bound of the offline solver and the best of all schedules known.

    Parameters
    ----------
    instance : Instance
    policies : sequence of Policy subclasses
    time_limit : float or None
        Seconds for the offline solver; the interval is valid whatever it reaches.
    threads : int
        Threads of the offline solver.
    """
    kind = problem(instance.problem)
    offline = sub_package("solvers", instance.problem, "offline")
    runs = tuple(run_policy(instance, policy) for policy in policies)
    begin = time.perf_counter()
    incumbents = [Incumbent(item.score.objective, item.trace.schedule) for item in runs]
    best_known = max(
        incumbents, key=lambda item: item.value if kind.sense == "max" else -item.value
    )
    result = offline.solve(
        instance, time_limit=time_limit, threads=threads, start=best_known.schedule
    )
    if result.schedule is not None:
        score = _checked(kind, instance, result.schedule, result.solver)
        incumbents.append(Incumbent(score.objective, result.schedule))
    bounds = [] if result.bound is None else [Bound(result.bound, result.bound_source)]
    certificate = _certificate(instance, result.duals)
    if certificate is not None:
        bounds.append(Bound(certificate.bound, "prices"))
    interval = offline_interval(kind.sense, incumbents, bounds)
    offline_seconds = time.perf_counter() - begin
    limited = time_limit is not None and not result.is_optimal
    certified = None if certificate is None else certificate.bound
    rows = tuple(_row(kind, instance, item, interval, certified, limited) for item in runs)
    timings = tuple(
        Timing(
            instance.hash,
            item.policy.name,
            len(item.trace.decisions),
            float(item.trace.seconds[1:].sum()),  # the first is the reset
            offline_seconds,
        )
        for item in runs
    )
    return Cell(rows, timings, interval, runs, certificate)


def _certificate(instance: Any, duals: Any) -> Any | None:
    if duals is None or not has_sub_package("solvers", instance.problem, "certificate"):
        return None
    return sub_package("solvers", instance.problem, "certificate").certify(instance, duals)


def _row(
    kind: Problem,
    instance: Any,
    item: Run,
    interval: Interval,
    certified: float | None,
    limited: bool,
) -> Row:
    best = interval.lower if kind.sense == "max" else interval.upper
    with raised_by(f"policy '{item.policy.name}' on '{instance.name}', guarantee"):
        guarantee: Guarantee | None = item.policy.guarantee(instance, item.trace, best)
    lower, upper = ratio_interval(kind.sense, item.score.objective, interval)
    return Row(
        problem=kind.name,
        instance=instance.name,
        instance_hash=instance.hash,
        seed=instance.seed,
        policy=item.policy.name,
        objective=item.score.objective,
        completed=int((item.score.completion >= 0).sum()),
        jobs=len(item.score.completion),
        offline_lower=interval.lower,
        offline_upper=interval.upper,
        offline_status=interval.status,
        offline_time_limited=limited,
        bound_source=interval.bound_source,
        offline_certified=certified,
        ratio_lower=lower,
        ratio_upper=upper,
        guarantee=guarantee.ratio if guarantee else None,
        guarantee_applies=guarantee.applies if guarantee else None,
        guarantee_fails=guarantee.fails if guarantee else "",
        clairvoyant_bounds=knows_future(type(item.policy)),
        violations=len(item.score.violations),
    )
