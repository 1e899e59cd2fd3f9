"""Instances of `completion`: what is read, what is refused, and rates worked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from models.completion import CompletionInstance
from models.completion.cluster import NO_TYPE
from models.completion.rates import least_duration, least_ps, minibatch_time
from models.errors import InputError
from models.problem import problem, read_instance
from tests.models.completion.small import instance, job, random_instance, ring_job

RING: dict[str, Any] = {"architecture": "allreduce"}


def two_types() -> CompletionInstance:
    """Workers of 1 and 2 Gbps, PSs of 4 and 8; E D K = 2 3 4 = 24; 2 pi / b = 1 and 0.5 slots."""
    one = job(
        "a",
        epochs=2,
        chunks=3,
        minibatches=4,
        minibatch_slots=[1.0, 0.5],
        update_slots=[0.25, 0.75],
        gradient_mb=1.0,
    )
    return instance(
        [one],
        resources=["gpu", "bandwidth_gbps"],
        servers=[[2.0, 20.0], [1.0, 20.0]],
        worker_types=[[1.0, 1.0], [1.0, 2.0]],
        ps_types=[[0.0, 4.0], [0.0, 8.0]],
    )


def test_what_a_job_is_made_of() -> None:
    found = two_types()
    (one,) = found.jobs
    assert (one.work, one.chunks, one.weight, one.arrival) == (24, 3, 1.0, 0)
    assert one.transfer_slots.tolist() == [1.0, 0.5]
    cluster = found.cluster
    assert cluster.worker_gbps.tolist() == [1.0, 2.0]
    assert cluster.ps_gbps.tolist() == [4.0, 8.0]
    assert list(cluster.ps_choices) == [0, 1] and not cluster.allreduce
    assert (cluster.tolerant.servers > cluster.servers * (1 + 9e-7)).all()
    for array in (cluster.servers, one.minibatch_slots, one.transfer_slots):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def test_transfer_in_slots_of_an_hour() -> None:
    # 2 pi = 2 * 575 MB = 9.2 Gbit at 0.1 Gbps: 92 s of 3600.
    one = job("a", gradient_mb=575.0)
    found = instance([one], worker_types=[[0.1]], slot_seconds=3600.0)
    assert found.jobs[0].transfer_slots == pytest.approx([92 / 3600])


def test_rates_by_1() -> None:
    (one,) = two_types().jobs
    assert minibatch_time(one, 0, 0, 1, True) == 1.25
    assert minibatch_time(one, 0, 0, 3, False) == 2.25
    assert minibatch_time(one, 1, 1, 2, True) == 1.25
    assert minibatch_time(one, 1, 1, 2, False) == 1.75
    found = minibatch_time(one, np.array([0, 1]), 1, 1, np.array([[True], [False]]))
    assert found.tolist() == [[1.75, 1.25], [2.75, 1.75]]
    # 24 * 1.25 = 30, and a half and a third of it; 24 * 2.25 = 54.
    assert [least_duration(one, 0, 0, n, True) for n in (1, 2, 3)] == [30, 15, 10]
    assert least_duration(one, 0, 0, np.arange(1, 4), False).tolist() == [54, 27, 18]
    assert isinstance(least_duration(one, 0, 0, 1, True), int)


def test_durations_by_14() -> None:
    # E5: v = 1, U + 2 pi / b = 3, E D K = 12; one worker exchanges nothing, two half of it each.
    one = ring_job("a", chunks=6, minibatches=2, update_slots=2.0, gradient_mb=1.0)
    (found,) = instance([one], **RING).jobs
    workers = np.arange(1, 7)
    assert least_duration(found, 0, NO_TYPE, workers, False).tolist() == [12, 15, 12, 10, 9, 7]
    # On one server only U counts: 12 / N (1 + 2 (N - 1) / N).
    assert least_duration(found, 0, NO_TYPE, workers, True).tolist() == [12, 12, 10, 8, 7, 6]
    assert minibatch_time(found, 0, NO_TYPE, 4, False) == 1 + 3 * 3 / 4


@pytest.mark.parametrize(("work", "v", "slots"), [(20, 0.65, 13), (25, 0.28, 7), (3, 0.1, 1)])
def test_durations_are_not_rounded_up_by_round_off(work: int, v: float, slots: int) -> None:
    # E6: 20 / (1 / 0.65) is a little more than 13, 25 / (1 / 0.28) a little more than 7.
    (found,) = instance([job("a", epochs=work, minibatch_slots=[v])]).jobs
    assert least_duration(found, 0, 0, 1, True) == slots


def test_least_ps() -> None:
    # E8: three workers, one of them beside the PS; ceil(2 * 2 / 3) = 2.
    assert least_ps(3 - 1, 2.0, 3.0) == 2
    assert least_ps(np.arange(5), 2.0, 3.0).tolist() == [1, 1, 2, 2, 3]
    assert least_ps(3, 0.1, 0.3) == 1  # 3 * 0.1 is a little more than 0.3


@pytest.mark.parametrize("allreduce", [False, True])
@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_file_round_trip(allreduce: bool, ending: str, tmp_path: Path) -> None:
    ins = random_instance(np.random.default_rng(1), allreduce=allreduce)
    path = tmp_path / f"example.{ending}"
    ins.write(path)
    again = read_instance(path, expect="completion")
    assert again.hash == ins.hash and again.file == ins.file


NO_ROOM = "no room for one worker of any type and what it needs - at `$.servers`"
FAULTS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"weight": 0.0}, {}, "at `$.jobs[0].weight`"),
    ({"chunks": 0}, {}, "at `$.jobs[0].chunks`"),
    ({"arrival": 4}, {}, "arrival 4 is not before the end of the 4 slots - at `$.jobs[0].arrival`"),
    ({"minibatch_slots": [1.0, 1.0]}, {}, "2 numbers for 1 worker types - at `$.jobs[0].min"),
    ({"update_slots": [1.0, 1.0]}, {}, "2 numbers for 1 PS types - at `$.jobs[0].update_slots`"),
    (
        {"update_slots": 1.0},
        {},
        "with all-reduce, else a list - at `$.jobs[0].update_slots`",
    ),
    ({}, RING, "with all-reduce, else a list - at `$.jobs[0].update_slots`"),
    ({"requested_workers": 2}, {}, "against (2g) - at `$.jobs[0].requested_workers`"),
    ({"epochs": 10**9, "minibatches": 10**9}, {}, "slots for E D K - at `$.jobs[0].epochs`"),
    ({"epochs": 10**7 + 1}, {}, "10000000 slots for E D K - at `$.jobs[0].epochs`"),
    ({"minibatch_slots": [1e12]}, {}, "10000000 slots for E D K - at `$.jobs[0].epochs`"),
    ({"gradient_mb": 1.0}, {"worker_types": [[1e-12]]}, "E D K - at `$.jobs[0].epochs`"),
    ({}, {"worker_types": [[0.0]]}, "bandwidth must be positive - at `$.worker_types[0][0]`"),
    ({}, {"ps_types": [[0.0]]}, "bandwidth must be positive - at `$.ps_types[0][0]`"),
    ({}, {"ps_types": [[1.0, 1.0]]}, "2 numbers for 1 resources - at `$.ps_types[0]`"),
    ({}, {"ps_types": []}, "at least one type is needed, (2e) - at `$.ps_types`"),
    ({}, {"servers": []}, "at `$.servers`"),
    ({}, {"resources": ["gpu"]}, "'bandwidth_gbps' is missing - at `$.resources`"),
    ({}, {"resources": ["bandwidth_gbps"] * 2}, "a name stands twice - at `$.resources`"),
    (
        {"update_slots": 0.0},
        {**RING, "ps_types": [[1.0]]},
        "no parameter servers - at `$.ps_types`",
    ),
    ({}, {"slots": 10**6, "servers": [[2.0]] * 21}, "are more than 20000000 - at `$.slots`"),
    ({"chunks": 10**6}, {"ps_types": [[1.0]] * 51}, "are more than 20000000 - at `$.jobs`"),
    # Room for a worker or a PS, on one server, or on two for one of 2 Gbps and too few PSs.
    ({}, {"servers": [[1.5]]}, NO_ROOM),
    ({}, {"servers": [[2.0], [1.0]], "worker_types": [[2.0]]}, NO_ROOM),
    ({"update_slots": 0.0}, {**RING, "servers": [[0.5]]}, NO_ROOM),
]


@pytest.mark.parametrize(("of_job", "of_file", "fault"), FAULTS)
def test_what_is_refused(of_job: dict[str, Any], of_file: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError) as caught:
        instance([job("a", **of_job)], **of_file)
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ids_and_keys() -> None:
    with pytest.raises(InputError, match=r"'a' used twice - at `\$.jobs\[1\].id`"):
        instance([job("a"), job("a")])
    text = msgspec.json.encode(instance([job("a")]).file)
    with pytest.raises(InputError, match="unknown field `colour`"):
        CompletionInstance.decode(text.replace(b'"name"', b'"colour":1,"name"'), "file")


def test_room_on_two_servers_is_enough() -> None:
    # The worker on one, two PSs of 1 Gbps for its 2 Gbps on the other.
    found = instance([job("a")], servers=[[2.0], [2.0]], worker_types=[[2.0]])
    assert len(found.jobs) == 1


def test_load_by_hand() -> None:
    # N = D = 3. Fastest: type 1 with PS type 0, 0.5 + 0.25 + 0.5 = 1.25; 24 * 1.25 / 3 = 10 slots.
    # ceil(3 * 2 / 4) = 2 PSs: 3 GPUs of 3 and 3 * 2 + 2 * 4 = 14 Gbps of 40, in 10 of 40 slots.
    found = CompletionInstance.from_file(msgspec.structs.replace(two_types().file, slots=40))
    assert problem("completion").load(found) == pytest.approx(10 / 40)
    # E5: six workers of 1 Gbps for 7 of 14 slots on 12 Gbps.
    one = ring_job("a", chunks=6, minibatches=2, update_slots=2.0, gradient_mb=1.0)
    found = instance(
        [one, one.__class__(**{**msgspec.structs.asdict(one), "id": "b"})],
        slots=14,
        servers=[[12.0]],
        **RING,
    )
    assert problem("completion").load(found) == pytest.approx(2 * 6 * 7 / (12 * 14))
    assert problem("completion").load(instance([])) == 0.0
