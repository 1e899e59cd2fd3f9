"""RRH against hand-solved cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InputError
from models.sigmoid import Sigmoid
from models.utility import score
from online.utility.list_schedule import list_completions
from online.utility.requests import fixed_workers
from online.utility.rrh import RRH
from tests.models.utility.small import constant, instance, job, random_instance
from tests.online.utility.test_baselines import numbers, simulate

DEADLINE_11 = Sigmoid(priority=10.0, decay=5.0, target=11.0)


def test_list_schedule() -> None:
    # From slot 5: job 0 (share 0.6, 2 slots) and job 2 (0.4, 3 slots) start; job 1 (0.6, 1 slot)
    # has room again when job 0 has ended, in slot 7.
    use = np.array([[0.6], [0.6], [0.4]])
    assert list_completions(use, np.array([2, 1, 3]), 5).tolist() == [6, 7, 7]


def test_list_schedule_keeps_the_order_among_those_that_fit() -> None:
    # Job 1 does not fit beside job 0, in the second pool; job 2 does and goes first.
    use = np.array([[0.1, 0.7], [0.1, 0.7], [0.1, 0.3]])
    assert list_completions(use, np.array([3, 1, 1]), 0).tolist() == [2, 3, 0]


def test_rrh_pauses_a_job_for_a_more_valuable_one() -> None:
    # One place. a is worth 1 at any time and runs from slot 0. In slot 2 b arrives, worth
    # 100 / (1 + e^(5 (1 - 3))) = 99.9955 if it ends in slot 3, and nothing soon after.
    # Rewards in slot 2 (alpha 0.5, both fill the cluster, d = 1):
    #   a: 8 slots left, PV 1/1.08; b would lose 99.99 in 8 slots: (0.5 * 0.93 - 0.5 * 99.99)/8 < 0
    #   b: 2 slots, PV 99.99/1.02, a loses nothing: 0.5 * 98.0 / 2 = 24.5
    # So a pauses in slots 2 and 3 and resumes with the same number.
    ins = instance(
        [
            job("a", work=10, utility=constant(1.0), requested_workers=1),
            job("b", arrival=2, work=2, utility=Sigmoid(priority=100.0, decay=5.0, target=3.0)),
        ],
        slots=14,
    )
    trace = simulate(RRH(), ins)
    assert numbers(ins, trace.schedule).tolist() == [
        [1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0],
        [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    paused = [(row["slot"], row["paused"]) for row in trace.decisions if row["event"] == "slot"]
    assert paused == [(0, 0), (2, 1), (4, 0), (12, 0)]


def two_jobs_of_slot_0() -> list:
    # a: 10 slots, worth 10/(1 + e^(5 (9 - 11))) = 10/(1 + e^-10) alone and, ending in slot 11,
    # 10/2 = 5. b: 2 slots, worth 4 at any time.
    return [
        job("a", work=10, utility=DEADLINE_11),
        job("b", work=2, utility=constant(4.0)),
    ]


def test_rrh_rejects_a_job_that_delays_a_valuable_one() -> None:
    # With alpha = 1 the candidate schedule goes by present value per slot:
    # a 10/1.1/10 = 0.91, b 4/1.02/2 = 1.96: b first. b brings 4 and costs a 5: gain -1, rejected.
    ins = instance(two_jobs_of_slot_0(), slots=20)
    trace = simulate(RRH(alpha=1.0), ins)
    assert trace.schedule.admitted.tolist() == [True, False]
    gains = trace.decisions[2]["gains"]
    alone = 10 / (1 + np.exp(-10.0))
    assert gains == pytest.approx([alone, 4 + 5 - alone])
    assert score(ins, trace.schedule).objective == pytest.approx(alone)


def test_rrh_counts_the_cost_in_the_order_too() -> None:
    # With alpha = 0.5, b's cost (a loses 5) puts it behind: (0.5 * 3.92 - 0.5 * 5)/2 = -0.27
    # against a's 0.5 * 9.09/10 = 0.45. b follows a, delays nobody, brings 4 and is admitted.
    ins = instance(two_jobs_of_slot_0(), slots=20)
    trace = simulate(RRH(), ins)
    assert trace.schedule.admitted.tolist() == [True, True]
    assert score(ins, trace.schedule).completion.tolist() == [9, 11]


@pytest.mark.parametrize(("threshold", "admitted"), [(-1.1, True), (-0.9, False), (5.1, False)])
def test_rrh_threshold(threshold: float, admitted: bool) -> None:
    # b's gain is -1, as above; a's is 10, above all these thresholds.
    ins = instance(two_jobs_of_slot_0(), slots=20)
    trace = simulate(RRH(alpha=1.0, threshold=threshold), ins)
    assert trace.schedule.admitted.tolist() == [True, admitted]


def test_rrh_without_preemption() -> None:
    # The jobs of the first test above. b can only follow a, in slots 10 and 11, where it is worth
    # 100 / (1 + e^35) more than nothing; a never pauses.
    ins = instance(
        [
            job("a", work=10, utility=constant(1.0), requested_workers=1),
            job("b", arrival=2, work=2, utility=Sigmoid(priority=100.0, decay=5.0, target=3.0)),
        ],
        slots=14,
    )
    trace = simulate(RRH(preempt=False), ins)
    assert numbers(ins, trace.schedule).tolist() == [[1] * 10 + [0] * 4, [0] * 10 + [1, 1, 0, 0]]
    assert sum(row.get("paused", 0) for row in trace.decisions) == 0
    gain = [row["gains"] for row in trace.decisions if row["slot"] == 2 and "gains" in row]
    assert gain == [pytest.approx([100 / (1 + np.exp(5.0 * (9 - 3)))])]


def test_rrh_admits_in_the_order_of_the_queue() -> None:
    # Behind a in the candidate schedule, b delays nobody and brings 4. What runs is chosen by
    # reward all the same, b first: a ends in slot 11 and earns 5.
    ins = instance(two_jobs_of_slot_0(), slots=20)
    trace = simulate(RRH(alpha=1.0, queue="arrival"), ins)
    assert trace.decisions[2]["gains"] == pytest.approx([10 / (1 + np.exp(-10.0)), 4.0])
    assert score(ins, trace.schedule).objective == pytest.approx(9.0)


def test_rrh_rejects_what_cannot_end_in_time() -> None:
    # b needs 3 slots and arrives when 2 are left; c never fits.
    ins = instance(
        [
            job("a", work=1),
            job("b", arrival=2, work=3),
            job("c", arrival=2, worker=[2.0], ps=[2.0]),
        ]
    )
    trace = simulate(RRH(), ins)
    assert trace.schedule.admitted.tolist() == [True, False, False]
    assert [row["gains"] for row in trace.decisions if row.get("gains")] == [[1.0], [None, None]]


def test_rrh_new_job_takes_idle_places_before_those_of_others() -> None:
    # Two servers of one place. Rewards put short jobs first: slot 0 has short on server 0 and
    # long on server 1; slot 1 has next on server 0. In slot 2 urgent, worth more than long,
    # comes when it is the turn of server 1, where long runs. Server 0 is idle: long stays.
    ins = instance(
        [
            job("long", work=4),
            job("short", work=1),
            job("next", arrival=1, work=1),
            job("urgent", arrival=2, work=1, utility=constant(50.0)),
        ],
        worker_servers=[[1.0], [1.0]],
        ps_servers=[[9.0]],
    )
    rows = simulate(RRH(), ins).schedule.workers.tolist()
    assert rows == [
        *([0, slot, 1, 1] for slot in range(4)),
        [1, 0, 0, 1],
        [2, 1, 0, 1],
        [3, 2, 0, 1],
    ]


def test_rrh_displaced_job_moves_if_it_fits_elsewhere() -> None:
    # Servers of 2 and 1 Gbps. small (1 Gbps) runs on server 0. wide needs 2 Gbps on one server
    # and is worth more: it takes server 0, and small goes on on server 1.
    ins = instance(
        [
            job("small", work=3),
            job("wide", arrival=1, work=2, worker=[2.0], ps=[2.0], utility=constant(50.0)),
        ],
        worker_servers=[[2.0], [1.0]],
        ps_servers=[[9.0]],
    )
    rows = simulate(RRH(), ins).schedule.workers.tolist()
    assert rows == [[0, 0, 0, 1], [0, 1, 1, 1], [0, 2, 1, 1], [1, 1, 0, 1], [1, 2, 0, 1]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": np.nan}, "rrh: threshold nan is not finite"),
        ({"alpha": 1.1}, r"rrh: alpha 1.1 is not in \[0, 1\]"),
        ({"queue": "random"}, "rrh: queue 'random' is not 'reward' or 'arrival'"),
        ({"discount": -0.1}, "rrh: discount -0.1 is not a finite number >= 0"),
    ],
)
def test_rrh_refuses_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RRH(**parameters)


@given(
    seed=st.integers(0, 2**32 - 1), alpha=st.sampled_from([0.0, 0.5, 1.0]), preempt=st.booleans()
)
def test_rrh_runs_with_the_fixed_number_or_not_at_all(
    seed: int, alpha: float, preempt: bool
) -> None:
    ins = random_instance(np.random.default_rng(seed), jobs=6, slots=8)
    n = numbers(ins, simulate(RRH(alpha=alpha, preempt=preempt), ins).schedule)
    for record in ins.jobs:
        assert set(n[record.index]) <= {0, fixed_workers(record, ins.cluster)}
        if not preempt:  # in one piece
            assert (np.diff(np.flatnonzero(n[record.index])) == 1).all()
