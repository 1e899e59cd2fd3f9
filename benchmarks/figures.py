"""``python -m benchmarks.figures``: the figures of the papers, computed anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from benchmarks.catalogue import Frames, find_picture, pictures_of
from benchmarks.cli import Parser, run_command
from benchmarks.contract import with_part
from benchmarks.engines import add_engine_arguments, engine_of
from benchmarks.pictures.save import save_picture
from benchmarks.study.picture import Picture
from benchmarks.study.store import Store
from benchmarks.study.study import succeeded
from models.errors import InputError

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
    """Options that choose how large an experiment is, where it runs, and where it is kept."""
    size = parser.add_mutually_exclusive_group()
    for name, meaning in (
        ("quick", "small instances, few seeds: seconds"),
        ("paper", "the paper's full size: may take hours"),
    ):
        size.add_argument(f"--{name}", dest="size", action="store_const", const=name, help=meaning)
    parser.set_defaults(size="default", out=str(Path("results") / "figures"))
    parser.add_seeds()
    parser.add_out("results/figures")
    add_engine_arguments(parser)


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
    every = [picture for name in with_part("pictures") for picture in pictures_of(name)]
    if args.list:
        for picture in every:
            print(f"{picture.name:20}  {picture.source:14}  {picture.title}")
        return 0
    if args.all == bool(args.names):
        raise InputError("name one or more figures, or give --all; --list shows them")
    pictures = every if args.all else [find_picture(name) for name in args.names]
    out, engine = Path(args.out), engine_of(args)
    frames = Frames(args.size, args.seeds, Store(out / "cells"), engine)
    suffix = "" if args.size == "default" else f"-{args.size}"
    for picture in pictures:
        said = _draw(picture, frames(picture.study), out / f"{picture.name}{suffix}")
        print(f"{picture.name}: {picture.title}: {said}")
    return engine.end()


def _draw(picture: Picture, frame: pd.DataFrame, stem: Path) -> str:
    """Write a picture of the cells that did not fail; returns which files, or why there are none.

    The csv has all rows, also those that say what failed.
    """
    rest = succeeded(frame)
    lost = len(frame) - len(rest)
    if not lost:
        return ", ".join(map(str, save_picture(picture.plot(frame, None), frame, stem)))
    note = "1 failed cell is missing" if lost == 1 else f"{lost} failed cells are missing"
    try:
        drawn = picture.plot(rest, None)
    except Exception as error:  # what is left need not have all that is compared
        return f"not drawn: {note}, and the rest cannot be drawn: {error}"
    drawn.text(0.01, 0.01, note, color="red", fontsize="small")
    return f"{', '.join(map(str, save_picture(drawn, frame, stem)))} ({note})"


if __name__ == "__main__":
    run_command(main)
