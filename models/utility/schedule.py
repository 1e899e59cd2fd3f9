"""Schedule of the ``utility`` problem: which server runs how many workers when, sparse."""

from __future__ import annotations

from dataclasses import dataclass

from models.slot_schedule import SlotSchedule
from models.utility.files import ScheduleFile
from models.utility.instance import Cluster

__all__ = ["UtilitySchedule"]


@dataclass(frozen=True, eq=False)
class UtilitySchedule(SlotSchedule):
    """The decisions x, y and z of the paper: ``admitted``, ``workers`` and ``ps``.

    The servers of ``workers`` and those of ``ps`` are counted apart.
    """

    problem = "utility"
    file_type = ScheduleFile

    @staticmethod
    def servers(cluster: Cluster) -> dict[str, int]:
        """Number of servers of either side."""
        return {"worker": len(cluster.worker_servers), "ps": len(cluster.ps_servers)}
