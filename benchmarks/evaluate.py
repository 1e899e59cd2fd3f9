"""One instance: solve it offline, run every policy on it, score all by the one scorer."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.study.interval import (
    Bound,
    Incumbent,
    Interval,
    best,
    offline_intervals,
    ratio_interval,
)
from benchmarks.study.rows import Row, Timing
from models.errors import InputError
from models.problem import Problem, problem
from models.scoring import Score
from online.policy import Policy
from online.registry import build_policy, knows_future
from online.run import InfeasibleDecision, Trace, raised_by, run
from solvers.contract import offline_solver
from solvers.result import SolveResult

__all__ = ["Cell", "InfeasibleSchedule", "Run", "evaluate", "policy_rng", "run_policy"]

_POLICY_STREAM = 0x504F4C


class InfeasibleSchedule(RuntimeError):
    """An offline schedule that breaks a constraint: a fault of the code, not of the input."""


@dataclass(frozen=True)
class Run:
    """One policy on one instance, scored."""

    policy: Policy
    trace: Trace
    score: Score


@dataclass(frozen=True)
class Cell:
    """Everything known of one instance.

    ``interval`` is that of the problem's own schedules, if any is known: else of those that may
    do more (:attr:`models.problem.Problem.wider`). The certificate has a ``bound`` and
    ``write(path)``; None if the problem has none.
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
    InfeasibleDecision
        If the scorer finds a violation.
    """
    if isinstance(policy, type):
        policy = build_policy(policy, instance)
    seed = seed if seed is not None else instance.seed or 0
    trace = run(instance, policy, policy_rng(seed))
    score = problem(instance.problem).score(instance, trace.schedule)
    if not score.feasible:
        raise InfeasibleDecision(
            f"policy '{policy.name}' on '{instance.name}': {_count(score)} in its schedule"
        )
    return Run(policy, trace, score)


def policy_rng(seed: int) -> np.random.Generator:
    """Generator of a policy: ``default_rng([seed, 0x504F4C])``, a negative seed plus 2^64.

    The tag sets it apart from ``default_rng(seed)``, which drew the instance: with the same
    stream a policy would draw the jobs again, those of the future too.
    """
    return np.random.default_rng([seed % 2**64, _POLICY_STREAM])


def _count(score: Score) -> str:
    many = len(score.violations)
    return f"{many} violation{'s' if many > 1 else ''}, first {score.violations[0]},"


def evaluate(
    instance: Any,
    policies: Sequence[type[Policy]],
    *,
    time_limit: float | None,
    threads: int = 1,
) -> Cell:
    """Competitive ratios of policies on one instance.

    The offline interval is the bound of the offline solver and the best of all schedules known.
    Policies and schedules that may do more (:attr:`models.problem.Problem.wider`) have an
    interval of their own: all schedules known, and the bounds that hold for these too.

    Parameters
    ----------
    instance : Instance
    policies : sequence of Policy subclasses
    time_limit : float or None
        Seconds for the offline solver; the interval is valid whatever it reaches.
    threads : int
        Threads of the offline solver.

    Raises
    ------
    InputError
        If no schedule is feasible, so that there is nothing to compare with.
    """
    kind = problem(instance.problem)
    offline = offline_solver(instance.problem)
    try:
        runs = tuple(run_policy(instance, policy) for policy in policies)
    except InfeasibleDecision:
        _check_solvable(instance, offline.solve(instance, time_limit=time_limit, threads=threads))
        raise
    begin = time.perf_counter()
    known = [
        Incumbent(item.score.objective, item.trace.schedule, kind.is_wider(item.trace.schedule))
        for item in runs
    ]
    own = [item for item in known if not item.wider]
    start = best(kind.sense, own).schedule if own else None
    result = offline.solve(instance, time_limit=time_limit, threads=threads, start=start)
    _check_solvable(instance, result)
    if result.schedule is not None:
        score = kind.score(instance, result.schedule)
        if not score.feasible:
            raise InfeasibleSchedule(f"{result.solver} on '{instance.name}': {_count(score)}")
        known.append(Incumbent(score.objective, result.schedule))
    bounds = [] if result.bound is None else [Bound(result.bound, result.bound_source)]
    certificate = _certificate(instance, result.duals)
    if certificate is not None:
        bounds.append(Bound(certificate.bound, "prices"))
    intervals = offline_intervals(kind.sense, known, bounds, negligible=kind.negligible(instance))
    offline_seconds = time.perf_counter() - begin
    limited = time_limit is not None and not result.is_optimal
    certified = None if certificate is None else certificate.bound
    rows = tuple(_row(kind, instance, item, intervals, certified, limited) for item in runs)
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
    return Cell(rows, timings, intervals[min(intervals)], runs, certificate)


def _check_solvable(instance: Any, result: SolveResult[Any]) -> None:
    if result.status in ("infeasible", "unbounded"):
        raise InputError(
            f"instance '{instance.name}' is {result.status}, says {result.solver}: there is no "
            "optimum to compare with"
        )


def _certificate(instance: Any, duals: Any) -> Any | None:
    offline = offline_solver(instance.problem)
    return offline.certify(instance, duals) if offline.certifies and duals is not None else None


def _row(
    kind: Problem,
    instance: Any,
    item: Run,
    intervals: Mapping[bool, Interval],
    certified: float | None,
    limited: bool,
) -> Row:
    wider = item.policy.wider or kind.is_wider(item.trace.schedule)
    interval = intervals[wider]
    known = interval.lower if kind.sense == "max" else interval.upper
    who = f"policy '{item.policy.name}' on '{instance.name}'"
    with raised_by(f"{who}, evidence"):
        evidence = item.policy.evidence(instance, item.trace)
    with raised_by(f"{who}, applies"):
        guarantee = None if evidence is None else item.policy.applies(evidence, known)
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
        load=kind.load(instance),
        offline_lower=interval.lower,
        offline_upper=interval.upper,
        offline_allows=kind.wider if wider else "",
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
