"""What the process of an isolated policy does, which :mod:`online.fork_server` forks.

It is told what :mod:`online.isolated` asks for, and answers. Nothing else of the run is here.
"""

from __future__ import annotations

import inspect
import io
import pickle
import socket
import sys
import traceback
from collections.abc import Mapping
from typing import Any

import numpy as np

from models.errors import InputError
from online.contract import answer_types
from online.messages import packed, receive, send
from online.parameters import check_parameters, knows_future
from online.policy import Guarantee, Policy
from online.registry import find_policy

__all__ = ["serve"]

_SHOWN = 60  # characters of what a policy prints


class _Host:
    """Holds the policy; each method answers one kind of question."""

    def __init__(self, problem_name: str, reference: str) -> None:
        self._class = find_policy(problem_name, reference)
        self._policy: Policy

    def about(self) -> dict[str, Any]:
        """What the runner has to know of the class."""
        policy, takes = self._class, [*inspect.signature(self._class).parameters.values()]
        sees = knows_future(policy)
        if sees:
            own = [*inspect.signature(policy.for_instance).parameters.values()][1:]
            passes_on = any(one.kind is one.VAR_KEYWORD for one in own)
            takes = [one for one in own if one.kind is not one.VAR_KEYWORD] + takes * passes_on
        unique = {one.name: one for one in reversed(takes)}
        return {
            "name": policy.name,
            "class": policy.__name__,
            "file": getattr(sys.modules.get(policy.__module__), "__file__", None),
            "wider": bool(policy.wider),
            "sees": sees,
            "promises": policy.evidence is not Policy.evidence,
            "parameters": sorted(
                (int(one.kind), one.default is not one.empty, one.name) for one in unique.values()
            ),
        }

    def build(self, instance: Any, parameters: Mapping[str, Any]) -> Any:
        """Build the policy: True, or what its class made instead."""
        check_parameters(self._class, parameters)
        if instance is None:
            built: Any = self._class(**parameters)
        else:
            built = self._class.for_instance(instance, **parameters)
        self._policy = built
        return True if isinstance(built, Policy) else [built]

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        self._policy.reset(public, rng)

    def step(self, event: Any) -> Any:
        return self._policy.step(event)

    def evidence(self, instance: Any, trace: Any) -> Mapping[str, Any] | None:
        return self._policy.evidence(instance, trace)

    def applies(self, evidence: Mapping[str, Any], best_known: float) -> Guarantee | None:
        return self._class.applies(evidence, best_known)


def serve(talk: socket.socket) -> None:
    """Answer questions until there are none."""
    sys.stdout = _TableOutput()
    problem_name, reference = pickle.loads(receive(talk))
    types, host = answer_types(problem_name), None
    while True:
        try:
            question, *given = pickle.loads(receive(talk))
        except EOFError:
            return
        try:
            host = host or _Host(problem_name, reference)
            answer = packed((True, getattr(host, question)(*given)), types)
        except BaseException as error:  # whatever it is, the runner has to know
            answer = packed((False, _words(error), traceback.format_exc()), ())
        send(talk, answer)


class _TableOutput(io.TextIOBase):
    """Standard output, which is for tables and data: whoever prints there is told so."""

    def write(self, text: str) -> int:
        shown = " ".join(text[:_SHOWN].split())
        raise RuntimeError(
            f"printed '{shown}': standard output is for tables, sys.stderr for notes"
        )


def _words(error: BaseException) -> str:
    """An error in one line with its notes; bad input speaks for itself, as in the runner."""
    words = " ".join(str(error).split())
    words = words if isinstance(error, InputError) else f"{type(error).__name__}: {words}"
    return words + "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
