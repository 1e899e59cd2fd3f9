"""All packing cuts known, and in which intervals a program has them as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solvers.utility.separation import PackingCut
from solvers.utility.totals_program import TotalsProgram

__all__ = ["CutPool"]


@dataclass(frozen=True, eq=False)
class _Known:
    side: int
    cut: PackingCut
    has: np.ndarray  # [B]


class CutPool:
    """Cuts for a program that would be too large with a row for every cut and slot.

    Parameters
    ----------
    program : TotalsProgram
    """

    def __init__(self, program: TotalsProgram) -> None:
        self._program = program
        self._known: dict[tuple[int, bytes], _Known] = {}

    def add(self, side: int, cut: PackingCut) -> None:
        """Remember a cut, for all slots."""
        has = np.zeros(len(self._program.grid.length), dtype=bool)
        self._known.setdefault((side, cut.weight.tobytes()), _Known(side, cut, has))

    def of_side(self, side: int) -> tuple[np.ndarray, np.ndarray]:
        """Weights, shape (n, I), and capacities, shape (n,), of all cuts of one side.

        In the order in which they were added, and none is ever removed: a plan knows by their
        positions which of them it has as rows.
        """
        cuts = [known.cut for known in self._known.values() if known.side == side]
        weight = np.array([cut.weight for cut in cuts])
        jobs = len(self._program.instance.jobs)
        return weight.reshape(-1, jobs), np.array([cut.capacity for cut in cuts])

    def add_near(self, loads: Sequence[np.ndarray], share: float) -> int:
        """Add cuts as rows in those slots whose loads reach a share of the cut's capacity.

        ``loads`` are workers and parameter servers, shape (T, I) each; returns how many rows were
        added.
        """
        added = 0
        for known in self._known.values():
            near = loads[known.side] @ known.cut.weight >= share * known.cut.capacity
            fresh = self._program.grid.any(near) & ~known.has
            if fresh.any():
                added += self._program.add_cut(known.side, known.cut, fresh)
                known.has[fresh] = True
        return added

    def moved_to(self, program: TotalsProgram) -> CutPool:
        """The same cuts in this order for another program, with rows where this one has them."""
        pool, interval = CutPool(program), self._program.grid.interval
        for key, known in self._known.items():
            has = program.grid.any(known.has[interval])
            program.add_cut(known.side, known.cut, has)
            pool._known[key] = _Known(known.side, known.cut, has)
        return pool
