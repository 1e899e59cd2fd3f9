"""Events, decisions and policies: what the online side of every problem has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

__all__ = ["Arrival", "Decision", "Event", "Guarantee", "JobEvent", "Policy", "SlotStart"]


class Event(Protocol):
    """What a world reveals. Each problem has events of its own; all of them offer this."""

    @property
    def slot(self) -> int:
        """Current slot."""

    @property
    def kind(self) -> str:
        """One word for the rows of a Trace."""

    @property
    def job_id(self) -> str | None:
        """Id of the one job that the event is about, if there is one."""

    @property
    def label(self) -> str:
        """What happens, for messages."""


@dataclass(frozen=True)
class Arrival:
    """A job arrives; it may run from this slot on.

    Parameters
    ----------
    slot : int
        Current slot.
    job : Job
        What is revealed of it; ``job.index`` is its rank in the order of arrival.
    """

    slot: int
    job: Any
    kind: ClassVar[str] = "arrival"

    @property
    def job_id(self) -> str:
        """Id of the job."""
        return str(self.job.id)

    @property
    def label(self) -> str:
        """The arrival of this job."""
        return f"arrival of job '{self.job.id}'"


@dataclass(frozen=True)
class SlotStart:
    """A slot begins in which something happened, after all its arrivals.

    Sent when a job arrived in this slot, when a job completed in the slot before, or when
    the policy asked to be woken. Idle slots cost nothing: they send no event.

    Parameters
    ----------
    slot : int
        Current slot.
    arrived : tuple of int
        Jobs that arrived in this slot, in order.
    completed : tuple of int
        Jobs that have completed since the last event.
    remaining : Mapping[int, int]
        Work left of every job that has arrived and is not complete, in order of arrival.
    """

    slot: int
    arrived: tuple[int, ...]
    completed: tuple[int, ...]
    remaining: Mapping[int, int]
    kind: ClassVar[str] = "slot"
    job_id: ClassVar[None] = None
    label: ClassVar[str] = "its start"


JobEvent = Arrival | SlotStart
"""The events of problems that are decided job by job."""


@dataclass(frozen=True)
class Decision:
    """Answer of a policy to one event; empty = leave everything as it is.

    A world refuses what does not belong to its problem.

    Parameters
    ----------
    plans : Mapping[int, Any]
        Job -> plan; a plan replaces whatever the job would do from the current slot on. What a
        plan is depends on the problem (``utility``: a tuple of ``online.segments.Segment``).
    wake_at : int, optional
        Send a SlotStart at this slot, whatever happens: after the current one and before the
        horizon.
    info : Mapping[str, Any]
        Numbers to be recorded with the decision (payoff, dual increments, ...). Names that the
        runner and the world use themselves, such as ``slot``, ``event`` and ``job``, are refused.
    allocation : Any, optional
        What is allocated in this slot, for problems that are decided slot by slot and not job by
        job (``reward``: an array, see :mod:`online.reward.events`). The world reads it at once and
        does not change it, so a policy may reuse its array.
    """

    plans: Mapping[int, Any] = field(default_factory=dict)
    wake_at: int | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    allocation: Any | None = None


@dataclass(frozen=True)
class Guarantee:
    """A competitive ratio and whether its assumptions hold for one run.

    Parameters
    ----------
    ratio : float
        The ratio, at least 1.
    applies : bool
        Whether every assumption of the paper's guarantee holds.
    fails : str
        The assumptions that do not hold, with numbers; empty if it applies.
    """

    ratio: float
    applies: bool
    fails: str


class Policy(ABC):
    """An online algorithm. It only ever holds what the runner has revealed to it.

    A policy is built once with its parameters and may be run many times: ``reset`` starts a
    run. A subclass whose parameters are computed from an instance (price bounds, say)
    overrides ``for_instance``; every result of a policy that does is marked
    ``clairvoyant_bounds``, because those parameters know the future.
    """

    name: ClassVar[str]
    """Name on the command line, in the results and in names of files: a-z, 0-9 and dashes."""

    wider: ClassVar[bool] = False
    """Whether its schedules may do what the problem's exact models do not allow
    (:attr:`models.problem.Problem.wider`). They are compared with bounds that allow it, too."""

    blind: bool = False
    """True of an object that took nothing from the instance, though its class may: its results
    are not marked ``clairvoyant_bounds``."""

    @classmethod
    def for_instance(cls, instance: Any, *_: Any, **parameters: Any) -> Policy:
        """Build the policy for a run on ``instance``; by default nothing is taken from it.

        ``parameters`` are the policy's own, by keyword; an override names those that it takes.
        """
        return cls(**parameters)

    @abstractmethod
    def reset(self, public: Any, rng: np.random.Generator) -> None:
        """Start a run, knowing only what is public (the cluster)."""

    @abstractmethod
    def step(self, event: Any) -> Decision:
        """Answer one event; the problem's world defines which events there are."""

    @property
    def final_prices(self) -> Any | None:
        """Prices at the end of the run, for an a-posteriori bound; None if it has no prices."""
        return None

    def evidence(self, instance: Any, trace: Any) -> Mapping[str, Any] | None:
        """What :meth:`applies` needs to know of the run just ended; None if nothing is promised.

        Called after a run, with the whole instance and its Trace. Nothing of it depends on the
        offline side, and all of it is of JSON's types (text, finite numbers, true and false, null,
        lists, mappings with texts as keys), so that it can be stored with the run.
        """
        return None

    @classmethod
    def applies(cls, evidence: Mapping[str, Any], best_known: float) -> Guarantee | None:
        """What theory promises of a run; None if nothing.

        It rests on its arguments alone, so that the guarantee can be judged later, from a stored
        run, and again when a better schedule is found.

        Parameters
        ----------
        evidence : Mapping[str, Any]
            What :meth:`evidence` said of the run.
        best_known : float
            Objective of the best schedule known: no larger than the optimum where the problem
            maximises, no smaller where it minimises.
        """
        return None
