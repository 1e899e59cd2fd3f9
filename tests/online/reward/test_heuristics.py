"""DRF, FAIRNESS, BINPACKING and SPREADING by hand; gangs that do not run earn them nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.reward import RewardInstance, score
from models.reward.reward import RewardFunction
from online.policy import Policy
from online.registry import find_policy, policy_names
from online.reward.binpacking import BinPacking
from online.reward.drf import DRF
from online.reward.fairness import Fairness, proportional_shares
from online.reward.spreading import Spreading
from tests.models.reward.cases import random_reward
from tests.models.reward.small import play, reward


def objective(ins: RewardInstance, policy: Policy) -> float:
    return score(ins, play(ins, policy)[1].schedule).objective


# ---- DRF ---------------------------------------------------------------------------------------


def test_drf_serves_small_dominant_shares_first() -> None:
    # Port 0: 3 of the 2 + 2 it can reach, share 3/4. Port 1: 1 of the 2 of server 0, share 1/2.
    # Port 1 takes 1 of server 0; port 0 the other 1, and the 2 of server 1.
    edges = [(0, 0), (0, 1), (1, 0)]
    ins = reward([[3.0], [1.0]], [[2.0], [2.0]], [[1, 1], [1, 0]], edges=edges)
    allocations, _ = play(ins, DRF())
    # Channels: (server 0, port 0), (server 0, port 1), (server 1, port 0).
    assert allocations[0] == [[1.0], [1.0], [2.0]]
    # Alone, port 0 fills servers by index up to 3 in all.
    assert allocations[1] == [[2.0], [0.0], [1.0]]


def test_the_dominant_share_is_the_largest_over_devices() -> None:
    # Port 0: max(1/8, 3/4) = 3/4. Port 1: max(5/8, 3.5/4) = 7/8. Port 0 is first, and
    # leaves 1 of the second device.
    ins = reward([[1.0, 3.0], [5.0, 3.5]], [[8.0, 4.0]], [[1, 1]])
    assert play(ins, DRF())[0] == [[[1.0, 3.0], [5.0, 1.0]]]
    # Port 0: max(1/8, 3.5/4) = 7/8. Port 1: max(5/8, 2/4) = 5/8: first, whatever its index.
    ins = reward([[1.0, 3.5], [5.0, 2.0]], [[8.0, 4.0]], [[1, 1]])
    assert play(ins, DRF())[0] == [[[1.0, 2.0], [5.0, 2.0]]]


def test_a_device_that_nobody_has_makes_the_share_infinite() -> None:
    # Port 0 wants a device that there is none of, and comes last: nothing is left of the first.
    ins = reward([[1.0, 1.0], [4.0, 0.0]], [[4.0, 0.0]], [[1, 1]])
    assert play(ins, DRF())[0] == [[[0.0, 0.0], [4.0, 0.0]]]


def test_a_cap_for_each_server_instead_of_the_job() -> None:
    # (3) lets a job have its 3 on every server.
    ins = reward([[3.0]], [[2.0], [5.0]], [[1]])
    assert play(ins, DRF())[0] == [[[2.0], [1.0]]]
    for policy in (DRF, BinPacking, Spreading):
        assert play(ins, policy(per_server=True))[0] == [[[2.0], [3.0]]]


# ---- BINPACKING and SPREADING ------------------------------------------------------------------

FIRST_AT_SERVER_1 = [(0, 1), (1, 0), (1, 1)]


def test_packing_goes_where_most_is_used_and_spreading_where_least() -> None:
    # Port 0 takes 2 of the 4 of server 1. Port 1 wants 3.
    ins = reward([[2.0], [3.0]], [[4.0], [4.0]], [[1, 1]], edges=FIRST_AT_SERVER_1)
    # Channels: (server 0, port 1), (server 1, port 0), (server 1, port 1).
    assert play(ins, BinPacking())[0] == [[[1.0], [2.0], [2.0]]]
    assert play(ins, Spreading())[0] == [[[3.0], [2.0], [0.0]]]


def test_utilisation_is_the_mean_over_devices_the_server_has() -> None:
    # After port 0, server 1 has used 2/4 of the first device and 0 of the second: 1/4 in the
    # mean; after port 2, server 0 has used 2/8 of the first, and has none of the second: 1/4
    # too; a tie, so packing and spreading both take server 0 first.
    edges = [(0, 1), (1, 0), (2, 0), (2, 1)]
    ins = reward(
        [[2.0, 0.0], [2.0, 0.0], [1.0, 0.0]], [[8.0, 0.0], [4.0, 4.0]], [[1, 1, 1]], edges=edges
    )
    # Channels: server 0 with ports 1, 2; server 1 with ports 0, 2.
    expected = [[[2.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 0.0]]]
    assert play(ins, BinPacking())[0] == expected
    assert play(ins, Spreading())[0] == expected


def test_ports_are_served_by_index_and_ports_without_jobs_are_not() -> None:
    ins = reward([[3.0], [3.0], [3.0]], [[4.0]], [[0, 1, 1], [1, 1, 1]])
    for policy in (BinPacking(), Spreading()):
        assert play(ins, policy)[0] == [[[0.0], [3.0], [1.0]], [[3.0], [1.0], [0.0]]]


def test_every_job_of_a_port_is_served_for_itself() -> None:
    # Two jobs at port 0 in slot 1, each wants 3 of 4 (3.4).
    ins = reward([[3.0], [1.0]], [[4.0]], [[1, 1], [2, 1]])
    # Channels: port 0 job 1, port 0 job 2, port 1. DRF: shares 3/4, 3/4, 1/4.
    assert play(ins, BinPacking())[0] == [[[3.0], [0.0], [1.0]], [[3.0], [1.0], [0.0]]]
    assert play(ins, DRF())[0] == [[[3.0], [0.0], [1.0]], [[3.0], [0.0], [1.0]]]


# ---- FAIRNESS ----------------------------------------------------------------------------------


def test_shares_are_in_proportion_to_requests() -> None:
    # 6 units, requests 2 + 4 + 6 = 12: shares 1, 2, 3. Port 2 has no job: its 3 stay unused.
    ins = reward([[2.0], [4.0], [6.0]], [[6.0]], [[1, 1, 0]])
    assert play(ins, Fairness())[0] == [[[1.0], [2.0], [0.0]]]
    assert proportional_shares(ins.cluster).tolist() == [[1.0], [2.0], [3.0]]
    # Among those that came the sum is 6, so each has all it requests.
    assert play(ins, Fairness(arrived_only=True))[0] == [[[2.0], [4.0], [0.0]]]


def test_nobody_gets_more_than_requested() -> None:
    # Shares 20 * 2/5 = 8 and 12; at most 2 and 3 are taken. Device 1: no requests at all.
    ins = reward([[2.0, 0.0], [3.0, 0.0]], [[20.0, 5.0]], [[1, 1]])
    assert play(ins, Fairness())[0] == [[[2.0, 0.0], [3.0, 0.0]]]


def test_jobs_of_a_port_have_shares_of_their_own() -> None:
    # Up to two jobs at port 0: requests 1 + 1 + 2 = 4 on 2 units: 1/2, 1/2, 1.
    ins = reward([[1.0], [2.0]], [[2.0]], [[1, 1], [2, 1]])
    assert play(ins, Fairness())[0] == [[[0.5], [0.0], [1.0]], [[0.5], [0.5], [1.0]]]


# ---- the fixed decision is no upper bound ------------------------------------------------------


def test_two_ports_alternating_on_one_unit() -> None:
    # f(y) = y, no overhead. A fixed (y, 1 - y) earns y in half of the T = 10 slots and 1 - y in
    # the others: T/2 = 5 whatever y is. Who sees x(t) earns 1 in every slot: regret 5 - 10.
    ins = reward([[1.0], [1.0]], [[1.0]], [[1, 0], [0, 1]] * 5)
    assert ins.weights.tolist() == [5, 5]
    fixed = 5.0
    for policy in (Fairness(arrived_only=True), DRF(), BinPacking(), Spreading()):
        assert fixed - objective(ins, policy) == -5.0
    # With the shares of all ports, FAIRNESS is this fixed decision.
    assert fixed - objective(ins, Fairness()) == 0.0
    for name in policy_names("reward"):
        if name.startswith("ogasched"):
            assert objective(ins, find_policy("reward", name)()) <= 10.0


# ---- gangs (3.5) -------------------------------------------------------------------------------

TWO_TASKS = {"components": [[[1.0], [1.0]], [[1.0]]], "minimum_running": [2, 0]}


def test_a_gang_that_does_not_run_gives_back_what_it_took() -> None:
    # Port 0: two components of 1 unit each, both have to run. 1.5 units: the second component
    # gets 0.5, too little, so port 1, served next, has its 1.
    ins = reward([[2.0], [1.0]], [[1.5]], [[1, 1]], **TWO_TASKS)
    for policy in (BinPacking(), Spreading()):
        assert play(ins, policy)[0] == [[[0.0], [0.0], [1.0]]]
        assert objective(ins, policy) == 1.0
    # DRF: shares 2/1.5 and 1/1.5, port 1 first; then 0.5 is left, of no use to the gang.
    assert play(ins, DRF())[0] == [[[0.0], [0.0], [1.0]]]
    # FAIRNESS: half a unit each; no component runs, and what the gang does not get stays unused.
    assert play(ins, Fairness())[0] == [[[0.0], [0.0], [0.5]]]
    assert objective(ins, Fairness()) == 0.5


def test_a_gang_with_enough_running_keeps_the_rest() -> None:
    # One of two components has to run; the other keeps its 0.5 and earns it.
    more: dict[str, Any] = {**TWO_TASKS, "minimum_running": [1, 0]}
    ins = reward([[2.0], [1.0]], [[1.5]], [[1, 1]], **more)
    assert play(ins, BinPacking())[0] == [[[1.0], [0.5], [0.0]]]
    assert objective(ins, BinPacking()) == 1.5


def test_a_component_may_run_across_servers() -> None:
    ins = reward([[2.0]], [[1.5], [0.5]], [[1]], components=[[[1.0], [1.0]]], minimum_running=[2])
    # Channels: server 0 with components 0, 1; server 1 with components 0, 1.
    assert play(ins, DRF())[0] == [[[1.0], [0.5], [0.0], [0.5]]]
    assert objective(ins, DRF()) == 2.0


@pytest.mark.parametrize("name", policy_names("reward"))
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_nothing_is_spent_on_a_gang_that_does_not_run(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_reward(rng, gangs=True, most=2, zeros=True, contention=float(rng.uniform(1, 4)))
    _, trace = play(ins, find_policy("reward", name)())
    judge = RewardFunction(ins.cluster)
    for y in trace.schedule.allocations:
        something = np.zeros(len(ins.cluster.copy_port), dtype=bool)
        np.logical_or.at(something, ins.cluster.lane_copy[ins.cluster.lane], y.any(axis=1))
        assert np.array_equal(something, judge(y).served)
