"""What is measured by hand or by the clock: Theorems 1 and 4, and the times of footnote 4."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from benchmarks.study.cell import Measurement, Result
from benchmarks.study.run import run_policy
from benchmarks.utility.measures import draw, point_of
from models.sigmoid import Sigmoid
from models.utility import UtilityInstance
from models.utility.files import JobRecord, UtilityFile
from models.utility.resources import Resources
from online.utility.oasis import OASiS
from solvers.utility.exact import solve
from solvers.utility.oracle import best_schedule, full_capacity

__all__ = ["decision_time", "optimum_time", "theorem_1", "theorem_4"]

_SMALL = {"jobs": 2, "slots": 10, "servers": 2, "seed": 0}  # to compile the kernels on


def theorem_1(*, seed: int) -> Measurement:
    """What Alg. 2 and the optimum pay for one job by hand; ``seed`` means nothing.

    E = 1, N = 2 chunks of M (tau + 2e/b) = 1.5 worker-slots, T = 2, every worker-slot costs 1.
    (2), which counts worker-slots, asks for ceil(2 * 1.5) = 3. Alg. 2 splits d chunks: 2 in one
    slot need 3 > N workers, 1 in each needs ceil(1.5) = 2 twice.
    """
    chunks, per_chunk = 2, 1.5
    training = {"epochs": 1, "minibatches": 1, "minibatch_slots": per_chunk, "gradient_mb": 0.0}
    instance = _by_hand(2, [2.0], _job("a", 10.0, [1.0], chunks=chunks, **training))

    def measure() -> Result:
        alg_2 = min(
            first + second
            for d in range(chunks + 1)
            for first, second in [(math.ceil(d * per_chunk), math.ceil((chunks - d) * per_chunk))]
            if max(first, second) <= chunks
        )
        prices = Resources(np.ones((2, 1, 1)), np.zeros((2, 1, 1)))
        column = best_schedule(instance.jobs[0], prices, full_capacity(instance.cluster))
        assert column is not None
        return Result([{"seed": seed, "alg_2": alg_2, "optimum": column.cost}])

    return measure


def theorem_4(*, seed: int) -> Measurement:
    """Ratio of OASiS and the promised 2 alpha on two jobs by hand; ``seed`` means nothing.

    N = 100 workers of 1 % of the only server each, one slot, jobs worth 1e-4 and 1. Only one of
    them fits, so OPT = 1.
    """
    worths = {"first": 1e-4, "second": 1.0}
    jobs = [_job(name, w, [1.0] * 4, chunks=100, work=100) for name, w in worths.items()]
    instance = _by_hand(1, [100.0] * 4, *jobs)
    oasis = OASiS.for_instance(instance)

    def measure() -> Result:
        ratio = 1.0 / run_policy(instance, oasis).score.objective
        return Result([{"seed": seed, "ratio": ratio, "promised": 2 * oasis.bounds.alpha}])

    return measure


def decision_time(**settings: Any) -> Measurement:
    """Prepare a run of OASiS; ``slowest`` of its record is its slowest decision, in seconds."""
    run_policy(draw(**_SMALL), OASiS)
    instance = draw(**settings)

    def measure() -> Result:
        seconds = run_policy(instance, OASiS).trace.seconds[1:]  # the first is the reset
        return Result([{**point_of(instance, settings), "slowest": float(seconds.max())}])

    return measure


def optimum_time(*, time_limit: float, **settings: Any) -> Measurement:
    """Prepare a solve; ``seconds`` of its record is None where the optimum was not proven."""
    solve(draw(**_SMALL), time_limit=time_limit)
    instance = draw(**settings)

    def measure() -> Result:
        began = time.perf_counter()
        proven = solve(instance, time_limit=time_limit).is_optimal
        seconds = time.perf_counter() - began if proven else None
        return Result(
            [{**point_of(instance, settings), "time_limit": time_limit, "seconds": seconds}]
        )

    return measure


def _job(name: str, worth: float, demand: list[float], **size: Any) -> JobRecord:
    """A job worth the same whenever it completes; workers and parameter servers ask for as much."""
    sigmoid = Sigmoid(priority=2 * worth, decay=0.0, target=0.0)
    return JobRecord(id=name, arrival=0, worker=demand, ps=demand, utility=sigmoid, **size)


def _by_hand(slots: int, capacity: list[float], *jobs: JobRecord) -> UtilityInstance:
    """One worker and one parameter server of the same capacities."""
    names = ["bandwidth_gbps", "gpu", "cpu", "memory_gb"][: len(capacity)]
    servers: dict[str, Any] = {"worker_servers": [capacity], "ps_servers": [capacity]}
    head: dict[str, Any] = {"format": "1", "problem": "utility", "name": "by hand"}
    file = UtilityFile(**head, slots=slots, resources=names, **servers, jobs=list(jobs))
    return UtilityInstance.from_file(file)
