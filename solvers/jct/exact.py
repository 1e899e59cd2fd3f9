"""The optimum of the chunk model by HiGHS."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import numpy as np

from models.errors import InputError
from models.jct.instance import JctInstance
from models.jct.schedule import JctSchedule
from models.jct.score import score
from solvers.errors import WrongSolution
from solvers.highs import SOLVER, HighsOptions
from solvers.highs import solve as run_highs
from solvers.jct.assembling import assembled
from solvers.jct.bound import Bounded, bound
from solvers.jct.chunk_program import ChunkProgram
from solvers.jct.list_schedule import list_schedule, orders, placements
from solvers.jct.pool import Pool
from solvers.jct.timetable import Placement
from solvers.result import OPTIMAL_GAP, SolveResult, Status, relative_gap

__all__ = ["checked_start", "latest", "sizes", "solve", "solve_program"]

_ITERATIONS = 500  # of the local search that comes first
_SHARE = 0.3  # of the time limit, at most, for what comes first
_SLACK = 1e-6
_MOST = 2 * 10**7  # nonzeros of the program: 16 bytes each, several times
_SEED = 0


def solve(
    instance: JctInstance,
    *,
    time_limit: float | None = None,
    mip_rel_gap: float = OPTIMAL_GAP,
    threads: int = 1,
    seed: int = 0,
    start: JctSchedule | None = None,
    log: str | Path | TextIO | None = None,
) -> SolveResult[JctSchedule]:
    """Best schedule in hindsight without migration, and a bound that says how good it is.

    Parameters
    ----------
    instance : JctInstance
    time_limit : float, optional
        Seconds for everything; the best schedule and bound so far are returned.
    mip_rel_gap : float
        Relative gap at which the optimum counts as proven.
    threads, seed : int
        Of HiGHS.
    start : JctSchedule, optional
        A feasible schedule without migration; the result is at least as good.
    log : path or text stream, optional
        Where HiGHS's log goes.

    Returns
    -------
    SolveResult
        ``objective`` is the scorer's value of ``schedule``; ``duals`` are the prices behind the
        bound of :mod:`solvers.jct.bound`; ``bound`` is the better of it and HiGHS's, as
        ``bound_source`` says.

    Raises
    ------
    InputError
        If an option is out of range, or the start is not a feasible schedule of the instance.
    WrongSolution
        If the model and the scorer contradict each other.
    """
    began = time.monotonic()
    options = HighsOptions(
        time_limit=time_limit, mip_rel_gap=mip_rel_gap, threads=threads, seed=seed
    )
    pool = Pool.of(instance)
    begun = checked_start(instance, pool, start)
    share = math.inf if time_limit is None else _SHARE * time_limit
    bounded = bound(pool, time_limit=None if time_limit is None else share)
    assert bounded is not None  # the instance's checks have seen every job complete alone
    found = list_schedule(
        instance,
        pool,
        bounded.prices,
        orders(pool, bounded.program),
        np.random.default_rng(_SEED),
        start=begun,
        iterations=_ITERATIONS,
        deadline=began + share,
        target=bounded.proven.bound,
    )
    late = time.monotonic() > began + share
    return solve_program(
        instance,
        pool,
        bounded,
        found,
        options=options,
        began=began,
        log=log,
        fallback=start,
        timed=late,
    )


def checked_start(
    instance: JctInstance, pool: Pool, start: JctSchedule | None
) -> list[Placement] | None:
    """Placements of a start, if it is one that lists know; raises InputError if it is wrong."""
    if start is None:
        return None
    if start.migration:
        raise InputError("start: its chunks migrate, so it is none of the chunk model")
    violations = score(instance, start).violations
    if violations:
        raise InputError(f"start is no feasible schedule: {violations[0]}")
    return placements(instance, pool, start)


def latest(pool: Pool, bounded: Bounded, known: Sequence[Placement] | None) -> list[int]:
    """Largest JCT of each job in a schedule that is no worse than what is known.

    A bound b to which job j contributes q says JCT_j <= total - (b - q). In any case a best
    schedule has no slot in which all rest after the last upload, or what follows could begin
    earlier.
    """
    ready = [job.release + int(job.delays[-1]) for job in pool.jobs if job.has_edge]
    end = min(pool.slots, max(ready, default=0) + sum(job.work for job in pool.jobs))
    rooms = [max(end - job.release, job.cloud_jct or 0) for job in pool.jobs]
    if known is None:
        return rooms
    room = sum(placement.jct for placement in known) - bounded.proven.value
    return [
        min(left, math.floor(room + cost + _SLACK))
        for left, cost in zip(rooms, bounded.proven.costs, strict=True)
    ]


def sizes(pool: Pool, ends: Sequence[int]) -> tuple[int, int]:
    """Worker-slots that jobs may use until these JCTs, and nonzeros of the program, roughly."""
    columns = [
        int(np.maximum(0, end - job.delays).sum()) for job, end in zip(pool.jobs, ends, strict=True)
    ]
    return sum(columns), sum(n * end // 2 for n, end in zip(columns, ends, strict=True))


def solve_program(
    instance: JctInstance,
    pool: Pool,
    bounded: Bounded,
    known: list[Placement] | None,
    *,
    options: HighsOptions,
    began: float,
    log: str | Path | TextIO | None = None,
    fallback: JctSchedule | None = None,
    run_milp: bool = True,
    timed: bool = False,
) -> SolveResult[JctSchedule]:
    """Solve the chunk model within the windows that what is known leaves.

    Parameters
    ----------
    instance, pool, bounded : JctInstance, Pool, Bounded
        The instance and what is proven of it.
    known : list of Placement, optional
        The best schedule so far.
    options : HighsOptions
        Their time limit counts from ``began``, of ``time.monotonic()``.
    began : float
    log : path or text stream, optional
    fallback : JctSchedule, optional
        A feasible schedule that placements may be unable to express.
    run_milp : bool
        Whether to solve the model at all, and not only sum up what is known.
    timed : bool
        Whether the clock ended the search for ``known``.
    """
    schedule = fallback
    if known is not None:
        schedule = assembled(instance, [placement.runs for placement in known])
        if fallback is not None and score(instance, fallback).objective < sum(
            placement.jct for placement in known
        ):
            schedule = fallback
    objective = None if schedule is None else _judged(instance, schedule)
    proven, source = bounded.proven.bound, "prices"
    solver, message = "strengthened linear program, list schedules", ""

    def result() -> SolveResult[JctSchedule]:
        gap = relative_gap("min", objective, proven)
        status: Status = "bounded"
        if gap is not None:
            status = "optimal" if gap <= options.mip_rel_gap else "feasible"
        return SolveResult(
            status=status,
            objective=objective,
            bound=float(proven),
            schedule=schedule,
            duals=bounded.prices,
            seconds=time.monotonic() - began,
            solver=solver,
            options=options.as_dict(),
            message=message,
            sense="min",
            bound_source="prices" if source == "prices" else "milp",
            timed=timed or bounded.timed or _left(options, began) == 0.0,
        )

    if not run_milp or result().is_optimal or _left(options, began) == 0.0:
        return result()
    ends = latest(pool, bounded, known)
    if (nonzeros := sizes(pool, ends)[1]) > _MOST:
        message = f"not solved: its program has about {nonzeros} nonzeros, more than {_MOST}"
        return result()
    program = ChunkProgram(instance, pool, ends)
    start = None if known is None else program.point([placement.runs for placement in known])
    left = _left(options, began)
    limited = replace(options, time_limit=None if left is None else max(left, 1e-3))
    try:
        solved = run_highs(program.program(), limited, start=start, log=log)
    except InputError as error:  # of a schedule that the scorer accepts
        raise WrongSolution(f"{instance.name}: {error}") from error
    solver, message = SOLVER, solved.message
    if solved.status == "infeasible":
        if schedule is not None:
            raise WrongSolution(f"{instance.name}: infeasible, against a schedule")
        return replace(result(), status="infeasible", bound=None, duals=None)
    if solved.bound is not None and math.ceil(solved.bound - _SLACK) > proven:
        proven, source = math.ceil(solved.bound - _SLACK), "milp"
    if solved.x is not None:
        candidate = assembled(instance, program.runs(solved.x))
        value = _judged(instance, candidate)
        if objective is None or value < objective:
            objective, schedule = value, candidate
    if objective is not None and objective < proven:
        raise WrongSolution(f"{instance.name}: worth {objective}, bound {proven}")
    return result()


def _left(options: HighsOptions, began: float) -> float | None:
    """Seconds left of the time limit, if there is one."""
    if options.time_limit is None:
        return None
    return max(0.0, options.time_limit - (time.monotonic() - began))


def _judged(instance: JctInstance, schedule: JctSchedule) -> float:
    judged = score(instance, schedule)
    if judged.violations:
        raise WrongSolution(f"{instance.name}: {judged.violations[0]}")
    return judged.objective
