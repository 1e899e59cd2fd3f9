"""Tables in every form: alignment, what is left out, escapes, and wrapped notes."""

from __future__ import annotations

import argparse
import io
import json
from typing import Any

import pandas as pd
import pytest

from benchmarks.tables import (
    FORMATS,
    Column,
    Layout,
    add_table_arguments,
    format_records,
    layout_of,
    render,
    wrap,
)
from models.errors import InputError

COLUMNS = (
    Column("name", "policy", left=True),
    Column("ratio", "mean ratio"),
    Column("why", "guarantee", rank=2),
    Column("share", "of |L|", rank=1),
)
LINES = [("oasis*", "1.5", "on 3/3", "10 %"), ("my_own", "12", "-", "9 %")]


def options(*argv: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_table_arguments(parser)
    return parser.parse_args(argv)


def test_aligned() -> None:
    assert render(COLUMNS, LINES).splitlines() == [
        "policy  mean ratio  guarantee  of |L|",
        "-------------------------------------",
        "oasis*         1.5     on 3/3    10 %",
        "my_own          12          -     9 %",
    ]


def test_the_least_important_columns_go_first() -> None:
    # 37 characters in all, 26 without the guarantee, 18 without the share too.
    for width, names in ((37, []), (36, ["why"]), (26, ["why"]), (25, ["why", "share"])):
        text = render(COLUMNS, LINES, Layout(width=width))
        assert max(map(len, text.splitlines()[:4])) <= width
        said = " ".join(text.splitlines()[4:])
        said = " ".join(said.split())
        wanted = f"left out to fit the width: {', '.join(names)} (--columns all shows them)"
        assert said == (wanted if names else "")
    # What always stays may be too wide.
    assert render(COLUMNS, LINES, Layout(width=5)).splitlines()[0] == "policy  mean ratio"


def test_columns_that_were_chosen_stay_in_their_order() -> None:
    layout = Layout(columns=("share", "name", "share"), width=5)
    assert render(COLUMNS, LINES, layout).splitlines() == [
        "of |L|  policy",
        "--------------",
        "  10 %  oasis*",
        "   9 %  my_own",
    ]
    everything = Layout(columns=("all",), width=5)
    assert render(COLUMNS, LINES, everything) == render(COLUMNS, LINES)


def test_markdown() -> None:
    assert render(COLUMNS, LINES, Layout("markdown", width=20)).splitlines() == [
        r"| policy | mean ratio | guarantee | of \|L\| |",
        "| :--- | ---: | ---: | ---: |",
        "| oasis* | 1.5 | on 3/3 | 10 % |",
        "| my_own | 12 | - | 9 % |",
    ]


def test_latex() -> None:
    assert render(COLUMNS, LINES, Layout("latex", width=20)).splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"policy & mean ratio & guarantee & of \textbar{}L\textbar{} \\",
        r"\midrule",
        r"oasis* & 1.5 & on 3/3 & 10 \% \\",
        r"my\_own & 12 & - & 9 \% \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    odd = render([Column("x", r"a\b~c^d&{}")], [], Layout("latex"))
    assert r"a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d\&\{\}" in odd


def test_notes() -> None:
    notes = ["one two three four", "five"]
    assert wrap(notes, Layout()) == "one two three four\nfive"
    assert wrap(notes, Layout(width=10)) == "one two\n  three\n  four\nfive"
    assert wrap(notes, Layout("markdown", width=10)) == "one two three four\n\nfive"
    marked = ["* known before", "+ wider", "-1 * 2"]  # no items of a list
    assert wrap(marked, Layout("markdown")) == "\\* known before\n\n\\+ wider\n\n-1 * 2"
    assert wrap(notes, Layout("latex", width=10)) == "% one two three four\n% five"


def test_rows_for_programs() -> None:
    records: list[dict[str, Any]] = [{"a": 1, "b": float("inf")}, {"a": 2, "b": 0.1}]
    assert [json.loads(line) for line in format_records(records, "json").splitlines()] == [
        {"a": 1, "b": "inf"},
        {"a": 2, "b": 0.1},
    ]
    assert pd.read_csv(io.StringIO(format_records(records, "csv"))).to_dict("records") == records


def test_the_terminal_decides_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, width in (("40", 80), ("80", 80), ("123", 123)):
        monkeypatch.setenv("COLUMNS", given)
        assert layout_of(options(), COLUMNS) == Layout("table", None, width)
    monkeypatch.setenv("COLUMNS", "100")
    asked = options("--format", "latex", "--columns", "ratio,name")
    assert layout_of(asked, COLUMNS) == Layout("latex", ("ratio", "name"), 100)
    assert layout_of(options("--columns", "all"), COLUMNS).columns == ("all",)
    assert FORMATS == ("table", "markdown", "latex", "csv", "json")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["--columns", "name,load"],
            "no column 'load': choose from name, ratio, why, share, or all",
        ),
        (["--columns", "all,name"], "no column 'all': choose from"),
        (["--columns", "name", "--format", "csv"], "--columns does not go with --format csv"),
    ],
)
def test_columns_that_cannot_be(argv: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        layout_of(options(*argv), COLUMNS)
