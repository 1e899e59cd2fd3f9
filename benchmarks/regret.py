"""``python -m benchmarks.regret``: regret of online policies, and how it grows."""

from __future__ import annotations

import json
import os
import platform
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.cli import Parser, parse_positive, parse_range, parse_words, run_command
from benchmarks.figure import Cell, CellStore, Figure, compute
from benchmarks.fingerprint import is_covered, versions
from benchmarks.instances import add_set_argument
from benchmarks.pictures.save import save_picture
from benchmarks.ratio import add_policy_argument, find_policies
from benchmarks.regret_cells import TRACE, drawn_cells, given_cells, study_of
from benchmarks.regret_pictures import plot_curves, plot_growth
from benchmarks.regret_sizes import Study
from benchmarks.regret_table import COLUMNS, format_growth, format_regret, growths
from benchmarks.rows import to_json_lines
from benchmarks.tables import add_table_arguments, format_records, layout_of, wrap
from models.files import write_atomic
from models.problem import has_sub_package, problem, problem_names, sub_package
from online.policy import Policy

__all__ = ["main"]

_EXAMPLES = """
  python -m benchmarks.regret
      the default: 10 ports, 128 servers, up to 2000 slots, and up to 40 ports; Bernoulli and
      adversarial arrivals, 5 seeds; five minutes or more
  python -m benchmarks.regret --quick
      a small version, in seconds
  python -m benchmarks.regret --arrivals alternating,coin --policy ogasched-constant --seeds 20
      one policy on two adversarial sequences
  python -m benchmarks.regret --base 10x8000 --slots 1000,2000,4000,8000 --ports 10
      growth with the horizon alone
  python -m benchmarks.regret --trace alibaba:../shared/data
      machines, requests and arrivals from real traces
  python -m benchmarks.regret --set contention=1 --set utilities=linear --dynamic 20
      small requests, with which (14) says more; and dynamic regret, with 20 s for the optima
      of an instance's slots
  python -m benchmarks.regret --instance one.json two.json.gz --format csv
      your own instances: no growth; a table for pandas
"""

