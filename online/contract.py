"""What the layer ``online`` offers of a problem, and where runner and commands find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from models.problem import offered
from online.policy import Decision, Event, Guarantee

__all__ = ["OnlineSide", "World", "answer_types", "online_side"]


class World(Protocol):
    """The state of one problem during a run; the only holder of the whole instance."""

    @property
    def public(self) -> Any:
        """What every policy may know from the start."""

    def events(self) -> Iterator[Event]:
        """Events in order; advances the state between them."""

    def apply(self, decision: Decision) -> Mapping[str, Any]:
        """Carry a decision out; raises InfeasibleDecision.

        Returns what is recorded of it, in addition to the policy's own info.
        """

    def schedule(self) -> Any:
        """What has been executed."""


@dataclass(frozen=True)
class OnlineSide:
    """The online side of a problem: ``online.<problem>.ONLINE``.

    Parameters
    ----------
    make_world : callable
        ``(instance) -> World``, for one run.
    policies : Mapping[str, str]
        Registered policies: name -> reference (:mod:`models.reference`) to the class, whose
        ``name`` is the same; the paper's own first. None of them is imported by being listed.
    terms : Mapping[str, str]
        What the assumptions of guarantees mean, in words for people: how a reason begins
        (:attr:`online.policy.Guarantee.fails`) -> its meaning.
    plans : tuple of type
        Dataclasses and named tuples of which the plans of a decision are made, apart from numbers,
        texts, arrays and containers of these: what a policy in a process of its own may answer
        (:mod:`online.messages`).
    """

    make_world: Callable[[Any], World]
    policies: Mapping[str, str]
    terms: Mapping[str, str] = field(default_factory=dict)
    plans: tuple[type, ...] = ()


def online_side(problem_name: str) -> OnlineSide:
    """The online side of a problem.

    Raises
    ------
    InputError
        If there is no such problem, or it has no online side yet.
    """
    return offered("online", problem_name, "ONLINE", OnlineSide)


def answer_types(problem_name: str) -> tuple[type, ...]:
    """Types of which the answers of a policy are made (:mod:`online.messages`)."""
    return (Decision, Guarantee, *online_side(problem_name).plans)
