"""A_online against the example worked by hand, and what holds of it on random instances."""

from __future__ import annotations

import numpy as np
import pytest

from models.errors import InputError
from models.jct import CLOUD, JctInstance, score
from online.jct.a_online import AOnline, AOnlineEdge
from online.jct.speed import augmented
from online.run import Trace, run
from tests.models.jct.small import instance, job, random_instance, server
from tests.online.jct.by_slots import a_online_by_slots
from tests.online.promises import promise


def example(*, storage_gb: float | None = None, cloud: bool = True) -> JctInstance:
    """Two servers of one worker each; server 0 stores 2 GB in the capacitated version.

    =====  =======  ===  ===  ===  ======  ==========  ====
    job    arrival  D    p    p_c  Delta   cloud       GB
    =====  =======  ===  ===  ===  ======  ==========  ====
    a      0        2    6    5    1, 2    10          1
    b      2        1    2    2    1, 3    12          0.5
    c      3        1    20   18   1, 1    4           0.1
    d      4        1    1    1    1, 2    30          1
    =====  =======  ===  ===  ===  ======  ==========  ====
    """

    def one(name: str, arrival: int, d: int, p: int, p_c: int, up: list[int], far: int, gb: float):
        return job(
            name,
            arrival,
            upload=up,
            chunks=d,
            chunk_slots=p,
            cloud_chunk_slots=p_c,
            cloud_upload_slots=far,
            chunk_gb=gb,
        )

    return instance(
        [
            one("a", 0, 2, 6, 5, [1, 2], 10, 1.0),
            one("b", 2, 1, 2, 2, [1, 3], 12, 0.5),
            one("c", 3, 1, 20, 18, [1, 1], 4, 0.1),
            one("d", 4, 1, 1, 1, [1, 2], 30, 1.0),
        ],
        [server(storage_gb=storage_gb, ps=4), server()],
        cloud=cloud,
        slots=100,
    )


def play(ins: JctInstance, policy: AOnline | None = None) -> tuple[AOnline, Trace]:
    policy = policy or AOnline()
    return policy, run(ins, policy, np.random.default_rng(0))


def intervals(trace: Trace, index: int) -> list[tuple[int, ...]]:
    """(server, start, stop) of one job."""
    rows = trace.schedule.workers
    return [(s, start, stop) for j, s, _, start, stop in rows.tolist() if j == index]


def test_the_example_with_storage_by_hand() -> None:
    # a at 0, gamma 1/12: first chunk: server 0 for 1/2 + 6/2 = 3.5, server 1 for 2/2 + 6/2 = 4,
    #   cloud together (10 + 5)/2 = 7.5. Second: server 0 for 3.5 + 6/2 = 6.5, server 1 for 4,
    #   cloud apart (10 + 6)/2 = 8. So one chunk on each, from slots 1 and 2 on.
    # b at 2, gamma 1/2: on server 0 at t0 = 3 nothing of rate 1/2 waits; the chunk of a is put off
    #   by 2 slots at weight 1/2: 1 + 2 + 2/2 = 4. Server 1: 3 + 2 + 2/2 = 6. Cloud: 14.
    #   b preempts a in slots 3 and 4; a resumes in slot 5 and has 6 - 2 = 4 slots left: until 9.
    # c at 3, gamma 1/20, last everywhere. Server 0 at t0 = 4: b has 1 slot left, a 4:
    #   1 + 5 + 20 = 26. Server 1: a has 6 - 2 = 4 left: 1 + 4 + 20 = 25. Cloud: 4 + 18 = 22.
    # d at 4, gamma 1: server 0 at t0 = 5 has a with 4 left: 1 + 1 + 1/2 = 2.5, but stores 1 + 0.5
    #   of 2 GB (b is done in slot 5 only), and d needs 1: no candidate. Server 1 at t0 = 6:
    #   2 + 1 + 1/2 = 3.5. d preempts a in slot 6; a has run 2..5 and runs 7, 8.
    ins = example(storage_gb=2.0)
    policy, trace = play(ins)
    assert intervals(trace, 0) == [(0, 1, 3), (0, 5, 9), (1, 2, 6), (1, 7, 9)]
    assert intervals(trace, 1) == [(0, 3, 5)]
    assert intervals(trace, 2) == [(CLOUD, 7, 25)]
    assert intervals(trace, 3) == [(1, 6, 7)]
    assert trace.schedule.together.tolist() == [False, False, True, False]
    assert sum(row["preempted"] for row in trace.decisions) == 2
    result = score(ins, trace.schedule)
    assert result.violations == ()
    # 9 - 0, 5 - 2, 25 - 3, 7 - 4
    assert result.value.tolist() == [9, 3, 22, 3]
    alphas = [row["alpha"] for row in trace.decisions if row["event"] == "slot" and row["alpha"]]
    assert alphas == [3.5 + 4, 4, 22, 3.5]
    # sum beta: both chunks of a are done at 9: 9/2 + 9/2; 3, 22, 3. As Lemma 4 says.
    assert policy.duals.sum_alpha == policy.duals.sum_beta == 37


