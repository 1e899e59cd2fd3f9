"""Tiresias-L with other thresholds, more queues and promotion, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from models.errors import InputError
from models.jct import JctInstance
from online.attained_service import ServiceQueues
from online.jct.tiresias import TiresiasL
from online.registry import build_policy
from tests.models.jct.small import instance, job, random_instance, server
from tests.online.jct.test_baselines import play, rows


def on_one_worker(*jobs: tuple[int, int]) -> JctInstance:
    """Jobs of one chunk by (arrival, slots), whose data is there at once."""
    records = [job(f"j{n}", a, upload=[0], chunk_slots=p) for n, (a, p) in enumerate(jobs)]
    return instance(records, [server()])


def test_three_queues() -> None:
    # Queues below 2, below 4, and from 4 on. a has 2 after slot 1 and gives way to b, which has 2
    # after slot 3; in the second queue a is first, until it has 4; then b runs its last 2.
    ins = on_one_worker((0, 6), (1, 4))
    trace, jcts, preempted = play(ins, TiresiasL([2.0, 4.0]))
    assert rows(trace, 0) == [(0, 0, 0, 2), (0, 0, 4, 6), (0, 0, 8, 10)]
    assert rows(trace, 1) == [(0, 0, 2, 4), (0, 0, 6, 8)]
    assert jcts == [10, 7] and preempted == 3
    # Services of 6 and 4: a third of the way between them, and two thirds.
    policy = build_policy(TiresiasL, ins, queues=3)
    assert isinstance(policy, TiresiasL)
    assert policy.queues.thresholds == pytest.approx((14 / 3, 16 / 3))


def test_a_threshold_of_the_past() -> None:
    # Until a is done at 2, nothing is known: one queue. Then the threshold is 2. b begins in 2, has
    # 2 at 4 and gives way to c; c has 2 at 6, and b, which came first, runs its last 4 until 10.
    ins = on_one_worker((0, 2), (1, 6), (3, 3))
    policy = build_policy(TiresiasL, ins, threshold="past")
    trace, jcts, preempted = play(ins, policy)
    assert rows(trace, 1) == [(0, 0, 2, 4), (0, 0, 6, 10)]
    assert rows(trace, 2) == [(0, 0, 4, 6), (0, 0, 10, 11)]
    assert jcts == [2, 9, 8] and preempted == 2
    assert isinstance(policy, TiresiasL)
    assert policy.queues.thresholds == (3.0,)  # of 2, 6 and 3
    # Only the registered threshold is of all jobs, those to come included.
    assert policy.blind and build_policy(TiresiasL, ins, threshold=2.0).blind
    assert not build_policy(TiresiasL, ins).blind


def test_promotion_of_a_starved_job() -> None:
    # Threshold 2. a has 2 after slot 1 and gives way to b. With promote = 1/2 it waits half of the
    # 2 slots that it ran: in 3 it is in the first queue again, from 0, and before b. In 5 it has 2
    # and gives way; in 6 so has b, and a is promoted. b is in 7, but a came first, until 8.
    ins = on_one_worker((0, 6), (1, 5))
    trace, jcts, preempted = play(ins, TiresiasL(2.0, promote=0.5))
    assert rows(trace, 0) == [(0, 0, 0, 2), (0, 0, 3, 5), (0, 0, 6, 8)]
    assert rows(trace, 1) == [(0, 0, 2, 3), (0, 0, 5, 6), (0, 0, 8, 11)]
    assert jcts == [8, 10] and preempted == 4
    # Without it b keeps the worker until it has had 2, too.
    trace, _, _ = play(ins, TiresiasL(2.0))
    assert rows(trace, 1) == [(0, 0, 2, 4), (0, 0, 8, 11)]


def test_uploads_are_waited_for_in_one_step() -> None:
    # The data is there in slot 10^6; two slots later the job leaves the first queue.
    ins = instance([job("a", upload=[10**6], chunk_slots=6)], [server()], slots=2 * 10**6)
    trace, jcts, _ = play(ins, TiresiasL(2.0))
    assert rows(trace, 0) == [(0, 0, 10**6, 10**6 + 6)]
    assert jcts == [10**6 + 6] and len(trace.decisions) < 6


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="want rising numbers"):
        ServiceQueues((2.0, 1.0))
    for bad in ({"threshold": "best"}, {"promote": 0.0}, {"queues": 0}):
        with pytest.raises(InputError, match="tiresias-l: "):
            build_policy(TiresiasL, on_one_worker((0, 1)), **bad)


@pytest.mark.parametrize("parameters", [{"threshold": "past", "queues": 3}, {"promote": 0.25}])
def test_every_job_completes(parameters: dict) -> None:
    for seed in range(20):
        ins = random_instance(
            np.random.default_rng(seed), jobs=8, servers=3, most_workers=3, chunks=5, slots=2000
        )
        _, jcts, _ = play(ins, build_policy(TiresiasL, ins, **parameters))
        assert min(jcts) > 0
