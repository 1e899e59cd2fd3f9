"""OGASched: steps worked by hand, its gradient, feasibility, several jobs a port, gangs."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.reward import RewardInstance, score
from models.reward.reward import RewardFunction
from models.reward.utilities import derivative
from online.registry import find_policy, policy_names
from online.reward.gradient import gradient
from online.reward.layout import Layout
from online.reward.oga import OGASched, OGASchedAdaptive, OGASchedConstant, OGASchedLiteral
from online.reward.steps import Decay
from online.reward.theory import diameter, gradient_bound, regret_bound
from tests.models.reward.cases import random_reward
from tests.models.reward.small import play, reward

COMMITTING = [n for n in policy_names("reward") if issubclass(find_policy("reward", n), OGASched)]
every_rule = pytest.mark.parametrize("name", COMMITTING)


def amounts(ins: RewardInstance, policy: OGASched) -> list[list[float]]:
    """Allocations of one device, a list for each slot."""
    return [[row[0] for row in y] for y in play(ins, policy)[0]]


# ---- step by step ------------------------------------------------------------------------------


def test_constant_step_by_hand() -> None:
    # c = a = 1, f(y) = y / 2, no overhead, T = 4. D^2 = 2 * 1 * 1, G^2 = 1/4, so
    # eta = sqrt 2 / (1/2 * 2) = sqrt 2, and a slot with a job adds sqrt 2 / 2, up to 1.
    ins = reward([[1.0]], [[1.0]], [[1], [0], [1], [1]], alpha=0.5)
    half = round(math.sqrt(2) / 2, 9)
    assert amounts(ins, OGASchedConstant(start="zero")) == [[0.0], [half], [half], [1.0]]
    assert diameter(ins.cluster) == pytest.approx(math.sqrt(2))
    assert gradient_bound(ins.cluster) == pytest.approx(0.5)
    # (14): sqrt(2 * 4 * 1 * 1) sqrt(0 + 1 * 1/4)
    assert regret_bound(ins.cluster) == pytest.approx(math.sqrt(8) / 2)


def test_decaying_steps_by_hand() -> None:
    # f(y) = y: the steps themselves are added, 1/4 and 1/8 and 1/16.
    ins = reward([[1.0]], [[1.0]], [[1], [1], [1], [1]])
    policy = OGASched(0.25, 0.5, start="zero")
    assert amounts(ins, policy) == [[0.0], [0.25], [0.375], [0.4375]]
    _, trace = play(ins, policy)
    rows = [row for row in trace.decisions if row["event"] == "reveal"]
    assert [row["step"] for row in rows] == [0.25, 0.125, 0.0625, 0.03125]
    assert [row["gradient_square"] for row in rows] == [1.0] * 4
    # An idle slot uses up a step.
    idle = reward([[1.0]], [[1.0]], [[0], [1], [1]])
    assert amounts(idle, OGASched(0.25, 0.5, start="zero")) == [[0.0], [0.0], [0.125]]


def test_literal_step_has_a_fixed_length() -> None:
    # D / sqrt T = sqrt 2 / sqrt 8 = 1/2, whatever the slope 1/10 is; no step in an idle slot.
    arrivals = [[1], [0], [1]] + [[0]] * 5
    ins = reward([[1.0]], [[1.0]], arrivals, alpha=0.1)
    assert amounts(ins, OGASchedLiteral(start="zero"))[:4] == [[0.0], [0.5], [0.5], [1.0]]


def test_adaptive_step_by_hand() -> None:
    # a = c = 4, slope 2: D = sqrt 32, eta = sqrt(32 / (2 * 4 n)) = 2 / sqrt n after n gradients.
    # 0, then min(4, 4); with slope 2 the first move is 4: all at once.
    ins = reward([[4.0]], [[4.0]], [[1], [1]], alpha=2.0)
    policy = OGASchedAdaptive(start="zero")
    assert amounts(ins, policy) == [[0.0], [4.0]]
    _, trace = play(ins, policy)
    steps = [row["step"] for row in trace.decisions if row["event"] == "reveal"]
    assert steps == pytest.approx([2.0, 2.0 / math.sqrt(2.0)])


def test_the_overhead_pulls_at_the_dominant_device() -> None:
    # Two devices, y(1) = (2, 1): overheads 0.3 * 2 > 0.5 * 1, so the first is dominant.
    # f = ln(1 + y): the gradient is (1/3 - 0.3, 1/2); eta = 0.6.
    ins = reward([[2.0, 1.0]], [[2.0, 1.0]], [[1], [1]], kind="log", beta=[0.3, 0.5])
    policy = OGASched(0.6, 1.0)
    # 2 + 0.6 / 30 and 1 + 0.3 are both cut off at the request.
    assert play(ins, policy)[0] == [[[2.0, 1.0]]] * 2
    ins = reward([[2.0, 1.0]], [[2.0, 1.0]], [[1], [1]], kind="log", beta=[0.9, 0.5])
    # Now 1/3 - 0.9 on the first: 2 - 0.6 * 17/30 = 1.66.
    assert play(ins, policy)[0] == [[[2.0, 1.0]], [[1.66, 1.0]]]


def test_ports_without_jobs_give_way_by_projection() -> None:
    # Two ports share one unit, half each; only port 0 has a job. With eta = 0.2 it asks for
    # 0.7, and the nearest feasible point to (0.7, 0.5) is (0.6, 0.4); then (0.8, 0.4) to
    # (0.7, 0.3).
    ins = reward([[1.0], [1.0]], [[1.0]], [[1, 0]] * 3)
    assert amounts(ins, OGASched(0.2, 1.0)) == [[0.5, 0.5], [0.6, 0.4], [0.7, 0.3]]


def test_default_is_the_rule_of_the_experiments() -> None:
    rule = OGASched().rule
    assert isinstance(rule, Decay)
    assert (rule.initial, rule.factor) == (25.0, 0.9999)
    assert rule.size(2, 1.0) == 25.0 * 0.9999**2


@pytest.mark.parametrize("numbers", [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.0), (1.0, math.inf)])
def test_steps_are_positive(numbers: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="not positive numbers"):
        Decay(*numbers)


def test_start_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="start 'best'"):
        OGASched(start="best")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [OGASchedConstant, OGASchedLiteral, OGASchedAdaptive])
def test_nothing_to_learn_is_no_division_by_zero(kind: type[OGASched]) -> None:
    # No edges: no channels, no gradient.
    ins = reward([[1.0]], [[1.0]], [[1], [1]], edges=[])
    assert score(ins, play(ins, kind())[1].schedule).objective == 0.0


# ---- the gradient ------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), gangs=st.booleans())
@settings(max_examples=50)
def test_gradient_is_that_of_the_scorers_reward(seed: int, gangs: bool) -> None:
    rng = np.random.default_rng(seed)
    ins = random_reward(rng, most=2, gangs=gangs, beta=(0.0, 1.0))
    cluster = ins.cluster
    if gangs:  # the learner leaves the gang rule out, and so does the reward here
        object.__setattr__(cluster, "minimum_running", np.zeros_like(cluster.minimum_running))
    active = cluster.active(ins.arrivals[0])
    y = rng.uniform(0.1, 2.0, cluster.shape)
    found = np.zeros(cluster.shape)
    args = (cluster.kind, cluster.alpha, cluster.beta, Layout.of(cluster))
    square = gradient(y, active, *args, found)
    assert square == pytest.approx(float((found**2).sum()))
    judge, step = RewardFunction(cluster), 1e-5
    for c, k in np.argwhere(np.ones(cluster.shape)).tolist():
        values = []
        for sign in (1.0, -1.0):
            moved = y.copy()
            moved[c, k] += sign * step
            values.append(judge(moved).reward[active].sum())
        assert found[c, k] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-5)


def test_ties_go_to_the_first_device() -> None:
    # Both overheads are 1/2: a supergradient takes one of them, not both.
    ins = reward([[1.0, 1.0]], [[1.0, 1.0]], [[1]], beta=[0.5, 0.5])
    cluster, found = ins.cluster, np.zeros((1, 2))
    args = (cluster.kind, cluster.alpha, cluster.beta, Layout.of(cluster), found)
    assert gradient(np.ones((1, 2)), np.array([True]), *args) == 0.25 + 1.0
    assert found.tolist() == [[0.5, 1.0]]


@every_rule
def test_what_a_run_adds_up_is_what_its_allocations_say(name: str) -> None:
    # Gradients anew, with NumPy, from the allocations that were executed.
    ins = random_reward(np.random.default_rng(3), most=2, slots=20)
    policy = find_policy("reward", name)()
    assert isinstance(policy, OGASched)
    _, trace = play(ins, policy)
    steps = [row["step"] for row in trace.decisions if row["event"] == "reveal"]
    cluster, schedule = ins.cluster, trace.schedule
    copy = cluster.lane_copy[cluster.lane]
    moves, along, squares = np.zeros(cluster.shape), 0.0, 0.0
    for t, eta in enumerate(steps):
        y = schedule.allocations[np.searchsorted(schedule.starts, t, side="right") - 1]
        total = np.zeros((len(cluster.copy_port), cluster.shape[1]))
        np.add.at(total, copy, y)
        dominant = (cluster.beta * total).argmax(axis=1)[copy]
        rise = derivative(cluster.kind[cluster.server], cluster.alpha[cluster.server], y)
        rise[np.arange(len(copy)), dominant] -= cluster.beta[dominant]
        rise[~cluster.active(ins.arrivals[t])[copy]] = 0.0
        moves += eta * rise
        along += eta * float((rise * y).sum())
        squares += eta**2 * float((rise**2).sum())
    assert policy.path.moves == pytest.approx(moves)
    assert policy.path.along == pytest.approx(along)
    assert policy.path.squares == pytest.approx(squares)
    assert policy.path.start.tolist() == schedule.allocations[0].tolist()


# ---- feasibility -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", policy_names("reward"))
def test_whole_runs_stay_feasible(name: str) -> None:
    ins = random_reward(
        np.random.default_rng(11),
        ports=10,
        servers=30,
        devices=6,
        slots=500,
        contention=10.0,
        zeros=True,
    )
    cluster = ins.cluster
    _, trace = play(ins, find_policy("reward", name)())
    y = trace.schedule.allocations
    used = np.zeros((len(y), *cluster.capacities.shape))
    for n, one in enumerate(y):
        np.add.at(used[n], cluster.server, one)
    worst = max((used - cluster.capacities).max(), (y - cluster.upper).max(), (-y).max())
    assert worst <= 1e-9
    assert score(ins, trace.schedule).violations == ()


# ---- several jobs at a port (3.4) --------------------------------------------------------------


@pytest.mark.parametrize("name", policy_names("reward"))
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_jobs_of_a_port_are_virtual_ports(name: str, seed: int) -> None:
    # Port l with up to J_l jobs is J_l ports of one job each, copy j with a job if x_l >= j.
    ins = random_reward(np.random.default_rng(seed), ports=3, most=3, slots=15)
    cluster, file = ins.cluster, ins.file
    port, number = cluster.copy_port, cluster.copy_number
    assert len(port) > 3
    twin = reward(
        [file.requests[p] for p in port],
        file.capacities,
        (ins.arrivals[:, port] >= number).astype(int).tolist(),
        edges=[(m, r) for m, p in enumerate(port) for q, r in file.edges if q == p],
        beta=file.beta,
    )
    changed = msgspec.structs.replace(twin.file, utilities=file.utilities)
    twin = RewardInstance.from_file(changed)
    first, second = (play(one, find_policy("reward", name)()) for one in (ins, twin))
    # The program of a leader, which has a tolerance of 1e-4, knows which copies are alike.
    leads = name == "follow-the-leader"
    assert leads or first[0] == second[0]
    earned = [score(one, p[1].schedule).objective for one, p in ((ins, first), (twin, second))]
    assert earned[0] == pytest.approx(earned[1], rel=1e-3 if leads else 1e-6)


def test_copies_learn_from_the_slots_that_have_so_many_jobs() -> None:
    # One unit, up to two jobs that want 1 each: half each. Slot 0 has one job, slot 1 two.
    # eta = 0.2: copy 1 asks for 0.7 beside 0.5, so (0.6, 0.4); then both ask for 0.2 more, which
    # the projection takes back.
    ins = reward([[1.0]], [[1.0]], [[1], [2], [1]])
    assert amounts(ins, OGASched(0.2, 1.0)) == [[0.5, 0.5], [0.6, 0.4], [0.6, 0.4]]


# ---- gangs (3.5) -------------------------------------------------------------------------------

ONE_TASK = {"components": [[[1.0]], [[1.0]]], "minimum_running": [1, 1]}


def test_of_two_halves_of_gangs_one_is_made_whole() -> None:
    # Half a unit each runs nobody. Both lack 1/2: copy 0 comes first and gets the whole unit.
    # w, which learns, is not rounded: with eta = 0.2 and jobs at port 1 only, it moves to
    # (0.4, 0.6) as it would without gangs, and then copy 1 lacks less.
    ins = reward([[1.0], [1.0]], [[1.0]], [[0, 1], [0, 1], [1, 1]], **ONE_TASK)
    policy = OGASched(0.2, 1.0)
    allocations, trace = play(ins, policy)
    assert allocations == [[[1.0], [0.0]], [[0.0], [1.0]], [[0.0], [1.0]]]
    assert policy.path.start.tolist() == [[0.5], [0.5]]
    assert [row["gain"] for row in trace.decisions if row["event"] == "reveal"] == [0.0, 1.0, 1.0]
    drops = [row["gangs_dropped"] for row in trace.decisions if row["event"] == "commit"]
    assert drops == [1, 1, 1]


def test_gangs_that_run_keep_what_they_have() -> None:
    # Components of 1 and 2, both needed; shares of server 0 (1 unit) are 1/3 and 2/3, of server
    # 1 (3 units) all they want, 1 and 2: sums 4/3 and 8/3 are enough.
    task = {"components": [[[1.0], [2.0]]], "minimum_running": [2]}
    ins = reward([[3.0]], [[1.0], [3.0]], [[1]], **task)
    third = round(1 / 3, 9)
    assert amounts(ins, OGASched()) == [[third, round(2 / 3, 9), 1.0, 2.0]]
    # From nothing, a step of 1/2 leads to 1/2 everywhere: the component of 1 runs, that of 2
    # lacks 1. Nothing is free on server 0, but 2 on server 1.
    ins = reward([[3.0]], [[1.0], [3.0]], [[1], [1]], **task)
    policy = OGASched(0.5, 1.0, start="zero")
    assert amounts(ins, policy) == [[0.0] * 4, [0.5, 0.5, 0.5, 1.5]]


def test_only_as_many_components_as_needed_are_filled_up() -> None:
    # Three components of 1, two have to run; 2.4 units in shares of 0.8. The first two are
    # filled up to 1, and the third gets back of its 0.8 what is left, 0.4.
    task = {"components": [[[1.0], [1.0], [1.0]]], "minimum_running": [2]}
    ins = reward([[3.0]], [[2.4]], [[1]], **task)
    assert amounts(ins, OGASched()) == [[1.0, 1.0, 0.4]]
    # With 1.8 units only one can run: all is given up.
    ins = reward([[3.0]], [[1.8]], [[1]], **task)
    assert amounts(ins, OGASched()) == [[0.0, 0.0, 0.0]]
