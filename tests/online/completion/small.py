"""Instances whose runs are easily worked out: workers of 1 Gbps with all-reduce, no transfers."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.completion import CompletionInstance, score
from models.completion.files import JobRecord
from online.policy import Policy
from online.run import Trace, run
from tests.models.completion.small import instance, ring_job

__all__ = ["play", "ring", "rows", "work"]


def work(name: str, arrival: int = 0, *, chunks: int = 1, slots: int = 1, **more: Any) -> JobRecord:
    """A job that takes D workers so many slots: in every slot a worker trains one mini-batch."""
    return ring_job(name, arrival, chunks=chunks, epochs=slots, **more)


def ring(jobs: list[JobRecord], *servers: float, **changes: Any) -> CompletionInstance:
    """Servers with room for so many workers each."""
    fields = {"servers": [[size] for size in servers], **changes}
    return instance(jobs, architecture="allreduce", **fields)


def play(ins: CompletionInstance, policy: Policy) -> tuple[Trace, list[int]]:
    """Trace and completions; no violation."""
    trace = run(ins, policy, np.random.default_rng(0))
    result = score(ins, trace.schedule)
    assert result.violations == ()
    return trace, result.completion.tolist()


def rows(trace: Trace, index: int) -> list[tuple[int, ...]]:
    """(begin, end, server, workers) of one job with all-reduce."""
    return [(t, u, h, n) for j, t, u, h, n, _ in trace.schedule.rows.tolist() if j == index]
