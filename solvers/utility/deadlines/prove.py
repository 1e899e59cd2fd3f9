"""The best schedule for given deadlines, in whole workers on real servers, and its worth.

The totals program with all variables integer is solved again and again, each time with the packing
cuts that its loads violate. Where the servers cannot hold a load that violates no cut, the slot is
written out server by server. Once every load can be placed, the optimum of the program is what
these deadlines are worth. It is solved to a wide gap as long as that brings new cuts, and to the
gap of a proof after that.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from models.utility.formulations.schedules import without_idle
from models.utility.schedule import UtilitySchedule
from solvers.highs import HighsOptions, MatrixResult
from solvers.utility.deadlines.state import DeadlineProgram, bound_of
from solvers.utility.totals_program import TotalsProgram

__all__ = ["merged", "with_whole_workers"]

_FIRST_GAP = 5e-3
_MERGED = 4  # how many of the deadlines excluded before are tried


def with_whole_workers(
    shared: DeadlineProgram,
    ends: Mapping[int, int],
    improve: Callable[[UtilitySchedule], UtilitySchedule],
    *,
    seconds: float,
) -> float:
    """Look for the best schedule with given deadlines.

    Parameters
    ----------
    shared : DeadlineProgram
        Of an instance small enough to prove; it takes over the schedules and cuts found.
    ends : dict of int to int
        Jobs complete by these slots, or later, or stay out; those not in it stay out.
    improve : callable
        Local search, applied to every schedule found.
    seconds : float
        For all programs together.

    Returns
    -------
    float
        In the unit of the program, an upper bound on all schedules that have these deadlines, are
        not forbidden and beat the best one known; minus infinity if there are none.

    Raises
    ------
    WrongSolution
        If the best schedule has these deadlines, but the program does not allow it.
    """
    totals, upper, proving = shared.totals, math.inf, False
    written: list[tuple[int, int]] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        options = shared.options(until - time.monotonic())
        if not proving:
            options = replace(options, mip_rel_gap=_FIRST_GAP)
        result = _solved(shared, totals, ends, options)
        upper = min(upper, bound_of(result))
        if result.x is None:
            break
        point, rows = totals.with_ps_needed(np.round(result.x)), shared.rows_added
        unplaced = shared.known.unplaced(totals, point)
        shared.known.offer(improve(shared.known.repaired(totals, point)))
        shared.learn(totals, point)
        if shared.no_better_than_known(upper) or not shared.may_continue():
            break
        if shared.rows_added == rows:
            if proving and not unplaced:
                break
            proving = not unplaced
            written.extend(unplaced)
        totals = _written_out(shared.totals, written) if written else shared.totals
    return upper


def _solved(
    shared: DeadlineProgram, totals: TotalsProgram, ends: Mapping[int, int], options: HighsOptions
) -> MatrixResult:
    """Solve the program, starting from the best schedule known if that has these deadlines.

    If it has not, or if its deadlines are excluded, a row restricts the program to better ones. It
    is left out otherwise, because it makes proofs harder.
    """
    best = totals.point(without_idle(shared.instance, shared.known.schedule))
    excluded = any(totals.keeps(best, forbidden) for forbidden in shared.forbidden)
    if totals.keeps(best, ends) and not excluded:
        return shared.solve(totals.program(ends=ends), options, best)
    return shared.solve(totals.program(ends=ends, least=shared.objective_to_beat), options)


def _written_out(totals: TotalsProgram, where: Iterable[tuple[int, int]]) -> TotalsProgram:
    """The same program with some slots written out."""
    totals = copy.deepcopy(totals)
    for side, slot in where:
        totals.write_out(side, slot)
    return totals


def merged(
    shared: DeadlineProgram,
    ends: Mapping[int, int],
    improve: Callable[[UtilitySchedule], UtilitySchedule],
    *,
    seconds: float,
) -> Mapping[int, int]:
    """Widen deadlines that are to be excluded, to cover others that can be shown to be no better.

    Deadlines that are excluded one after the other often differ in a job or two. If even the jobs
    of both together, each with the earlier of its two deadlines, give nothing better, all that lies
    between the two can be excluded with them.

    Parameters
    ----------
    shared, improve
        As in :func:`with_whole_workers`.
    ends : dict of int to int
        Deadlines with which no schedule beats the best one known.
    seconds : float
        For each of the excluded deadlines that are tried.
    """
    likest = sorted(shared.forbidden, key=lambda other: len(other.items() ^ ends.items()))
    for other in likest[:_MERGED]:
        both = {**other, **{i: min(end, other.get(i, end)) for i, end in ends.items()}}
        if both == ends or not shared.may_continue():
            continue
        upper = with_whole_workers(shared, both, improve, seconds=seconds)
        if not shared.no_better_than_known(upper):
            break
        ends = both
    return ends
