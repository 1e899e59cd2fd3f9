"""Policies in a process of their own, which holds what is public and the events so far.

The runner and its world stay here with the instance. A fresh process is started for each run; it
loads the policy, is told what ``reset`` and ``step`` are given, and answers with decisions, which
come as data (:mod:`online.messages`) and are checked by the world as all are. The code of the
policy is not loaded here at all: not to learn its name, and not to judge its guarantee.

What a policy does wrong is an error of its run: an exception, an exit, a print to standard output,
an answer that takes too long or is none. What it writes to stderr is kept apart. A policy that
overrides ``for_instance`` asks for the instance and is given it: its results are marked
``clairvoyant_bounds``, even if it says ``blind``.

Nothing hides the machine from it: see docs/policies.md.
"""

from __future__ import annotations

import inspect
import os
import socket
import time
import weakref
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from models.errors import InputError
from online.child_process import Child
from online.contract import answer_types
from online.forked_child import ForkedChild
from online.messages import pickled, receive, send, unpacked
from online.policy import Decision, Guarantee, Policy
from online.process_tree import tree_memory
from online.registry import check_policy

__all__ = ["DECISION_LIMIT", "Isolated", "PolicyFailure", "isolated"]

DECISION_LIMIT = 60.0
"""Seconds that a policy has for an answer, unless it is told otherwise."""

_START = 60.0  # seconds to start, load and build, at least
_MEMORY = 4e9  # bytes that a policy may hold, with all that it starts (Linux)
_LOOK = 0.05  # seconds between two looks at them
_SHOWN = 10  # lines that it prints
_LONGEST = 500  # characters of an error, and of a line that it prints


class PolicyFailure(InputError):
    """What a policy did wrong in its process."""


