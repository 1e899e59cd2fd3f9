"""The offline cell: a bound and a schedule of one instance, whatever policies a user chose.

The solver starts from the best schedule of a fixed list of registered policies, so that adding a
policy to an experiment solves nothing again. A solve that was stopped with less effort than is
asked for now goes on from what it had found, and never ends with less.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from benchmarks.study.cell import Cell, Effort, Needs, Result
from benchmarks.study.instances import Source, as_bytes, draws_of, from_bytes, instance_of
from benchmarks.study.run import (
    about,
    count,
    label_of,
    run_policy,
    run_until_compiled,
    small_instance,
)
from benchmarks.study.scheme import policy_of, run_roots
from models.errors import InputError
from models.problem import problem, sub_package
from online.run import InfeasibleDecision
from solvers.contract import offline_solver
from solvers.result import OPTIMAL_GAP, SolveResult, relative_gap

INSTANCE = "instance.json.gz"
CERTIFICATE = "certificate.json.gz"
_WARM_UP = 300.0  # seconds for a small instance, at most: compiling takes most of it

_Scored = tuple[float, Any]  # objective and schedule


class InfeasibleSchedule(RuntimeError):
    """An offline schedule that breaks a constraint: a fault of the code, not of the input."""


def offline_cell(
    source: Source,
    effort: Effort,
    *,
    starts: Sequence[str] | None = None,
    data: Mapping[str, bytes] | None = None,
) -> Cell:
    """The offline cell of an instance (:mod:`benchmarks.study.instances`).

    The solver starts from the best schedule of the registered policies ``starts``; by default those
    that the problem's solver names (``OFFLINE.starts``).
    """
    name = source["problem"]
    solver = offline_solver(name)
    chosen = list(solver.starts if starts is None else starts)
    named = [name for name in (solver.solver, solver.certifier, solver.wider) if name]
    return Cell(
        "benchmarks.study.offline:offline",
        {"instance": dict(source), "starts": chosen},
        roots=(
            *run_roots(name, *chosen),
            sub_package("solvers", name).__name__,
            *(reference.partition(":")[0] for reference in named),
        ),
        data=data or {},
        effort=effort,
        needs=Needs(threads=effort.threads),
        label=f"optimum of {label_of(source)}",
    )


def offline(
    *,
    instance: Source,
    starts: Sequence[str],
    effort: Effort,
    known: Result | None,
    data: Mapping[str, bytes] | None = None,
) -> Callable[[], Result]:
    """Prepare an offline solve: draw the instance, compile, and run the policies to start from.

    The value of its result is what every row says of the instance; ``objective`` of the best
    schedule known (None if none is); ``bounds``, a list of ``value``, ``source``, and ``own`` where
    wider schedules may pass a bound by prices; ``certified``, the bound that prices prove (None if
    the problem has no certificates); ``negligible``, up to where an objective counts as 0;
    ``timed``, whether another run may find something else, since the clock decided a step here or
    stopped an earlier solve; ``draws`` (:func:`benchmarks.study.instances.draws_of`). Files: the
    instance, the schedule (:func:`incumbent_file`), and the certificate.
    """
    _warm(instance["problem"], effort.threads)
    target = instance_of(instance, data)
    kind = problem(target.problem)
    schedules: list[_Scored] = []
    for start in starts:
        # Whoever finds no schedule, say on an instance that has none, is nothing to start from.
        with suppress(InfeasibleDecision):
            run = run_policy(kind.offline(target), policy_of(target.problem, start))
            if not kind.is_wider(run.trace.schedule):
                schedules.append((run.score.objective, run.trace.schedule))
    name = incumbent_file(target.problem)
    if known is not None and name in known.files:
        stored = from_bytes(lambda path: kind.read_schedule(path, target), known.files[name], name)
        schedules.append(scored(target, stored, "stored schedule of"))

    def best() -> _Scored | None:
        order = max if kind.sense == "max" else min
        return order(schedules, key=lambda one: one[0], default=None)

    def measure() -> Result:
        start = best()
        began = time.perf_counter()
        found = offline_solver(target.problem).solve(
            target, time_limit=effort.seconds, threads=effort.threads, start=start and start[1]
        )
        if found.status in ("infeasible", "unbounded"):
            raise InputError(
                f"instance '{target.name}' is {found.status}, says {found.solver}: there is no "
                "optimum to compare with"
            )
        if found.schedule is not None:
            schedules.append(scored(target, found.schedule, f"{found.solver} on"))
        result = _result(target, best(), found, known)
        proven = result.proven or found.is_optimal or effort.seconds is None
        told = {**result.value, "draws": draws_of(instance, data)}
        times = {"offline": time.perf_counter() - began}
        return replace(result, value=told, proven=proven, times=times)

    return measure


def scored(target: Any, schedule: Any, what: str) -> _Scored:
    """Objective of a schedule of a solver's, and itself; InfeasibleSchedule if it breaks a rule."""
    score = problem(target.problem).score(target, schedule)
    if not score.feasible:
        raise InfeasibleSchedule(f"{what} '{target.name}': {count(score)}")
    return score.objective, schedule