def test_the_example_without_storage_limits() -> None:
    # d takes server 0 for 2.5: slot 5, when b has just done its last; a runs 1, 2, 6..9.
    ins = example()
    policy, trace = play(ins)
    assert intervals(trace, 0) == [(0, 1, 3), (0, 6, 10), (1, 2, 8)]
    assert intervals(trace, 3) == [(0, 5, 6)]
    assert score(ins, trace.schedule).value.tolist() == [10, 3, 22, 2]
    # b displaces a in slot 3; in slot 5 d comes before a, which waits anyway.
    assert sum(row["preempted"] for row in trace.decisions) == 1
    assert policy.duals.sum_alpha == 3.5 + 4 + 4 + 22 + 2.5
    # chunks of a until 10 and 8: 5 + 4; 3; 22; 2
    assert policy.duals.sum_beta == 36


def test_round_off_breaks_no_tie() -> None:
    # All 21 chunks of "long" wait on the one worker when "short" comes, which would put each off by
    # one slot: 1 + 21 * 1/21 = 2, as much as the cloud's 1 + 1, and ties go to the edge. Added up
    # one by one, the weights are a little more than 1.
    chunks = 21
    assert np.cumsum([1.0 / chunks] * chunks)[-1] > 1.0
    ins = instance(
        [
            job("long", upload=[0], chunks=chunks, chunk_slots=9, cloud_upload_slots=9000),
            job("short", 1, upload=[0], cloud_upload_slots=1),
        ],
        [server()],
        cloud=True,
        slots=10000,
    )
    _, trace = play(ins)
    assert intervals(trace, 1) == [(0, 1, 2)]


def test_what_follows_a_later_chunk_into_the_cloud() -> None:
    # Three chunks, p = 4, p_c = 3, one worker at 1, the cloud at 6. First: 1 + 4 = 5 thirds,
    # against 6 + 3 in the cloud; second: 9, against 6 + 4 apart; third: 13, against 10: cloud.
    one = job("a", upload=[1], chunks=3, chunk_slots=4, cloud_chunk_slots=3, cloud_upload_slots=6)
    ins = instance([one], [server()], cloud=True)
    rest, trace = play(ins)
    assert intervals(trace, 0) == [(CLOUD, 6, 10), (0, 1, 9)]
    assert rest.duals.sum_alpha == pytest.approx((5 + 9 + 10) / 3)
    # As printed in Alg. 2: all of them, for the price of the third each.
    every, trace = play(ins, AOnline(later="all"))
    assert intervals(trace, 0) == [(CLOUD, 6, 9)] * 3 and trace.schedule.together.all()
    assert every.duals.sum_alpha == pytest.approx(10) and every.duals.sum_beta == pytest.approx(9)
    with pytest.raises(InputError, match=r"^later 'none': choose from rest, all$"):
        AOnline(later="none")


