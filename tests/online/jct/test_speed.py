"""Speed augmentation: exact in refined slots."""

from __future__ import annotations

import numpy as np
import pytest

from models.errors import InputError
from models.jct import score
from online.jct.a_online import AOnline
from online.jct.speed import augmented, refined
from online.run import run
from solvers.jct.exact import solve
from tests.models.jct.small import instance, job, random_instance, server
from tests.online.promises import promise


def total_jct(ins, epsilon: float = 0.0) -> float:
    result = score(ins, run(ins, AOnline(epsilon), np.random.default_rng(0)).schedule)
    assert result.violations == ()
    return result.objective


def test_a_fifth_faster_is_not_rounded_away() -> None:
    # epsilon = 1/5: slots of a sixth. Upload 1 -> 6; p = 3 -> 18 offline, 15 online.
    # Offline 6 + 18 = 24 = 6 * 4; online 6 + 15 = 21, that is 3.5 slots: 1 + 3/1.2.
    ins = instance([job("a", upload=[1], chunk_slots=3)], [server()])
    assert total_jct(ins) == 4
    assert total_jct(refined(ins, 1, 5)) == 24
    assert total_jct(augmented(ins, 1, 5), 0.2) == 21
    assert augmented(ins, 1, 5).cluster.slot_seconds == 600
    # No augmentation, no refinement.
    assert augmented(ins, 0, 1).jobs[0].chunk_slots == 3


@pytest.mark.parametrize("seed", range(20))
def test_refining_scales_what_a_online_does(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed), jobs=8, chunks=3, chunk_slots=5, slots=200)
    assert total_jct(refined(ins, 1, 2)) == 3 * total_jct(ins)


def test_guarantee_of_theorem_3_on_a_run_where_it_applies() -> None:
    # One worker, one job: alpha = 1 + 2 = 3; at t = 1 beta = 1, 1 + 2 * 1 = 3: (6a) holds, with
    # equality; once it is done, at t = 3: 3 + 0. In thirds of a slot (epsilon = 1/2): upload 3,
    # p = 4 online, alpha = 7 = 3 + 4.
    ins = instance([job("a", upload=[1], chunk_slots=2)], [server()])
    policy = AOnline(0.5)
    fast = augmented(ins, 1, 2)
    trace = run(fast, policy, np.random.default_rng(0))
    promised = promise(policy, fast, trace, 0.0)
    assert policy.duals.sum_alpha == 7
    assert promised is not None and promised.applies and promised.fails == ""
    assert promised.ratio == 1 * (1 + 1 / 0.5)
    # A-posteriori: 7 - 7/1.5 in thirds, below the fractional optimum of (11): upload 3, then 6
    # slots at mean 3 + (6 - 1)/2.
    assert policy.duals.posterior_bound(0.5) == pytest.approx(7 - 7 / 1.5)
    assert policy.duals.posterior_bound(0.5) <= 3 + 2.5


@pytest.mark.parametrize("seed", range(30))
def test_the_posterior_bound_is_below_the_optimum(seed: int) -> None:
    # Of the refined instance at offline speed; two jobs, so that the bound is not always 0.
    ins = random_instance(
        np.random.default_rng(seed), jobs=2, servers=3, most_workers=2, chunk_slots=2, slots=30
    )
    a, b = 2, 1
    policy = AOnline(a / b)
    run(augmented(ins, a, b), policy, np.random.default_rng(0))
    optimum = solve(refined(ins, a, b)).objective
    assert optimum is not None
    assert policy.duals.posterior_bound(a / b) <= optimum + 1e-9


def test_bad_epsilon_is_refused() -> None:
    ins = instance([job("a", upload=[1])], [server()])
    for a, b in ((-1, 2), (1, 0)):
        with pytest.raises(InputError, match=f"^epsilon = {a}/{b}: a has to be at least 0"):
            augmented(ins, a, b)
