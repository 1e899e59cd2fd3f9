"""What crosses between the runner and an isolated policy: data as it was, and never code."""

from __future__ import annotations

import enum
import os
import pickle
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
import pytest

from models.sealing import sealed
from online.jct.events import Order, Plan
from online.messages import packed, pickled, unpacked
from online.policy import Decision
from online.segments import Segment

TYPES = (Decision, Segment, Order, Plan)


def through(value: Any) -> Any:
    return unpacked(packed(value, TYPES), TYPES)


def test_answers_arrive_as_they_were() -> None:
    for value in (None, True, 7, -(2**63), 10**30, 0.1, "x", (1, [2.5, ()]), {3: "a", "b": None}):
        assert through(value) == value
    plan = Plan((Order(0, 1, None), Order(1, 0, 2)))
    found = through(Decision({np.int64(3): plan}, wake_at=5, info={"gain": np.float64(0.1)}))
    assert found == Decision({3: plan}, 5, {"gain": 0.1})
    assert type(found.plans[3].orders[0]) is Order
    assert type(next(iter(found.plans))) is np.int64
    (segment,) = through((Segment(1, None, np.array([[0, 2]]), np.empty((0, 2), np.int64)),))
    assert segment.workers.tolist() == [[0, 2]] and segment.workers.dtype == np.int64
    assert segment.ps.shape == (0, 2) and (segment.start, segment.stop) == (1, None)
    given = np.array([[0.1, np.nan], [np.inf, -0.0]])
    assert through(Decision(allocation=given)).allocation.tobytes() == given.tobytes()


def test_what_does_not_come_through_keeps_its_name() -> None:
    class Odd:
        pass

    assert type(through([Odd()])[0]).__name__ == "Odd"
    assert type(through(np.array([Odd()]))).__name__ == "ndarray"  # and is none
    level = enum.IntEnum("level", ["LOW"])
    assert type(through(level.LOW)) is int


def test_no_answer_runs_anything_here(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "made"),)

    assert type(through(Evil())).__name__ == "Evil"
    for content in (pickle.dumps(Evil()), packed(7, ()) + b"7", b""):
        with pytest.raises(ValueError, match=r"."):
            unpacked(content, TYPES)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "data", [["type", 99, []], ["array", True, "O", [1], bytes(8)], ["other"], {"a": 1}]
)
def test_what_is_no_answer_is_refused(data: Any) -> None:
    with pytest.raises((ValueError, IndexError)):
        unpacked(msgspec.msgpack.encode(data), TYPES)


def test_what_policies_are_shown_stays_locked() -> None:
    view, array = pickle.loads(pickled((MappingProxyType({1: 2}), sealed(np.arange(3)))))
    assert view == {1: 2} and isinstance(view, MappingProxyType)
    assert array.tolist() == [0, 1, 2] and not array.flags.writeable