_CURVE = ("curve_slots", "curve_regret")
_INSTANCE = ("instance", "seed", "arrivals", "ports", "slots", "servers", "density")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, write rows and pictures, print; returns the exit code."""
    args = _parser().parse_args(argv)
    layout = layout_of(args, COLUMNS)
    policies = find_policies(args.problem, args.policy)
    part = sub_package("benchmarks", args.problem, "regret")
    if args.instance:
        study = None
        cells, draw = given_cells(args)
    else:
        study = study_of(args, part.STUDIES["quick" if args.quick else "default"])
        cells, draw = drawn_cells(args, study, part)
    out = Path(args.out or Path("results") / f"regret-{args.problem}")
    frame = _measure(args, cells, draw, part, policies, out)
    base = frame if study is None else frame[study.is_base(frame)]
    curves = base.explode(list(_CURVE)).rename(columns={"curve_slots": "slot"})
    curves["regret"] = curves["curve_regret"].astype(float)
    curves = curves[[*_INSTANCE, "policy", "slot", "regret"]]
    pictures = save_picture(plot_curves(curves), curves, out / "curves")
    rows = frame.drop(columns=list(_CURVE))
    if study is not None:
        growth = growths(rows, study)
        pictures += save_picture(plot_growth(rows, study), growth, out / "growth")
    records = rows.astype(object).where(rows.notna(), None).to_dict("records")
    _write_settings(args, study, out)
    write_atomic(out / "rows.jsonl", to_json_lines(records).encode())
    if args.format in ("csv", "json"):
        sys.stdout.write(format_records(records, args.format))
    else:
        title = f"{args.problem}, regret against the best fixed decision in hindsight"
        print(f"{wrap([title], layout)}\n\n{format_regret(base, rows, study, layout)}")
        if study is not None:
            print(f"\n{format_growth(growth, study, args.scaling, layout)}")
        written = f"rows: {out / 'rows.jsonl'}; pictures: {', '.join(map(str, pictures))}"
        print(f"\n{wrap([written], layout)}")
    return 0


def _measure(
    args: Namespace,
    cells: list[Cell],
    draw: Callable[[Cell], Any],
    part: Any,
    policies: Sequence[type[Policy]],
    out: Path,
) -> pd.DataFrame:
    """Rows of all cells, which are kept as they are finished."""

    def run_cell(**cell: Any) -> list[dict[str, Any]]:
        instance = draw(cell)
        head = {
            "problem": args.problem,
            "instance": instance.name,
            "instance_hash": instance.hash,
            "seed": instance.seed,
            "arrivals": cell["arrivals"],
            "load": problem(args.problem).load(instance),
        }
        return [{**head, **row} for row in part.measure(instance, policies, args.dynamic)]

    labels = [f"{policy.__module__}:{policy.__qualname__}" for policy in policies]
    figure = Figure(
        name=f"{args.problem}-regret",
        title="regret",
        source="ours",
        cells=lambda size, seeds: [
            {**cell, "policies": labels, "dynamic": args.dynamic} for cell in cells
        ],
        run=run_cell,
        plot=lambda frame, axes: plot_curves(frame),
    )
    # What a policy from outside depends on, nobody knows: its runs are not taken up again.
    store = CellStore(out / "cells") if all(map(is_covered, policies)) else None
    return compute(figure, "default", store=store, progress=True)


def _write_settings(args: Namespace, study: Study | None, out: Path) -> None:
    settings = {
        "options": {name: value for name, value in vars(args).items() if name != "out"},
        "study": None if study is None else vars(study),
        "versions": versions(),
        "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
    }
    text = json.dumps(settings, indent=1, default=list) + "\n"
    write_atomic(out / "settings.json", text.encode())


def _sizes(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.isdecimal() and int(word) for word in words):
        raise ArgumentTypeError(f"'{text}' are not positive whole numbers, e.g. 250,500,1000")
    return [int(word) for word in words]


def _base(text: str) -> tuple[int, int]:
    ports, _, slots = text.partition("x")
    if not (ports.isdecimal() and slots.isdecimal() and int(ports) and int(slots)):
        raise ArgumentTypeError(f"'{text}' is not PORTSxSLOTS, e.g. 10x2000")
    return int(ports), int(slots)


def _problems() -> str:
    return ", ".join(
        name for name in problem_names() if has_sub_package("benchmarks", name, "regret")
    )


def _parser() -> Parser:
    parser = Parser(
        "benchmarks.regret",
        "Measure regret: the reward of the best fixed decision in hindsight, certified, minus the "
        "reward achieved. Around one base, growing horizons and growing numbers of ports; a power "
        "law is fitted to each. Writes rows (jsonl), curves and growth (csv) and two pictures.",
        _EXAMPLES,
    )
    parser.add_argument(
        "--problem", default="reward", help=f"one of {_problems()} (default: reward)"
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--instance",
        action="append",
        nargs="+",
        default=[],
        metavar="FILE",
        help="instance files instead of drawn ones",
    )
    source.add_argument(
        "--trace",
        metavar="KIND:PATH",
        help="take from a real trace what it has; see python -m benchmarks.trace --help",
    )
    parser.add_argument(
        "--base",
        type=_base,
        metavar="PORTSxSLOTS",
        help="the size that the others are around (default: 10 ports, or the fewest given; the "
        "longest horizon)",
    )
    parser.add_argument(
        "--slots", type=_sizes, metavar="T,...", help="horizons, at the ports of the base"
    )
    parser.add_argument(
        "--ports", type=_sizes, metavar="L,...", help="numbers of ports, at the slots of the base"
    )
    parser.add_argument("--servers", help="e.g. 128")
    parser.add_argument(
        "--seeds", type=parse_range, metavar="N|FIRST:LAST", help="seeds 0..N-1, or a range"
    )
    parser.add_argument(
        "--arrivals",
        type=parse_words,
        metavar="NAME,...",
        help="arrival patterns, those of `--set arrivals`, which this replaces; "
        f"{TRACE} for those of the trace (the default with --trace)",
    )
    parser.add_argument(
        "--scaling",
        choices=("degree", "density"),
        default="degree",
        help="what stays the same as ports are added: the servers of a port (default; the density "
        "grows with the ports, and (14) with their root), or the density (the servers of a port "
        "become fewer, and ports enter (14) through the largest request alone)",
    )
    add_policy_argument(parser)
    add_set_argument(parser)
    parser.add_argument(
        "--dynamic",
        type=parse_positive,
        metavar="SECONDS",
        help="measure dynamic regret, too, with so many seconds for the optima of an instance's "
        "slots (default: not)",
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, few seeds")
    add_table_arguments(parser)
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="results folder (default: results/regret-PROBLEM); instances finished there with the "
        "same settings and code are not run again, unless a policy is from outside",
    )
    return parser


if __name__ == "__main__":
    run_command(main)
