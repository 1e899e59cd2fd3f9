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

    def point(self) -> np.ndarray | None:
        """The point that is worth most; None if nothing is found."""
        for look in (self._keep_deadlines, self._few_deadlines, self._near, self._everything):
            look()
            if self._loses_at_most(self._state.options.slot_gap) or self._state.budget.is_over():
                break
        return self._best()

    def _best(self) -> np.ndarray | None:
        return max(self._found, key=self._state.totals.worth, default=None)

    def _loses_at_most(self, share: float) -> bool:
        best, worth = self._best(), self._state.totals.worth
        return best is not None and worth(best) >= self._worth * (1 - share)

    def _keep_deadlines(self) -> None:
        self._look(self._beyond | self._deadlines)

    def _few_deadlines(self) -> None:
        """Two smaller programs: deadlines that are whole in the first one stay in the second."""
        state, program = self._state, self._program
        window = program.window(self._beyond)
        integer = window.program.integer & ~self._deadlines[window.open_yet]
        relaxed = replace(window.program, integer=integer)
        limits = state.budget.limits(relaxed, state.options.completing, state.options.slot_gap)
        result = state.solve(relaxed, limits, in_child=False)
        if result.x is None or state.budget.is_over():
            return
        fractions = program.decided(window, result.x)
        stays = self._beyond | (self._deadlines & program.whole_at(fractions))
        self._solve(program.window(stays, point=fractions))

    def _near(self) -> None:
        self._look(self._beyond)

    def _everything(self) -> None:
        if self._beyond.any() and not self._loses_at_most(self._state.options.small_loss):
            self._look(np.zeros_like(self._beyond))

    def _look(self, stays: np.ndarray) -> None:
        """Solve the program in which some columns stay, starting from the best point so far."""
        window, best = self._program.window(stays), self._best()
        self._solve(window, None if best is None else self._program.start(window, best))

    def _solve(self, window: Window, start: np.ndarray | None = None) -> None:
        """Solve a program, and keep the point found."""
        state, options = self._state, self._state.options
        limits = state.budget.limits(window.program, options.deciding, options.slot_gap)
        result = state.solve(window.program, limits, start, in_child=False)
        if result.x is not None:
            self._found.append(self._program.decided(window, result.x))
