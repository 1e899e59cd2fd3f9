"""What commands share: options, where cells run, one-line errors with exit code 2, help."""

from __future__ import annotations

import argparse
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

from benchmarks.start import hear_interrupts, is_console
from benchmarks.study.cell import Needs
from benchmarks.study.cluster import Cluster
from benchmarks.study.engine import Engine, InProcess, Processes, default_workers
from benchmarks.study.scheme import Isolation
from benchmarks.study.seeds import seeds_of
from models.errors import InputError
from online.isolated import DECISION_LIMIT
from solvers.interrupts import kernels_interruptible

T = TypeVar("T")

BAD_INPUT = 2
_LIMIT = 3600.0  # seconds


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and whose examples keep their shape.

    ``about`` is the docstring of the command's module: what it does and, under a heading, examples.
    """

    def __init__(self, module: str, about: str | None) -> None:
        description, _, examples = (about or "").partition("\n\nExamples\n--------\n")
        super().__init__(
            prog=_as_called(f"python -m {module}"),
            description=description,
            epilog="examples:\n" + textwrap.indent(examples, "  ").rstrip("\n"),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def format_help(self) -> str:
        """The help, in which commands are called as this one was."""
        return _as_called(super().format_help())

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Read the command line; if a shell asks for it, say instead how it may go on."""
        if "_ARGCOMPLETE" in os.environ:
            import argcomplete

            argcomplete.autocomplete(self)
        return super().parse_args(args, namespace)

    def add_seeds(self) -> None:
        """``--seeds``, a range."""
        told = "seeds 0..N-1, or a range"
        self.add_argument("--seeds", type=parse_range, metavar="N|FIRST:LAST", help=told)

    def add_out(self, default: str, *, runs: bool = False) -> None:
        """``--out``, a folder of results (of ``Runs``: and ``--run``); the default is not set."""
        told = f"results folder (default: {default}); what is finished there with the same "
        told += "settings and code is not run again"
        self.add_argument("--out", type=parse_path, metavar="DIR", help=told)
        if runs:
            told = "name of this run in the folder (default: a hash of what is asked for)"
            self.add_argument("--run", metavar="NAME", help=told)

    def add_threads(self, of: str) -> None:
        """``--threads``."""
        self.add_argument("--threads", type=int, choices=(1, 2, 4, 8), default=1, help=of)

    def add_engine(self, *, timed: bool = False, guarded: bool = False) -> None:
        """Options that say where cells run, for :func:`engine_of`.

        ``timed``: times are what the command measures, so that cells run one by one unless it is
        told otherwise. ``guarded``: each cell says itself that it needs a process, and its limit.
        """
        usual = "1, since times are measured" if timed else "as many as the processors allow"
        workers = f"cells that run at the same time (default: {usual})"
        workers += "" if guarded else "; 1: in this process, where nothing is stopped that hangs"
        cluster = "the workers of a Dask scheduler instead, e.g. tcp://10.0.0.1:8786 (needs the "
        cluster += "extra 'cluster'; docs/studies.md)"
        limit = "a cell that runs for so long, apart from what its solver is given, counts as "
        limit += f"hanging and is stopped (default: {_LIMIT:g})"
        memory = "a cell that holds more is stopped (Linux; default: no limit)"
        where, one = self.add_mutually_exclusive_group(), 1 if timed else None
        where.add_argument("--workers", type=parse_count, default=one, metavar="N", help=workers)
        where.add_argument("--cluster", metavar="ADDRESS", help=cluster)
        self.set_defaults(limit=None)
        if not guarded:
            self.add_argument("--limit", type=parse_positive, metavar="SECONDS", help=limit)
        self.add_argument("--memory", type=parse_positive, metavar="MB", help=memory)

    def add_isolation(self) -> None:
        """Which policies run in processes of their own, for :func:`isolation_of`."""
        told = "run every policy, or none, in a process of its own, which is told nothing but the "
        told += "events so far (default: those from outside the toolkit; docs/policies.md)"
        flag = argparse.BooleanOptionalAction
        self.add_argument("--isolate", action=flag, default=None, help=told)
        limit = f"that such a policy has for each answer (default: {DECISION_LIMIT:g})"
        usual: dict[str, Any] = {"type": parse_positive, "default": DECISION_LIMIT}
        self.add_argument("--decision-limit", metavar="SECONDS", help=limit, **usual)

    def error(self, message: str) -> NoReturn:
        """Report a usage error in one line and exit with code 2."""
        self.exit(BAD_INPUT, f"error: {message} (see {self.prog} --help)\n")


def isolation_of(args: argparse.Namespace) -> Isolation:
    """What the options of :meth:`Parser.add_isolation` say."""
    return Isolation(args.isolate, args.decision_limit)


@contextmanager
def engine_of(args: argparse.Namespace, *, threads: int = 1) -> Iterator[Engine]:
    """The engine that the options ask for; at the end, also by an error, stderr has what failed.

    By default it has as many workers as there are processors for so many threads each. InputError
    if the cluster cannot be used.
    """
    with _engine(args, threads) as engine:
        try:
            yield engine
        finally:
            for line in engine.failed:
                print(line, file=sys.stderr)


def _engine(args: argparse.Namespace, threads: int) -> Engine:
    limits = Needs(limit=args.limit or _LIMIT, memory_mb=args.memory)
    if args.cluster is not None:
        return Cluster(args.cluster, limits)
    workers = args.workers or default_workers(threads)
    if workers == 1 and args.limit is None and args.memory is None:
        return InProcess()
    return Processes(workers, limits)


def run_command(
    main: Callable[[Sequence[str] | None], int], words: Sequence[str] | None = None
) -> NoReturn:
    """Run a command, with the words of the command line or with others.

    Bad input is one line on stderr and exit code 2, never a traceback.
    """
    try:
        hear_interrupts()
        with kernels_interruptible():
            code = main(words)
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


def _as_called(text: str) -> str:
    """A text that names commands, by ``schedgap`` where that is how this one was called."""
    return re.sub(r"python\s+-m\s+benchmarks\.", "schedgap ", text) if is_console() else text


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


def parse_path(text: str) -> str:
    """Read the path of a file or folder to write: anything but nothing."""
    if not text.strip():
        raise argparse.ArgumentTypeError(f"'{text}' is no path")
    return text


def parse_list(parse: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Read values joined by commas, each by the same function; for words, ``str``."""
    return lambda text: [parse(word) for word in text.split(",")]


def parse_range(text: str) -> tuple[int, ...]:
    """Seeds: ``N`` for 0..N-1, ``FIRST:LAST`` for FIRST..LAST-1; never none."""
    first, _, last = text.rpartition(":")
    try:
        seeds = range(int(first or 0), int(last))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not N or FIRST:LAST") from None
    if not seeds:
        raise argparse.ArgumentTypeError(f"'{text}' has no seed: N is at least 1, FIRST below LAST")
    try:
        return seeds_of(seeds)
    except InputError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from None
