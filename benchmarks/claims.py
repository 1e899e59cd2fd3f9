"""``python -m benchmarks.claims``: the claims of a paper, measured, with a verdict each."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from benchmarks.catalogue import Frames, claims_of
from benchmarks.cli import Parser, run_command
from benchmarks.engines import engine_of
from benchmarks.figures import add_size_arguments
from benchmarks.study.claim import judge
from benchmarks.study.store import Store
from benchmarks.tables import format_records
from models.problem import problem

__all__ = ["format_claims", "main"]

_EXAMPLES = """
  python -m benchmarks.claims utility
      the claims of the OASiS paper, from studies of the default size (run if need be)
  python -m benchmarks.claims utility --quick
      a trial run in seconds: its few seeds and small instances settle nothing
  python -m benchmarks.claims utility --paper --out DIR
      from studies as large as the paper's, kept in DIR
  python -m benchmarks.claims utility --format csv
"""

_WIDTH = 96
_INDENT = 10


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and print the ledger; returns the exit code."""
    parser = Parser(
        "benchmarks.claims",
        "List the checkable claims of a problem's paper: what was measured, and whether that "
        "reproduces the claim. Statistic and threshold of every verdict are fixed in the code.",
        _EXAMPLES,
    )
    parser.add_argument("problem", metavar="PROBLEM", help="e.g. utility")
    add_size_arguments(parser)
    parser.add_argument(
        "--format", choices=("table", "json", "csv"), default="table", help="(default: table)"
    )
    args = parser.parse_args(argv)
    claims = claims_of(args.problem)
    engine = engine_of(args)
    frames = Frames(args.size, args.seeds, Store(Path(args.out) / "cells"), engine)
    records: list[dict[str, str]] = []
    for claim in claims:
        finding = judge(claim, frames)
        said = {"claim": claim.name, "source": claim.source, "text": claim.text}
        found = {"measured": finding.measured, "verdict": finding.verdict, "why": finding.why}
        records.append({**said, "test": claim.test.words, **found, "size": args.size})
    if args.format in ("csv", "json"):
        sys.stdout.write(format_records(records, args.format))
    else:
        kind = problem(args.problem)
        print(f"{kind.name}: {kind.title}\n{kind.paper}\n")
        print(format_claims(records))
    return max(engine.end(), int(frames.any_failed))


def format_claims(records: Sequence[Mapping[str, str]]) -> str:
    """The ledger as text: one block per claim, then the count of each verdict."""
    blocks = []
    for record in records:
        lines = [f"{record['claim']} ({record['source']}): {record['verdict'].upper()}"]
        for key in ("text", "test", "measured", "why"):
            if record[key]:
                lines += textwrap.wrap(
                    record[key],
                    width=_WIDTH,
                    initial_indent=f"  {'claim' if key == 'text' else key}".ljust(_INDENT + 2),
                    subsequent_indent=" " * (_INDENT + 2),
                )
        blocks.append("\n".join(lines))
    counts = pd.Series([record["verdict"] for record in records]).value_counts()
    blocks.append(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if records and records[0]["size"] == "quick":
        blocks.append("A quick run: few seeds and small instances; it settles nothing.")
    return "\n\n".join(blocks)


if __name__ == "__main__":
    run_command(main)
