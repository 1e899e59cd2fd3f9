"""Small instances of the `utility` problem for the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.sigmoid import Sigmoid
from models.utility import UtilityInstance
from models.utility.files import JobRecord, UtilityFile


def job(name: str, arrival: int = 0, **changes: Any) -> JobRecord:
    """A job with bandwidth only: one worker of 1 Gbps, parameter servers of 1 Gbps."""
    fields: dict[str, Any] = {
        "chunks": 1,
        "work": 1,
        "worker": [1.0],
        "ps": [1.0],
        "utility": constant(1.0),
    }
    return JobRecord(id=name, arrival=arrival, **{**fields, **changes})


def constant(value: float) -> Sigmoid:
    """Utility that does not depend on the delay: 2 v / (1 + e^0) = v."""
    return Sigmoid(priority=2 * value, decay=0.0, target=0.0)


def instance(jobs: list[JobRecord], *, slots: int = 4, **changes: Any) -> UtilityInstance:
    """One worker server and one parameter server of 1 Gbps unless told otherwise."""
    fields: dict[str, Any] = {
        "resources": ["bandwidth_gbps"],
        "worker_servers": [[1.0]],
        "ps_servers": [[1.0]],
        "name": "small",
    }
    return UtilityInstance.from_file(
        UtilityFile(format="1", problem="utility", slots=slots, jobs=jobs, **{**fields, **changes})
    )


def random_instance(
    rng: np.random.Generator,
    *,
    jobs: int = 3,
    slots: int = 3,
    servers: int = 2,
    ps_servers: int = 2,
    max_work: int = 5,
    chunks: int = 3,
) -> UtilityInstance:
    """A tiny instance with two resources, tight servers and all kinds of utility."""
    records = []
    for i in range(jobs):
        b = float(rng.choice([0.5, 1.0, 1.5]))
        records.append(
            job(
                f"j{i}",
                arrival=int(rng.integers(0, slots)),
                chunks=int(rng.integers(1, chunks + 1)),
                work=int(rng.integers(1, max_work + 1)),
                worker=[float(rng.choice([0.0, 1.0, 2.0])), b],
                ps=[float(rng.choice([0.0, 1.0])), float(b * rng.choice([1.0, 1.5, 2.0, 4.0]))],
                utility=Sigmoid(
                    priority=float(rng.integers(1, 20)),
                    decay=float(rng.choice([0.0, 0.3, 1.0, 5.0])),
                    target=float(rng.integers(0, slots)),
                ),
            )
        )
    return instance(
        records,
        slots=slots,
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=rng.integers(1, 4, (servers, 2)).astype(float).tolist(),
        ps_servers=rng.integers(1, 5, (ps_servers, 2)).astype(float).tolist(),
    )


NOTHING = {
    "no jobs": instance([]),
    "no job that can run": instance([job("long", work=9), job("late", 3, work=2)]),
    "no capacity": instance([job("a")], worker_servers=[[0.0]], ps_servers=[[0.0]]),
    "no parameter server": instance([job("a")], ps_servers=[[0.0]]),
    "no utility": instance([job("a", utility=constant(0.0))]),
    "utility underflows": instance(
        [job("a", 1, work=3, utility=Sigmoid(priority=1e-12, decay=90.0, target=-9.0))]
    ),
}
"""Nothing to do, nothing to run on, or nothing to win: the optimum is 0."""
