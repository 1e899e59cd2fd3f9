"""Rows as text, and rows with their times."""

from __future__ import annotations

import pytest

from benchmarks.study.rows import Row, Timing, from_json_lines, join, to_json_lines
from models.errors import InputError

ROW = Row(
    problem="utility",
    instance="i",
    instance_hash="h",
    seed=3,
    load=0.5,
    policy="fifo",
    objective=4.0,
    completed=2,
    jobs=3,
    offline_lower=5.0,
    offline_upper=6.0,
    ratio_lower=1.25,
    ratio_upper=1.5,
    violations=0,
)
FAILED = Row("utility", "i", "h", None, None, "inf", error="run: killed: -inf")


def test_rows_come_back_as_they_were() -> None:
    odd = Row(
        problem="utility",
        instance="inf",
        instance_hash="h",
        seed=None,
        load=None,
        policy="-inf",
        objective=0.0,
        offline_lower=float("-inf"),
        ratio_upper=float("inf"),
        guarantee_fails="inf",
    )
    rows = [odd, ROW, FAILED]
    assert from_json_lines(to_json_lines(rows), Row) == rows
    timings = [Timing("h", "fifo", 7, 0.25, None), Timing("h", "drf", 7, None, 1.5)]
    assert from_json_lines(to_json_lines(timings), Timing) == timings


@pytest.mark.parametrize("text", ["{", "3", '{"problem": "utility"}', "null", "\n", '{"a": NaN}'])
def test_lines_that_are_no_rows(text: str) -> None:
    with pytest.raises(InputError, match=r"^line 1: no Row"):
        from_json_lines(text, Row)


def test_rows_without_times_have_none() -> None:
    first, second = join([ROW, FAILED], [Timing("h", "fifo", 7, 0.25, None)])
    assert (first["decisions"], first["policy_seconds"], first["offline_seconds"]) == (
        7,
        0.25,
        None,
    )
    assert (second["decisions"], second["policy_seconds"]) == (None, None)
    assert second["error"] == "run: killed: -inf"
