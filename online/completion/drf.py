"""DRF: dominant resource fairness by progressive filling."""

from __future__ import annotations

from online.completion.elastic import Elastic
from online.completion.plan import Share
from online.policy import SlotStart

__all__ = ["DRF"]


class DRF(Elastic):
    """Give every unfinished job the same dominant share, as far as it can use it.

    Ghodsi, Zaharia, Hindman, Konwinski, Shenker, Stoica: "Dominant Resource Fairness: Fair
    Allocation of Multiple Resource Types", NSDI 2011, Algorithm 1, as the paper applies it
    (Sec. 7): "the numbers of workers (and PSs) are computed to achieve max-min fairness in
    dominant resources", of the ideal types. Ours: they are computed anew, from the empty cluster,
    whenever a job arrives or completes (:meth:`online.completion.room.Room.fill`).
    """

    name = "drf"

    def share(self, event: SlotStart) -> dict[int, Share]:
        """Fill the cluster."""
        return self.fill(self.room(), self.jobs)
