"""OASiS in other readings of (23)-(26), and with estimates, worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.errors import InputError
from models.sigmoid import Sigmoid
from models.utility import UtilityInstance, score
from online.registry import build_policy
from online.run import run
from online.utility.oasis import OASiS
from online.utility.price_bounds import PriceBounds
from tests.models.utility.small import constant, instance, job


def test_smallest_utilities_by_hand() -> None:
    # As in test_price_bounds_by_hand, but job a has the sigmoid 8 / (1 + e^(delay - 2)): alone it
    # has a delay of 2 and earns 4, as at its target; in the last slot, delay 3, 8 / (1 + e).
    # a: w = 1, s = 2, W = 6. b: w = 2, s = 4, W = 2, worth 3 always.
    def case(target: float) -> UtilityInstance:
        sigmoid = Sigmoid(priority=8.0, decay=1.0, target=target)
        return instance(
            [
                job("a", chunks=2, work=6, ps=[2.0], utility=sigmoid),
                job("b", worker=[2.0], ps=[4.0], work=2, utility=constant(3.0)),
            ],
            worker_servers=[[4.0]],
            ps_servers=[[4.0]],
        )

    last = 8.0 / (1.0 + np.e)
    # 1/eta1 = 4/16, 1/eta2 = 8/16 (b has the least work times demand on either side).
    lowest: list[tuple[dict[str, Any], float, float]] = [
        ({}, last / 6 / 16, last / 12 / 8),
        ({"eta": False}, last / 6, last / 12),
        ({"eta": False, "smallest": "target"}, 4 / 6, 4 / 12),
        # No utility below 0.5625 * 4, the largest.
        ({"eta": False, "floor": 0.5625}, 2.25 / 6, 2.25 / 12),
    ]
    for reading, first, second in lowest:
        bounds = PriceBounds.from_instance(case(2.0), units="raw", **reading)
        assert (bounds.L1, bounds.L2) == pytest.approx((first, second))
        assert (bounds.U1[0], bounds.U2[0]) == pytest.approx((4.0, 2.0))
    # A target after the horizon is no later than the horizon.
    beyond = {"units": "raw", "eta": False}
    late, printed = (
        PriceBounds.from_instance(case(9.0), smallest=smallest, **beyond).L1
        for smallest in ("target", "horizon")
    )
    assert late == printed


def test_without_eta_a_poor_job_does_not_take_the_place_of_a_rich_one() -> None:
    # One place, one slot. As printed L = 1/4 on both sides: poor pays 1/2, is admitted, and
    # rich finds no place. Without 1/(4 eta) L = 1: poor would pay 2 and is rejected, rich pays 2.
    ins = instance(
        [job("poor", utility=constant(1.0)), job("rich", utility=constant(10.0))], slots=1
    )
    for eta, payoffs in ((True, [0.5, 0.0]), (False, [0.0, 8.0])):
        trace = run(ins, build_policy(OASiS, ins, eta=eta), np.random.default_rng(0))
        found = [row["payoff"] for row in trace.decisions if row["event"] == "arrival"]
        assert found == pytest.approx(payoffs)
        assert score(ins, trace.schedule).objective == (1.0 if eta else 10.0)


def test_estimates_change_the_price_of_what_is_taken() -> None:
    # Two places, one slot: 1/eta = 1/2, L = 1/8. At its arrival, a is all that is known: U = 1, it
    # pays 2/8. Then U = 100, and half of each side is taken: a price of 1/8 * 800^(1/2), twice.
    ins = instance(
        [job("a", utility=constant(1.0)), job("b", utility=constant(100.0))],
        slots=1,
        worker_servers=[[2.0]],
        ps_servers=[[2.0]],
    )
    policy = build_policy(OASiS, ins, estimated=True, units="raw")
    assert policy.blind and not build_policy(OASiS, ins).blind
    trace = run(ins, policy, np.random.default_rng(0))
    found = [row["payoff"] for row in trace.decisions if row["event"] == "arrival"]
    assert found == pytest.approx([0.75, 100.0 - np.sqrt(800.0) / 4.0])
    assert policy.evidence(ins, trace) is None


def test_either_of_the_two_is_mis_estimated() -> None:
    bounds = PriceBounds(np.array([8.0]), np.array([4.0]), 1.0, 1.0)
    less = bounds.scaled(2.0, "L")
    assert (less.L1, less.L2, less.U1[0], less.U2[0]) == (0.5, 0.5, 8.0, 4.0)
    more = bounds.scaled(0.1, "L")
    assert 7.9 < more.L1 < 8.0 and 3.9 < more.L2 < 4.0
    ins = instance([job("a", utility=constant(1.0))])
    policy = build_policy(OASiS, ins, scale=2.0, moved="L")
    exact = build_policy(OASiS, ins)
    assert isinstance(policy, OASiS) and isinstance(exact, OASiS)
    assert policy.bounds.L1 == exact.bounds.L1 / 2


@pytest.mark.parametrize(
    ("reading", "want"),
    [
        ({"units": "gb"}, "parameter 'units': 'gb': want 'normalised' or 'raw'"),
        ({"smallest": "best"}, "parameter 'smallest': 'best': want 'horizon' or 'target'"),
        ({"floor": 2.0}, r"price bounds: floor 2.0 is not in \[0, 1\]"),
        ({"moved": "V"}, "parameter 'moved': 'V': want 'U' or 'L'"),
    ],
)
def test_unknown_readings_are_refused(reading: dict[str, Any], want: str) -> None:
    with pytest.raises(InputError, match=want):
        build_policy(OASiS, instance([job("a")]), **reading)


@pytest.mark.parametrize("reading", [{"units": "gb"}, {"smallest": "best"}, {"floor": 2.0}])
def test_price_bounds_refuse_them_too(reading: dict[str, Any]) -> None:
    ins = instance([job("a")])
    with pytest.raises(InputError, match="price bounds: "):
        PriceBounds.from_jobs(ins.cluster, ins.jobs, **reading)
