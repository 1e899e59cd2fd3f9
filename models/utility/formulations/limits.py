"""What a job can reach on the empty cluster: the variables that can be nonzero.

Capacities are the tolerant ones (:mod:`models.tolerance`): every schedule that the scorer
accepts stays within these limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.tolerance import count_fitting
from models.utility.instance import Cluster, Job, UtilityInstance

__all__ = ["JobLimits", "job_limits"]


@dataclass(frozen=True, eq=False)
class JobLimits:
    """Bounds on the variables of one job that at least one schedule in full capacities has.

    No optimum is lost by ``n <= W``: workers beyond the need only take resources.

    Parameters
    ----------
    job : Job
    most : int
        Most workers in one slot: ``min(n_max, W)``, positive.
    earliest : int
        Earliest completion slot: ``a + ceil(W / n_max) - 1``, before T.
    workers : ndarray of int64, shape (H,)
        Most workers on each server, ``min(floor of (4), most)``.
    ps : ndarray of int64, shape (K,)
        Most parameter servers on each server, ``min(floor of (5), ceil(most b / B))``.
    """

    job: Job
    most: int
    earliest: int
    workers: np.ndarray
    ps: np.ndarray

    @property
    def most_ps(self) -> int:
        """Most parameter servers in one slot that a schedule without idle ones has."""
        return self.job.ps_needed(self.most)

    def slope_of_6(self) -> tuple[float, float]:
        """Slope and level of (6) as ``n <= slope m + level``: B / b and 0, up to its tolerance.

        The slope is larger where the tolerance lets m parameter servers serve more workers;
        the level is positive where some need none.
        """
        most_of = self._served()
        level = most_of.get(0, 0)
        slopes = [(n - level) / m for m, n in most_of.items() if m]
        # No more than the most workers there can be: extreme quotients are no coefficients.
        exact = min(self.job.ps_gbps / self.job.worker_gbps, 1e6)
        return max([exact, *slopes]), float(level)

    def _served(self) -> dict[int, int]:
        """Most workers that m parameter servers serve, for the m that serve more than m - 1."""
        needed = self.job.ps_needed_table(self.most)
        last = np.append(np.flatnonzero(np.diff(needed)), self.most)
        return dict(zip(needed[last].tolist(), last.tolist(), strict=True))

    def staircase(self) -> list[tuple[float, float]]:
        """Edges of the upper hull of ``{(m, n): ceil(n b / B) <= m, 0 <= n <= most}``.

        Returns
        -------
        list of (float, float)
            (slope, level) of the lines ``n = slope m + level`` over ``0 <= m <= most_ps``,
            from left to right, slopes decreasing.
        """
        hull: list[tuple[int, int]] = []
        for corner in sorted(self._served().items()):
            while len(hull) >= 2 and _not_above(hull[-2], hull[-1], corner):
                hull.pop()
            hull.append(corner)
        edges = []
        for (m, n), (next_m, next_n) in pairwise(hull):
            slope = (next_n - n) / (next_m - m)
            edges.append((slope, n - slope * m))
        return edges


def _not_above(left: tuple[int, int], middle: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether the middle point lies on or below the line from left to right (exact)."""
    rise, run = middle[1] - left[1], middle[0] - left[0]
    return rise * (right[0] - left[0]) <= (right[1] - left[1]) * run


def job_limits(instance: UtilityInstance) -> tuple[JobLimits, ...]:
    """Limits of every job that can complete on the empty cluster, in the order of the file."""
    found = (_limits(job, instance.cluster.tolerant) for job in instance.jobs)
    return tuple(limits for limits in found if limits is not None)


def _limits(job: Job, cluster: Cluster) -> JobLimits | None:
    n_max = job.max_workers(cluster)
    if n_max == 0:
        return None
    earliest = job.arrival + -(-job.work // n_max) - 1
    if earliest >= cluster.slots:
        return None
    most = min(n_max, job.work)
    places = count_fitting(cluster.worker_servers, job.worker)
    ps_places = count_fitting(cluster.ps_servers, job.ps)
    return JobLimits(
        job=job,
        most=most,
        earliest=earliest,
        workers=np.minimum(places, most).astype(np.int64),
        ps=np.minimum(ps_places, job.ps_needed(most)).astype(np.int64),
    )
