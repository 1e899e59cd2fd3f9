"""Compute figures of the papers, and write each as PDF, PNG and csv.

The same size and seeds give the same files.

Examples
--------
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

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cli import Parser, engine_of, run_command
from benchmarks.contract import with_part
from models.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from benchmarks.study.claim import Picture


def add_size_arguments(parser: Parser, **more: str) -> None:
    """Options that choose how large an experiment is, where it runs, and where it is kept.

    ``more`` are other sizes, and what they mean.
    """
    sizes = {"quick": "small instances, few seeds: seconds", "paper": "full size: may take hours"}
    sizes |= more
    size = parser.add_mutually_exclusive_group()
    for name, meaning in sizes.items():
        size.add_argument(f"--{name}", dest="size", action="store_const", const=name, help=meaning)
    parser.set_defaults(size="default", out="results/figures")
    parser.add_seeds()
    parser.add_out("results/figures")
    parser.add_engine()


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and make the figures; returns the exit code."""
    parser = Parser("benchmarks.figures", __doc__)
    parser.add_argument("names", nargs="*", metavar="FIGURE", help="e.g. utility-5")
    parser.add_argument("--all", action="store_true", help="all of all problems, but no multiverse")
    parser.add_argument("--list", action="store_true", help="name all figures and end")
    add_size_arguments(parser)
    args = parser.parse_args(argv)
    # What is heavy is imported once the options are known to be right.
    from benchmarks.catalogue import find_picture, frames_asked, multiverse_picture, pictures_of

    every = [picture for name in with_part("pictures") for picture in pictures_of(name)]
    if args.list:
        for picture in [*every, *map(multiverse_picture, with_part("readings"))]:
            print(f"{picture.name:20}  {picture.source:14}  {picture.title}")
        return 0
    if args.all == bool(args.names):
        raise InputError("name one or more figures, or give --all; --list shows them")
    pictures = every if args.all else [find_picture(name) for name in args.names]
    suffix = "" if args.size == "default" else f"-{args.size}"
    with engine_of(args) as engine:
        frames = frames_asked(args, engine)
        for picture in pictures:
            stem = Path(args.out) / f"{picture.name}{suffix}"
            said = _draw(picture, picture.frame(frames), stem)
            print(f"{picture.name}: {picture.title}: {said}")
    return int(bool(engine.failed))


def _draw(picture: Picture, frame: pd.DataFrame, stem: Path) -> str:
    """Write a picture of the cells that did not fail; returns which files, or why there are none.

    The csv has all rows, also those that say what failed.
    """
    from benchmarks.pictures.style import save_picture, tell_load
    from benchmarks.study.study import succeeded

    rest = succeeded(frame)
    lost = len(frame) - len(rest)
    note = "1 failed cell is missing" if lost == 1 else f"{lost} failed cells are missing"
    try:
        drawn = tell_load(picture.plot(rest, None), rest)
    except Exception as error:
        if not lost:
            raise
        # What is left need not have all that is compared.
        return f"not drawn: {note}, and the rest cannot be drawn: {error}"
    if lost:
        drawn.text(0.01, 0.01, note, color="red", fontsize="small")
    files = ", ".join(map(str, save_picture(drawn, frame, stem)))
    return f"{files} ({note})" if lost else files


if __name__ == "__main__":
    run_command(main)