def _result(
    target: Any, best: _Scored | None, found: SolveResult[Any], known: Result | None
) -> Result:
    """What is known now, with what was known before."""
    kind, solver = problem(target.problem), offline_solver(target.problem)
    tightest = min if kind.sense == "max" else max
    files = {INSTANCE: as_bytes(target.write, INSTANCE)}
    if best is not None:
        name = incumbent_file(target.problem)
        files[name] = as_bytes(best[1].write, name)
    own = bool(solver.wider)  # whether bounds by prices are of own schedules alone
    stated = [] if found.bound is None else [(found.bound_source, own, found.bound)]
    wider = None if found.duals is None else solver.wider_bound(target, found.duals)
    if wider is not None:
        stated.append(("prices", False, wider))
    certified = None
    if solver.certifies and found.duals is not None:
        certificate = solver.certify(target, found.duals)
        certified = certificate.bound
        files[CERTIFICATE] = as_bytes(certificate.write, CERTIFICATE)
    if known is not None:
        stated += [(b["source"], b.get("own", False), b["value"]) for b in known.value["bounds"]]
        before = known.value["certified"]
        if before is not None and (certified is None or tightest(certified, before) != certified):
            certified, files[CERTIFICATE] = before, known.files[CERTIFICATE]
    if certified is not None:
        stated.append(("prices", own, certified))
    bounds: dict[tuple[str, bool], float] = {}
    for source, of_own, bound in stated:
        key = source, of_own and source == "prices"
        bounds[key] = tightest(bounds.get(key, bound), bound)
    listed = [
        {"value": bound, "source": source, **({"own": True} if of_own else {})}
        for (source, of_own), bound in bounds.items()
    ]
    objective = None if best is None else best[0]
    negligible = kind.negligible(target)
    tight = tightest(bounds.values(), default=None)
    gap = relative_gap(kind.sense, objective, tight, negligible=negligible)
    value = {
        **about(target),
        "objective": objective,
        "bounds": listed,
        "certified": certified,
        "negligible": negligible,
        "timed": found.timed or known is not None,
    }
    return Result(value, files, proven=gap is not None and gap <= OPTIMAL_GAP)


def incumbent_file(problem_name: str) -> str:
    """Name of the file of the best schedule."""
    return f"offline{problem(problem_name).schedule_suffix}"


@functools.cache
def _warm(problem_name: str, threads: int) -> None:
    """Solve and certify a small instance, so that what is compiled for both is compiled."""
    solver, instance = offline_solver(problem_name), small_instance(problem_name)

    def run() -> None:
        found = solver.solve(instance, time_limit=_WARM_UP, threads=threads, start=None)
        if solver.certifies and found.duals is not None:
            solver.certify(instance, found.duals)
            solver.wider_bound(instance, found.duals)

    run_until_compiled(run)
