"""The linear relaxation of external placement, (23)-(26), in HiGHS, and what rounds it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from models.colocated.cluster import Job
from models.tolerance import usable
from solvers.colocated.placement import Slot
from solvers.colocated.rounding_factor import covering_gain, packing_gain
from solvers.highs.growing import GrowingProgram
from solvers.highs.program import SMALLEST_COEFFICIENT, LinearProgram

__all__ = ["Gain", "PlacementProgram", "keeps_packing", "round_at_random", "round_down"]

Gain = float | Literal["packing", "covering"]
"""``G_delta``: a number, or the side that it is to promise."""

_WHOLE = 1e-6  # so close to a whole number the solver's tolerances hide the difference


class PlacementProgram:
    """(23)-(26) of one slot, with a row for the parameter servers, for any number of workers.

    Variables are bounded by how many fit on the machine alone, which the relaxation would not know.
    Rows of (24) that these bounds imply are left out. Another number of workers changes two
    right-hand sides, and the solver starts from the last basis.

    Parameters
    ----------
    job : Job
    slot : Slot
    free : ndarray, shape (H, R)
        What is free.
    """

    def __init__(self, job: Job, slot: Slot, free: np.ndarray) -> None:
        self._slot, machines = slot, len(free)
        most = np.array([(slot.room >= 0).sum(axis=1) - 1, slot.room[:, 0]])
        demand = np.broadcast_to(np.array([job.worker, job.ps])[:, None], (2, *free.shape))
        share = np.zeros(demand.shape)
        np.divide(demand, usable(free), out=share, where=(most[:, :, None] > 0) & (demand > 0.0))
        share[share < SMALLEST_COEFFICIENT] = 0.0
        kept = (most[:, :, None] * share).sum(axis=0) > 1.0
        rows, servers = int(kept.sum()), np.nonzero(kept)[0]
        values = share[:, kept]
        packing = sparse.csr_array(
            (
                values.ravel(),
                (np.tile(np.arange(rows), 2), np.concatenate([servers, machines + servers])),
            ),
            shape=(rows, 2 * machines),
        )
        all_workers = np.repeat([1.0, 0.0], machines)
        cost = np.concatenate([slot.worker_cost, slot.ps_cost])
        self._program = GrowingProgram.of(
            LinearProgram(
                sense="min",
                cost=cost / max(cost.max(), np.finfo(float).tiny),
                matrix=sparse.vstack([packing, [all_workers, all_workers, 1.0 - all_workers]]),
                row_lower=np.append(np.full(rows + 1, -np.inf), [0.0, 0.0]),
                row_upper=np.append(np.ones(rows), [job.max_workers, np.inf, np.inf]),
                upper=most.ravel().astype(float),
            )
        )
        self._packing_rows = rows + 1
        largest = float(values.max(initial=SMALLEST_COEFFICIENT))
        self._width = min(1.0 / largest, float(job.max_workers))

    def solve(self, workers: int) -> np.ndarray:
        """Optimum for so many workers, shape (2, H).

        Raises
        ------
        HighsError
            If not even parts of them fit.
        """
        first = self._packing_rows
        for row, need in enumerate((workers, self._slot.ps_needed[workers])):
            self._program.change_row(first + row, float(need), np.inf)
        return self._program.solve().x.reshape(2, -1)

    def gain(self, gain: Gain, delta: float, workers: int) -> float | None:
        """``G_delta`` for so many workers; None where no formula applies."""
        if gain == "packing":
            return packing_gain(delta, self._width, self._packing_rows)
        if gain == "covering":
            return covering_gain(delta, min(workers, int(self._slot.ps_needed[workers])))
        return float(gain)


def round_at_random(x: np.ndarray, tries: int, rng: np.random.Generator) -> np.ndarray:
    """Floors or ceilings of x, with x as their mean, (27), (28): int64, shape (tries, *x.shape)."""
    floor = round_down(x)
    part = np.where(x - floor < _WHOLE, 0.0, x - floor)
    return floor + (rng.random((tries, *x.shape)) < part)


def round_down(x: np.ndarray) -> np.ndarray:
    """Floors, int64."""
    return np.floor(x + _WHOLE).astype(np.int64)


def keeps_packing(job: Job, slot: Slot, counts: np.ndarray) -> np.ndarray:
    """Whether placements of shape (n, 2, H) obey (24) and (25), shape (n,)."""
    workers, ps = counts[:, 0], counts[:, 1]
    last = slot.room.shape[1] - 1
    beside = slot.room[np.arange(len(slot.room)), np.minimum(workers, last)]
    fits = (beside >= ps) & (workers <= last)
    return np.asarray(fits.all(axis=1) & (workers.sum(axis=1) <= job.max_workers))
