"""The workers of one slot in whole numbers, those of the slots after it in fractions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.utility.deadlines.plan_program import PlanProgram, Window
from solvers.utility.deadlines.state import DeadlineState

__all__ = ["SlotDecision"]


class SlotDecision:
    """Points of a plan with its next slot decided, from programs in which more and more is open.

    Jobs keep their deadlines unless something has to be given up for that. Then few deadlines are
    decided first, and all of them from there. Slots far ahead stay as they are unless much has to
    be given up, or nothing is found.

    Parameters
    ----------
    state : DeadlineState
    program : PlanProgram
        It is not changed.
    """

    def __init__(self, state: DeadlineState, program: PlanProgram) -> None:
        self._state, self._program = state, program
        self._worth = state.totals.worth(program.x)
        self._deadlines = program.deadlines
        far, slots = program.next_slot + 1 + state.options.ahead, state.totals.grid.slots
        # Where few slots come after these, none of them is far.
        self._beyond = program.beyond(far if far + state.options.ahead < slots else slots)
        self._found: list[np.ndarray] = []
        self._settled: set[str] = set()  # programs that more work would not change
        self._fractions: np.ndarray | None = None  # a point with deadlines in fractions
        self._cut_off = False  # whether HiGHS was stopped early in any program of `_look`

    def point(self) -> np.ndarray | None:
        """The point that is worth most; None if nothing is found.

        Programs that were cut off have more work where nothing was found, or much would be lost: a
        plan that loses a job that it need not lose is lost itself.
        """
        options, budget = self._state.options, self._state.budget
        for share in options.deciding:
            self._cut_off = False
            for look in (self._keep_deadlines, self._few_deadlines, self._near, self._everything):
                look(share)
                if self._loses_at_most(options.slot_gap) or budget.is_over():
                    break
            enough = self._loses_at_most(options.small_loss)
            if enough or not self._cut_off or budget.is_over():
                break
        return self._best()

    def _best(self) -> np.ndarray | None:
        return max(self._found, key=self._state.totals.worth, default=None)

    def _loses_at_most(self, share: float) -> bool:
        best, worth = self._best(), self._state.totals.worth
        return best is not None and worth(best) >= self._worth * (1 - share)

    def _keep_deadlines(self, share: float) -> None:
        self._look("keep deadlines", self._beyond | self._deadlines, share)

    def _few_deadlines(self, share: float) -> None:
        """Two smaller programs: deadlines that are whole in the first one stay in the second."""
        state, program = self._state, self._program
        if "fractions" not in self._settled:
            window = program.window(self._beyond)
            integer = window.program.integer & ~self._deadlines[window.open_yet]
            relaxed = replace(window.program, integer=integer)
            limits = state.budget.limits(relaxed, state.options.completing, state.options.slot_gap)
            result = state.solve(relaxed, limits, in_child=False)
            self._settled.add("fractions")  # it never has more work
            if result.x is not None:
                self._fractions = program.decided(window, result.x)
        if self._fractions is None or "few deadlines" in self._settled or state.budget.is_over():
            return
        stays = self._beyond | (self._deadlines & program.whole_at(self._fractions))
        self._solve("few deadlines", program.window(stays, point=self._fractions), share)

    def _near(self, share: float) -> None:
        self._look("near", self._beyond, share)

    def _everything(self, share: float) -> None:
        if self._beyond.any() and not self._loses_at_most(self._state.options.small_loss):
            self._look("everything", np.zeros_like(self._beyond), share)

    def _look(self, name: str, stays: np.ndarray, share: float) -> None:
        """Solve the program in which some columns stay, starting from the best point so far."""
        if name in self._settled:
            return
        window, best = self._program.window(stays), self._best()
        start = None if best is None else self._program.start(window, best)
        self._cut_off = self._solve(name, window, share, start) or self._cut_off

    def _solve(
        self, name: str, window: Window, share: float, start: np.ndarray | None = None
    ) -> bool:
        """Solve a program and keep the point found; whether it was cut off."""
        state = self._state
        limits = state.budget.limits(window.program, share, state.options.slot_gap)
        result = state.solve(window.program, limits, start, in_child=False)
        cut_off = result.status in ("feasible", "bounded", "interrupted")
        if not cut_off:
            self._settled.add(name)
        if result.x is not None:
            self._found.append(self._program.decided(window, result.x))
        return cut_off