def test_edge_only_keeps_to_the_edge() -> None:
    # c on server 1 for 25 (above): a until 8, then c from 8 until 28.
    ins = example()
    _, trace = play(ins, AOnlineEdge())
    assert intervals(trace, 2) == [(1, 8, 28)]
    assert not trace.schedule.together.any()
    assert score(ins, trace.schedule).violations == ()


def test_6a_as_in_the_papers_own_proof_gone_wrong() -> None:
    # One job, p = 2, D = 1, Delta = 1, two idle workers: alpha = 1 + 2 = 3. At t = 1 the unused
    # worker allows (1 - 0)/1 + 2 * 0 = 1, so (6a) fails by 2.
    ins = instance([job("a", upload=[1], chunk_slots=2)], [server(2)])
    policy, trace = play(ins)
    assert policy.duals.sum_alpha == 3
    assert policy.duals.largest_violation() == 2
    assert promise(policy, ins, trace, 0.0) is None
    # With the chunk's own weight added, 1 + 2, nothing is violated: 3 - 3 = 0 is what is left.
    assert policy.duals.largest_violation(own=True) == 0
    # The mean of its two slots is (2 + 1)/2 before its completion, for free: 1 + 1.5 - 3.
    assert policy.duals.posterior_bound() == 0.0
    # epsilon = 1/2, thirds of a slot: upload 3, p = 4 of 6. (6a) allows 3, and alpha is 7 = beta.
    # Free are (6 + 1)/2: 3 + 3.5 - 7/1.5. The own weight costs 1/2 + 1/1.5 = 7/6 and is worth more:
    # (3 + 4 - 7/1.5)/(7/6) = 2. So the ratio is at most 7/2 = 7/6 (1 + 1/epsilon).
    fast = augmented(ins, 1, 2)
    policy, trace = play(fast)
    assert policy.duals.largest_violation() == 4
    assert policy.duals.posterior_bound(0.5) == pytest.approx(2)
    promised = promise(policy, fast, trace, 0.0)
    assert promised is not None and promised.applies and promised.fails == ""
    assert promised.ratio == pytest.approx(7 / 6 * (1 + 1 / 0.5))


def test_no_guarantee_where_alpha_is_less_than_beta() -> None:
    # One worker, three jobs of one chunk at 0. a, p = 3, there at 0: alpha 3. b, p = 2, there at 3,
    # when a would be done: 3 + 2 = 5. c, p = 1, there at 1, before both: 1 + 1 + 1 * 2 = 4. But
    # then a, put off by c, is still there at 3, and b puts it off too: c until 2, b until 5, a
    # until 6. Sum alpha 12, sum beta 13, though (6a) holds.
    jobs = [
        job("a", upload=[0], chunk_slots=3),
        job("b", upload=[3], chunk_slots=2),
        job("c", upload=[1]),
    ]
    ins = instance(jobs, [server(ps=3)])
    policy, trace = play(ins)
    assert score(ins, trace.schedule).value.tolist() == [6, 5, 2]
    assert (policy.duals.sum_alpha, policy.duals.sum_beta) == (12, 13)
    assert policy.duals.largest_violation() == 0
    evidence = {"epsilon": 1.0, "most_chunks": 1, "largest_6a_violation": 0.0, "repaired": None}
    promised = AOnline.applies({**evidence, "alpha_over_beta": 12 / 13}, 0.0)
    assert (promised.ratio, promised.applies) == (2.0, False)
    assert promised.fails == "sum alpha is 0.9231 of sum beta, against Lemma 4"
    # What the run proves itself holds without Lemma 4.
    proven = AOnline.applies({**evidence, "alpha_over_beta": 12 / 13, "repaired": 2.5}, 0.0)
    assert (proven.ratio, proven.applies, proven.fails) == (2.5, True, "")


