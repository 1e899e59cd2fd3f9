"""SRTF, Tiresias-L and BatchSche against runs worked by hand, and on random instances."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from models.errors import InputError
from models.jct import CLOUD, JctInstance, score
from online.jct.batches import BatchSche
from online.jct.srtf import SRTF
from online.jct.tiresias import TiresiasL
from online.policy import Policy
from online.registry import build_policy, find_policy, policy_names
from online.run import Trace, run
from tests.models.jct.small import instance, job, random_instance, server

WITHOUT_A_CLOUD = [name for name in policy_names("jct") if name != "all-cloud"]


def play(ins: JctInstance, policy: Policy) -> tuple[Trace, list[float], int]:
    """Trace, JCT of every job and number of preemptions; no violation."""
    trace = run(ins, policy, np.random.default_rng(0))
    result = score(ins, trace.schedule)
    assert result.violations == ()
    return trace, result.value.tolist(), sum(row["preempted"] for row in trace.decisions)


def rows(trace: Trace, index: int) -> list[tuple[int, ...]]:
    """(server, worker, start, stop) of one job."""
    return [(s, w, a, b) for j, s, w, a, b in trace.schedule.workers.tolist() if j == index]


def test_srtf_is_all_or_nothing() -> None:
    # long: two chunks of 6 on both workers from slot 1. At 2 it has 5 + 5 left on 2 workers, 5
    # slots; short has 2 and takes a worker (data in 3, runs 3 and 4). long needs two and gets none,
    # the other worker stays idle. From 5 on long runs its last 5 slots: until 10.
    ins = instance(
        [
            job("long", upload=[1], chunks=2, chunk_slots=6, requested_workers=2),
            job("short", 2, upload=[1], chunk_slots=2),
        ],
        [server(2)],
    )
    trace, jcts, preempted = play(ins, SRTF())
    assert rows(trace, 0) == [(0, 0, 1, 2), (0, 0, 5, 10), (0, 1, 1, 2), (0, 1, 5, 10)]
    assert rows(trace, 1) == [(0, 0, 3, 5)]
    assert jcts == [10, 3]
    assert preempted == 2


def test_srtf_pays_the_upload_again_where_the_data_is_not() -> None:
    # long is sent to server 0 (Delta 1) and runs in slot 1. At 2, pair needs both workers for one
    # slot, 1 < 5: it runs in 3. At 4, third has 4 slots left, long 5: third takes server 0 (Delta 1
    # against 3), long gets server 1, where its data comes in 6: 6..10, done at 11.
    ins = instance(
        [
            job("long", upload=[1, 2], chunk_slots=6),
            job("pair", 2, upload=[1, 1], chunks=2, requested_workers=2),
            job("third", 3, upload=[1, 3], chunk_slots=4),
        ],
        [server(), server()],
    )
    trace, jcts, preempted = play(ins, SRTF())
    assert rows(trace, 0) == [(0, 0, 1, 2), (1, 0, 6, 11)]
    assert trace.schedule.migration
    assert jcts == [11, 2, 6]
    assert preempted == 1


def test_a_request_beyond_the_edge_goes_to_the_cloud_unless_never() -> None:
    # Three workers asked for, two there. In the cloud: 6 + 1. On the two: chunks of 2 slots from
    # 1 on, 2 and 1 of them: until 5.
    ins = instance(
        [
            job(
                "a",
                upload=[1],
                chunks=3,
                chunk_slots=2,
                cloud_upload_slots=6,
                requested_workers=3,
            )
        ],
        [server(2)],
        cloud=True,
    )
    trace, jcts, _ = play(ins, SRTF())
    assert jcts == [7] and trace.schedule.together.tolist() == [True]
    trace, jcts, _ = play(ins, SRTF(use_cloud=False))
    assert jcts == [5] and rows(trace, 0) == [(0, 0, 1, 5), (0, 1, 1, 3)]


@pytest.mark.parametrize("name", ["srtf", "tiresias-l"])
def test_gangs_can_be_kept_at_the_edge_by_a_parameter(name: str) -> None:
    # Three workers asked for, two there. In the cloud: 6 + 1; on the two, from 1 on, until 5.
    record = job("a", upload=[1], chunks=3, chunk_slots=2, cloud_upload_slots=6)
    ins = instance([msgspec.structs.replace(record, requested_workers=3)], [server(2)], cloud=True)
    kind = find_policy("jct", name)
    for parameters, jct in (({}, 7), ({"use_cloud": True}, 7), ({"use_cloud": False}, 5)):
        policy = build_policy(kind, ins, **parameters)
        trace = run(ins, policy, np.random.default_rng(0))
        assert score(ins, trace.schedule).value.tolist() == [jct]
    with pytest.raises(
        InputError, match=f"^policy '{name}': parameters: got an unexpected .* 'cloud'"
    ):
        build_policy(kind, ins, cloud=False)


def test_tiresias_moves_a_job_back_once_it_has_had_its_service() -> None:
    # One worker. a reaches 4 worker-slots after slot 3 and falls behind b, which has had none;
    # b needs 3, stays in the first queue, and is done at 7. Then a runs its last 2: 7, 8.
    ins = instance(
        [job("a", upload=[0], chunk_slots=6), job("b", 1, upload=[0], chunk_slots=3)], [server()]
    )
    trace, jcts, preempted = play(ins, TiresiasL(4.0))
    assert rows(trace, 0) == [(0, 0, 0, 4), (0, 0, 7, 9)]
    assert jcts == [9, 6] and preempted == 1
    # Below the threshold, first come, first served; so too where both are above it.
    for threshold in (100.0, 0.0):
        _, jcts, preempted = play(ins, TiresiasL(threshold))
        assert jcts == [6, 8] and preempted == 0
    # The median of 6 and 3.
    assert TiresiasL.for_instance(ins).queues.thresholds == (4.5,)


@pytest.mark.parametrize("name", ["srtf", "tiresias-l", "batchsche"])
def test_without_a_cloud_more_workers_store_what_the_request_cannot(name: str) -> None:
    # Four chunks of 1 GB, one worker requested, servers of 2 GB: two on each. The first data is
    # there in slots 1 and 2; two chunks of two slots each take until 5 and 6.
    long = job("a", upload=[1, 2], chunks=4, chunk_slots=2, chunk_gb=1.0, cloud_chunk_slots=2)
    ins = instance([long], [server(2, storage_gb=2.0) for _ in range(2)])
    trace, jcts, _ = play(ins, find_policy("jct", name).for_instance(ins))
    assert {row[0] for row in rows(trace, 0)} == {0, 1}
    if name != "batchsche":  # which first closes a batch, and begins everywhere at once
        assert jcts == [6.0]


def batch_example(cloud_upload: int) -> JctInstance:
    """Two workers on one server; c comes in the third batch, which closes in slot 4."""
    return instance(
        [
            job(
                "a",
                upload=[1],
                chunks=2,
                chunk_slots=3,
                requested_workers=2,
                cloud_upload_slots=5,
            ),
            job("b", 1, upload=[1], chunk_slots=2, cloud_upload_slots=6),
            job("c", 3, upload=[1], chunk_slots=2, cloud_upload_slots=cloud_upload),
        ],
        [server(2)],
        cloud=True,
    )


def test_batches_by_hand() -> None:
    # Batch 1 closes in slot 1 with a and b; its length is 1. a: both workers, 2..4, against the
    # cloud until 1 + 5 + 1 = 7: fewer blocks. b: a worker from 5 on, until 7; cloud: 1 + 6 + 1 = 8.
    # Batch 3 closes in slot 4, of length 4: c on the second worker from 5 to 7, within one block,
    # while one of two is busy: 2 (3^(1/2) - 1). From 7 on it would be free, until 9: two blocks.
    # Cloud: 4 + 5 + 1 = 10, two blocks, too. So 5 to 7.
    trace, jcts, preempted = play(batch_example(5), BatchSche())
    assert rows(trace, 0) == [(0, 0, 2, 5), (0, 1, 2, 5)]
    assert rows(trace, 1) == [(0, 0, 5, 7)]
    assert rows(trace, 2) == [(0, 1, 5, 7)]
    assert jcts == [5, 6, 4] and preempted == 0
    # With the cloud at 3: 4 + 3 + 1 = 8, in one block, for nothing: cheaper, if later.
    trace, jcts, _ = play(batch_example(3), BatchSche())
    assert rows(trace, 2) == [(CLOUD, 0, 7, 8)]
    assert jcts == [5, 6, 5]


def test_batches_one_by_one_by_hand() -> None:
    # a alone is the first batch, in slot 0: both workers from 1 to 4. b and c wait for it; in slot
    # 4 the batch of both closes, of length 4. b: 5 to 7 for nothing; c: on the second worker from
    # 5 to 7, within one block; from 7 on it would cost nothing, until 9: two, as the cloud's 10.
    trace, jcts, preempted = play(batch_example(5), BatchSche(clock="one-by-one"))
    assert rows(trace, 0) == [(0, 0, 1, 4), (0, 1, 1, 4)]
    assert rows(trace, 1) == [(0, 0, 5, 7)]
    assert rows(trace, 2) == [(0, 1, 5, 7)]
    assert jcts == [4, 6, 4] and preempted == 0


@pytest.mark.parametrize("seed", range(10))
def test_batches_one_by_one_complete_every_job(seed: int) -> None:
    cloud = bool(seed % 2)
    ins = random_instance(
        np.random.default_rng(seed), jobs=12, servers=3, chunks=5, cloud=cloud, slots=2000
    )
    assert min(play(ins, BatchSche(clock="one-by-one"))[1]) > 0


def test_a_batch_does_not_wait_beyond_the_last_chance() -> None:
    # The batch after slot 8 would close in 16; from there the cloud takes until 16 + 5 + 1 > 20.
    ins = instance([job("a", 9, upload=[], cloud_upload_slots=5, worker_type="b")], [], cloud=True)
    trace, jcts, _ = play(ins, BatchSche())
    assert rows(trace, 0) == [(CLOUD, 0, 19, 20)] and jcts == [11]


@pytest.mark.parametrize(
    ("name", "cloud"),
    [*((name, True) for name in policy_names("jct")), *((name, False) for name in WITHOUT_A_CLOUD)],
)
def test_every_job_completes(name: str, cloud: bool) -> None:
    for seed in range(40):
        ins = random_instance(
            np.random.default_rng(seed),
            jobs=12,
            servers=3,
            most_workers=3,
            chunks=5,
            chunk_slots=6,
            types=2 if cloud else 1,
            cloud=cloud,
            storage=cloud and seed % 2 == 1,
            slots=2000,
        )
        _, jcts, preempted = play(ins, find_policy("jct", name).for_instance(ins))
        assert min(jcts) > 0
        assert name != "batchsche" or preempted == 0


@pytest.mark.parametrize("name", WITHOUT_A_CLOUD)
@pytest.mark.parametrize("seed", range(30))
def test_one_parameter_server_and_no_cloud(name: str, seed: int) -> None:
    # (2e), (2f): one job at a time.
    ins = random_instance(
        np.random.default_rng(seed), jobs=6, most_workers=3, chunks=4, cloud=False, slots=2000
    )
    servers = [msgspec.structs.replace(record, ps=[]) for record in ins.file.servers]
    servers[0] = msgspec.structs.replace(servers[0], ps=["a"])
    ins = JctInstance.from_file(msgspec.structs.replace(ins.file, servers=servers))
    trace, jcts, _ = play(ins, find_policy("jct", name).for_instance(ins))
    assert min(jcts) > 0
    assert not (trace.schedule.ps[:, 1] == CLOUD).any()
