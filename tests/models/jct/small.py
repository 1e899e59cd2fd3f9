"""Small instances of the `jct` problem for the tests, and the worked example."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.jct import CLOUD, JctInstance, JctSchedule
from models.jct.files import JctFile, JobRecord, ServerRecord


def job(name: str, arrival: int = 0, *, upload: list[int], **changes: Any) -> JobRecord:
    """A job of one chunk of one slot, with workers and parameter servers of type "a"."""
    fields: dict[str, Any] = {
        "chunks": 1,
        "worker_type": "a",
        "ps_type": "a",
        "requested_workers": 1,
        "chunk_slots": 1,
        "cloud_chunk_slots": 1,
    }
    return JobRecord(id=name, arrival=arrival, upload_slots=upload, **{**fields, **changes})


def server(workers: int = 1, ps: int = 2, **changes: Any) -> ServerRecord:
    """A server whose workers and parameter servers are all of type "a"."""
    return ServerRecord(**{"workers": ["a"] * workers, "ps": ["a"] * ps, **changes})


def instance(jobs: list[JobRecord], servers: list[ServerRecord], **changes: Any) -> JctInstance:
    """No cloud and 20 slots unless told otherwise."""
    fields: dict[str, Any] = {"cloud": False, "slots": 20, "name": "small"}
    file = JctFile(format="1", problem="jct", servers=servers, jobs=jobs, **{**fields, **changes})
    return JctInstance.from_file(file)


def random_instance(
    rng: np.random.Generator,
    *,
    jobs: int = 3,
    servers: int = 2,
    most_workers: int = 1,
    chunks: int = 2,
    chunk_slots: int = 3,
    types: int = 1,
    cloud: bool = True,
    storage: bool = False,
    slots: int = 40,
) -> JctInstance:
    """A tiny instance; with a cloud every job can be served, whatever the types.

    There are parameter servers for all jobs on server 0.
    """
    names = "ab"[:types]
    fleet = [
        ServerRecord(
            workers=[
                str(name) for name in rng.choice(list(names), rng.integers(1, most_workers + 1))
            ],
            ps=list(names) * jobs if s == 0 else [],
            storage_gb=float(rng.integers(1, 2 * chunks + 1)) if storage else None,
        )
        for s in range(servers)
    ]
    records = []
    for j in range(jobs):
        p = int(rng.integers(1, chunk_slots + 1))
        size = int(rng.integers(1, chunks + 1))
        records.append(
            job(
                f"j{j}",
                arrival=int(rng.integers(0, 4)),
                upload=rng.integers(0, 3, servers).tolist(),
                cloud_upload_slots=int(rng.integers(3, 8)) if cloud else None,
                chunks=size,
                chunk_slots=p,
                cloud_chunk_slots=int(rng.integers(1, p + 1)),
                worker_type=str(rng.choice(list(names))) if cloud else names[0],
                ps_type=str(rng.choice(list(names))),
                requested_workers=int(rng.integers(1, size + 1)),
                chunk_gb=float(rng.integers(1, 3)) if storage else 0.0,
            )
        )
    return instance(records, fleet, cloud=cloud, slots=slots)


def worked_example(*, storage_gb: float = 5.0) -> JctInstance:
    """Two workers on two servers and a cloud: preemption, cloud choice, storage refusal.

    ======  =======  ======  ===  ===  ==========  ======  =====
    job     arrival  chunks  p    p_c  Delta       cloud   GB
    ======  =======  ======  ===  ===  ==========  ======  =====
    long    0        2       4    3    1, 1        10      2
    short   2        1       1    1    1, 2        10      3
    wide    3        3       5    2    1, 1        2       1
    ======  =======  ======  ===  ===  ==========  ======  =====

    Server 0 has ``storage_gb`` of storage and server 1 the room of "long"'s chunk alone, 2 GB.
    """
    return instance(
        [
            job(
                "long",
                chunks=2,
                chunk_slots=4,
                cloud_chunk_slots=3,
                upload=[1, 1],
                cloud_upload_slots=10,
                chunk_gb=2.0,
                requested_workers=2,
            ),
            job("short", 2, upload=[1, 2], cloud_upload_slots=10, chunk_gb=3.0),
            job(
                "wide",
                3,
                chunks=3,
                chunk_slots=5,
                cloud_chunk_slots=2,
                upload=[1, 1],
                cloud_upload_slots=2,
                chunk_gb=1.0,
            ),
        ],
        [server(storage_gb=storage_gb), server(ps=0, storage_gb=2.0)],
        cloud=True,
        name="worked example",
    )


def worked_schedule(example: JctInstance) -> JctSchedule:
    """An optimal schedule of the worked example with 5 GB on server 0.

    "long" trains a chunk on each worker from slot 1 on; "short" displaces it on server 0 in slot
    3, its first; "wide" goes to the cloud as a whole.
    """
    workers = [
        (0, 0, 0, 1, 3),
        (0, 0, 0, 4, 6),
        (0, 1, 0, 1, 5),
        (1, 0, 0, 3, 4),
        *((2, CLOUD, chunk, 5, 7) for chunk in range(3)),
    ]
    ps = [(0, 0, 0, 1, 6), (1, 0, 1, 3, 4), (2, CLOUD, 0, 5, 7)]
    return JctSchedule.build(example, [False, False, True], workers, ps)
