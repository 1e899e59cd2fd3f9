"""The reward (5) and its scorer: hand-made decisions, one broken constraint at a time."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InputError
from models.reward import RewardInstance, RewardSchedule, ScoreStream, score
from models.reward.files import RewardFile, Utilities
from models.reward.reward import slot_reward
from models.reward.utilities import KINDS, value
from tests.models.reward.cases import random_reward


def instance(**changes: Any) -> RewardInstance:
    """Two ports, two servers, two device types; both ports reach server 0, port 1 server 1.

    Channels: 0 = (port 0, server 0), 1 = (port 1, server 0), 2 = (port 1, server 1).
    """
    fields: dict[str, Any] = {
        "name": "small",
        "slots": 3,
        "devices": ["cpu", "gpu"],
        "capacities": [[4.0, 2.0], [8.0, 1.0]],
        "requests": [[3.0, 1.0], [3.0, 3.0]],
        "edges": [(0, 0), (1, 0), (1, 1)],
        "utilities": Utilities(
            kind=[["linear", "log"], ["poly", "reciprocal"]], alpha=[[1.0, 2.0], [2.0, 0.5]]
        ),
        "beta": [0.5, 0.25],
        "arrivals": [[1, 1], [0, 1], [1, 0]],
    }
    return RewardInstance.from_file(
        RewardFile(format="1", problem="reward", **{**fields, **changes})
    )


Y = np.array([[2.0, 1.0], [1.0, 0.0], [3.0, 0.5]])
# Port 0: gain 2 * 1 + 2 ln 2; penalty max(0.5 * 2, 0.25 * 1) = 1.
FIRST = 2.0 + 2.0 * math.log(2.0) - 1.0
# Port 1: gain 1 (linear cpu on server 0) + 2 sqrt(4) - 2 = 2 (poly cpu on server 1)
# + 1/0.5 - 1/(0.5 + 0.5) = 1 (reciprocal gpu); penalty max(0.5 * (1 + 3), 0.25 * 0.5) = 2.
SECOND = 1.0 + 2.0 + 1.0 - 2.0


def test_reward_by_hand() -> None:
    cluster = instance().cluster
    total, parts = slot_reward(cluster, Y, np.array([1, 1]))
    assert parts.gain == pytest.approx([2.0 + 2.0 * math.log(2.0), 4.0])
    assert parts.penalty == pytest.approx([1.0, 2.0])
    assert parts.served.tolist() == [True, True]
    assert total == pytest.approx(FIRST + SECOND)
    alone, parts = slot_reward(cluster, Y, np.array([0, 1]))
    assert alone == pytest.approx(SECOND)
    assert (parts.gain[0], parts.penalty[0], parts.served[0]) == (0.0, 0.0, False)


def test_rewards_may_be_negative() -> None:
    # 1/4 - 1/(4 + 3) = 3/28 of gain, 1 * 3 of overhead.
    ins = instance(
        utilities=Utilities(kind="reciprocal", alpha=[[4.0, 1.0], [1.0, 1.0]]), beta=[1.0, 0.0]
    )
    y = np.array([[3.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert slot_reward(ins.cluster, y, np.array([1, 0]))[0] == pytest.approx(3 / 28 - 3.0)


def test_score_of_a_fixed_decision() -> None:
    ins = instance()
    result = score(ins, RewardSchedule.constant(ins, Y))
    assert result.violations == ()
    # Jobs: (0, port 0), (0, port 1), (1, port 1), (2, port 0).
    assert result.value == pytest.approx([FIRST, SECOND, SECOND, FIRST])
    assert result.completion.tolist() == [0, 0, 1, 2]
    assert result.objective == pytest.approx(2 * FIRST + 2 * SECOND)


def test_score_of_a_decision_that_changes() -> None:
    # Nothing in slot 0 (before the first allocation), Y in slot 1, only port 1 in slot 2.
    ins = instance()
    later = np.where(np.arange(3)[:, None] == 0, 0.0, Y)
    result = score(ins, RewardSchedule.build(ins, [1, 2], np.stack([Y, later])))
    assert result.value == pytest.approx([0.0, 0.0, SECOND, 0.0])
    assert result.completion.tolist() == [-1, -1, 1, -1]
    assert result.objective == pytest.approx(SECOND)


def test_several_jobs_of_a_port() -> None:
    # 3.4: port 0 may have two jobs, lanes 0 and 1; copy 2 counts only in slot 0.
    # Channels: (lane 0, server 0), (lane 1, server 0), (lane 2, server 0), (lane 2, server 1).
    ins = instance(arrivals=[[2, 0], [1, 1], [0, 0]])
    y = np.array([[2.0, 1.0], [1.0, 0.0], [1.0, 0.0], [3.0, 0.5]])
    copy = 1.0 - 0.5  # linear, 1 cpu: gain 1, penalty 0.5
    result = score(ins, RewardSchedule.constant(ins, y))
    assert result.violations == ()
    assert result.value == pytest.approx([FIRST, copy, FIRST, SECOND])
    assert result.completion.tolist() == [0, 0, 1, 1]


def gang(least: int) -> RewardInstance:
    """3.5: the job of port 1 is a master (1 cpu, 1 gpu) and a worker (2 cpu, 2 gpu)."""
    return instance(
        components=[[[3.0, 1.0]], [[1.0, 1.0], [2.0, 2.0]]],
        minimum_running=[0, least],
        capacities=[[9.0, 9.0], [8.0, 9.0]],
        arrivals=[[0, 1]] * 3,
    )


def test_gang_rule_by_hand() -> None:
    # Lanes: 0 = port 0, 1 = master, 2 = worker. Channels sorted by server: (0, 0), (1, 0),
    # (2, 0), (1, 1), (2, 1). The master has its 1 cpu and 1 gpu spread over both servers; the
    # worker has 2 cpu but only 1.5 of its 2 gpu.
    y = np.array([[0.0, 0.0], [0.5, 0.5], [2.0, 1.5], [0.5, 0.5], [0.0, 0.0]])
    # Gain: linear cpu on server 0: 2.5; log gpu: 2 ln 1.5 + 2 ln 2.5; on server 1: poly cpu
    # 2 sqrt 1.5 - 2, reciprocal gpu 2 - 1/(0.5 + 0.5) = 1. Overhead over both components:
    # max(0.5 * 3, 0.25 * 2.5) = 1.5.
    full = 2.5 + 2 * math.log(1.5) + 2 * math.log(2.5) + 2 * math.sqrt(1.5) - 2 + 1.0 - 1.5
    for least, reward in ((0, full), (1, full), (2, 0.0)):
        ins = gang(least)
        result = score(ins, RewardSchedule.constant(ins, y))
        assert result.violations == ()
        assert result.value == pytest.approx([reward] * 3), least
        assert result.completion.tolist() == ([0, 1, 2] if reward else [-1, -1, -1])


def test_a_component_runs_up_to_round_off() -> None:
    ins = gang(2)
    y = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    arrived = np.array([0, 1])
    whole = slot_reward(ins.cluster, y, arrived)[0]
    assert whole > 0
    assert slot_reward(ins.cluster, y * (1 - 5e-10), arrived)[0] == pytest.approx(whole)
    assert slot_reward(ins.cluster, y * (1 - 5e-9), arrived)[0] == 0.0


def add(y: np.ndarray) -> list[str]:
    return [str(violation) for violation in ScoreStream(instance()).add(1, y)]


def test_each_violation_is_named() -> None:
    assert add(Y) == []
    more = Y + np.array([[0.0, 0.5], [0.0, 0.0], [0.0, 0.0]])
    assert add(more) == ["(3) port 0 is allocated 1.5 gpu on server 0 in slot 1, not 0 to 1"]
    less = Y - np.array([[0.0, 0.0], [0.0, 0.0], [3.5, 0.0]])
    assert add(less) == ["(3) port 1 is allocated -0.5 cpu on server 1 in slot 1, not 0 to 3"]
    full = Y + np.array([[0.0, 0.0], [1.5, 0.0], [0.0, 1.0]])
    assert add(full) == [
        "(4) server 0 allocates 4.5 of 4 cpu in slot 1",
        "(4) server 1 allocates 1.5 of 1 gpu in slot 1",
    ]
    where = ScoreStream(instance()).add(1, full)[1]
    assert (where.equation, where.slot, where.server, where.job) == ("(4)", 1, 1, None)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e308])
def test_what_is_no_number_or_too_large_is_a_violation(number: float) -> None:
    y = Y.copy()
    y[:] = number
    scorer = ScoreStream(instance())
    assert "(3) port 0 is allocated" in str(scorer.add(0, y)[0])
    assert np.isfinite(scorer.result().objective)


def test_copies_and_components_are_named() -> None:
    ins = instance(
        arrivals=[[0, 2]] * 3,
        components=[[[3.0, 1.0]], [[1.0, 1.0], [2.0, 2.0]]],
        minimum_running=[0, 2],
    )
    y = np.zeros(ins.cluster.shape)
    # Lanes: port 0; port 1: job 1 components 0, 1; job 2 components 0, 1. The last channel is
    # the last lane on server 1.
    y[-1, 0] = 2.25
    (violation,) = ScoreStream(ins).add(0, y)
    assert "port 1, job 2, component 1 is allocated 2.25 cpu on server 1" in violation.message


def test_tolerance_is_relative_from_1_upwards() -> None:
    ins = instance(requests=[[2e3, 1.0], [2e3, 3.0]], capacities=[[3e3, 2.0], [8.0, 1e-3]])
    y = np.zeros((3, 2))
    y[:, 0] = 2e3, 1e3, 0.0
    for factor, fine in ((1 + 5e-10, True), (1 + 5e-9, False)):
        assert (ScoreStream(ins).add(0, y * factor) == []) is fine
    small = np.zeros((3, 2))
    for extra, fine in ((5e-10, True), (5e-9, False)):
        small[2, 1] = 1e-3 + extra
        assert (ScoreStream(ins).add(0, small) == []) is fine
        assert (ScoreStream(ins).add(0, np.full((3, 2), -extra)) == []) is fine


def test_an_allocation_that_holds_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ins = instance()
    result = score(ins, RewardSchedule.constant(ins, Y + 10.0))
    # 6 entries of (3) and 4 of (4), in slot 0, though it holds in 3 slots.
    assert [v.equation for v in result.violations] == ["(3)"] * 6 + ["(4)"] * 4
    assert {v.slot for v in result.violations} == {0}
    # The package offers the function `score` under the name of the module.
    module = importlib.import_module("models.reward.score")
    monkeypatch.setattr(module, "_MOST_VIOLATIONS", 2)
    scorer = ScoreStream(ins)
    for slot in range(3):
        assert len(scorer.add(slot, Y + 10.0)) == 4
    assert [str(v) for v in scorer.result().violations[2:]] == [
        "(3), (4) 28 more are not named here"
    ]


def test_stream_takes_slots_in_order_and_of_the_right_shape() -> None:
    scorer = ScoreStream(instance())
    scorer.add(1, Y)
    for slot, stop in ((1, None), (0, None), (3, None), (2, 5), (2, 2)):
        with pytest.raises(InputError, match="not to come"):
            scorer.add(slot, Y, stop)
    with pytest.raises(InputError, match=r"shape \(2, 2\), not \(3, 2\)"):
        scorer.add(2, Y[:2])
    assert scorer.rewards == pytest.approx([0.0, SECOND, 0.0])
    assert scorer.gain == pytest.approx([0.0, 4.0, 0.0])
    assert scorer.penalty == pytest.approx([0.0, 2.0, 0.0])


# ---- against (5) written out, term by term ------------------------------------------------


def written_out(ins: RewardInstance, y: np.ndarray, slot: int) -> list[float]:
    """Rewards of the jobs of a slot, as (5), 3.4 and 3.5 say."""
    cluster, rewards = ins.cluster, []
    devices = range(len(cluster.devices))
    for port, jobs in enumerate(ins.arrivals[slot].tolist()):
        for number in range(1, jobs + 1):
            gain, totals, running = 0.0, [0.0] * len(cluster.devices), 0
            for lane in range(len(cluster.lane_port)):
                copy = cluster.lane_copy[lane]
                if (cluster.lane_port[lane], cluster.copy_number[copy]) != (port, number):
                    continue
                runs = True
                for k in devices:
                    got = 0.0
                    for c in np.flatnonzero(cluster.lane == lane):
                        r = cluster.server[c]
                        gain += float(value(cluster.kind[r, k], cluster.alpha[r, k], y[c, k]))
                        got += y[c, k]
                    totals[k] += got
                    runs &= bool(got >= cluster.lane_request[lane, k] * (1 - 1e-9))
                running += runs
            penalty = max(b * total for b, total in zip(cluster.beta, totals, strict=True))
            starts = running >= cluster.minimum_running[port]
            rewards.append(gain - penalty if starts else 0.0)
    return rewards


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("gangs", [False, True])
@given(seed=st.integers(0, 10**6), full=st.booleans())
def test_the_scorer_agrees_with_5_written_out(
    most: int, gangs: bool, seed: int, full: bool
) -> None:
    rng = np.random.default_rng(seed)
    ins = random_reward(rng, ports=3, servers=3, slots=3, most=most, gangs=gangs, zeros=True)
    starts = [0, 2]
    y = rng.random((2, *ins.cluster.shape)) * ins.cluster.upper
    y[rng.random(y.shape) < 0.3] = 0.0
    if full:  # components run
        y[1] = ins.cluster.upper
    schedule = RewardSchedule.build(ins, starts, y)
    expected = [written_out(ins, y[t // 2], t) for t in range(3)]
    result = score(ins, schedule)
    assert result.value == pytest.approx([reward for slot in expected for reward in slot])
    assert result.objective == pytest.approx(sum(map(sum, expected)))
    over = {v.server for v in result.violations if v.slot == 2}
    cluster = ins.cluster
    for r in range(len(cluster.capacities)):
        used = y[1][cluster.server == r].sum(axis=0)
        assert (r in over) == bool((used > cluster.capacities[r] + 1e-8).any())


@given(seed=st.integers(0, 10**6), share=st.floats(0, 1))
def test_without_gangs_the_reward_is_concave(seed: int, share: float) -> None:
    # Proposition 1 (ii).
    rng = np.random.default_rng(seed)
    ins = random_reward(rng, most=2, gangs=False)
    a, b = rng.random((2, *ins.cluster.shape)) * ins.cluster.upper
    arrived = ins.arrivals[0]
    at = [slot_reward(ins.cluster, y, arrived)[0] for y in (a, b, share * a + (1 - share) * b)]
    assert at[2] >= share * at[0] + (1 - share) * at[1] - 1e-9 * (1 + abs(at[0]) + abs(at[1]))


def test_an_instance_without_edges_earns_nothing() -> None:
    ins = instance(edges=[])
    result = score(ins, RewardSchedule.constant(ins, np.zeros((0, 2))))
    assert (result.objective, result.violations) == (0.0, ())
    assert result.completion.tolist() == [-1] * 4


def test_kinds_of_all_sorts_are_in_the_random_cases() -> None:
    kinds = random_reward(np.random.default_rng(0)).cluster.kind
    assert set(np.unique(kinds)) == set(range(len(KINDS)))
