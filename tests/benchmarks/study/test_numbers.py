"""Numbers of frames by expressions, and slopes along a setting, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.study.numbers import expression, slopes_against, wide

FRAME = pd.DataFrame(
    [
        {"jobs": jobs, "seed": seed, "policy": policy, "cost": cost + seed}
        for jobs, costs in ((10, (2.0, 4.0)), (20, (3.0, 8.0)))
        for policy, cost in zip(("own", "other"), costs, strict=True)
        for seed in (0, 1)
    ]
)


def test_numbers_of_an_expression() -> None:
    told = expression(
        "cost / jobs",
        "{low:.2f} to {high:.2f} of {count}; {inside} within, {beyond} beyond, {most:g} at most",
        "policy == 'own'",
        limit=0.2,
        most="cost.max()",
    )
    found, words = told(FRAME)
    assert found.tolist() == pytest.approx([0.2, 0.3, 0.15, 0.2])
    assert words == "0.15 to 0.30 of 4; 3 within, 1 beyond, 4 at most"


def test_rows_of_several_frames_that_agree_count_once() -> None:
    told = expression("cost", "{count}", once=("jobs", "seed", "policy"))
    assert told(FRAME, FRAME)[1] == "8"
    assert expression("cost", "{count}")(FRAME, FRAME)[1] == "16"


def test_means_of_groups() -> None:
    found, words = expression("cost", "{low:g} to {high:g}", means=["policy", "jobs"])(FRAME)
    assert found.to_dict() == {
        ("other", 10): 4.5,
        ("other", 20): 8.5,
        ("own", 10): 2.5,
        ("own", 20): 3.5,
    }
    assert words == "2.5 to 8.5"


def test_slopes_against_a_setting() -> None:
    def table(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
        return wide(frame, "cost", varied)

    words = "{means:.1f}, slope {slope} per 100"
    values, text = slopes_against("jobs", table, ("own", "other"), words)(FRAME)
    assert {name: found.tolist() for name, found in values.items()} == {
        "own": pytest.approx([10.0, 10.0]),
        "other": pytest.approx([40.0, 40.0]),
    }
    assert (
        text == "own 2.5/3.5, slope 10 [10, 10] per 100; other 4.5/8.5, slope 40 [40, 40] per 100"
    )
    falls, _ = slopes_against("jobs", table, ("own",), words, sign=-1.0)(FRAME)
    np.testing.assert_allclose(falls["own"], [-10.0, -10.0])


def test_a_run_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="duplicate"):
        wide(pd.concat([FRAME, FRAME]), "cost", "jobs")
