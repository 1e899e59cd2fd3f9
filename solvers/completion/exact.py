"""The optimum of small instances: the time-indexed program (2), (15) within what is left open.

Prices prove a bound b, of which job j contributes the least of its costs (weighted completion plus
prices). A start of a mode that costs x more than that is in no schedule worth less than b + x: if
the best schedule known is worth less, the start is left out. No start of any optimum better than
what is known is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyomo.environ as pyo

from models.completion.column import Column
from models.completion.formulations.modes import Mode, horizon, modes
from models.completion.formulations.time_indexed import columns_of, time_indexed
from models.completion.instance import CompletionInstance
from solvers.completion.pool_bound import PoolOracle, sums
from solvers.highs import HighsOptions, MatrixResult
from solvers.pyomo_bridge import solve_model

__all__ = ["OpenStarts"]

_ROUND_OFF = 1e-9


@dataclass(frozen=True, eq=False)
class OpenStarts:
    """What may be in a schedule that is better than one that is known.

    Parameters
    ----------
    instance : CompletionInstance
    prices : ndarray, shape (S, R)
        Of pooled servers.
    known : dict of Column
        A feasible schedule of all jobs.
    """

    instance: CompletionInstance
    prices: np.ndarray
    known: dict[int, Column]

    @cached_property
    def _starts(self) -> list[list[tuple[Mode, range, np.ndarray]]]:
        """Of every job and mode: the starts looked at, and which of them are open."""
        oracle, total = PoolOracle(self.instance), sums(self.prices)
        objective = -math.fsum(column.value for column in self.known.values())
        slack = objective - oracle.bound(self.prices) + _ROUND_OFF * objective
        end, cluster, found = horizon(self.instance), self.instance.cluster.tolerant, []
        for job in self.instance.jobs:
            limit = oracle.best(job.index, total).cost + slack
            open_modes = []
            for mode in modes(job, self.instance.cluster):
                held = mode.workers * cluster.worker_types[mode.worker_type]
                if mode.ps:
                    held = held + mode.ps * cluster.ps_types[mode.ps_type]
                last = min(end, math.floor(limit / job.weight)) - mode.duration
                starts = np.arange(job.arrival, max(last, job.arrival - 1) + 1)
                begins, ends = (
                    np.minimum(at, len(self.prices)) for at in (starts, starts + mode.duration)
                )
                cost = job.weight * (starts + mode.duration) + (total[ends] - total[begins]) @ held
                open_modes.append((mode, range(*_span(starts)), cost <= limit))
            found.append(open_modes)
        return found

    @cached_property
    def size(self) -> int:
        """Entries of placements in capacity rows, roughly: what the program's size goes by."""
        return sum(
            int(is_open.sum()) * mode.duration * (len(mode.homes) + np.count_nonzero(mode.room))
            for ways in self._starts
            for mode, _, is_open in ways
        )

    def _allowed(self, j: int, k: int, t: int) -> bool:
        _, starts, is_open = self._starts[j][k]
        return t in starts and bool(is_open[t - starts.start])

    def solve(
        self, options: HighsOptions, log: str | Path | TextIO | None = None
    ) -> tuple[MatrixResult, dict[int, Column] | None]:
        """Solve the program by HiGHS: its result, and the columns of its best point.

        It is infeasible if no schedule is better than the known one.
        """
        end = max(
            (starts.stop + mode.duration for ways in self._starts for mode, starts, _ in ways),
            default=0,
        )
        model = time_indexed(self.instance, end=end, allowed=self._allowed)
        begun = self._begin(model)
        found = solve_model(model, options, warm_start=begun, log=log)
        if found.result.x is None:
            return found.result, None
        parts = (found.values(part) for part in (model.x, model.home, model.y))
        columns = columns_of(self.instance, model, *parts)
        return found.result, {column.job: column for column in columns}

    def _begin(self, model: pyo.ConcreteModel) -> bool:
        """Start from what is known; False if it uses a mode that the program leaves out."""
        at: dict[int, tuple[int, int, int]] = {}
        for column in self.known.values():
            for (job, k), mode in model.modes.items():
                place = (job, k, column.start)
                if job == column.job and _is_of(column, mode) and place in model.x:
                    at[job] = place
        if len(at) < len(self.instance.jobs):
            return False
        for part in (model.x, model.home, model.y):
            for variable in part.values():
                variable.set_value(0)
        for job, column in self.known.items():
            model.x[at[job]].set_value(1)
            mode = model.modes[at[job][:2]]
            places = zip(column.servers.tolist(), column.workers, column.ps, strict=True)
            for h, workers, ps in places:
                if ps or (mode.internal and mode.homes):
                    model.home[(*at[job], h)].set_value(1)
                if not mode.internal and workers:
                    model.y[(*at[job], h)].set_value(int(workers))
        return True


def _span(starts: np.ndarray) -> tuple[int, int]:
    return (int(starts[0]), int(starts[-1]) + 1) if len(starts) else (0, 0)


def _is_of(column: Column, mode: Mode) -> bool:
    """Whether a column runs in a mode."""
    return (
        column.worker_type,
        column.ps_type,
        column.internal,
        int(column.workers.sum()),
        column.duration,
        int(column.ps.sum()),
    ) == (mode.worker_type, mode.ps_type, mode.internal, mode.workers, mode.duration, mode.ps)
