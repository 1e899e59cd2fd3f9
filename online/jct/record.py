"""What a run has executed, for the scorer."""

from __future__ import annotations

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
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._spans: dict[int, list[tuple[int, int]]] = {}
        self._home: dict[tuple[int, int], tuple[int, int]] = {}
        self._may = {"migration": False, "faster": faster}

    def add(self, rank: int, chunk: int, server: int, worker: int, start: int, stop: int) -> None:
        """A worker trains a chunk from slot ``start`` to ``stop`` - 1."""
        if server == CLOUD:
            number = chunk  # the cloud's workers are numbered per job
        else:
            number = int(self._instance.cluster.worker_number[worker])
        if self._home.setdefault((rank, chunk), (server, number)) != (server, number):
            self._may["migration"] = True
        self._rows.append((self._places[rank], server, number, start, stop))
        self._spans.setdefault(rank, []).append((start, stop))

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
        busy = {rank: running(spans) for rank, spans in self._spans.items()}
        ps = [
            (places[rank], *rest)
            for rank, *rest in assign_parameter_servers(instance.cluster, jobs, busy, zeta)
        ]
        flags = np.zeros(len(places), dtype=bool)
        flags[[places[rank] for rank in zeta]] = True
        return JctSchedule.build(instance, flags, self._rows, ps, **self._may)
