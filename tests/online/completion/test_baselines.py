"""FIFO, DRF, AntMan and Tiresias against runs worked by hand, and on random instances."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.completion import score
from models.completion.rates import least_ps
from models.errors import InputError
from online.completion.antman import AntMan
from online.completion.drf import DRF
from online.completion.elastic import Elastic
from online.completion.fifo import FIFO
from online.completion.room import Request, Room, ideal_request
from online.completion.tiresias import Tiresias
from online.registry import build_policy, find_policy, policy_names
from online.run import run
from tests.models.completion.small import instance, job, random_instance
from tests.online.completion.small import play, ring, rows, work


def test_fifo_lets_nobody_pass() -> None:
    # Room for 3. a runs with 2 workers until 4; b asks for 2 and waits; c asks for 1, which is
    # free, and waits behind b. At 4 both fit.
    ins = ring([work("a", chunks=2, slots=4), work("b", chunks=2), work("c")], 3)
    trace, completions = play(ins, FIFO())
    assert completions == [4, 5, 5]
    assert not trace.schedule.elastic


def test_fifo_runs_what_the_owner_fixed() -> None:
    # 6 mini-batches on 2 of D = 3 workers: 3 slots. 3 asked for, room for 2 each: 2 and 1.
    fixed = work("a", chunks=3, slots=2, requested_workers=2)
    assert rows(play(ring([fixed], 5), FIFO())[0], 0) == [(0, 3, 0, 2)]
    spread = work("a", chunks=3, slots=2)
    assert rows(play(ring([spread], 2, 2), FIFO())[0], 0) == [(0, 2, 0, 2), (0, 2, 1, 1)]
    # As many as the empty cluster holds.
    assert rows(play(ring([spread], 1, 1), FIFO())[0], 0) == [(0, 3, 0, 1), (0, 3, 1, 1)]


def test_the_ideal_types_are_the_fastest_of_which_a_worker_fits() -> None:
    # 2 pi / b is 1, 1/2, 1/8. Type 2 fits nowhere; 0 and 1 take 0.5 + 1 and 1 + 0.5: a tie. Of
    # type 0, five workers fit beside a PS.
    ins = instance(
        [job("a", minibatch_slots=[0.5, 1.0, 0.2], gradient_mb=1.0, chunks=9)],
        servers=[[6.0]],
        worker_types=[[1.0], [2.0], [8.0]],
    )
    assert ideal_request(ins.jobs[0], ins.cluster) == (0, 0, 5)
    assert ideal_request(ins.jobs[0], ins.cluster, 3) == (0, 0, 3)


def test_the_ideal_ps_type_may_take_more_than_another() -> None:
    # PSs of type 1 take more of a CPU and update faster; both fit.
    types = {"worker_types": [[0.0, 1.0]], "ps_types": [[1.0, 1.0], [2.0, 1.0]]}
    ins = instance(
        [job("a", update_slots=[0.5, 0.1])],
        resources=["cpu", "bandwidth_gbps"],
        servers=[[4.0, 2.0]] * 2,
        **types,
    )
    assert ideal_request(ins.jobs[0], ins.cluster) == (0, 1, 1)


def test_drf_shares_out_anew_at_every_event() -> None:
    # Room for 4. a (8 mini-batches) has 4 workers in slot 0, then 2 beside b's 2: both done at 3.
    ins = ring([work("a", chunks=4, slots=2), work("b", 1, chunks=4)], 4)
    trace, completions = play(ins, DRF())
    assert rows(trace, 0) == [(0, 1, 0, 4), (1, 3, 0, 2)]
    assert rows(trace, 1) == [(1, 3, 0, 2)]
    assert completions == [3, 3] and trace.schedule.elastic


def test_who_is_moved_or_resized_may_lose_slots() -> None:
    # As before, but a, cut from 4 to 2 workers at 1, pauses in slot 1 while b has its 2 at once.
    # At 3 b is done, and a, with 2 mini-batches left, has 4 workers after another pause.
    ins = ring([work("a", chunks=4, slots=2), work("b", 1, chunks=4)], 4)
    trace, completions = play(ins, DRF(delay=1))
    assert rows(trace, 0) == [(0, 1, 0, 4), (2, 3, 0, 2), (4, 5, 0, 4)]
    assert rows(trace, 1) == [(1, 3, 0, 2)]
    assert completions == [5, 3] and trace.schedule.elastic
    with pytest.raises(InputError, match="delay -1 is negative"):
        AntMan(delay=-1)


@pytest.mark.parametrize("policy", [DRF, AntMan, Tiresias])
def test_nothing_is_lost_where_nobody_is_moved(policy: type[Elastic]) -> None:
    for seed in range(3):
        ins = random_instance(np.random.default_rng(seed), allreduce=seed % 2 == 1)
        kept, same = (
            play(ins, build_policy(policy, ins, fixed=True, delay=delay)) for delay in (0, 2)
        )
        assert kept[1] == same[1]
        assert not play(ins, build_policy(policy, ins, delay=2))[0].schedule.worker_type.min() < 0


def test_drf_equals_dominant_shares() -> None:
    # Ghodsi et al., Fig. 3: 9 processors and 18 GB; <1, 4> for each worker of a, <3, 1> of b. Three
    # workers of a and two of b have 2/3 of the memory and of the processors.
    ins = ring(
        [
            work("a", chunks=9, minibatch_slots=[1.0, 2.0]),
            work("b", chunks=9, minibatch_slots=[2.0, 1.0]),
        ],
        resources=["cpu", "memory", "bandwidth_gbps"],
        servers=[[9.0, 18.0, 9.0]],
        worker_types=[[1.0, 4.0, 0.1], [3.0, 1.0, 0.1]],
    )
    trace, _ = play(ins, DRF())
    assert rows(trace, 0)[0] == (0, 3, 0, 3)
    assert rows(trace, 1)[0][2:] == (0, 2)


def test_antman_guarantees_within_the_quota() -> None:
    # Room for 4. a (3 workers) is guaranteed and runs until 3; b (2 workers) would exceed the
    # quota: one worker is left for it, two from 3 on. 6 mini-batches: 3 + 2 + 1, done at 5.
    ins = ring([work("a", chunks=3, slots=3), work("b", chunks=2, slots=3)], 4)
    trace, completions = play(ins, AntMan())
    assert rows(trace, 1) == [(0, 3, 0, 1), (3, 5, 0, 2)]
    assert completions == [3, 5]


@pytest.mark.parametrize(
    ("patience", "runs"), [(10, [(4, 6, 0, 2)]), (2, [(2, 4, 0, 1), (4, 5, 0, 2)])]
)
def test_antman_runs_who_waits_too_long(patience: int, runs: list[tuple[int, ...]]) -> None:
    # Room for 4, guarantees for 8: b (2 workers, 4 mini-batches) waits for the 3 of a until 4. As
    # an opportunistic job it has one worker from slot 2 on.
    ins = ring([work("a", chunks=3, slots=4), work("b", chunks=2, slots=2)], 4)
    trace, _ = play(ins, AntMan(quota=2.0, patience=patience))
    assert rows(trace, 0) == [(0, 4, 0, 3)]
    assert rows(trace, 1) == runs


def test_tiresias_moves_a_job_back_once_it_has_had_its_service() -> None:
    # Room for 2. a (6 slots of 2 workers) reaches 4 worker-slots after slot 1 and falls behind b,
    # which has waited since 1 and needs 2 slots. From 4 on a runs its last 4.
    ins = ring([work("a", chunks=2, slots=6), work("b", 1, chunks=2, slots=2)], 2)
    trace, completions = play(ins, Tiresias(4.0))
    assert rows(trace, 0) == [(0, 2, 0, 2), (4, 8, 0, 2)]
    assert completions == [8, 4] and trace.schedule.elastic
    # Below the threshold, first come, first served; so too where both are above it.
    for threshold in (100.0, 0.0):
        assert play(ins, Tiresias(threshold))[1] == [6, 8]
    # The median of 12 and 4: a leaves the first queue after slot 3.
    assert rows(play(ins, Tiresias.for_instance(ins))[0], 0) == [(0, 4, 0, 2), (6, 8, 0, 2)]


def test_tiresias_is_all_or_nothing() -> None:
    # Room for 3: b (2 workers) does not fit beside a (2), c (1) does.
    ins = ring([work("a", chunks=2, slots=2), work("b", chunks=2), work("c")], 3)
    assert play(ins, Tiresias(100.0))[1] == [2, 3, 1]


# ---- room ---------------------------------------------------------------------------------


def fits(free: np.ndarray, ins: object, request: Request) -> bool:
    """By enumeration: all parameter servers on one server, or none, and any workers."""
    cluster = ins.cluster  # type: ignore[attr-defined]
    demand, number = cluster.worker_types[request.worker_type], request.workers
    b = float(demand[cluster.bandwidth])
    for y in product(range(number + 1), repeat=len(free)):
        if sum(y) != number:
            continue
        left = free - np.outer(y, demand)
        if (left < -1e-9).any():
            continue
        if cluster.allreduce:
            return True
        ps = cluster.ps_types[request.ps_type]
        for h in range(len(free)):
            outside = number - y[h]
            need = least_ps(outside, b, float(ps[cluster.bandwidth])) if outside else 1
            if (need * ps <= left[h] + 1e-9).all():
                return True
    return False


@given(seed=st.integers(0, 2**32 - 1))
def test_a_request_is_placed_if_there_is_room(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, allreduce=seed % 2 == 1, servers=3, jobs=2)
    cluster, room = ins.cluster, Room(ins.cluster)
    other = room.place(Request(0, cluster.ps_choices[0], 1))
    free = cluster.servers.copy()
    if other is not None:
        room.take(other)
        free[other.servers] -= other.amounts(cluster)
    for m, p, n in product(range(2), cluster.ps_choices, range(1, 5)):
        share = room.place(Request(m, p, n))
        assert (share is not None) == fits(free, ins, Request(m, p, n))
        if share is not None:
            assert share.size == n and room.holds(share)


@given(seed=st.integers(0, 2**32 - 1))
def test_filling_stays_within_what_is_free(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, allreduce=seed % 2 == 1, servers=3, jobs=3, chunks=5)
    requests = [ideal_request(job, ins.cluster) for job in ins.jobs]
    shares = Room(ins.cluster).fill(requests)
    used = np.zeros_like(ins.cluster.servers)
    for share in shares:
        if share is not None:
            used[share.servers] += share.amounts(ins.cluster)
    assert (used <= ins.cluster.servers + 1e-9).all()
    assert shares[0] is not None  # the first has its first worker before the others
    # Alone, each gets what it asks for, which fits on the empty cluster.
    for request in requests:
        (share,) = Room(ins.cluster).fill([request])
        assert share is not None and share.size == request.workers


# ---- all policies -------------------------------------------------------------------------


@pytest.mark.parametrize("name", policy_names("completion"))
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_every_job_completes(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, allreduce=seed % 2 == 1, jobs=7, slots=6, servers=3, chunks=4)
    policy = build_policy(find_policy("completion", name), ins)
    trace = run(ins, policy, rng)
    result = score(ins, trace.schedule)
    assert result.violations == ()
    assert (result.completion > [job.arrival for job in ins.jobs]).all()
    assert policy.wider or not trace.schedule.elastic
