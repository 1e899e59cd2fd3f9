"""List the checkable claims of a problem's paper: what was measured, and a verdict.

A verdict says whether that reproduces the claim; its statistic and threshold are fixed in the code.

Examples
--------
python -m benchmarks.claims utility
    the claims of the OASiS paper, from studies of the default size (run if need be)
python -m benchmarks.claims utility --quick
    a trial run in seconds: its few seeds and small instances settle nothing
python -m benchmarks.claims utility --paper --out DIR
    from studies as large as the paper's, kept in DIR
python -m benchmarks.claims utility --format csv
python -m benchmarks.claims utility --readings
    each claim in a sample of the readings of what the paper leaves open: how often it is
    reproduced, and which choice decides that; at a size of its own, which takes minutes
"""

from __future__ import annotations

import argparse
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.cli import Parser, engine_of, run_command
from benchmarks.contract import part_of
from benchmarks.figures import add_size_arguments
from benchmarks.tables import FORMATS, Column, Layout, print_rows, render
from models.problem import problem

_PARTS = {"claim": "text", "test": "test", "measured": "measured", "why": "why"}
_INDENT = " " * 12


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and print the ledger; returns the exit code."""
    parser = Parser("benchmarks.claims", __doc__)
    parser.add_argument("problem", metavar="PROBLEM", help="e.g. utility")
    told = "judge the claims in many readings of what the paper leaves open, at a size for that"
    add_size_arguments(parser, readings=told)
    form = "blocks of text (default); a table for Markdown or LaTeX; or all rows: csv or json"
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=form)
    args = parser.parse_args(argv)
    if args.size == "readings":
        return _multiverse(args)
    # What is heavy is imported once the options are known to be right.
    from benchmarks.catalogue import claims_of, frames_asked
    from benchmarks.study.claim import judge

    claims = claims_of(args.problem)
    records: list[dict[str, str]] = []
    with engine_of(args) as engine:
        frames = frames_asked(args, engine)
        for claim in claims:
            finding = judge(claim, frames)
            said = {"claim": claim.name, "source": claim.source, "text": claim.text}
            found = {"measured": finding.measured, "verdict": finding.verdict, "why": finding.why}
            records.append({**said, "test": claim.test.words, **found, "size": args.size})
        kind = problem(args.problem)
        title = f"{kind.name}: {kind.title}\n{kind.paper}"
        layout = Layout(args.format)
        text = format_claims(records) if args.format == "table" else _as_table(records, layout)
        print_rows(records, layout, title, text)
    return int(bool(engine.failed))


def _multiverse(args: argparse.Namespace) -> int:
    from benchmarks.catalogue import frames_asked, multiverse_picture
    from benchmarks.readings_report import format_multiverse, format_summary
    from benchmarks.study.rows import records_of

    found, claims = part_of(args.problem, "readings"), part_of(args.problem, "claims")
    with engine_of(args) as engine:
        frame = frames_asked(args, engine)(multiverse_picture(args.problem).study)
        kind, readings = problem(args.problem), frame["reading"].nunique()
        title = f"{kind.name}: {kind.title}\n{kind.paper}\n{readings} readings"
        layout = Layout(args.format)
        if args.format == "table":
            text = format_multiverse(frame, found, claims)
        else:
            text = format_summary(frame, claims, layout)
        print_rows(records_of(frame), layout, title, text)
    return int(bool(engine.failed))


def _as_table(records: Sequence[Mapping[str, str]], layout: Layout) -> str:
    heads = ("claim", "source", "measured", "verdict")
    columns = [Column(head, head, left=True) for head in heads]
    return render(columns, [[record[head] for head in heads] for record in records], layout)


def format_claims(records: Sequence[Mapping[str, str]]) -> str:
    """The ledger as text: one block per claim, then the count of each verdict."""
    blocks = []
    for record in records:
        lines = [f"{record['claim']} ({record['source']}): {record['verdict'].upper()}"]
        for head, key in _PARTS.items():
            first = f"  {head}".ljust(len(_INDENT))
            lines += textwrap.wrap(record[key], 96, initial_indent=first, subsequent_indent=_INDENT)
        blocks.append("\n".join(lines))
    counts = Counter(record["verdict"] for record in records).most_common()
    blocks.append(", ".join(f"{count} {verdict}" for verdict, count in counts))
    if records and records[0]["size"] == "quick":
        blocks.append("A quick run: few seeds and small instances; it settles nothing.")
    return "\n\n".join(blocks)


if __name__ == "__main__":
    run_command(main)