class _Remote(Exception):
    """The traceback in the process of the policy, for whoever looks at the cause."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class _Process:
    """The process of one policy; it ends with this object."""

    def __init__(self, problem_name: str, reference: str, limit: float, runs: bool) -> None:
        self._types = answer_types(problem_name)
        self._talk, theirs = socket.socketpair()
        with theirs:
            self._child = ForkedChild(problem_name, theirs, runs)
        self.end = weakref.finalize(self, _end, self._child, self._talk)
        self._start, self._limit = max(limit, _START), limit
        self._tell((problem_name, reference))

    def ask(self, question: str, *given: Any) -> Any:
        """Ask a question that takes as long as it may take to start."""
        return self._answer(self._start, question, *given)

    def decide(self, question: str, *given: Any) -> Any:
        """Ask for a decision."""
        return self._answer(self._limit, question, *given)

    def said(self) -> str:
        """What it has written to stderr, not all if that is much."""
        lines = self._child.said().splitlines()
        more = [f"... and {len(lines) - _SHOWN} lines more"] if len(lines) > _SHOWN else []
        return "\n".join([*map(_shown, lines[:_SHOWN]), *more])

    def _answer(self, limit: float, question: str, *given: Any) -> Any:
        self._tell((question, *given))
        began = looked = time.monotonic()

        def waiting() -> None:
            nonlocal looked
            now = time.monotonic()
            if now - began > limit:
                self._fail(f"no answer after {limit:g} s")
            if now - looked < _LOOK:
                return
            looked = now
            self._child.keep_what_is_said_short()
            holds, _ = tree_memory(self._child.pid) or (0, 0)
            if holds > _MEMORY:
                self._fail(f"its process holds more than {_MEMORY / 1e6:g} MB")
            if not self._child.lives:
                raise EOFError  # what it has started may hold the socket

        try:
            content = receive(self._talk, waiting)
        except (EOFError, OSError):
            self._fail(self._child.last_words())
        except BufferError:
            self._fail("its process sent what is no answer")
        try:
            fine, answer, *trace = unpacked(content, self._types)
        except Exception:  # only one who writes to the socket himself gets here
            self._fail("its process sent what is no answer")
        if not fine:
            raise PolicyFailure(_shown(str(answer))) from _Remote(*trace)
        return answer

    def _tell(self, message: Any) -> None:
        try:
            content = pickled(message)
        except Exception as error:
            raise PolicyFailure(f"cannot be sent to its process: {error}") from error
        with suppress(OSError):  # it has ended, or reads nothing: the answer will show it
            self._talk.settimeout(self._limit)
            send(self._talk, content)
        self._talk.settimeout(_LOOK)

    def _fail(self, why: str) -> None:
        self.end()
        raise PolicyFailure(_shown(why))


def _end(child: Child, talk: socket.socket) -> None:
    child.end()
    talk.close()


def _shown(words: str) -> str:
    """Words of a policy as a table and a terminal can bear them: printable, and not endless."""
    printable = "".join(one if one.isprintable() else " " for one in words[: _LONGEST + 1])
    return printable if len(words) <= _LONGEST else f"{printable[:_LONGEST]} ..."


class Isolated(Policy):
    """A policy whose code is in a process of its own; :func:`isolated` makes a class of each."""

    problem: ClassVar[str]
    reference: ClassVar[str]
    limit: ClassVar[float]
    file: ClassVar[str | None]
    """Source file of the policy."""
    promises: ClassVar[bool]
    """Whether it overrides ``evidence``."""

    def __init__(self, instance: Any = None, /, **parameters: Any) -> None:
        self._process = self._started(runs=True)
        self._built = self._process.ask("build", instance, parameters)

    @classmethod
    def _started(cls, runs: bool) -> _Process:
        return _Process(cls.problem, cls.reference, cls.limit, runs)

    @property
    def said(self) -> str:
        """What the policy has written to stderr."""
        return self._process.said()

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        """Start a run there."""
        self._process.decide("reset", public, rng)

    def step(self, event: Any) -> Decision:
        """Ask for a decision; whatever is answered is passed on to the runner."""
        answer: Decision = self._process.decide("step", event)
        return answer

    def evidence(self, instance: Any, trace: Any) -> Mapping[str, Any] | None:
        """Ask for it, with the whole instance: the run has ended."""
        if not self.promises:
            return None
        answer: Mapping[str, Any] | None = self._process.ask("evidence", instance, trace)
        return answer

    @classmethod
    def applies(cls, evidence: Mapping[str, Any], best_known: float) -> Guarantee | None:
        """Ask a process of its own."""
        answer: Guarantee | None = cls._started(runs=False).ask("applies", evidence, best_known)
        return answer


class _Seeing(Isolated):
    """One that asks for the instance to build itself."""

    @classmethod
    def for_instance(cls, instance: Any, *_: Any, **parameters: Any) -> Any:
        """Build it there; what is no policy is passed on to whoever asked for one."""
        one = cls(instance, **parameters)
        return one if one._built is True else one._built[0]


_known: dict[tuple[str, str, float], tuple[object, type[Isolated]]] = {}


def isolated(problem_name: str, reference: str, limit: float = DECISION_LIMIT) -> type[Isolated]:
    """The class of a policy that runs in a process of its own.

    Parameters
    ----------
    problem_name : str
    reference : str
        As for :func:`online.registry.find_policy`, which the process calls.
    limit : float
        Seconds that it has for each answer.

    Raises
    ------
    InputError
        If there is no such policy, or it cannot be built.
    """
    key = (problem_name, str(Path(reference)) + str(Path.cwd()), limit)
    stamp, policy = _known.get(key, (None, None))
    if policy is not None and stamp == _stamp(policy.file):
        return policy
    process = _Process(problem_name, reference, limit, runs=False)
    try:
        about = process.ask("about")
    except PolicyFailure as failure:
        words = str(failure)
        raise InputError(words if reference in words else f"policy '{reference}': {words}") from (
            failure.__cause__
        )
    finally:
        process.end()
    told = {"problem": problem_name, "reference": reference, "limit": limit}
    told |= {name: about[name] for name in ("name", "file", "wider", "promises")}
    told["__signature__"] = inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect._ParameterKind(kind),
                default=None if has_default else inspect.Parameter.empty,
            )
            for kind, has_default, name in about["parameters"]
        ]
    )
    made: Any = type(str(about["class"]), (_Seeing if about["sees"] else Isolated,), told)
    check_policy(made, reference)
    _known[key] = _stamp(made.file), made
    return made


def _stamp(file: str | None) -> object:
    """What tells whether a file has changed."""
    with suppress(OSError):
        about = os.stat(file or "")
        return about.st_mtime_ns, about.st_size
    return None
