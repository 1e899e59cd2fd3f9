"""A_ps (Alg. 5): a parameter server for every job while it is trained."""

from __future__ import annotations

import heapq

import numpy as np

from models.jct.cluster import CLOUD, Cluster, Job
from online.run import InfeasibleDecision

__all__ = ["assign_parameter_servers", "most_at_once", "running"]


def most_at_once(job: Job, cluster: Cluster) -> float:
    """How many jobs of this one's kind the parameter servers allow at once, (2e) and (2f).

    The paper's cloud always has a further one. Without a cloud, the policies here let jobs wait.
    """
    return np.inf if cluster.cloud else len(job.eligible_ps(cluster))


def running(rows: np.ndarray) -> list[tuple[int, int]]:
    """Maximal intervals of slots in which at least one of the intervals (start, stop) runs."""
    start, stop = rows[np.argsort(rows[:, 0])].T
    until = np.maximum.accumulate(stop)
    opens = np.flatnonzero(np.append(True, start[1:] > until[:-1]))[: len(rows)]
    closes = np.append(opens[1:], len(rows))[: len(rows)] - 1
    return list(zip(start[opens].tolist(), until[closes].tolist(), strict=True))


def assign_parameter_servers(
    cluster: Cluster,
    jobs: dict[int, Job],
    busy: dict[int, list[tuple[int, int]]],
    together: set[int],
) -> list[tuple[int, int, int, int, int]]:
    """Give each job one parameter server for as long as it runs without a break.

    A job keeps its parameter server while it runs in consecutive slots, (2e); a server serves
    one job at a time, (2f). The paper picks any free one at random; here it is the first free
    one of the type at the edge, and one of the cloud, which has plenty, when none is free or the
    job is together in the cloud, (2g). The choice in a slot does not depend on later ones.

    Parameters
    ----------
    cluster : Cluster
    jobs : dict of int to Job
        By any key.
    busy : dict of int to list of (int, int)
        Maximal intervals (start, stop) in which each job runs.
    together : set of int
        Jobs with ``zeta = 1``.

    Returns
    -------
    list of (job key, server, number, start, stop)

    Raises
    ------
    InfeasibleDecision
        If there is no cloud and more jobs run at once than there are parameter servers.
    """
    free = [
        np.flatnonzero(cluster.ps_type == kind).tolist() for kind in range(len(cluster.ps_types))
    ]
    used: list[tuple[int, int, int]] = []  # heap of (stop, type, parameter server)
    rows = []
    for start, stop, key in sorted((a, b, key) for key, spans in busy.items() for a, b in spans):
        while used and used[0][0] <= start:
            _, kind, unit = heapq.heappop(used)
            heapq.heappush(free[kind], unit)
        kind = jobs[key].ps_type
        if key not in together and kind >= 0 and free[kind]:
            unit = heapq.heappop(free[kind])
            heapq.heappush(used, (stop, kind, unit))
            rows.append(
                (key, int(cluster.ps_server[unit]), int(cluster.ps_number[unit]), start, stop)
            )
        elif cluster.cloud:
            rows.append((key, CLOUD, 0, start, stop))
        else:
            raise InfeasibleDecision(
                f"(2e) no parameter server of its type is free for job '{jobs[key].id}' in slot "
                f"{start}, and there is no cloud"
            )
    return rows
