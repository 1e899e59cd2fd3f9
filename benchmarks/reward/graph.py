"""The bipartite graph of ports and servers, drawn with a given density."""

from __future__ import annotations

import numpy as np

from benchmarks.reward.settings import Settings

__all__ = ["draw_edges"]


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
