"""Given deadlines in whole workers on real servers: what they are worth, and a schedule.

The totals program with all variables integer, solved again with the packing cuts that its loads
break; where the servers cannot hold a load that breaks none, the slot is written out. Once every
load can be placed, its optimum is what these deadlines are worth. At first it is solved to a gap
at which cuts are found soon, and to that of a proof when there are no more.
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
from solvers.utility.deadline_program import DeadlineProgram, bound_of
from solvers.utility.totals_program import TotalsProgram

__all__ = ["merged", "with_whole_workers"]

_FIRST_GAP = 5e-3
_MERGED = 4  # deadlines done with before that are tried


def with_whole_workers(
    ground: DeadlineProgram,
    ends: Mapping[int, int],
    improve: Callable[[UtilitySchedule], UtilitySchedule],
    *,
    seconds: float,
) -> float:
    """Look for the best schedule with given deadlines.

    Parameters
    ----------
    ground : DeadlineProgram
        A fine one. It is given the schedules and the cuts that are found.
    ends : dict of int to int
        Jobs complete by these slots, or later, or stay out; those not in it stay out.
    improve : callable
        Local search: asked of every schedule found.
    seconds : float
        For all programs together.

    Returns
    -------
    float
        In the unit of the program, a bound on all schedules with these deadlines that are worth
        more than the best one known, but for those that are forbidden; minus infinity if there
        are none.

    Raises
    ------
    WrongSolution
        If the program does not allow the best schedule, which has these deadlines.
    """
    totals, upper, proving = ground.totals, math.inf, False
    written: list[tuple[int, int]] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        options = ground.options(until - time.monotonic())
        if not proving:
            options = replace(options, mip_rel_gap=_FIRST_GAP)
        result = _solved(ground, totals, ends, options)
        upper = min(upper, bound_of(result))
        if result.x is None:
            break
        point, rows = totals.with_ps_needed(np.round(result.x)), ground.rows_added
        unplaced = ground.known.unplaced(totals, point)
        ground.known.offer(improve(ground.known.repaired(totals, point)))
        ground.learn(totals, point)
        if ground.is_met(upper) or not ground.goes_on():
            break
        if ground.rows_added == rows:
            if proving and not unplaced:
                break
            proving = not unplaced
            written.extend(unplaced)
        totals = _written_out(ground.totals, written) if written else ground.totals
    return upper


def _solved(
    ground: DeadlineProgram, totals: TotalsProgram, ends: Mapping[int, int], options: HighsOptions
) -> MatrixResult:
    """Solve the program, from the best schedule known if that has these deadlines.

    If it has not, or has some that are done with, the program is asked for better ones only. A
    row for that makes proofs harder, where the schedule would do.
    """
    best = totals.point(without_idle(ground.instance, ground.known.schedule))
    done_with = any(totals.keeps(best, forbidden) for forbidden in ground.forbidden)
    if totals.keeps(best, ends) and not done_with:
        return ground.solve(totals.program(ends=ends), options, best)
    return ground.solve(totals.program(ends=ends, least=ground.least), options)


def _written_out(totals: TotalsProgram, where: Iterable[tuple[int, int]]) -> TotalsProgram:
    """The same program with some slots written out."""
    totals = copy.deepcopy(totals)
    for side, slot in where:
        totals.write_out(side, slot)
    return totals


def merged(
    ground: DeadlineProgram,
    ends: Mapping[int, int],
    improve: Callable[[UtilitySchedule], UtilitySchedule],
    *,
    seconds: float,
) -> Mapping[int, int]:
    """Deadlines that are done with, and as many others as can be shown to be, too.

    Deadlines that are done with one after the other often differ in a job or two. If nothing
    better can be had with the jobs of both, by the earlier of their deadlines, more is done with
    than the two.

    Parameters
    ----------
    ground, improve
        As in :func:`with_whole_workers`.
    ends : dict of int to int
        Deadlines with which no schedule is worth more than the best one known.
    seconds : float
        For each of those forbidden before.
    """
    likest = sorted(ground.forbidden, key=lambda other: len(other.items() ^ ends.items()))
    for other in likest[:_MERGED]:
        both = {**other, **{i: min(end, other.get(i, end)) for i, end in ends.items()}}
        if both == ends or not ground.goes_on():
            continue
        upper = with_whole_workers(ground, both, improve, seconds=seconds)
        if not ground.is_met(upper):
            break
        ends = both
    return ends
