"""The command that judges claims: the ledger, its forms, failed cells."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.claims import format_claims, main
from benchmarks.figures import main as figures
from benchmarks.study.cell import Outcome
from benchmarks.study.study import Each, Trial
from models.errors import InputError
from tests.benchmarks import toy

Capture = pytest.CaptureFixture[str]


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


def test_a_ledger(toy_folder: Path, capsys: Capture) -> None:
    options = ["utility", "--quick", "--out", "out"]
    assert main([*options, "--format", "json"]) == 0
    assert len(toy.ran()) == 6  # once, for two claims
    small, large, nice = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert list(small) == ["claim", "source", "text", "test", "measured", "verdict", "why", "size"]
    assert small["test"] == "squares < 11"
    assert (small["measured"], small["verdict"], small["size"]) == (
        "at most 10",
        "reproduced",
        "quick",
    )
    assert (large["test"], large["verdict"]) == ("every y > 5", "not reproduced")
    assert (nice["test"], nice["verdict"], nice["why"]) == (
        "none",
        "not testable",
        "a matter of taste",
    )
    assert main([*options, "--format", "csv"]) == 0
    line = "fig1-small,Fig. 1,Squares are small.,squares < 11,at most 10,reproduced,,quick"
    assert line in capsys.readouterr().out
    assert main(options) == 0
    text = capsys.readouterr().out
    assert "1 reproduced" in text and "1 not testable" in text
    assert toy.ran() == []


def test_where_cells_fail_nothing_is_judged(toy_folder: Path, capsys: Capture) -> None:
    Path(toy.TROUBLE).write_text("")
    assert main(["utility", "--quick", "--format", "json"]) == 1
    out, err = capsys.readouterr()
    small, large, nice = (json.loads(line) for line in out.splitlines())
    for record in (small, large):
        assert (record["verdict"], record["measured"]) == ("not testable", "-")
        assert record["why"] == "1 of its cells failed in utility-squares"
    assert nice["why"] == "a matter of taste"
    assert [line for line in err.splitlines() if "no square of 3" in line] == [
        line for line in err.splitlines() if line.startswith("failed: ")
    ]


def test_an_error_that_no_cell_has_is_named(
    toy_folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Each.rows

    def doubtful(self: Each, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        fault = "guarantee: failed: no proof" if trial.point["n"] == 3 else ""
        return [{**row, "error": fault} for row in rows(self, trial, outcomes)]

    monkeypatch.setattr(Each, "rows", doubtful)
    assert main(["utility", "--quick", "--seeds", "1", "--format", "json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out.splitlines()[0])["why"] == "1 of its cells failed in utility-squares"
    assert "failed: seed 0: guarantee: failed: no proof\n" in err


def test_seeds_and_size(toy_folder: Path, capsys: Capture) -> None:
    assert main(["utility", "--seeds", "1", "--format", "json"]) == 0
    assert toy.ran() == ["1/0", "2/0", "3/0", "4/0"]
    (small, *_) = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (small["verdict"], small["measured"]) == ("not reproduced", "at most 16")


def test_a_ledger_as_a_table(toy_folder: Path, capsys: Capture) -> None:
    assert main(["utility", "--quick", "--workers", "1", "--format", "markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "| claim | source | measured | verdict |" in lines
    assert sum(line.startswith("| fig1-") for line in lines) == 2


def test_unknown_problem() -> None:
    with pytest.raises(InputError, match="unknown problem 'nothing'"):
        main(["nothing"])


def test_claims_in_readings(toy_folder: Path, capsys: Capture) -> None:
    options = ["utility", "--readings", "--workers", "1"]
    assert main(options) == 0
    assert len(toy.ran()) == 16
    text = " ".join(capsys.readouterr().out.split())
    said = "fig1-small (Fig. 1): reproduced in 2 of 4 readings, 50 % [15, 85]"
    assert f"{said}; registered: REPRODUCED" in text
    assert "decides no choice clearly; most so shift (none 2 of 2, ten 0 of 2" in text
    assert "alone shift=ten (not reproduced)" in text
    assert "fig1-large" in text and "shift - Sec. 3: whether squares are shifted" in text
    assert "ten: by ten; added after results had been seen" in text
    assert "Left out" in text and text.split("Left out")[1].count("text") == 1
    assert main([*options, "--format", "markdown"]) == 0
    line = "| fig1-small | Fig. 1 | 1 [1, 2] | 2 of 4 | 15 to 85 | reproduced | - | shift=ten |"
    assert line in capsys.readouterr().out.splitlines()
    for form in ("csv", "json"):
        assert main([*options, "--format", form]) == 0
        first = capsys.readouterr().out
        assert main([*options, "--format", form]) == 0
        assert capsys.readouterr().out == first
    assert toy.ran() == []
    row = json.loads(first.splitlines()[0])
    assert (row["reading"], row["choice shift"], row["verdict"]) == (
        *("registered", "none"),
        "reproduced",
    )
    assert main(["utility", "--readings", "--seeds", "1", "--workers", "1"]) == 0


def test_readings_are_a_size(toy_folder: Path) -> None:
    with pytest.raises(SystemExit):
        main(["utility", "--readings", "--quick"])
    with pytest.raises(InputError, match="has one size: neither --quick nor --paper"):
        figures(["utility-multiverse", "--quick"])
    assert figures(["utility-multiverse", "--workers", "1"]) == 0
    assert Path("results/figures/utility-multiverse.png").exists()
