"""The objective of ILP (4) of a schedule."""

from __future__ import annotations

import pytest

from models.jct import JctSchedule
from models.jct.flow import fractional_flow
from tests.models.jct.small import instance, job, server


def test_fractional_flow_by_hand() -> None:
    """Two chunks of 2 slots: one in slots 1 and 2, one in slots 1 and 4.

    (3) with n / (E D B) = 1 / (2 * 2): ((1 + 2) + (1 + 4)) / 4 = 2.
    """
    ins = instance([job("a", upload=[1], chunks=2, chunk_slots=2)], [server(2)])
    rows = [(0, 0, 0, 1, 3), (0, 0, 1, 1, 2), (0, 0, 1, 4, 5)]
    assert fractional_flow(ins, JctSchedule.build(ins, [False], rows, [])) == pytest.approx(2.0)
