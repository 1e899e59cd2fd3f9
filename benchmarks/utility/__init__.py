"""Experiments on ``utility``: its workloads, synthetic and from real traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.instances import Size
from benchmarks.traces import Trace
from benchmarks.utility.report import WorkloadReport
from benchmarks.utility.testbed import testbed
from benchmarks.utility.traces import describe_mapping, from_trace
from benchmarks.utility.workload import generate
from models.errors import InputError
from models.utility import UtilityInstance

__all__ = [
    "WORKLOAD",
    "Workload",
    "describe_mapping",
    "from_trace",
    "generate",
    "make",
    "parse_servers",
    "testbed",
]


def parse_servers(text: str) -> tuple[int, int]:
    """Numbers of worker and parameter servers from ``H+K``.

    Raises
    ------
    InputError
        If it is not two positive whole numbers joined by a plus.
    """
    workers, _, ps = text.partition("+")
    if not (workers.isdecimal() and ps.isdecimal() and int(workers) and int(ps)):
        raise InputError(f"servers '{text}': want H+K, e.g. 5+5: worker and parameter servers")
    return int(workers), int(ps)


def make(
    *, jobs: int, slots: int, servers: str, seed: int, trace: Trace | None = None
) -> tuple[UtilityInstance, WorkloadReport]:
    """Make an instance as the commands do: from a trace, or synthetic without one.

    Raises
    ------
    InputError
        If a size is bad, or the trace cannot give such an instance.
    """
    worker_servers, ps_servers = parse_servers(servers)
    draw = generate if trace is None else partial(from_trace, trace)
    return draw(
        jobs=jobs,
        slots=slots,
        worker_servers=worker_servers,
        ps_servers=ps_servers,
        rng=np.random.default_rng(seed),
        seed=seed,
    )


def _draw(
    *, jobs: int, slots: int, servers: str, seed: int, trace: Trace | None = None
) -> UtilityInstance:
    return make(jobs=jobs, slots=slots, servers=servers, seed=seed, trace=trace)[0]


@dataclass(frozen=True)
class Workload:
    """What the commands need to know of a problem's workload.

    Parameters
    ----------
    default, quick : Size
        Sizes where none are asked for, without and with ``--quick``.
    draw : callable
        ``(*, jobs, slots, servers, seed, trace) -> instance``.
    """

    default: Size
    quick: Size
    draw: Callable[..., UtilityInstance]


WORKLOAD = Workload(
    default=Size(jobs=10, slots=10, servers="5+5", seeds=10),
    quick=Size(jobs=5, slots=6, servers="3+3", seeds=3),
    draw=_draw,
)
