"""Claims in several readings; what is above a limit; slopes per seed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.study.claim import Claim
from benchmarks.study.scheme import Reading
from benchmarks.study.statistics import slopes
from benchmarks.study.study import in_every_reading
from benchmarks.study.tests import Above, Below, Best, Moves, in_readings

READINGS = (Reading("one", "a job asks for one"), Reading("all", "a job asks for all"))
FRAME = pd.DataFrame(
    [
        {"policy": "own", "reading": "one", "value": 5.0},
        {"policy": "other", "reading": "one", "value": 4.0},
        {"policy": "other", "reading": "all", "value": 6.0},
    ]
)


def test_indifferent_schemes_have_rows_in_every_reading() -> None:
    found = in_every_reading(FRAME, READINGS).set_index(["reading", "policy"])["value"]
    assert found.to_dict() == {
        ("one", "own"): 5.0,
        ("one", "other"): 4.0,
        ("all", "own"): 5.0,
        ("all", "other"): 6.0,
    }


def test_a_claim_is_judged_in_each_reading() -> None:
    def lead(frame: pd.DataFrame) -> tuple[list[float], str]:
        by_name = frame.set_index("policy")["value"]
        return [by_name["own"] - by_name["other"]], f"{len(frame)} rows"

    test = Above("lead", 0.0, lead)
    claim = Claim("best", "Fig. 1", "Own is best.", test, ("toy-study",), READINGS)
    first, second = in_readings(claim)
    assert in_readings(first) == [first]
    assert (first.name, second.name) == ("best", "best-all")
    assert second.test.words == "lead > 0; a job asks for all"
    assert first.test.judge(FRAME).verdict == "reproduced"
    assert second.test.judge(FRAME).verdict == "not reproduced"
    assert first.test.judge(FRAME).measured == "2 rows"
    assert second.studies == ("toy-study",)


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        (Above("x", 1.0, lambda: ([1.0, 2.0], "")), "not reproduced"),
        (Above("x", 1.0, lambda: ([1.0, 2.0], ""), or_equal=True), "reproduced"),
        (Above("x", 1.0, lambda: ([2.0, np.nan], "")), "not reproduced"),
        (Below("x", 1.0, lambda: ([0.0, 1.0], "")), "not reproduced"),
        (Below("x", 1.0, lambda: ([0.0, 1.0], ""), or_equal=True), "reproduced"),
        (Below("x", 1.0, lambda: ([], "none")), "not testable"),
    ],
)
def test_limits(test: Above | Below, verdict: str) -> None:
    assert test.judge().verdict == verdict


def test_limits_in_words() -> None:
    above = Above("share", 1.0, lambda: ([2.0], "2"), or_equal=True, where="in every run")
    assert above.words == "share at least 1 in every run"
    largest = Below("x", 1.0, lambda: ([2.0], "2"), why=lambda found: f"largest {found.max():g}")
    assert largest.judge().why == "largest 2"


def test_the_number_of_a_finding_is_what_comes_closest() -> None:
    assert Below("x", 1.0, lambda: ([0.2, 0.7], "")).judge().number == 0.7
    assert Above("x", 1.0, lambda: ([3.0, 2.0], "")).judge().number == 2.0
    assert Above("x", 1.0, lambda: ([3.0, 2.0], "")).level == 1.0
    assert Moves("x", lambda: ({"a": [1.0, 3.0], "b": [5.0, 5.0]}, "")).judge().number == 2.0
    values = {"own": 6.0, "good": 5.0, "bad": 1.0}
    frame = pd.DataFrame(
        [{"policy": p, "seed": s, "y": y} for p, y in values.items() for s in (0, 1)]
    )
    assert Best("y", "own", "y").judge(frame).number == pytest.approx(20.0)  # % over the other


def test_slopes_of_rows() -> None:
    wide = pd.DataFrame([[1.0, 3.0], [0.1, 0.1]], columns=[10, 20])
    assert slopes(wide).tolist() == pytest.approx([20.0, 0.0])
    assert slopes(wide)[1] == 0.0  # without round-off


def test_names_with_commas_are_set_apart() -> None:
    falling = {"jobs 5, 0 to 1": [-1.0, -1.0], "jobs 9, 0 to 1": [-1.0, -2.0]}
    finding = Moves("fall", lambda: (falling, "")).judge()
    assert finding.why == "not shown for jobs 5, 0 to 1; jobs 9, 0 to 1"