def test_6a_fails_for_chunks_that_are_nearly_done() -> None:
    # b, p = 4, comes at 8, when a, p = 9, has 1 slot left on server 0: there b would put a off by 4
    # at weight 1, so that it costs 4 + 4 = 8; on the idle server 1, after 3 slots of upload, 7.
    # From t = 9 on a is done and server 0 empty; Case 2 of the proof has all of a's 9 slots to do
    # before. (6a) allows 1, and with b's own weight 1 + 4: alpha = 7 is 6 and 2 too much.
    a = job("a", upload=[0, 50], chunk_slots=9)
    b = job("b", 8, upload=[0, 3], chunk_slots=4)
    policy, trace = play(instance([a, b], [server(), server()]))
    assert intervals(trace, 0) == [(0, 0, 9)] and intervals(trace, 1) == [(1, 11, 15)]
    assert policy.duals.sum_alpha == 9 + 7
    assert policy.duals.largest_violation() == 6
    assert policy.duals.largest_violation(own=True) == 2


def test_the_posterior_bound_of_a_job_in_the_cloud() -> None:
    # Two chunks, all in the cloud from slot 4 on: (6) allows alpha = 4/2 for each, and prices of
    # the cloud, where some worker is always idle, are 0: 4 in all. Of the optimum (p_c + 1)/2 a
    # chunk is not in (6): 2 (4 + 1)/2 = 5, which is the optimum.
    record = job("a", upload=[9], chunks=2, cloud_upload_slots=4)
    policy, trace = play(instance([record], [server()], cloud=True))
    assert trace.schedule.together.all()
    assert policy.duals.posterior_bound() == 5


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("storage", [False, True])
def test_random_instances(seed: int, storage: bool) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(
        rng,
        jobs=12,
        servers=3,
        most_workers=2,
        chunks=4,
        chunk_slots=6,
        types=2,
        storage=storage,
        slots=400,
    )
    for policy in (AOnline(), AOnlineEdge()):
        _, trace = play(ins, policy)
        result = score(ins, trace.schedule)
        assert result.violations == ()
        assert policy.duals.posterior_bound() <= result.objective


@pytest.mark.parametrize("seed", range(40))
def test_lemma_4_where_delays_depend_on_the_server_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(
        rng, jobs=12, servers=3, most_workers=2, chunks=4, chunk_slots=6, types=2, slots=400
    )
    delay = rng.integers(0, 4, 3).tolist()
    import msgspec

    jobs = [msgspec.structs.replace(record, upload_slots=delay) for record in ins.file.jobs]
    ins = JctInstance.from_file(msgspec.structs.replace(ins.file, jobs=jobs))
    for policy in (AOnline(), AOnlineEdge()):
        play(ins, policy)
        assert policy.duals.sum_alpha == pytest.approx(policy.duals.sum_beta, rel=1e-12)
        assert policy.duals.lemma4_ratio == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(60))
def test_against_a_simulation_slot_by_slot(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(
        rng,
        jobs=8,
        servers=int(rng.integers(1, 4)),
        most_workers=2,
        chunks=4,
        chunk_slots=7,
        types=2 if seed % 3 else 1,
        cloud=bool(seed % 3),
        slots=150,
    )
    policy, trace = play(ins)
    again = a_online_by_slots(ins)
    assert score(ins, trace.schedule).value.tolist() == again.jcts
    assert policy.duals.sum_alpha == pytest.approx(float(again.alphas), rel=1e-12)
    for own, allowed in ((False, again.allowed), (True, again.own)):
        excess = [float(a - right) for a, right in zip(again.highest, allowed, strict=True)]
        violation = policy.duals.largest_violation(own=own)
        assert violation == pytest.approx(max(0.0, *excess), abs=1e-12)
    # What is left with the own weight is due to chunks that are nearly done, and to the transfers
    # of a later chunk in the cloud: without these prices keep to (6a), whatever the order.
    assert all(r <= right for r, right in zip(again.repaired, again.own, strict=True))


def test_the_time_goes_with_the_events_not_the_slots() -> None:
    # Ten times the horizon, and every time ten times as long: the same events.
    ins = random_instance(np.random.default_rng(3), jobs=10, chunks=3, slots=100)
    events = [len(play(one)[1].decisions) for one in (ins, augmented(ins, 9, 1).offline)]
    assert events[0] == events[1]
