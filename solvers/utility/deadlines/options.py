"""How the search by deadlines divides its work, and when something is good enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.errors import InputError

__all__ = ["DeadlineOptions"]


@dataclass(frozen=True, kw_only=True)
class DeadlineOptions:
    """The numbers of the search by deadlines, each with its reason.

    Work is how often HiGHS looks at its limits (about every hundred simplex iterations), times the
    nonzeros of its program, in millions. Unlike seconds, it does not depend on how busy the machine
    is. A unit takes less time in a linear program, and more in a large integer program that is soon
    cut off. Looking for packing cuts, placing loads on servers,
    local search, what HiGHS does to complete the point that it starts from, and much of what it
    does in heuristics do not count; the first three took a third of a short run at 50x50x20+20, and
    heuristics once 17 seconds in a program of one unit. Shares are of ``work_limit``. Without it,
    there are as many units as seconds left at the start, and no two runs are quite alike.

    Raises
    ------
    InputError
        If the limit of work is not positive and finite, if a room or the share of intervals is not
        above 0 and at most 1, if `rounding` is below 0 or not below all rooms, if a slot has no
        try, or if `choosing` or the seconds of a unit are not positive.
    """

    work_limit: float | None = None
    """Units after which nothing new is begun."""

    # What each program may take, as a share of all work.
    opening: float = 0.05  # for the first deadlines: their plan is only rounded
    choosing: float = 0.15  # for deadlines: several rounds have to find them, plans follow each
    proving: float = 0.7
    """For the bound, without a child process, of what is left: the tree has to grow.

    Without a limit of work this is a larger share of the time: a unit takes more than a second.
    """
    completing: float = 0.05  # for given deadlines: many programs, each with little left to decide
    whole: float = 0.2  # for one set of deadlines in whole workers: rounds of cuts, then a proof
    least: float = 0.03  # with less than this left, nothing that is begun comes to an end
    slowest: tuple[float, float] = (2.0, math.inf)
    """Seconds that each unit may take without a limit of work, the second where the optimum may be
    proven. Heuristics took up to 17 in a program of a slot. Slow machines reach 2 in others, too.
    """

    # The programs that choose deadlines.
    provable: int = 250  # deadlines; HiGHS has proven the optimum of few programs with more
    coarse: tuple[float, float] = (1e-3, 2e-5)
    """Share of the bound that may be lost in all. Divided by the number of jobs, it is a threshold:
    deadlines of a job whose worths differ by no more are one, and those worth no more are dropped.
    The second where the optimum may be proven.
    """
    gap: tuple[float, float] = (5e-4, 3e-5)  # the second below `least_gain`, for proofs to finish
    rough_gap: tuple[float, float] = (2e-3, 5e-3)  # where what is found leads to another solve
    least_gain: float = 5e-5  # a schedule better by less is not looked for; half of OPTIMAL_GAP
    intervals: float = 1 / 3  # of the slots, in the first grid (docs/formulations.md)
    near: float = 0.95  # share of its capacity from which a cut is a row: few others ever bind

    # Whole workers after a plan in fractions: all slots rounded, or slot by slot.
    rounding: float = 0.91
    """Share of the capacities of the plan that opens the search, without a child process.

    It is only rounded and polished, in a few seconds, for a good schedule early: slots take up to a
    minute. In so little of the capacities, the two lose little together. With 0, or where a proof
    is hoped for, there is no such plan.
    """
    rooms: tuple[float, ...] = (0.97, 0.995, 1.0)
    """Shares of the capacities that a plan may use in slots that are not decided yet.

    The first is only for deadlines that were chosen with the same share of the capacities, while a
    child process works on the bound; others would lose much in it. The optimum may need all.
    """
    promising: float = 0.1
    """A plan is followed if it may close this share of the gap, or gain `small_loss`."""
    cut_rounds: int = 20  # of one plan; at 200x300x50+50, twelve are enough
    cut_points: int = 6  # whole deadlines that cuts are found at, where a proof is hoped for
    least_violation: float = 1e-3  # relative; a smaller violation vanishes once workers are whole

    deciding: float = 0.01
    """Share of all work for each program that decides a slot; the one that has its deadlines in
    fractions has as much as `completing`, or its simplex would often be cut off.
    """
    slot_tries: int = 3  # each with the cuts that the loads before it violated
    keep_gap: float = 5e-3  # for which jobs keep their deadlines; a proof would take too long
    slot_gap: float = 5e-4  # finer than what is lost in a slot
    small_loss: float = 4e-3  # share of a plan's worth; before more is lost, more slots are opened
    ahead: int = 40  # slots planned again after the decided one; fewer lose much, more take long
    finishing: float = 0.05  # kept to round the slots that a plan has not decided, and to polish
    placing: int = 3000  # looks of HiGHS, for one load: other slots make up for what is left over

    # Local search from a schedule that was found slot by slot.
    polishing: int = 30  # moves, times the jobs; ten times as many gain a little more
    temperature: float = 2e-4  # as in `local_search`; higher ones lose what was found
    polishable: tuple[float, float] = (0.02, 0.0)
    """How much worse than the best a schedule may be, or the plan it was made from; the second
    where the optimum may be proven.

    With 0, only the best one is improved, and one whose plan is worth as much.
    """

    def __post_init__(self) -> None:
        if len(self.rooms) < 2 or not all(0 < room <= 1 for room in self.rooms):
            raise InputError(f"rooms {self.rooms}: two or more, above 0 and at most 1")
        if not 0 <= self.rounding < min(self.rooms):
            raise InputError(f"rounding {self.rounding} is below 0, or not below all rooms")
        if not self.choosing > 0:
            raise InputError(f"choosing {self.choosing} is not above 0")
        if self.slot_tries < 1:
            raise InputError(f"slot_tries {self.slot_tries}: a slot has one try or more")
        if not 0 < self.intervals <= 1:
            raise InputError(f"intervals {self.intervals} is not above 0 and at most 1")
        if not all(seconds > 0 for seconds in self.slowest):
            raise InputError(f"slowest {self.slowest}: seconds of a unit are above 0")
        if self.work_limit is not None and not 0 < self.work_limit < math.inf:
            raise InputError(f"work_limit {self.work_limit} is not a positive number of units")
