"""Schedule of the ``colocated`` problem: which server runs how many workers and PSs when."""

from __future__ import annotations

from dataclasses import dataclass

from models.colocated.cluster import Cluster
from models.colocated.files import ScheduleFile
from models.slot_schedule import SlotSchedule

__all__ = ["ColocatedSchedule"]


@dataclass(frozen=True, eq=False)
class ColocatedSchedule(SlotSchedule):
    """The decisions x, w and s of the paper: ``admitted``, ``workers`` and ``ps``."""

    problem = "colocated"
    file_type = ScheduleFile

    @staticmethod
    def servers(cluster: Cluster) -> dict[str, int]:
        """All servers, for either."""
        return dict.fromkeys(("worker", "ps"), len(cluster.servers))
