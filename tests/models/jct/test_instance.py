"""Instances of the `jct` problem: derived numbers, files, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.errors import InputError
from models.jct import JctInstance
from models.jct.files import JctFile, JobRecord, ServerRecord
from models.problem import read_instance
from tests.models.jct.small import random_instance, worked_example

JOB: dict[str, Any] = {
    "id": "j",
    "arrival": 1,
    "chunks": 4,
    "worker_type": "v100",
    "ps_type": "big",
    "upload_slots": [1, 2],
    "cloud_upload_slots": 10,
    "requested_workers": 2,
    "epochs": 5,
    "minibatches": 10,
    "minibatch_slots": 0.02,
    "update_slots": 0.01,
    "gradient_mb": 450.0,
    "bandwidth_gbps": 0.1,
    "chunk_gb": 2.0,
}
FILE: dict[str, Any] = {
    "format": "1",
    "problem": "jct",
    "name": "two servers",
    "slots": 60,
    "servers": [
        {"workers": ["v100", "t4"], "ps": ["big"], "storage_gb": 5.0},
        {"workers": ["v100"], "ps": ["small", "big"]},
    ],
    "cloud": True,
    "jobs": [JOB],
}


def built(job: dict[str, Any] | None = None, **changes: Any) -> JctInstance:
    record = {key: value for key, value in {**JOB, **(job or {})}.items() if value is not None}
    data = {**FILE, "jobs": [record], **changes}
    return JctInstance.decode(json.dumps(data).encode(), "x.json")


def test_derived_numbers() -> None:
    found = built()
    (job,) = found.jobs
    # (1): 2 q / b = 2 * 450 * 8 Mbit / 100 Mbit/s = 72 s = 0.02 slots of an hour, so a
    # mini-batch takes 0.02 + 0.01 + 0.02 = 0.05 slots, or 0.03 without the transfer. A chunk is
    # E B = 50 of them: 2.5 and 1.5 slots, in whole slots 3 and 2.
    assert job.chunk_time == pytest.approx(2.5)
    assert job.cloud_chunk_time == pytest.approx(1.5)
    assert (job.chunk_slots, job.cloud_chunk_slots) == (3, 2)
    # gamma = n / (E D B) = 1 / (2.5 * 4).
    assert job.rate == pytest.approx(0.1)
    assert job.eligible(found.cluster).tolist() == [0, 2]
    assert job.eligible_ps(found.cluster).tolist() == [0, 2]
    assert [job.upload_to(server) for server in (0, 1, -1)] == [1, 2, 10]
    assert job.places(found.cluster).tolist() == [2, 4]  # 5 GB / 2 GB, and D


def test_cluster_is_flat() -> None:
    cluster = built().cluster
    assert cluster.worker_types == ("t4", "v100")
    assert cluster.worker_server.tolist() == [0, 0, 1]
    assert cluster.worker_number.tolist() == [0, 1, 0]
    assert cluster.worker_type.tolist() == [1, 0, 1]
    assert cluster.first_worker.tolist() == [0, 2, 3]
    assert cluster.first_ps.tolist() == [0, 1, 3]
    assert cluster.storage_gb.tolist() == [5.0, np.inf]
    assert cluster.has_storage_limits


def test_whole_slots_are_not_rounded_up_by_round_off() -> None:
    # 3 * 0.1 is a little more than 0.3: 10 * 3 * 0.1 slots are 3.
    found = built({"epochs": 10, "minibatches": 3, "minibatch_slots": 0.1, "update_slots": 0.0})
    assert found.jobs[0].cloud_chunk_slots == 3


def test_storage_is_counted_without_round_off() -> None:
    servers = [{"workers": ["v100"], "ps": [], "storage_gb": 0.3}]
    found = built({"chunk_gb": 0.1, "upload_slots": [1]}, servers=servers)
    assert found.jobs[0].places(found.cluster).tolist() == [3]


def test_arrays_are_sealed() -> None:
    found = built()
    for array in (found.cluster.worker_type, found.cluster.storage_gb, found.jobs[0].upload_slots):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_file_round_trip(ending: str, tmp_path: Path) -> None:
    example = worked_example()
    path = tmp_path / f"example.{ending}"
    example.write(path)
    again = read_instance(path, expect="jct")
    assert again.hash == example.hash
    assert again.file == example.file


def test_random_instances_differ() -> None:
    rng = np.random.default_rng(0)
    assert random_instance(rng).hash != random_instance(rng).hash


@pytest.mark.parametrize(
    ("job", "changes", "message"),
    [
        ({"bandwidth_gbps": 0.0}, {}, ">= 1e-12 - at `$.jobs[0].bandwidth_gbps`"),
        (
            {"worker_type": "a100"},
            {"cloud": False},
            "no worker of type 'a100' and no cloud, so nothing can serve the job - at "
            "`$.jobs[0].worker_type`",
        ),
        (
            {"ps_type": "huge"},
            {"cloud": False},
            "no parameter server of type 'huge' and no cloud, so (2e) cannot hold - at "
            "`$.jobs[0].ps_type`",
        ),
        (
            {"chunk_gb": 3.0},
            {
                "cloud": False,
                "servers": [
                    {"workers": ["v100"], "ps": ["big"], "storage_gb": 5.0},
                    {"workers": ["v100"], "ps": [], "storage_gb": 8.0},
                ],
            },
            "can store 3 of 4 chunks of 3 GB, and there is no cloud - at `$.jobs[0].chunk_gb`",
        ),
        ({"arrival": 60}, {}, "arrival 60 is not before the horizon of 60 slots"),
        ({}, {"slots": 5}, "cannot complete before the horizon of 5 slots, even alone"),
        (
            {"chunks": 300_000, "chunk_slots": 10**9, "cloud_chunk_slots": 1},
            {"epsilon": [2, 3]},
            "300000 chunks of 5000000000 slots are 1e+15 worker-slots or more",
        ),
        # Server 0 has places for 2 chunks of 2 GB, server 1 trains 1 of 3 slots in 5 - 2, the cloud
        # is too late: 3 of 4 chunks, though workers and storage would do, one without the other.
        (
            {"arrival": 0, "chunk_slots": 3, "cloud_chunk_slots": 3},
            {
                "slots": 5,
                "servers": [
                    {"workers": ["v100"] * 3, "ps": ["big"], "storage_gb": 5.0},
                    {"workers": ["v100"], "ps": []},
                ],
            },
            "cannot complete before the horizon of 5 slots, even alone",
        ),
        (
            {"chunk_gb": 9.0, "cloud_upload_slots": 99},
            {"servers": [{"workers": ["v100"], "ps": ["big"], "storage_gb": 5.0}] * 2},
            "cannot complete before the horizon of 60 slots, even alone",
        ),
        ({"upload_slots": [1]}, {}, "1 numbers for 2 servers - at `$.jobs[0].upload_slots`"),
        ({"upload_slots": [1, -2]}, {}, ">= 0 - at `$.jobs[0].upload_slots[1]`"),
        ({"cloud_upload_slots": None}, {}, "missing, and there is a cloud"),
        ({"requested_workers": 5}, {}, "5 workers requested for 4 chunks"),
        ({"gradient_mb": None}, {}, "missing, and there is no `chunk_slots` to replace it"),
        ({"chunk_slots": 3}, {}, "go together - at `$.jobs[0].cloud_chunk_slots`"),
        (
            {"chunk_slots": 3, "cloud_chunk_slots": 4},
            {},
            "4 slots are more than `chunk_slots` (3), but the transfers fall away",
        ),
        ({"minibatch_slots": 1e9}, {}, "slots for a chunk are more than 1e9 - at `$.jobs[0]`"),
        ({}, {"jobs": [JOB, JOB]}, "id 'j' used twice - at `$.jobs[1].id`"),
        ({}, {"servers": [], "cloud": False}, "neither a server nor the cloud - at `$.servers`"),
        ({}, {"color": 1}, "unknown field `color`"),
        (
            {},
            {"jobs": [{**JOB, "id": str(i), "chunks": 150_000 + i} for i in range(2)]},
            "300001 `chunks` of all jobs are more than 300000 - at `$.jobs`",
        ),
        ({"chunks": 300_001}, {}, "<= 300000 - at `$.jobs[0].chunks`"),
        (
            {"chunks": 300_000, "requested_workers": 10**6},
            {},
            "1000000 workers requested for 300000 chunks",
        ),
    ],
)
def test_bad_input_is_named(job: dict[str, Any], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        built(job, **changes)
    assert str(caught.value).startswith("x.json: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_cloud_serves_what_the_edge_cannot() -> None:
    assert built({"worker_type": "a100", "ps_type": "huge"}).jobs[0].worker_type == -1


def test_number_that_is_not_finite_is_named() -> None:
    record = JobRecord(
        id="j",
        arrival=0,
        chunks=1,
        worker_type="a",
        ps_type="a",
        upload_slots=[0],
        requested_workers=1,
        chunk_slots=1,
        cloud_chunk_slots=1,
        chunk_gb=float("nan"),
    )
    file = JctFile(
        format="1",
        problem="jct",
        name="x",
        slots=3,
        servers=[ServerRecord(workers=["a"], ps=["a"])],
        cloud=False,
        jobs=[record],
    )
    with pytest.raises(InputError, match=r"not finite - at `\$.jobs\[0\].chunk_gb`"):
        JctInstance.from_file(file)
