"""The offline side of a ratio: an interval that contains the optimum."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from models.completion.column import Column, columns_of, schedule_of
from models.completion.instance import CompletionInstance
from models.completion.schedule import CompletionSchedule
from models.completion.score import score
from models.errors import InputError
from solvers.column_generation import ColumnGeneration, GenerationResult
from solvers.completion.branching import branched
from solvers.completion.certificate import bound
from solvers.completion.exact import OpenStarts
from solvers.completion.local_search import local_search
from solvers.completion.pool_bound import PoolOracle, rounded
from solvers.completion.pooled import PooledProblem
from solvers.highs import HighsOptions
from solvers.interrupts import kernels_interruptible
from solvers.price_certificate import TreePrices
from solvers.refinement import refined, searched
from solvers.result import OPTIMAL_GAP, SolveResult
from solvers.tree_search import Branched

__all__ = ["solve"]

_GENERATION = 0.3  # share of the time limit at which the column generation has to end,
_FIRST = 0.35  # the first local search,
_SEARCH = 0.95  # and the second one, where the exact program is too large to follow
_EFFORT = 0.2  # share of the time limit that may go into building that program,
_MOST_EFFORT = 60.0  # and seconds
_ITERATIONS_FIRST = 2_000
_ITERATIONS = 20_000
_LEAST = 0.2  # seconds: with less left, no further step is begun
_GAP = 1e-4  # of the column generation
_MOST_SLOTS = 20_000  # with prices
_SEED = 0
# The tree that proves more by prices, where it is small:
_LEAVES = 200
_TREE = 0.3  # share of the time that is left when it begins


@kernels_interruptible()
def solve(
    instance: CompletionInstance,
    *,
    time_limit: float | None,
    threads: int = 1,
    start: CompletionSchedule | None = None,
) -> SolveResult[CompletionSchedule]:
    """Optimum of schedules with constant placement, or an interval that contains it.

    A bound by column generation over pooled servers, recomputed from its prices; a schedule by
    list scheduling and local search at these prices; on small instances a tree on completions,
    whose leaves have prices of their own; then, where little is left open, the time-indexed
    program.

    Parameters
    ----------
    instance : CompletionInstance
    time_limit : float or None
        Seconds for everything.
    threads : int
        Of HiGHS.
    start : CompletionSchedule, optional
        A feasible schedule with constant placement; raises InputError if it is none.

    Returns
    -------
    SolveResult
        ``duals`` are the :class:`solvers.price_certificate.TreePrices` behind the bound, with the
        tree if there is one; ``bound`` is the better of what they prove and HiGHS's, as
        ``bound_source`` says. It does not hold for elastic schedules;
        :mod:`solvers.completion.elastic_bound` has the bound that does.

    Raises
    ------
    WrongSolution
        If the program and the scorer contradict each other.
    """
    began = time.monotonic()
    options = HighsOptions(time_limit=time_limit, threads=threads)

    def deadline(share: float) -> float:
        return began + (math.inf if time_limit is None else share * time_limit)

    rng, oracle = np.random.default_rng(_SEED), PoolOracle(instance)
    known = None if start is None else _checked(instance, start)
    arrivals = np.argsort([job.arrival for job in instance.jobs], kind="stable")
    weights = np.argsort([-job.weight for job in instance.jobs], kind="stable")
    nothing, until = np.zeros((instance.cluster.slots, len(oracle.capacity))), deadline(_GENERATION)
    known, timed = local_search(
        oracle, nothing, [arrivals], rng, start=known, iterations=0, deadline=until
    )
    # Slots that are full in a good schedule need prices.
    slots = min(max([column.completion for column in known.values()], default=0), _MOST_SLOTS)
    problem = PooledProblem(oracle, slots)
    generated = ColumnGeneration(problem, gap=_GAP, deadline=until).run()
    table = rounded(problem.prices(generated.duals))
    proof, certified = TreePrices(table), max(0.0, oracle.bound(table))
    effort = _MOST_EFFORT if time_limit is None else min(_EFFORT * time_limit, _MOST_EFFORT)
    orders, program, failure = [_order(generated, len(instance.jobs)), arrivals, weights], None, ""
    for iterations, share in ((_ITERATIONS_FIRST, _FIRST), (_ITERATIONS, _SEARCH)):
        known, late = local_search(
            oracle,
            table,
            orders,
            rng,
            start=known,
            iterations=iterations,
            deadline=deadline(share),
            target=certified * (1.0 + OPTIMAL_GAP),
        )
        timed = timed or late
        if orders:  # after the first search
            (proof, failure), late = _tree(instance, proof, known, deadline(1.0))
            certified, timed = bound(instance, proof), timed or late
        orders, program = [], OpenStarts.of(oracle, table, known, effort)
        if program is not None:
            break
    schedule = schedule_of(instance, known.values())
    judged = score(instance, schedule)
    found = searched(
        instance,
        schedule,
        judged,
        certified,
        proof,
        generated,
        options,
        sense="min",
        timed=timed,
    )
    if program and not found.is_optimal and deadline(1.0) - time.monotonic() > _LEAST:
        found = _exact(found, program, options, deadline(1.0))
    timed = found.timed or time.monotonic() >= deadline(1.0)
    return replace(
        found, failure=found.failure or failure, seconds=time.monotonic() - began, timed=timed
    )


def _checked(instance: CompletionInstance, start: CompletionSchedule) -> dict[int, Column]:
    if start.elastic:
        raise InputError("start: its placement is not constant")
    if violations := score(instance, start).violations:
        raise InputError(f"start is no feasible schedule: {violations[0]}")
    return columns_of(instance, start)


def _tree(
    instance: CompletionInstance, prices: TreePrices, known: Mapping[int, Column], deadline: float
) -> tuple[Branched, bool]:
    """Prices with a tree, and whether the clock cut it off."""
    worth = -math.fsum(column.value for column in known.values())
    left = deadline - time.monotonic()
    if left < _LEAST:
        return Branched(prices, ""), True
    end = time.monotonic() + _TREE * left
    # A hair closer than what counts as optimal, for what rounding the prices costs.
    enough = worth * (1.0 - 0.9 * OPTIMAL_GAP)
    grown = branched(instance, prices, leaves=_LEAVES, enough=enough, deadline=end)
    return grown, time.monotonic() >= end


def _order(generated: GenerationResult, jobs: int) -> np.ndarray:
    """Jobs by their mean completion in the linear program."""
    completion = np.zeros(jobs)
    for column, weight in zip(generated.columns, generated.weights, strict=True):
        completion[column.job] += weight * column.completion
    return np.argsort(completion, kind="stable")


def _exact(
    found: SolveResult[CompletionSchedule],
    program: OpenStarts,
    options: HighsOptions,
    deadline: float,
) -> SolveResult[CompletionSchedule]:
    """What the time-indexed program adds."""
    result, schedule = program.solve(options, deadline)
    return refined(
        found,
        program.instance.name,
        schedule=schedule,
        judged=None if schedule is None else score(program.instance, schedule),
        forgiven=("(2h)", "(15b)"),
        proven=found.objective if result.status == "infeasible" else result.bound,
        message=result.message,
    )
