"""The workloads of ``reward``: Table 1 of the paper, synthetic, or with parts of real traces.

What the paper leaves open, and what is chosen here:

- capacities and their units: :mod:`benchmarks.reward.machines`;
- requests before contention multiplies them: :mod:`benchmarks.reward.requests`;
- the graph beyond its density: :func:`draw_edges`;
- how utilities are mixed, and for what alpha and beta are drawn:
  :class:`benchmarks.reward.settings.Settings`;
- arrivals other than Bernoulli: :mod:`benchmarks.reward.arrivals`.

The parts are drawn from streams of their own, so that a change in one (another contention, a
longer horizon) leaves the others as they are.
"""

from __future__ import annotations

import numpy as np

from benchmarks.reward.arrivals import draw_arrivals, take_arrivals
from benchmarks.reward.machines import Machines, draw_machines, take_machines
from benchmarks.reward.requests import draw_requests, take_requests
from benchmarks.reward.settings import MIXED, Settings
from benchmarks.traces import Table, Trace
from benchmarks.workload.report import WorkloadReport
from models.reward import RewardInstance
from models.reward.files import RewardFile, Utilities
from models.reward.utilities import KINDS

__all__ = ["MAPPINGS", "draw_edges", "generate"]

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
    machines, requests, arrivals, notes = _parts(settings, streams[:3], trace)
    edges = draw_edges(settings, streams[3])
    shape = machines.capacities.shape
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
            devices=list(machines.devices),
            capacities=machines.capacities.tolist(),
            requests=np.round(settings.contention * requests, 6).tolist(),
            edges=[(port, server) for port, server in edges.tolist()],
            utilities=Utilities(kind=kinds, alpha=alpha.tolist()),
            beta=beta.tolist(),
            arrivals=arrivals.tolist(),
            seed=settings.seed,
            origin=f"{source}: {'; '.join(notes)}; OGASched Table 1, {settings.describe()}",
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
        "jobs in a slot": arrivals.sum(axis=1),
        "jobs of a port": arrivals.sum(axis=0),
    }
    for k, device in enumerate(cluster.devices):
        fields[f"capacity {device}"] = cluster.capacities[:, k]
        fields[f"request {device}"] = cluster.requests[:, k]
    density = len(port) / len(cluster.capacities)
    rate = f"density {density:.4g}, {arrivals.mean():.4g} jobs per port and slot"
    return WorkloadReport.of(instance, fields, notes=notes, counts=(rate,))


def _parts(
    settings: Settings, streams: list[np.random.Generator], trace: Trace | None
) -> tuple[Machines, np.ndarray, np.ndarray, tuple[str, ...]]:
    """Servers, requests and arrivals, of the trace where it has them, and where they are from."""
    path = "" if trace is None else trace.path

    def rows(name: str) -> Table | None:
        return None if trace is None or name not in trace.names else trace.table(name)

    if (listed := rows("machines")) is None:
        machines = draw_machines(settings.servers, streams[0])
    else:
        machines = take_machines(listed, settings.servers, streams[0], path)
    if (pods := rows("pods")) is None:
        requests = draw_requests(settings.ports, machines, streams[1])
        note = "requests uniform up to the largest capacity"
    else:
        requests, note = take_requests(pods, settings.ports, machines, streams[1], path)
    if settings.arrivals is None and (jobs := rows("jobs")) is not None:
        arrivals, how = take_arrivals(jobs, settings, streams[2], path)
    else:
        arrivals, how = draw_arrivals(settings, streams[2])
    return machines, requests, arrivals, (machines.note, note, how)


def draw_edges(settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """Draw ``settings.edges`` edges, ``density * |R|``.

    The paper gives the density alone. Here every server and every port gets one edge first,
    evenly: the i-th of ``max(|L|, |R|)`` edges joins the i-th port and the i-th server of two
    random orders, which are gone round as often as needed. The others are drawn uniformly from
    the pairs left, as far as ``most_ports`` allows; a server then has about as many ports as a
    throw of dice gives it, not all the same number.

    Returns
    -------
    ndarray of int64, shape (n, 2)
        Pairs (port, server), sorted.
    """
    ports, servers = settings.ports, settings.servers
    first = np.arange(max(ports, servers))
    port = rng.permutation(ports)[first % ports]
    server = rng.permutation(servers)[first % servers]
    key = rng.random((servers, ports))
    key[server, port] -= 1.0  # before all others
    # Taking pairs by ascending key, leaving out those at a full server, is to take for every
    # server its lowest keys only, and of these the lowest of all.
    order = np.argsort(key, axis=1)[:, : settings.room]
    lowest = np.take_along_axis(key, order, axis=1).ravel()
    chosen = np.argsort(lowest, kind="stable")[: settings.edges]
    edges = np.column_stack([order.ravel()[chosen], chosen // settings.room])
    return edges[np.lexsort((edges[:, 1], edges[:, 0]))].astype(np.int64)


def _name(settings: Settings, trace: Trace | None) -> str:
    """Name that tells instances apart in a table."""
    arrivals = settings.arrivals or ("bernoulli" if trace is None else trace.kind)
    source = arrivals if trace is None or settings.arrivals is None else f"{trace.kind}-{arrivals}"
    return f"{source}-{settings.ports}x{settings.slots}-{settings.servers}-seed{settings.seed}"
