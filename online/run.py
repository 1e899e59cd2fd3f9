"""The runner: reveals an instance event by event and records what a policy decides."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from models.errors import InputError
from online.contract import World, online_side
from online.policy import Decision, Policy

__all__ = ["InfeasibleDecision", "Trace", "raised_by", "run"]


class InfeasibleDecision(InputError):
    """A policy answered with something that breaks a rule. It is refused, not repaired."""


@dataclass(frozen=True)
class Trace:
    """What happened in one run.

    Parameters
    ----------
    schedule : Schedule
        What was executed, for the scorer.
    decisions : list of dict
        One row per event: ``slot``, ``event``, ``job`` (id or None), what the world records of
        it, and the policy's info.
    seconds : ndarray of float
        Time the policy took for its reset, then for each event; kept apart from the rows, which
        are deterministic.
    """

    schedule: Any
    decisions: list[dict[str, Any]]
    seconds: np.ndarray

    def __str__(self) -> str:
        return f"{len(self.decisions)} decisions in {self.seconds[1:].sum():.3g} s"


def run(instance: Any, policy: Policy, rng: np.random.Generator) -> Trace:
    """Run a policy on an instance.

    The policy gets the public information, then one event at a time. It never holds the
    instance or the world, so it cannot know the future.

    Parameters
    ----------
    instance : Instance
    policy : Policy
    rng : numpy.random.Generator
        The policy's only source of randomness: it gets this stream, and not its seed.

    Returns
    -------
    Trace

    Raises
    ------
    InfeasibleDecision
        Naming the policy, the instance, the slot, and what is broken: the constraint with job and
        server, or the form of a Decision. Whatever else the policy raises goes through, with a
        note that says the same.
    """
    world: World = online_side(instance.problem).make_world(instance)
    who = f"policy '{policy.name}' on '{instance.name}'"
    seconds: list[float] = []
    _timed(seconds, f"{who}, reset", policy.reset, world.public, _without_seed(rng))
    rows: list[dict[str, Any]] = []
    for event in world.events():
        where = f"{who}, slot {event.slot} ({event.label})"
        decision = _timed(seconds, where, policy.step, event)
        try:
            _check_form(decision)
            row = {
                "slot": event.slot,
                "event": event.kind,
                "job": event.job_id,
                **world.apply(decision),
            }
            _check_info(decision.info, row)
        except InfeasibleDecision as error:
            raise InfeasibleDecision(f"{where}: {error}") from None
        rows.append({**row, **decision.info})
    return Trace(world.schedule(), rows, np.array(seconds))


def _timed(seconds: list[float], where: str, call: Callable[..., Any], *given: Any) -> Any:
    """Call a policy, keep the time it takes, and say where it was if it raises."""
    with raised_by(where):
        begin = time.perf_counter()
        answer = call(*given)
        seconds.append(time.perf_counter() - begin)
    return answer


@contextmanager
def raised_by(where: str) -> Iterator[None]:
    """Add to whatever a policy's own code raises a note that says where it was."""
    try:
        yield
    except Exception as error:
        error.add_note(f"raised by {where}")
        raise


def _check_form(decision: Any) -> None:
    """Refuse an answer that is no Decision, whatever the problem."""
    if not isinstance(decision, Decision):
        raise InfeasibleDecision(f"step returned {type(decision).__name__}, not a Decision")
    for name in ("plans", "info"):
        if not isinstance(getattr(decision, name), Mapping):
            raise InfeasibleDecision(f"`{name}` of the Decision is not a mapping")


def _check_info(info: Mapping[str, Any], row: Mapping[str, Any]) -> None:
    """Refuse info that would hide what a row records."""
    for key in row.keys() & info.keys():
        raise InfeasibleDecision(f"`info` may not hold '{key}': the runner records it")


def _without_seed(rng: np.random.Generator) -> np.random.Generator:
    """The same stream, of which the seed cannot be read: it is the seed of the instance, too.

    What the policy may spawn from it depends on a hash of where the stream is.
    """
    state = rng.bit_generator.state
    words = hashlib.sha256(repr(sorted(state.items())).encode()).digest()
    bits = type(rng.bit_generator)(np.random.SeedSequence(int.from_bytes(words, "big")))
    bits.state = state
    return np.random.Generator(bits)
