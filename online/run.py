"""The runner: reveals an instance event by event and records what a policy decides."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from online.policy import Arrival, Decision, Event, Policy

__all__ = ["InfeasibleDecision", "Trace", "World", "run"]


class InfeasibleDecision(RuntimeError):
    """A policy answered with something that breaks a constraint. It is refused, not repaired."""


@dataclass(frozen=True)
class Trace:
    """What happened in one run.

    Parameters
    ----------
    schedule : Schedule
        What was executed, for the scorer.
    decisions : list of dict
        One row per event: ``slot``, ``event``, ``job`` (id or None) and the policy's info.
    seconds : ndarray of float
        Time the policy took for each event; kept apart from the rows, which are deterministic.
    """

    schedule: Any
    decisions: list[dict[str, Any]]
    seconds: np.ndarray


class World(Protocol):
    """The state of one problem during a run; the only holder of the whole instance."""

    @property
    def public(self) -> Any:
        """What every policy may know from the start."""

    def events(self) -> Iterator[Event]:
        """Events in order; advances the state between them."""

    def apply(self, event: Event, decision: Decision) -> None:
        """Carry a decision out; raises InfeasibleDecision."""

    def schedule(self) -> Any:
        """What has been executed."""


def run(instance: Any, policy: Policy, rng: np.random.Generator) -> Trace:
    """Run a policy on an instance.

    The policy gets the public information, then one event at a time. It never holds the
    instance or the world, so it cannot know the future.

    Parameters
    ----------
    instance : Instance
    policy : Policy
    rng : numpy.random.Generator
        The policy's only source of randomness.

    Returns
    -------
    Trace

    Raises
    ------
    InfeasibleDecision
        Naming the policy, the constraint, the job, the slot and the server.
    """
    world: World = importlib.import_module(f"online.{instance.problem}").make_world(instance)
    clock = time.perf_counter
    begin = clock()
    policy.reset(world.public, rng)
    seconds = [clock() - begin]
    rows: list[dict[str, Any]] = []
    for event in world.events():
        begin = clock()
        decision = policy.step(event)
        seconds.append(clock() - begin)
        try:
            world.apply(event, decision)
        except InfeasibleDecision as error:
            raise InfeasibleDecision(
                f"policy '{policy.name}', slot {event.slot}: {error}"
            ) from None
        arrival = isinstance(event, Arrival)
        rows.append(
            {
                "slot": event.slot,
                "event": "arrival" if arrival else "slot",
                "job": event.job.id if isinstance(event, Arrival) else None,
                **decision.info,
            }
        )
    return Trace(world.schedule(), rows, np.array(seconds))
