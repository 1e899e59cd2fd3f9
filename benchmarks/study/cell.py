"""The unit of work: a function by reference, JSON parameters, and what running it takes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from models.errors import InputError
from models.reference import resolve

Status = Literal["done", "failed", "killed", "out of time", "out of memory"]


@dataclass(frozen=True)
class Effort:
    """How hard a solve that can be stopped at any time tries.

    It is not part of what a cell is: a solve with more effort answers the same question better.
    """

    seconds: float | None  # time limit of the solver; None = until it is done
    threads: int = 1  # of the solver

    def __post_init__(self) -> None:
        """Refuse what is no effort (InputError)."""
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise InputError(f"time limit {self.seconds}: want positive seconds, or None")
        if self.threads < 1:
            raise InputError(f"threads {self.threads}: want at least 1")

    def covers(self, other: Effort) -> bool:
        """Whether this is as much effort as the other or more: of time, and of threads if equal.

        Of any two efforts one covers the other, so that two questions asked by turns do not
        replace each other's answers.
        """
        mine, theirs = (
            (math.inf if one.seconds is None else one.seconds, one.threads) for one in (self, other)
        )
        return mine >= theirs


@dataclass(frozen=True)
class Needs:
    """What a cell takes, besides time."""

    threads: int = 1  # cores that it keeps busy
    memory_mb: float | None = None  # killed when it holds more, with its children (Linux)
    limit: float | None = None  # seconds, once it is prepared, after which it counts as hanging
    fresh: bool = False  # it runs in a process that has run nothing before
    alone: bool = False  # nothing else runs meanwhile: times are what it measures


@dataclass(frozen=True)
class Cell:
    """One unit of work: a function that prepares (it imports, compiles and draws).

    What it returns, called without arguments, measures and returns a :class:`Result`. A time limit
    starts in between. The roots are modules that it looks up by name while it runs, so that no
    import shows them: the key covers their code, too. A policy of a user's is ``file.py`` there.

    A solve that can be stopped at any time has an effort: the function is given ``effort`` and
    ``known``, the :class:`Result` that an earlier call with less effort found, or None. If the cell
    is timed, seconds and memory are what it is for: those of the run that found the result are kept
    with it. What limits them belongs to the parameters.
    """

    function: str  # "module:function"
    parameters: Mapping[str, Any]  # in JSON types
    roots: tuple[str, ...] = ()
    data: Mapping[str, bytes] = field(default_factory=dict)  # files; parameters have their hashes
    effort: Effort | None = None
    needs: Needs = Needs()
    kept: bool = True  # whether the result may be looked up later: not a time on this machine now
    timed: bool = False
    label: str = ""  # what a progress line says of it

    @property
    def all_roots(self) -> tuple[str, ...]:
        """The function's module and what it looks up by name."""
        return (self.function.partition(":")[0], *sorted(set(self.roots)))

    @property
    def name(self) -> str:
        """Name of the function alone, for files and messages."""
        return self.function.partition(":")[2].replace("_", "-")

    def __str__(self) -> str:
        return self.label or f"{self.name} {json.dumps(dict(self.parameters), sort_keys=True)}"


@dataclass(frozen=True)
class Result:
    """What a cell found: a value in JSON types, the same whenever it is run, and larger things."""

    value: Any
    files: Mapping[str, bytes] = field(default_factory=dict)  # each under the name of a file
    proven: bool = True  # of a cell with an effort: no effort would find anything better
    times: Mapping[str, float] = field(default_factory=dict)  # seconds of parts; never stored
    said: str = ""  # what a policy in a process of its own writes to stderr; never stored


Measurement = Callable[[], Result]
"""What the function of a cell returns when it has prepared."""


@dataclass(frozen=True)
class Outcome:
    """How a cell ended.

    Its status is ``done``; ``failed`` (it raised an error), ``killed`` (its process died), ``out
    of time`` or ``out of memory``. What it took is, if the cell is timed, that of the run that
    found the result; else a result out of the store has none.
    """

    status: Status
    result: Result | None = None  # None unless done
    message: str = ""  # what went wrong, in one line
    seconds: float = 0.0  # from when it was prepared
    cpu_seconds: float | None = None  # of its process and the children it waited for, meanwhile
    memory_mb: float | None = None  # peak of both; None where the system does not tell
    ran: bool = True  # whether it ran now; else it was found in the store

    @property
    def error(self) -> str:
        """How it failed, and why; empty if it is done."""
        return "" if self.status == "done" else f"{self.status}: {self.message}"


def prepare(cell: Cell, known: Result | None) -> Callable[[], Result]:
    """Call a cell's function; what it returns is still to be measured."""
    more: dict[str, Any] = {"data": cell.data} if cell.data else {}
    if cell.effort is not None:
        more |= {"effort": cell.effort, "known": known}
    measure: Callable[[], Result] = resolve(cell.function)(**cell.parameters, **more)
    return measure
