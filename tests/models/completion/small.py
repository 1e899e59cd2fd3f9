"""Small instances of the `completion` problem for the tests, of both architectures."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.completion import CompletionInstance
from models.completion.files import CompletionFile, JobRecord

SECONDS = 0.016
"""Slot in which a gradient of one MB passes a link of one Gbps both ways: 2 pi / b = 1 slot."""


def job(name: str, arrival: int = 0, **changes: Any) -> JobRecord:
    """A job of one mini-batch, one slot of one worker with a PS; nothing to update or transfer."""
    fields: dict[str, Any] = {
        "weight": 1.0,
        "epochs": 1,
        "chunks": 1,
        "minibatches": 1,
        "minibatch_slots": [1.0],
        "update_slots": [0.0],
        "gradient_mb": 0.0,
    }
    return JobRecord(id=name, arrival=arrival, **{**fields, **changes})


def ring_job(name: str, arrival: int = 0, **changes: Any) -> JobRecord:
    """The same for all-reduce."""
    return job(name, arrival, **{"update_slots": 0.0, **changes})


def instance(jobs: list[JobRecord], *, slots: int = 4, **changes: Any) -> CompletionInstance:
    """One server of 2 Gbps; workers of 1 Gbps, PSs of 1 Gbps; 2 pi / b = pi in MB."""
    fields: dict[str, Any] = {
        "resources": ["bandwidth_gbps"],
        "architecture": "ps",
        "servers": [[2.0]],
        "worker_types": [[1.0]],
        "ps_types": [[1.0]],
        "slot_seconds": SECONDS,
        "name": "small",
    }
    if changes.get("architecture") == "allreduce":
        fields |= {"servers": [[1.0]], "ps_types": []}
    return CompletionInstance.from_file(
        CompletionFile(
            format="1", problem="completion", slots=slots, jobs=jobs, **{**fields, **changes}
        )
    )


def random_instance(
    rng: np.random.Generator,
    *,
    allreduce: bool = False,
    jobs: int = 3,
    slots: int = 3,
    servers: int = 2,
    chunks: int = 3,
    types: int = 2,
) -> CompletionInstance:
    """A tiny instance with two resources and tight servers, in which every job can run."""
    capacity = rng.integers(2, 5, (servers, 2)).astype(float)
    worker_types = np.column_stack([rng.integers(0, 3, types), rng.choice([0.5, 1.0, 1.5], types)])
    ps_types = np.column_stack([rng.integers(0, 2, types), rng.choice([1.0, 1.5, 2.0], types)])
    # One worker and one PS fit on server 0, whatever their types.
    capacity[0] = np.maximum(capacity[0], worker_types.max(axis=0) + ps_types.max(axis=0))
    records = []
    for i in range(jobs):
        update = rng.choice([0.0, 0.25, 0.5], types).tolist()
        records.append(
            job(
                f"j{i}",
                arrival=int(rng.integers(0, slots)),
                weight=float(rng.integers(1, 6)),
                chunks=int(rng.integers(1, chunks + 1)),
                minibatches=int(rng.integers(1, 3)),
                minibatch_slots=rng.choice([0.25, 0.5, 1.0], types).tolist(),
                update_slots=float(update[0]) if allreduce else update,
                gradient_mb=float(rng.choice([0.0, 0.25, 0.5, 1.0])),
            )
        )
    return instance(
        records,
        slots=slots,
        resources=["gpu", "bandwidth_gbps"],
        architecture="allreduce" if allreduce else "ps",
        servers=capacity.tolist(),
        worker_types=worker_types.tolist(),
        ps_types=[] if allreduce else ps_types.tolist(),
    )


def papers_example() -> CompletionInstance:
    """Sec. 1: two jobs of one mini-batch, 15 ms on one GPU and 10 ms on two; three GPUs."""
    jobs = [job(name, minibatch_slots=[15.0, 10.0]) for name in "ab"]
    return instance(
        jobs,
        slots=1,
        slot_seconds=0.001,
        resources=["gpu", "bandwidth_gbps"],
        servers=[[3.0, 9.0]],
        worker_types=[[1.0, 1.0], [2.0, 1.0]],
        ps_types=[[0.0, 1.0]],
    )
