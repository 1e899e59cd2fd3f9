"""What is worked by hand: the example of Sec. 1, and two that contradict Theorems 1 and 3."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.study.cell import Result
from benchmarks.study.run import run_policy
from models.completion import CompletionInstance
from models.completion.files import CompletionFile, JobRecord
from online.completion.fifo import FIFO
from online.completion.max_weight import MaxWeight
from solvers.completion.offline import solve
from solvers.completion.oracle import best_schedule

__all__ = ["examples", "exhausted_example", "oracle_example", "sharing_example"]

_F = 100.0  # of the last example
_RESOURCES = ["gpu", "cpu", "bandwidth_gbps"]


def examples(*, seed: int) -> Callable[[], Result]:
    """One record of all three: milliseconds, costs, ratio; ``seed`` means nothing."""
    two_jobs, (one_job, prices) = sharing_example(), oracle_example()
    twenty = exhausted_example()

    def measure() -> Result:
        optimum = solve(two_jobs, time_limit=20.0).objective
        ideal = run_policy(two_jobs, FIFO).score.objective
        job, servers = one_job.jobs[0], one_job.cluster.servers
        column = best_schedule(job, one_job.cluster, prices, servers[None], np.zeros(2))
        assert optimum is not None and column is not None
        # Algorithm 4 fills the cheapest server with workers, then looks for parameter servers.
        worker, ps = prices[0, :, 0], prices[0, :, 1]
        first = int(worker.argmin())
        literal = worker[first] + np.delete(ps, first).min()
        means = {"optimum": optimum / 2, "ideal": ideal / 2}
        costs = {"oracle": column.cost, "literal": float(literal)}
        batch = MaxWeight(twenty.cluster, _F)
        got = sum(column.value for column in batch.block(twenty.jobs, 1).columns)
        best = sum(sorted(job.weight for job in twenty.jobs)[10:])  # only ten have room
        ratio = {
            "exhausted_ratio": best / got,
            "exhausted_promised": 2.0 * batch.log_lambda / math.log(2.0),
        }
        return Result([{"seed": seed, **means, **costs, **ratio}])

    return measure


def sharing_example() -> CompletionInstance:
    """Two jobs, three GPUs; a mini-batch takes 15 slots (ms) with one GPU, 10 with two."""
    jobs = [_job(name, [15.0, 10.0], 0.0) for name in "ab"]
    types = {"worker_types": [[1.0, 0.0, 0.1], [2.0, 0.0, 0.1]], "ps_types": []}
    return _by_hand("allreduce", [[3.0, 0.0, 1.0]], jobs, **types)


def oracle_example() -> tuple[CompletionInstance, np.ndarray]:
    """A worker costs 27 or 13, its PS 45 or 24, and no server holds both; with the prices."""
    types = {"worker_types": [[1.0, 0.0, 1.0]], "ps_types": [[0.0, 1.0, 1.0]]}
    servers = [[1.0, 1.0, 1.0]] * 2
    instance = _by_hand("ps", servers, [_job("a", [1.0], [0.0])], **types)
    return instance, np.array([[[27.0, 45.0, 0.0], [13.0, 24.0, 0.0]]])


def exhausted_example() -> CompletionInstance:
    """Ten light jobs take all of a resource of which each needs little, then ten heavy ones come.

    Both assumptions of Sec. 5.1 hold, with F = 100 and lambda = 401: ``f / C`` is 0.1 and 0.001.
    """
    jobs = [_job(f"{i:02}", [1.0], 0.0, 1.004 if i < 10 else 100.4) for i in range(20)]
    types = {"worker_types": [[0.004, 1.0]], "ps_types": [], "resources": _RESOURCES[1:]}
    return _by_hand("allreduce", [[0.04, 1000.0]], jobs, **types)


def _job(name: str, slots: list[float], update: Any, weight: float = 1.0) -> JobRecord:
    """A job of one mini-batch, which transfers nothing."""
    size: dict[str, Any] = {"weight": weight, "epochs": 1, "chunks": 1, "minibatches": 1}
    times: dict[str, Any] = {"minibatch_slots": slots, "update_slots": update}
    return JobRecord(id=name, arrival=0, gradient_mb=0.0, **size, **times)


def _by_hand(architecture: Any, servers: Any, jobs: list[JobRecord], **types: Any) -> Any:
    head: dict[str, Any] = {"format": "1", "problem": "completion", "name": "by hand"}
    sizes: dict[str, Any] = {"slots": 1, "servers": servers, "resources": _RESOURCES, **types}
    return CompletionInstance.from_file(
        CompletionFile(**head, **sizes, architecture=architecture, jobs=jobs)
    )
