"""All commands under one name, ``schedgap``: what measures, draws and checks, one line each.

Examples
--------
schedgap ratio --help
    the options of a command, and more examples
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from benchmarks.cli import Parser, run_command

__all__ = ["COMMANDS", "main"]

COMMANDS = (
    "ratio", "regret", "gap", "speed", "figures", "claims", "sweep", "verify", "generate",
    "trace", "export", "overhead",
)  # fmt: skip
"""Modules of ``benchmarks``, the main job first."""

_TITLE = "How far is an online scheduler from the offline optimum, and how sure are we?"


def main() -> NoReturn:
    """Run the command that the first word names, with the words that follow."""
    words = sys.argv[1:]
    if asked := "_ARGCOMPLETE" in os.environ:  # a shell asks how this line may go on
        words = f"{os.environ['COMP_LINE']}|".split()[1:-1]  # but for what is being typed
    if not (words and words[0] in COMMANDS):
        run_command(_without_command, words)
    if asked:
        os.environ["_ARGCOMPLETE"] = "2"  # the command is the second word of the line
    run_command(importlib.import_module(f"benchmarks.{words[0]}").main, words[1:])


def _without_command(words: Sequence[str] | None) -> int:
    """Show the help, or what is wrong."""
    width = max(map(len, COMMANDS))
    heads = {f"  {name:{width}}  ": _first_line(name) for name in COMMANDS}
    lines = [
        textwrap.fill(line, 79, initial_indent=head, subsequent_indent=" " * len(head))
        for head, line in heads.items()
    ]
    _, _, examples = (__doc__ or "").partition("\n\n")
    parser = Parser("benchmarks.commands", "\n".join([_TITLE, "", *lines, "", examples]))
    parser.prog = "schedgap"
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of these")
    parser.parse_args(words)
    return 0


def _first_line(name: str) -> str:
    """What a command does, as its module says it; the module is only read."""
    source = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
