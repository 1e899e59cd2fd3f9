"""Price bounds of jobs that are worth next to nothing, or demand nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from models.sigmoid import Sigmoid
from models.utility import score
from online.run import run
from online.utility.oasis import OASiS
from online.utility.price_bounds import PriceBounds
from online.utility.prices import ExponentialPrices
from tests.models.utility.small import constant, instance, job


def test_a_job_worth_next_to_nothing_does_not_forbid_the_others() -> None:
    # "tiny" alone demands the GPU, so its U there is 1e-3. Shares of the mean server: big takes
    # (0, 1/4), tiny (1, 1/4); 1/eta1 = 1/4 / (2 * 4) = 1/32. With the floor of 1e-6 * 1e9 for
    # tiny, L1 would be 1/4 * 1/32 * 1000 / (5/4) = 6.25 and above that U: it is U / e instead.
    # ps: 1/eta2 = 1/4 / 4 = 1/16; L2 = 1/4 * 1/16 * 1000 / (1/4) = 62.5, below U2 = 1e9 / (1/4).
    jobs = [
        job("big", worker=[0.0, 1.0], ps=[0.0, 1.0], utility=constant(1e9)),
        job("tiny", worker=[1.0, 1.0], ps=[0.0, 1.0], utility=constant(1e-3)),
        job("nil", worker=[1.0, 1.0], ps=[0.0, 1.0], utility=constant(0.0)),
    ]
    ins = instance(
        jobs,
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[1.0, 4.0]],
        ps_servers=[[0.0, 4.0]],
    )
    bounds = PriceBounds.from_instance(ins)
    assert bounds.U1 == pytest.approx([1e-3, 4e9])
    assert bounds.U2 == pytest.approx([0.0, 4e9])
    assert pytest.approx((1e-3 / math.e, 62.5)) == (bounds.L1, bounds.L2)
    trace = run(ins, OASiS(bounds), np.random.default_rng(0))
    assert score(ins, trace.schedule).objective == pytest.approx(1e9)


def test_jobs_that_demand_nothing_on_a_side() -> None:
    # No instance file has them (B > 0), but the estimators take any jobs.
    ins = instance([job("a", utility=constant(3.0))])
    jobs = [replace(one, ps=np.zeros(1)) for one in ins.jobs]
    bounds = PriceBounds.from_jobs(ins.cluster, jobs)
    assert (bounds.U2.tolist(), bounds.L2) == ([0.0], 0.0)
    assert bounds.U1.tolist() == [3.0]
    assert bounds.L1 == pytest.approx(0.25 * 0.25 * 3.0)  # 1/eta1 = 1 / (4 * 1)
    assert ExponentialPrices(ins.cluster, bounds).prices.ps.max() == 0.0


def test_jobs_that_are_worth_next_to_nothing_make_no_price() -> None:
    # L of 1e-12 / (1 + e^700) would underflow.
    least = Sigmoid(priority=1e-12, decay=1e12, target=-1.0)
    for ins in (instance([job("a", utility=least)]), instance([])):
        bounds = PriceBounds.from_instance(ins)
        assert (bounds.U1.tolist(), bounds.U2.tolist()) == ([0.0], [0.0])
    low = instance([job("a", utility=Sigmoid(priority=1.0, decay=400.0, target=-1.0))])
    assert 1e-200 < PriceBounds.from_instance(low).U1[0] < 1e-170


def test_servers_without_what_the_jobs_need_have_no_price() -> None:
    # b / B of 1e-13 is round-off: the job runs without parameter servers.
    tiny = {"worker": [1e-12], "ps": [10.0], "utility": constant(3.0)}
    ins = instance([job("a", **tiny)], ps_servers=[[0.0]])
    bounds = PriceBounds.from_instance(ins)
    assert (bounds.U2.tolist(), bounds.L2) == ([0.0], 0.0)
    trace = run(ins, OASiS(bounds), np.random.default_rng(0))
    assert score(ins, trace.schedule).objective == pytest.approx(3.0)


def test_the_largest_price_over_the_least_is_a_number() -> None:
    # Job "nil" alone demands the GPU, and is worth 1 / (1 + e^700).
    nil = Sigmoid(priority=1.0, decay=700.0, target=-1.0)
    ins = instance(
        [
            job("big", worker=[0.0, 1.0], ps=[0.0, 1.0], utility=constant(1e11)),
            job("nil", worker=[1.0, 1.0], ps=[0.0, 1.0], utility=nil),
        ],
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[1.0, 4.0]],
        ps_servers=[[0.0, 4.0]],
    )
    bounds = PriceBounds.from_instance(ins)
    assert bounds.U1 == pytest.approx([4e11 * 1e-200, 4e11])
    assert np.isfinite(ExponentialPrices(ins.cluster, bounds).prices.worker).all()
