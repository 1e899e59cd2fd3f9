"""Lower bounds from prices of pieces of jobs, for the leaves of a tree.

A *piece* is what has to be on one server: all of a job that is internal; the parameter servers of
another one with the fewest workers that have to be beside them, (2i); or any further worker. Pieces
that hold the same are one piece. Let ``u[t, i] >= 0`` be prices of pieces in slots t < S, and
``V_h(u)`` the most that what fits on the empty server h can be worth,

    V_h(u) = max {u y : y whole, sum_i y_i held_i <= C_h}.

What the jobs of a schedule have running in a slot fits on the servers. So its price is at most
``sum_h V_h(u[t])``, and every schedule in which each job completes when a leaf allows it costs at
least

    sum_j min over (start, configuration) of (w_j c + price of what runs) - sum_t sum_h V_h(u[t]).

That knows in which sizes room is left on the servers. With prices P of pooled resources
(:mod:`solvers.completion.pool_bound`), ``u_i = P held_i``, the last sum is at most ``P . C``.

A configuration is a duration, and how many of each piece run. Of those that take no less time and
no fewer of each than another one, none is kept: started in the same slot, the other completes no
later and pays no more. So to each schedule belongs a choice of kept configurations with the same
starts, which costs no more at any prices; and it is in one of the leaves, since these cover all
cases.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from models.completion.cluster import Cluster
from models.completion.instance import CompletionInstance
from models.errors import InputError
from solvers.branching_tree import Deadlines
from solvers.completion.modes import DURATION, modes_of, undominated
from solvers.completion.pool_bound import NEVER, Configurations, cheapest, outward, sums
from solvers.packing_groups import most_worth, packing_groups
from solvers.price_certificate import LeafOracle

__all__ = ["PieceOracle"]

_MODES = 3_000  # that may be looked at, in all pairs of types: about a second


class PieceOracle(LeafOracle):
    """Configurations of all jobs, and what servers can hold, at prices of pieces.

    Parameters
    ----------
    instance : CompletionInstance

    Attributes
    ----------
    held : ndarray, shape (n, R)
        What each piece holds of each resource; the pieces are in this order.
    of : list of Configurations
        Of each job.
    groups : tuple of PackingGroup
        The servers.
    limit : ndarray of int64, shape (n,)
        No more of a piece run at once.

    Raises
    ------
    InputError
        If the instance is too large (:meth:`suits`): its pieces could take minutes to find.
    """

    def __init__(self, instance: CompletionInstance) -> None:
        if not self.suits(instance):
            raise InputError(f"{instance.name}: too large for a tree with prices of pieces")
        self.jobs, cluster = instance.jobs, instance.cluster.tolerant
        tables = [modes_of(job, cluster) for job in self.jobs]
        parted = [[_pieces(row, cluster) for row in table.tolist()] for table in tables]
        held = sorted({piece for modes in parted for counts in modes for piece in counts})
        self.held = np.array(held).reshape(-1, len(cluster.resources))
        place = {piece: number for number, piece in enumerate(held)}
        self.of, most = [], np.zeros(len(held), dtype=np.int64)
        for table, modes in zip(tables, parted, strict=True):
            counts = np.zeros((len(table), len(held)), dtype=np.int64)
            for row, pieces in enumerate(modes):
                for piece, count in pieces.items():
                    counts[row, place[piece]] = count
            kept = undominated(np.column_stack([table[:, DURATION], counts]))
            self.of.append(Configurations(table[kept, DURATION], counts[kept].astype(float)))
            most += counts[kept].max(axis=0)
        self.groups, self.limit = packing_groups(cluster.servers), most
        self._worths: dict[bytes, float] = {}

    @staticmethod
    def suits(instance: CompletionInstance) -> bool:
        """Whether its jobs have few enough chunks, times the pairs of types."""
        cluster = instance.cluster
        pairs = len(cluster.worker_types) * max(1, len(cluster.ps_types))
        return pairs * sum(job.chunks for job in instance.jobs) <= _MODES

    @property
    def columns(self) -> int:
        """How many pieces there are."""
        return len(self.held)

    def everything(self) -> Deadlines:
        """What is left at the root of a tree."""
        return Deadlines.all(len(self.jobs), NEVER)

    def bound(self, prices: np.ndarray, allowed: Deadlines) -> float:
        """What prices, shape (S, n), prove of the schedules with what is allowed, rounded down.

        Infinity if some job cannot complete when it has to.
        """
        total, costs = sums(prices), []
        limits = zip(allowed.first.tolist(), allowed.last.tolist(), strict=True)
        for job, of, (first, last) in zip(self.jobs, self.of, limits, strict=True):
            cost, _, _ = cheapest(*of, total, job.arrival, job.weight, first, last)
            if cost == math.inf:
                return math.inf
            costs.append(cost)
        least, taken = math.fsum(costs), math.fsum(self._worth(row) for row in prices)
        return least - taken - outward(len(self.jobs), len(prices)) * (least + taken)

    def _worth(self, row: np.ndarray) -> float:
        """The most that what fits on all servers can be worth."""
        key = row.tobytes()
        if key not in self._worths:
            self._worths[key] = most_worth(self.groups, self.held, row, self.limit)
        return self._worths[key]


def _pieces(mode: list[int], cluster: Cluster) -> Counter[tuple[float, ...]]:
    """How many of each piece a mode has; pieces by what they hold."""
    internal, m, p, workers, _, ps, forced = mode
    beside = workers if internal else forced if ps else 0
    found: Counter[tuple[float, ...]] = Counter()
    if beside or ps:
        held = beside * cluster.worker_types[m]
        if ps:
            held = held + ps * cluster.ps_types[p]
        found[tuple(held.tolist())] += 1
    if workers > beside:
        found[tuple(cluster.worker_types[m].tolist())] += workers - beside
    return found
