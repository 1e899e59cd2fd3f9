"""What a run has executed, for the scorer."""

from __future__ import annotations

from array import array

import numpy as np

from models.jct.cluster import CLOUD
from models.jct.instance import JctInstance
from models.jct.schedule import JctSchedule
from online.jct.parameter_servers import assign_parameter_servers, running

__all__ = ["Recorder"]


class Recorder:
    """Collects the intervals in which workers train chunks.

    Parameters
    ----------
    instance : JctInstance
    places : list of int
        Index in the file of the job of each rank of arrival.
    faster : bool
        Whether the run is at an augmented speed.
    """

    def __init__(self, instance: JctInstance, places: list[int], *, faster: bool = False) -> None:
        self._instance = instance
        self._places = places
        self._rows = array("q")  # rank, chunk, server, number, start, stop; and so on
        self._number = instance.cluster.worker_number.tolist()
        self._faster = faster

    def add(self, rank: int, chunk: int, server: int, worker: int, start: int, stop: int) -> None:
        """A worker trains a chunk from slot ``start`` to ``stop`` - 1."""
        # The cloud's workers are numbered per job.
        number = chunk if server == CLOUD else self._number[worker]
        self._rows.extend((rank, chunk, server, number, start, stop))

    def schedule(self, together: dict[int, bool]) -> JctSchedule:
        """The schedule, with the parameter servers of Alg. 5.

        Parameters
        ----------
        together : dict of int to bool
            ``zeta`` of the jobs that were sent anywhere, by rank.
        """
        instance, places = self._instance, self._places
        jobs = {rank: instance.jobs[place] for rank, place in enumerate(places)}
        zeta = {rank for rank, flag in together.items() if flag}
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 6)
        rows = rows[np.lexsort(rows[:, :4].T[::-1])]
        on, before = rows[1:, :4], rows[:-1, :4]
        moved = (on[:, :2] == before[:, :2]).all(axis=1) & (on[:, 2:] != before[:, 2:]).any(axis=1)
        first = np.searchsorted(rows[:, 0], np.arange(len(places) + 1))
        busy = {rank: running(rows[first[rank] : first[rank + 1], 4:]) for rank in jobs}
        ps = [
            (places[rank], *rest)
            for rank, *rest in assign_parameter_servers(instance.cluster, jobs, busy, zeta)
        ]
        flags = np.zeros(len(places), dtype=bool)
        flags[[places[rank] for rank in zeta]] = True
        rows[:, 1] = np.array(places, dtype=np.int64)[rows[:, 0]]
        may = {"migration": bool(moved.any()), "faster": self._faster}
        return JctSchedule.build(instance, flags, rows[:, 1:], ps, **may)
