"""What all commands share: one-line errors with exit code 2, help with examples."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Callable
from typing import NoReturn, TypeVar

from models.errors import InputError

T = TypeVar("T")

BAD_INPUT = 2


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and whose examples keep their shape.

    ``about`` is the docstring of the command's module: what it does and, under a heading, examples.
    """

    def __init__(self, module: str, about: str | None) -> None:
        description, _, examples = (about or "").partition("\n\nExamples\n--------\n")
        super().__init__(
            prog=f"python -m {module}",
            description=description,
            epilog="examples:\n" + textwrap.indent(examples, "  ").rstrip("\n"),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def add_seeds(self) -> None:
        """``--seeds``, a range."""
        self.add_argument(
            "--seeds", type=parse_range, metavar="N|FIRST:LAST", help="seeds 0..N-1, or a range"
        )

    def add_out(self, default: str) -> None:
        """``--out``, a folder of results; the default is told, not set."""
        self.add_argument(
            "--out",
            metavar="DIR",
            help=f"results folder (default: {default}); what is finished there with the same "
            "settings and code is not run again",
        )

    def add_threads(self, of: str) -> None:
        """``--threads``."""
        self.add_argument("--threads", type=int, choices=(1, 2, 4, 8), default=1, help=of)

    def error(self, message: str) -> NoReturn:
        """Report a usage error in one line and exit with code 2."""
        self.exit(BAD_INPUT, f"error: {message} (see {self.prog} --help)\n")


def run_command(main: Callable[[list[str] | None], int]) -> NoReturn:
    """Run a command: bad input is one line on stderr and exit code 2, never a traceback."""
    try:
        code = main(None)
        sys.stdout.flush()
    except InputError as error:
        where = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        print(f"error: {error}{where}", file=sys.stderr)
        code = BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:  # the reader of our output has gone, e.g. `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def parse_count(text: str) -> int:
    """Read a positive whole number; ArgumentTypeError if it is not one, as those below."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive whole number")
    return int(text)


def parse_positive(text: str) -> float:
    """Read a positive number."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return value


def parse_list(parse: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Read values joined by commas, each by the same function; for words, ``str``."""
    return lambda text: [parse(word) for word in text.split(",")]


def parse_range(text: str) -> range:
    """Seeds: ``N`` for 0..N-1, ``FIRST:LAST`` for FIRST..LAST-1; never none."""
    first, _, last = text.rpartition(":")
    try:
        seeds = range(int(first or 0), int(last))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not N or FIRST:LAST") from None
    if not seeds or seeds.start < 0:
        raise argparse.ArgumentTypeError(f"'{text}' holds no seed >= 0")
    return seeds
