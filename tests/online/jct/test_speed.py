"""Speed augmentation: exact in refined slots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.errors import InputError
from models.jct import JctInstance, JctSchedule, score
from online.jct.a_online import AOnline
from online.jct.speed import augmented
from online.run import run
from solvers.jct.exact import solve
from tests.models.jct.small import instance, job, random_instance, server
from tests.online.promises import promise


def total_jct(ins) -> float:
    result = score(ins, run(ins, AOnline(), np.random.default_rng(0)).schedule)
    assert result.violations == ()
    return result.objective


def test_a_fifth_faster_is_not_rounded_away() -> None:
    # epsilon = 1/5: slots of a sixth. Upload 1 -> 6; p = 3 -> 18 offline, 15 online.
    # Offline 6 + 18 = 24 = 6 * 4; online 6 + 15 = 21, that is 3.5 slots: 1 + 3/1.2.
    ins = instance([job("a", upload=[1], chunk_slots=3)], [server()])
    assert total_jct(ins) == 4
    fast = augmented(ins, 1, 5)
    assert total_jct(fast.offline) == 24
    assert total_jct(fast) == 21
    assert fast.cluster.slot_seconds == 600 and fast.epsilon == 0.2
    assert solve(fast).objective == 24  # the offline side is no faster
    # No augmentation, no refinement.
    assert augmented(ins, 0, 1).hash == ins.hash
    assert ins.online is ins.offline is ins


def test_a_faster_schedule_is_judged_at_its_speed(tmp_path: Path) -> None:
    ins = augmented(instance([job("a", upload=[1], chunk_slots=3)], [server()]), 1, 5)
    fast = run(ins, AOnline(), np.random.default_rng(0)).schedule
    assert fast.faster
    fast.write(tmp_path / "fast.json")
    ins.write(tmp_path / "one.json")
    again = JctInstance.read(tmp_path / "one.json")
    assert score(again, JctSchedule.read(tmp_path / "fast.json", again)).objective == 21
    slow = replace(fast, faster=False)
    assert [v.equation for v in score(ins, slow).violations] == ["(2b)"]


@pytest.mark.parametrize("gamma", ["exact", "whole"])
def test_the_order_of_chunks_is_the_same_at_every_speed(gamma: str) -> None:
    # a: 0.9 slots for each of two chunks, b: 0.65 for each of three, c: 1.2. As they stand 1/gamma
    # is 1.8, 1.95 and 1.2: c, a, b. In whole slots it is 2, 3 and 2: a, c, b.
    def one(name: str, chunks: int, hours: float):
        times = {"epochs": 1, "minibatches": 1, "minibatch_slots": hours, "update_slots": 0.0}
        more = {"gradient_mb": 0.0, "bandwidth_gbps": 1.0, "chunk_slots": None}
        more["cloud_chunk_slots"] = None
        return job(name, upload=[1], chunks=chunks, **times, **more)

    ins = instance([one("a", 2, 0.9), one("b", 3, 0.65), one("c", 1, 1.2)], [server(ps=3)])
    ends = []
    for a, b in ((0, 1), (1, 5), (1, 2), (1, 1)):
        fast = augmented(ins, a, b)
        trace = run(fast, AOnline(gamma=gamma), np.random.default_rng(0))
        ends.append(np.argsort(score(fast, trace.schedule).completion).tolist())
    assert ends == [[2, 0, 1] if gamma == "exact" else [0, 2, 1]] * 4


@pytest.mark.parametrize("seed", range(20))
def test_refining_scales_what_a_online_does(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed), jobs=8, chunks=3, chunk_slots=5, slots=200)
    assert total_jct(augmented(ins, 1, 2).offline) == 3 * total_jct(ins)


def test_guarantee_of_theorem_3_on_a_run_where_it_applies() -> None:
    # One worker, one job: alpha = 1 + 2 = 3; at t = 1 beta = 1, 1 + 2 * 1 = 3: (6a) holds, with
    # equality; once it is done, at t = 3: 3 + 0. In thirds of a slot (epsilon = 1/2): upload 3,
    # p = 4 online, alpha = 7 = 3 + 4.
    ins = instance([job("a", upload=[1], chunk_slots=2)], [server()])
    policy = AOnline()
    fast = augmented(ins, 1, 2)
    trace = run(fast, policy, np.random.default_rng(0))
    promised = promise(policy, fast, trace, 0.0)
    assert policy.duals.sum_alpha == 7
    assert promised is not None and promised.applies and promised.fails == ""
    assert promised.ratio == 1 * (1 + 1 / 0.5)
    # A-posteriori: 7 - 7/1.5 in thirds, below the fractional optimum of (11): upload 3, then 6
    # slots at mean 3 + (6 - 1)/2. The chunk completes (6 + 1)/2 after its mean, so that much is
    # for free; its own weight, 4, costs a factor of 1/2 + 1/1.5 = 7/6: (7 + 4 - 7/1.5) / (7/6).
    assert 7 - 7 / 1.5 <= 3 + 2.5
    assert policy.duals.posterior_bound(0.5) == pytest.approx(7 + 3.5 - 7 / 1.5)
    assert policy.duals.posterior_bound(0.5) > (7 + 4 - 7 / 1.5) * 6 / 7
    assert policy.duals.posterior_bound(0.5) <= 3 + 6


@pytest.mark.parametrize("seed", range(30))
def test_the_posterior_bound_is_below_the_optimum(seed: int) -> None:
    # Of the refined instance at offline speed; two jobs, so that the bound is not always 0.
    ins = random_instance(
        np.random.default_rng(seed), jobs=2, servers=3, most_workers=2, chunk_slots=2, slots=30
    )
    a, b = 2, 1
    policy, fast = AOnline(), augmented(ins, a, b)
    run(fast, policy, np.random.default_rng(0))
    optimum = solve(fast).objective
    assert optimum is not None
    assert policy.duals.posterior_bound(a / b) <= optimum + 1e-9


def test_bad_epsilon_is_refused() -> None:
    ins = instance([job("a", upload=[1])], [server()])
    for a, b in ((-1, 2), (1, 0)):
        with pytest.raises(InputError, match=f"at speed 1 \\+ {a}/{b}: Expected `int` >= 1 - at "):
            augmented(ins, a, b)
    with pytest.raises(InputError, match="1000 finer slots in each of 200000000 are"):
        augmented(instance([job("a", upload=[1])], [server()], slots=2 * 10**8), 999, 1)
