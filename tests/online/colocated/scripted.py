"""A policy that answers by a function, rows, and a job whose two rates are 3 to 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from models.colocated import ColocatedInstance, score
from models.colocated.files import JobRecord
from online.policy import Decision, Event, Policy
from online.run import Trace, run
from online.segments import Segment
from tests.models.colocated.small import job

Answer = Callable[[Event], Decision | None]


class Scripted(Policy):
    """Answers events by a function and remembers them."""

    name = "scripted"

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        self.events: list[Event] = []

    def step(self, event: Event) -> Decision:
        self.events.append(event)
        return self._answer(event) or Decision()


def simulate(ins: ColocatedInstance, policy: Policy, seed: int = 0) -> Trace:
    """Run a policy, and have the scorer look at what it did."""
    trace = run(ins, policy, np.random.default_rng(seed))
    assert score(ins, trace.schedule).violations == ()
    return trace


def fast(name: str, arrival: int = 0, **changes: Any) -> JobRecord:
    """A sample takes 1/2 + 1/2 = 1 slot on one server, and 1/2 + 1 = 3/2 slots otherwise.

    So an internal worker is worth 3/2 external ones. One parameter server is enough.
    """
    fields = {"sample_slots": 0.5, "gradient_mb": 1.0, "internal_gbps": 2.0}
    both = changes.get("max_workers", 2)
    return job(name, arrival, **{**fields, "max_workers": both, "gamma": float(both), **changes})


def segment(start: int, workers: dict[int, int], ps: dict[int, int], stop: int | None = None):  # type: ignore[no-untyped-def]
    """Servers and counts from some slot on."""
    rows = (np.array([*side.items()], dtype=np.int64).reshape(-1, 2) for side in (workers, ps))
    return Segment(start, stop, *rows)


def rows(trace: Trace, index: int) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """(slot, server, count) of the workers and of the parameter servers of a job."""
    schedule = trace.schedule
    workers, ps = (
        [tuple(row[1:]) for row in side.tolist() if row[0] == index]
        for side in (schedule.workers, schedule.ps)
    )
    return workers, ps
