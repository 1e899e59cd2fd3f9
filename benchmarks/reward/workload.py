"""The workloads of ``reward``: Table 1 of the paper, synthetic, or with parts of real traces.

What the paper leaves open, and what is chosen here:

- capacities and their units: :mod:`benchmarks.reward.machines`;
- requests before contention multiplies them: :mod:`benchmarks.reward.requests`;
- the graph beyond its density: :mod:`benchmarks.reward.graph`;
- how utilities are mixed, and for what alpha and beta are drawn:
  :class:`benchmarks.reward.settings.Settings`;
- arrivals other than Bernoulli: :mod:`benchmarks.reward.arrivals`.

The parts are drawn from streams of their own, so that a change in one (another contention, a
longer horizon) leaves the others as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.reward.arrivals import draw_arrivals, take_arrivals
from benchmarks.reward.graph import draw_edges
from benchmarks.reward.machines import Machines, draw_machines, take_machines
from benchmarks.reward.report import RewardReport
from benchmarks.reward.requests import draw_requests, take_requests
from benchmarks.reward.settings import MIXED, Settings
from benchmarks.traces import Trace
from benchmarks.workload.report import WorkloadReport
from models.reward import RewardInstance
from models.reward.files import RewardFile, Utilities
from models.reward.utilities import KINDS

__all__ = ["MAPPINGS", "generate"]

_GIVES = {
    "machines": "the servers: CPUs, memory and, by model, GPUs (benchmarks.reward.machines)",
    "pods": "the requests: one distinct demand of the pods for each port "
    "(benchmarks.reward.requests)",
    "jobs": "the arrivals: jobs sorted by size are cut into ports, and thinned by rho "
    "(benchmarks.reward.arrivals)",
}
_TABLES = {
    "pai-machines": ("machines",),
    "openb-pods": ("pods",),
    "alibaba-2018": ("jobs",),
    "alibaba": ("machines", "pods", "jobs"),
}

MAPPINGS = {
    kind: "; ".join(f"`{name}` give {_GIVES[name]}" for name in names)
    + ". All else is drawn as in the synthetic workload."
    for kind, names in _TABLES.items()
}
"""Kinds of traces that are used, and what they give."""


@dataclass(frozen=True)
class _Parts:
    """All that is drawn but the utilities."""

    machines: Machines
    requests: np.ndarray
    arrivals: np.ndarray
    notes: tuple[str, ...]


def generate(
    settings: Settings, rng: np.random.Generator, trace: Trace | None = None
) -> tuple[RewardInstance, WorkloadReport]:
    """Draw an instance; what a trace has is taken from it, the rest is drawn.

    Parameters
    ----------
    settings : Settings
    rng : Generator
        The only source of randomness.
    trace : Trace, optional
        Of a kind of ``MAPPINGS``.

    Returns
    -------
    RewardInstance
        The same seed gives the same bytes.
    WorkloadReport

    Raises
    ------
    InputError
        If the trace is too small, or the arrival pattern is unknown.
    """
    streams = rng.spawn(7)
    parts = _parts(settings, streams[:3], trace)
    edges = draw_edges(settings, streams[3])
    shape = parts.machines.capacities.shape
    alpha = np.round(streams[4].uniform(*settings.alpha, size=shape), 6)
    beta = np.round(streams[5].uniform(*settings.beta, size=shape[1]), 6)
    kinds: str | list[list[str]] = settings.utilities
    if kinds == MIXED:
        codes = streams[6].integers(len(KINDS), size=shape)
        kinds = [[KINDS[code] for code in row] for row in codes.tolist()]
    source = "synthetic" if trace is None else f"trace {trace.kind}"
    instance = RewardInstance.from_file(
        RewardFile(
            format="1",
            problem="reward",
            name=_name(settings, trace),
            slots=settings.slots,
            devices=list(parts.machines.devices),
            capacities=parts.machines.capacities.tolist(),
            requests=np.round(settings.contention * parts.requests, 6).tolist(),
            edges=[(port, server) for port, server in edges.tolist()],
            utilities=Utilities(kind=kinds, alpha=alpha.tolist()),
            beta=beta.tolist(),
            arrivals=parts.arrivals.tolist(),
            seed=settings.seed,
            origin=f"{source}: {'; '.join(parts.notes)}; OGASched Table 1, {settings.describe()}",
        )
    )
    return instance, RewardReport.build(instance, parts.notes)


def _parts(settings: Settings, streams: list[np.random.Generator], trace: Trace | None) -> _Parts:
    def table(name: str) -> bool:
        return trace is not None and name in trace.names

    path = "" if trace is None else trace.path
    if trace is not None and table("machines"):
        machines = take_machines(trace.table("machines"), settings.servers, streams[0], path)
    else:
        machines = draw_machines(settings.servers, streams[0])
    notes = [machines.note]
    if trace is not None and table("pods"):
        requests, note = take_requests(
            trace.table("pods"), settings.ports, machines, streams[1], path
        )
        notes.append(note)
    else:
        requests = draw_requests(settings.ports, machines, streams[1])
        notes.append("requests uniform up to the largest capacity")
    if trace is not None and table("jobs") and settings.arrivals is None:
        arrivals, note = take_arrivals(trace.table("jobs"), settings, streams[2], path)
    else:
        arrivals, note = draw_arrivals(settings, streams[2])
    return _Parts(machines, requests, arrivals, (*notes, note))


def _name(settings: Settings, trace: Trace | None) -> str:
    """Name that tells instances apart in a table."""
    arrivals = settings.arrivals or ("bernoulli" if trace is None else trace.kind)
    source = arrivals if trace is None or settings.arrivals is None else f"{trace.kind}-{arrivals}"
    return f"{source}-{settings.ports}x{settings.slots}-{settings.servers}-seed{settings.seed}"
