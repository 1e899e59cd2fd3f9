"""The optimum of small instances: the time-indexed program (2), (15) within what is left open.

Prices prove a bound b, to which job j contributes the least of its costs (weighted completion plus
prices). A start of a mode that costs x more than that is in no schedule worth less than b + x: if
the best schedule known is worth less, the start is left out. So are modes that others beat. Some
optimum stays, if it is better than what is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyomo.environ as pyo

from models.completion.column import Column
from models.completion.formulations.time_indexed import (
    Mode,
    schedule_from_values,
    time_indexed,
)
from models.completion.instance import CompletionInstance
from models.completion.schedule import CompletionSchedule
from solvers.completion.modes import (
    DURATION,
    INTERNAL,
    PS,
    PS_TYPE,
    WORKER_TYPE,
    WORKERS,
    amounts_of,
    modes_of,
)
from solvers.completion.pool_bound import PoolOracle, sums
from solvers.highs import HighsOptions, MatrixResult
from solvers.pyomo_bridge import PyomoResult, solve_model

__all__ = ["OpenStarts", "schedule_of"]

_ROUND_OFF = 1e-9
_ENTRIES = 20_000  # of capacity rows that are built in a second,
_MODES = 3_000  # and modes that are enumerated, before any is left out, in each pair of types

Key = tuple[int, int, int, int, int]  # q, m, p, N, parameter servers


@dataclass(frozen=True, eq=False)
class OpenStarts:
    """What may be in a schedule that is better than one that is known.

    Parameters
    ----------
    known : dict of Column
        A feasible schedule of all jobs.
    starts : list of dict
        Of each job: the slots in which it may start in each mode.
    end : int
        All complete by then.
    """

    instance: CompletionInstance
    known: Mapping[int, Column]
    starts: list[dict[Key, set[int]]]
    end: int

    @classmethod
    def of(
        cls, oracle: PoolOracle, prices: np.ndarray, known: Mapping[int, Column], effort: float
    ) -> OpenStarts | None:
        """Find them by prices of pooled servers, shape (S, R).

        None if it takes, roughly, more than so many seconds to build the program.
        """
        instance, total, cluster = oracle.instance, sums(prices), oracle.cluster
        pairs = len(cluster.worker_types) * max(1, len(cluster.ps_types))
        seconds = pairs * sum(job.chunks for job in instance.jobs) / _MODES
        if seconds > effort:
            return None
        objective = -math.fsum(column.value for column in known.values())
        slack = objective - oracle.bound(prices) + _ROUND_OFF * objective
        # (2) has an optimum in which all jobs complete by then, see time_indexed.horizon.
        end = max((job.arrival for job in instance.jobs), default=0)
        end += sum(int(options.duration[0]) for options in oracle.of)
        found: list[dict[Key, set[int]]] = []
        for job in instance.jobs:
            limit = oracle.best(job.index, total)[0] + slack
            table, ways = modes_of(job, cluster), {}
            for row, held in zip(table, amounts_of(table, cluster), strict=True):
                last = math.floor(min(end, limit / job.weight)) - int(row[DURATION])
                slots = np.arange(job.arrival, max(last, job.arrival - 1) + 1)
                completions = slots + row[DURATION]
                begins, ends = (np.minimum(at, len(prices)) for at in (slots, completions))
                cost = job.weight * completions + (total[ends] - total[begins]) @ held
                if (cost <= limit).any():
                    q, m, p, n, ps = row[[INTERNAL, WORKER_TYPE, PS_TYPE, WORKERS, PS]].tolist()
                    ways[q, m, p, n, ps] = set(slots[cost <= limit].tolist())
                    entries = 2 * len(cluster.servers) * len(ways[q, m, p, n, ps])
                    seconds += entries * int(row[DURATION]) / _ENTRIES
            found.append(ways)
        return cls(instance, known, found, end) if seconds <= effort else None

    def solve(
        self, options: HighsOptions, deadline: float
    ) -> tuple[MatrixResult, CompletionSchedule | None]:
        """Solve the program by HiGHS: its result, and the schedule of its best point.

        The time limit of the options is replaced by what is left until ``deadline``, of
        ``time.monotonic()``. It is infeasible if no schedule is better than the known one.
        """
        model = time_indexed(
            self.instance,
            end=self.end,
            allowed=lambda j, mode: self.starts[j].get(_key(mode), ()),
        )
        there = {(j, _key(mode)) for (j, _), mode in model.modes.items()}
        assert all((j, key) in there for j, ways in enumerate(self.starts) for key in ways)
        # HiGHS's tolerances are absolute; a power of two keeps whole numbers whole.
        unit = 2.0 ** math.floor(math.log2(max(job.weight for job in self.instance.jobs))) / 16.0
        model.weighted_completion.set_value(model.weighted_completion.expr / unit)
        begun = self._begin(model)
        found = solve_model(model, options.until(deadline), warm_start=begun)

        def scaled(number: float | None) -> float | None:
            return None if number is None else float(unit * number)

        objective, bound = scaled(found.result.objective), scaled(found.result.bound)
        result = replace(found.result, objective=objective, bound=bound)
        return result, None if found.result.x is None else schedule_of(self.instance, found)

    def _begin(self, model: pyo.ConcreteModel) -> bool:
        """Start from what is known; False if it uses what the program leaves out."""
        at = {
            (j, _key(mode)): (j, k)
            for (j, k), mode in model.modes.items()
            if self.starts[j].get(_key(mode))
        }
        for part in (model.x, model.home, model.y):
            for variable in part.values():
                variable.set_value(0)
        for job, column in self.known.items():
            place = (*at.get((job, _key_of(column)), (job, -1)), column.start)
            if place not in model.x:
                return False
            model.x[place].set_value(1)
            for h, workers, ps in zip(column.servers, column.workers, column.ps, strict=True):
                if (*place, h) in model.home and (ps or column.internal):
                    model.home[(*place, h)].set_value(1)
                if workers and not column.internal:
                    model.y[(*place, h)].set_value(int(workers))
        return True


def schedule_of(instance: CompletionInstance, solved: PyomoResult) -> CompletionSchedule:
    """Schedule of a solution of the time-indexed program."""
    model = solved.model
    parts = (solved.values(part) for part in (model.x, model.home, model.y))
    return schedule_from_values(instance, model, *parts)


def _key(mode: Mode) -> Key:
    return (int(mode.internal), mode.worker_type, mode.ps_type, mode.workers, mode.ps)


def _key_of(column: Column) -> Key:
    workers, ps = int(column.workers.sum()), int(column.ps.sum())
    return (int(column.internal), column.worker_type, column.ps_type, workers, ps)
