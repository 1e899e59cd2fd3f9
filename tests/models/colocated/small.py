"""Small instances of the `colocated` problem for the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.colocated import ColocatedInstance
from models.colocated.files import ColocatedFile, JobRecord
from models.sigmoid import Sigmoid

SECONDS = 0.016
"""Slot in which a gradient of one MB passes a link of one Gbps both ways: 2 g / b = 1 slot."""


def constant(value: float) -> Sigmoid:
    """Utility that does not depend on the delay: 2 v / (1 + e^0) = v."""
    return Sigmoid(priority=2 * value, decay=0.0, target=0.0)


def job(name: str, arrival: int = 0, **changes: Any) -> JobRecord:
    """A job of one sample, one slot of one worker with a PS of one CPU each; no gradients."""
    fields: dict[str, Any] = {
        "epochs": 1,
        "samples": 1,
        "gradient_mb": 0.0,
        "sample_slots": 1.0,
        "gamma": 1.0,
        "max_workers": 1,
        "worker": [1.0],
        "ps": [1.0],
        "internal_gbps": 10.0,
        "external_gbps": 1.0,
        "utility": constant(1.0),
    }
    return JobRecord(id=name, arrival=arrival, **{**fields, **changes})


def instance(jobs: list[JobRecord], *, slots: int = 4, **changes: Any) -> ColocatedInstance:
    """One server of 2 CPUs unless told otherwise; 2 g / b = g in MB between servers."""
    fields: dict[str, Any] = {
        "resources": ["cpu"],
        "servers": [[2.0]],
        "slot_seconds": SECONDS,
        "name": "small",
    }
    return ColocatedInstance.from_file(
        ColocatedFile(
            format="1", problem="colocated", slots=slots, jobs=jobs, **{**fields, **changes}
        )
    )


def random_instance(
    rng: np.random.Generator,
    *,
    jobs: int = 3,
    slots: int = 3,
    servers: int = 2,
    samples: int = 4,
    max_workers: int = 3,
) -> ColocatedInstance:
    """A tiny instance with two resources, tight servers, and all kinds of utility and speedup."""
    records = []
    for i in range(jobs):
        records.append(
            job(
                f"j{i}",
                arrival=int(rng.integers(0, max(1, slots - 1))),
                samples=int(rng.integers(1, samples + 1)),
                gradient_mb=float(rng.choice([0.0, 0.5, 1.0, 2.0])),
                sample_slots=float(rng.choice([0.2, 0.5, 1.0])),
                gamma=float(rng.choice([0.5, 1.0, 1.5, 2.0])),
                max_workers=int(rng.integers(1, max_workers + 1)),
                worker=[float(rng.choice([0.0, 1.0, 1.0, 2.0])), float(rng.choice([0.5, 1.0]))],
                ps=[0.0, float(rng.choice([0.5, 1.0]))],
                internal_gbps=float(rng.choice([1.0, 4.0, 10.0, 10.0])),
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
        resources=["gpu", "cpu"],
        servers=rng.integers(1, 5, (servers, 2)).astype(float).tolist(),
    )


NOTHING = {
    "no jobs": instance([]),
    "no job that can run": instance([job("long", samples=9), job("late", 3, samples=2)]),
    "no capacity": instance([job("a")], servers=[[0.0]]),
    "larger than any server": instance([job("a", worker=[3.0])], servers=[[2.0], [2.0]]),
    "no room for a parameter server": instance([job("a")], servers=[[1.0]]),
    "no utility": instance([job("a", utility=constant(0.0))]),
    "utility underflows": instance(
        [job("a", 1, samples=3, utility=Sigmoid(priority=1e-12, decay=90.0, target=-9.0))]
    ),
}
"""Nothing to do, nothing to run on, or nothing to win: the optimum is 0."""
