"""``python -m benchmarks.figures``: the figures of the papers, computed anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.cli import Parser, parse_range, run_command
from benchmarks.figure import CellStore, Figure, compute, figures_of, find_figure
from benchmarks.pictures.save import save_picture
from models.errors import InputError
from models.problem import problem_names

__all__ = ["add_size_arguments", "main"]

_EXAMPLES = """
  python -m benchmarks.figures --list
  python -m benchmarks.figures utility-5
      PDF, PNG and the plotted data as csv in results/figures; a few minutes
  python -m benchmarks.figures utility-5 --quick
      a small version, in seconds
  python -m benchmarks.figures utility-3 utility-4 --paper --seeds 10
      as large as in the paper, seeds 0 to 9; may take hours, and can be interrupted: what is
      finished is kept in DIR/cells and not computed again
  python -m benchmarks.figures --all --out DIR
"""


def add_size_arguments(parser: Parser) -> None:
    """Options that choose how large an experiment is, and where it is kept."""
    size = parser.add_mutually_exclusive_group()
    for name, meaning in (
        ("quick", "small instances, few seeds: seconds"),
        ("paper", "the paper's full size: may take hours"),
    ):
        size.add_argument(f"--{name}", dest="size", action="store_const", const=name, help=meaning)
    parser.set_defaults(size="default")
    parser.add_argument(
        "--seeds",
        type=parse_range,
        metavar="N|FIRST:LAST",
        help="seeds 0..N-1, or a range, instead of those of the size",
    )
    parser.add_argument(
        "--out",
        default=str(Path("results") / "figures"),
        metavar="DIR",
        help="results folder (default: results/figures); what is finished there is not computed "
        "again",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and make the figures; returns the exit code."""
    parser = Parser(
        "benchmarks.figures",
        "Compute figures of the papers and write each as PDF, PNG and csv. The same size and "
        "seeds give the same files.",
        _EXAMPLES,
    )
    parser.add_argument("names", nargs="*", metavar="FIGURE", help="e.g. utility-5")
    parser.add_argument("--all", action="store_true", help="all figures of all problems")
    parser.add_argument("--list", action="store_true", help="name all figures and end")
    add_size_arguments(parser)
    args = parser.parse_args(argv)
    every = [figure for name in problem_names() for figure in figures_of(name).values()]
    if args.list:
        for figure in every:
            print(f"{figure.name:20}  {figure.source:14}  {figure.title}")
        return 0
    if args.all == bool(args.names):
        raise InputError("name one or more figures, or give --all; --list shows them")
    figures: list[Figure] = every if args.all else [find_figure(name) for name in args.names]
    out = Path(args.out)
    store = CellStore(out / "cells")
    suffix = "" if args.size == "default" else f"-{args.size}"
    for figure in figures:
        frame = compute(figure, args.size, args.seeds, store=store, progress=True)
        paths = save_picture(figure.plot(frame, None), frame, out / f"{figure.name}{suffix}")
        print(f"{figure.name}: {figure.title}: {', '.join(map(str, paths))}")
    return 0


if __name__ == "__main__":
    run_command(main)
