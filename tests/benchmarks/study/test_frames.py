"""Parts of frames, and the tests of claims that are made of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.study.frames import (
    along,
    by_seed,
    end_of,
    exponents,
    expression,
    listed,
    moves_along,
    ratios_to,
    slopes_against,
    wide,
)
from benchmarks.study.tests import Above, Below, Best, Moves

SWEEP = pd.DataFrame(
    [
        {"jobs": jobs, "slots": slots, "seed": seed, "policy": policy, "reward": value + seed / 10}
        for jobs, slots in ((20, 5), (10, 5), (40, 5), (20, 9))
        for seed in range(4)
        for policy, value in (("a", 2.0 * jobs), ("b", 50.0 - jobs))
    ]
)


def test_along_takes_what_differs_from_the_base_in_one_setting() -> None:
    part = along(SWEEP, ("jobs", "slots"), ("jobs",))
    assert part["jobs"].unique().tolist() == [10, 20, 40]
    assert set(part["slots"]) == {5}
    assert along(SWEEP, ("jobs", "slots"), ("slots",))["slots"].unique().tolist() == [5, 9]
    assert len(along(SWEEP, ("jobs", "slots"), ("slots", "jobs"))) == len(SWEEP)


def test_ends_of_curves() -> None:
    frame = pd.DataFrame({"slot": [10, 3, 7, 5]})
    assert end_of(frame, "slot")["slot"].tolist() == [10]
    assert end_of(frame, "slot", 0.5)["slot"].tolist() == [5]
    assert end_of(frame, "slot", 0.51)["slot"].tolist() == [7]


def test_exponents_by_seed() -> None:
    frame = pd.DataFrame(
        [
            {"x": x, "seed": seed, "y": 3.0 * x**power}
            for seed, power in ((0, 2.0), (1, -0.5))
            for x in (1, 4, 2)
        ]
    )
    found = exponents(by_seed(frame, "y", "x"))
    assert found.tolist() == pytest.approx([2.0, -0.5])
    assert listed(pd.Series({1.0: 0.5, 2.5: 12345.6})) == "1: 0.5, 2.5: 1.235e+04"


def test_ratios_by_hand() -> None:
    frame = pd.DataFrame(
        {
            "x": 1,
            "seed": [0, 0, 0, 1, 1, 1],
            "policy": ["first", "one", "other"] * 2,
            "reward": [6.0, 3.0, -1.0, 8.0, 2.0, 16.0],
        }
    )
    found = ratios_to(frame, "first", ("one", "other"), x="x", y="reward")
    assert found["policy"].tolist() == ["one", "other"] * 2
    np.testing.assert_allclose(found["ratio"], [2.0, np.nan, 4.0, 0.5])


def test_moves_between_neighbours_or_ends() -> None:
    settings = ("jobs", "slots")
    rises = moves_along("reward", "reward", "jobs", ("a", "b"), settings)
    finding = rises.judge(SWEEP)
    assert finding.verdict == "not reproduced"
    assert finding.why == "not shown for b (10 to 20), b (20 to 40)"
    assert finding.measured == "jobs 10/20/40: a 20.15/40.15/80.15; b 40.15/30.15/10.15"
    assert rises.words == (
        "rise of the reward of each of a, b with jobs, between every two neighbouring values: "
        "95 % bootstrap interval > 0"
    )
    falls = moves_along("reward", "reward", "jobs", ("b",), settings, falls=True)
    assert falls.judge(SWEEP).verdict == "reproduced"
    # A dip in between does not matter to the ends.
    dip = SWEEP.assign(reward=SWEEP["reward"] - 60.0 * (SWEEP["jobs"] == 20))
    assert moves_along("r", "reward", "jobs", ("a",), settings).judge(dip).why == (
        "not shown for a (10 to 20)"
    )
    ends = moves_along("r", "reward", "jobs", ("a",), settings, ends=True)
    assert ends.judge(dip).verdict == "reproduced"
    upper = moves_along("r", "reward", "jobs", ("a",), settings, least=20, most=40)
    assert upper.judge(dip).verdict == "reproduced"
    assert "with jobs from 20 on up to 40," in upper.words


def test_best_among_some() -> None:
    frame = pd.DataFrame(
        [
            {"seed": seed, "policy": name, "y": value + seed}
            for seed in range(4)
            for name, value in (("a", 2.0), ("b", 1.0), ("c", 3.0))
        ]
    )
    assert Best("y", "a", "y").judge(frame).verdict == "not reproduced"
    among = Best("y", "a", "y", among=("b",))
    assert among.judge(frame).verdict == "reproduced"
    assert among.words.startswith("y: better than b (")


def test_without_numbers_there_is_nothing_to_judge() -> None:
    finding = Below("share", 1.0, lambda: ([], "no runs")).judge()
    assert (finding.verdict, finding.measured) == ("not testable", "no runs")


def test_above_and_why() -> None:
    reached = Above("hours", 2.0, lambda: ([2.0], "2 h"), or_equal=True, why=lambda _: "slow")
    assert reached.words == "hours at least 2"
    assert (reached.judge().verdict, reached.judge().why) == ("reproduced", "slow")
    assert Above("hours", 2.0, lambda: ([2.0, 3.0], "")).judge().verdict == "not reproduced"


def test_moves_names_what_fails_if_asked() -> None:
    def differences() -> tuple[dict[str, list[float]], str]:
        return {"up": [1.0, 2.0, 3.0], "down": [-1.0, -2.0, -3.0]}, "text"

    assert Moves("both", differences).judge().why == "not shown for down"
    finding = Moves("both", differences, named=False).judge()
    assert (finding.verdict, finding.why) == ("not reproduced", "")


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
