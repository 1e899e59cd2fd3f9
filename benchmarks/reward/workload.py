"""The workloads of ``reward``: Table 1 of the paper, synthetic, or with parts of real traces.

What the paper leaves open is chosen where it is drawn: capacities, their units, and requests
before contention multiplies them in :mod:`benchmarks.reward.parts`; the graph beyond its
density, and arrivals other than Bernoulli, in :mod:`benchmarks.workload.ports`; how utilities are
mixed, and for what alpha and beta are drawn, in :class:`benchmarks.reward.settings.Settings`.

The parts are drawn from streams of their own, so that a change in one (another contention, a
longer horizon) leaves the others as they are.
"""

from __future__ import annotations

import numpy as np

from benchmarks.reward import parts
from benchmarks.reward.settings import MIXED, Settings
from benchmarks.traces import Trace
from benchmarks.workload.ports import draw_edges
from benchmarks.workload.report import WorkloadReport
from benchmarks.workload.submissions import origin_of
from models.reward import RewardInstance
from models.reward.files import RewardFile, Utilities
from models.reward.load import mean_share
from models.reward.utilities import KINDS

__all__ = ["MAPPINGS", "generate"]

_GIVES = {
    "machines": "the servers: CPUs, memory and, by model, GPUs",
    "pods": "the requests: one distinct demand of the pods for each port",
    "jobs": "the arrivals: jobs sorted by size are cut into ports, and thinned by rho",
}
_TABLES = {
    "pai-machines": ("machines",),
    "openb-pods": ("pods",),
    **dict.fromkeys(("alibaba-2018", "csv"), ("jobs",)),
    "alibaba": ("machines", "pods", "jobs"),
}

MAPPINGS = {
    kind: "; ".join(f"`{name}` give {_GIVES[name]}" for name in names)
    + ". All else is drawn as in the synthetic workload."
    for kind, names in _TABLES.items()
}
"""Kinds of traces that are used, and what they give."""


def generate(
    settings: Settings, rng: np.random.Generator, trace: Trace | None = None
) -> tuple[RewardInstance, WorkloadReport]:
    """Draw an instance; what a trace has is taken from it, the rest is drawn.

    See :class:`benchmarks.workload.contract.Workload`. Raises InputError if the trace is too small,
    or the arrival pattern is unknown.
    """
    streams = rng.spawn(7)
    machines, requests, arrivals, notes = _parts(settings, streams[:3], trace)
    shape = machines.capacities.shape
    factor = settings.contention * settings.requests
    if settings.load is not None:
        drawn = mean_share(arrivals, requests, machines.capacities)
        factor = settings.load / drawn if drawn > 0.0 else factor
    edges = draw_edges(
        settings.ports, settings.servers, streams[3], edges=settings.edges, most=settings.room
    )
    alpha = np.round(streams[4].uniform(*settings.alpha, size=shape), 6)
    beta = np.round(streams[5].uniform(*settings.beta, size=shape[1]), 6)
    kinds: str | list[list[str]] = settings.utilities
    if kinds == MIXED:
        kinds = np.array(KINDS)[streams[6].integers(len(KINDS), size=shape)].tolist()
    instance = RewardInstance.from_file(
        RewardFile(
            format="1",
            problem="reward",
            name=_name(settings, trace),
            slots=settings.slots,
            devices=list(machines.devices),
            capacities=machines.capacities.tolist(),
            requests=np.round(factor * requests, 6).tolist(),
            edges=[(port, server) for port, server in edges.tolist()],
            utilities=Utilities(kind=kinds, alpha=alpha.tolist()),
            beta=beta.tolist(),
            arrivals=arrivals.tolist(),
            seed=settings.seed,
            origin=origin_of(trace, notes, "OGASched Table 1", settings.describe()),
        )
    )
    return instance, _report(instance, notes)


def _report(instance: RewardInstance, notes: tuple[str, ...]) -> WorkloadReport:
    """Density and rate, and distributions over servers, ports or slots."""
    cluster, arrivals = instance.cluster, instance.arrivals
    port, server = cluster.port_edges.T
    fields = {
        "ports of a server": np.bincount(server, minlength=len(cluster.capacities)),
        "servers of a port": np.bincount(port, minlength=len(cluster.requests)),
        **{"jobs in a slot": arrivals.sum(axis=1), "jobs of a port": arrivals.sum(axis=0)},
    }
    for k, device in enumerate(cluster.devices):
        fields[f"capacity {device}"] = cluster.capacities[:, k]
        fields[f"request {device}"] = cluster.requests[:, k]
    density = len(port) / len(cluster.capacities)
    rate = f"density {density:.4g}, {arrivals.mean():.4g} jobs per port and slot"
    return WorkloadReport.of(instance, fields, notes=notes, counts=(rate,))


def _parts(
    settings: Settings, streams: list[np.random.Generator], trace: Trace | None
) -> tuple[parts.Machines, np.ndarray, np.ndarray, tuple[str, ...]]:
    """Servers, requests and arrivals, of the trace where it has them, and where they are from."""
    given = trace or Trace("", "", {})
    ports, path = settings.ports, given.path
    if "machines" in given.names:
        machines = parts.take_machines(given.table("machines"), settings.servers, streams[0], path)
    else:
        machines = parts.draw_machines(settings.servers, streams[0])
    if "pods" in given.names:
        requests, note = parts.take_requests(given.table("pods"), ports, machines, streams[1], path)
    else:
        requests = parts.draw_requests(ports, machines, streams[1])
        note = "requests uniform up to the largest capacity"
    if settings.arrivals is None and "jobs" in given.names:
        arrivals, how = parts.take_arrivals(given.table("jobs"), settings, streams[2], path)
    else:
        arrivals, how = parts.draw_arrivals(settings, streams[2])
    return machines, requests, arrivals, (machines.note, note, how)


def _name(settings: Settings, trace: Trace | None) -> str:
    """Name that tells instances apart in a table."""
    kind = "" if trace is None else trace.kind
    source = "-".join(filter(None, [kind, settings.arrivals])) or "bernoulli"
    return f"{source}-{settings.ports}x{settings.slots}-{settings.servers}-seed{settings.seed}"
