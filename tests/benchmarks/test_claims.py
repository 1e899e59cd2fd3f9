"""Claims: statistics by hand, the ledger, the command."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.claim import Claim, Finding, compare_first
from benchmarks.claim_trend import grouped_trend
from benchmarks.claims import format_claims, main
from models.errors import InputError


def test_compare_first_by_hand() -> None:
    frame = pd.DataFrame(
        {
            "seed": [0, 0, 1, 1, 2, 2],
            "policy": ["a", "b"] * 3,
            "value": [3.0, 1.0, 5.0, 4.0, 2.0, np.nan],
        }
    )
    (row,) = compare_first(frame, value="value", groups=[], first="a", sense="max").itertuples()
    # Differences 2 and 1; seed 2 has no pair.
    assert (row.other, row.gain, row.pairs, row.wins, row.outcome) == ("b", 1.5, 2, 2, "better")
    assert 1.0 <= row.low <= row.high <= 2.0
    (row,) = compare_first(frame, value="value", groups=[], first="a", sense="min").itertuples()
    assert (row.gain, row.wins, row.outcome) == (-1.5, 0, "worse")
    (row,) = compare_first(frame[2:], value="value", groups=[], first="a", sense="max").itertuples()
    assert row.outcome == "unknown"


def test_grouped_trend_sees_what_groups_hide() -> None:
    # In each group y falls with x; between the groups both rise together.
    frame = pd.DataFrame(
        {
            "x": [1, 2, 3, 4, 11, 12, 13, 14],
            "y": [4, 3, 2, 1, 14, 13, 12, 11],
            "g": ["a"] * 4 + ["b"] * 4,
        }
    )
    rho, p = grouped_trend(frame, x="x", y="y", group="g")
    assert rho == pytest.approx(-1.0)
    assert p < 0.05  # 2 of 576 pairs of orders are as extreme
    assert np.isnan(grouped_trend(frame.assign(x=1), x="x", y="y", group="g")).all()


def test_the_ledger_as_text() -> None:
    record = {
        "claim": "c",
        "source": "Fig. 1",
        "text": "It works.",
        "test": "t",
        "measured": "m",
        "verdict": "not testable",
        "why": "",
        "size": "quick",
    }
    text = format_claims([record, {**record, "verdict": "reproduced"}])
    assert text.startswith("c (Fig. 1): NOT TESTABLE\n  claim     It works.")
    assert "  why" not in text
    assert "1 not testable, 1 reproduced" in text
    assert "settles nothing" in text


def test_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    claim = Claim("c", "Fig. 1", "It works.", "t", lambda _: Finding("reproduced", "1 of 1"))
    monkeypatch.setattr("benchmarks.utility.claims.CLAIMS", (claim,))
    options = ["utility", "--quick", "--out", str(tmp_path)]
    assert main([*options, "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["claim"], record["verdict"], record["why"]) == ("c", "reproduced", "")
    assert main([*options, "--format", "csv"]) == 0
    assert "c,Fig. 1,It works.,t,1 of 1,reproduced,,quick" in capsys.readouterr().out
    assert main(options) == 0
    assert "1 reproduced" in capsys.readouterr().out


def test_unknown_problem() -> None:
    with pytest.raises(InputError, match="unknown problem 'nothing'"):
        main(["nothing"])
