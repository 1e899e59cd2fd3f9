"""All to the cloud at once: the least that scheduling at the edge has to be better than."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from models.errors import InputError
from models.jct.cluster import Cluster
from online.jct.events import JctEvent, Plan
from online.policy import Arrival, Decision, Policy

__all__ = ["AllCloud"]


class AllCloud(Policy):
    """Sends every job to the cloud as a whole as it arrives, and uses no edge server.

    All chunks of a job then train side by side, so that it completes after the upload and the
    time of one chunk without transfers, ``p_c``, whatever else there is. No rule of the paper's:
    a yardstick, which needs neither a queue nor a decision. Not for instances without a cloud.
    """

    name: ClassVar[str] = "all-cloud"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Check that there is a cloud.

        Raises
        ------
        InputError
            If there is none.
        """
        if not public.cloud:
            raise InputError(f"'{self.name}' needs a cloud, and there is none")

    def step(self, event: JctEvent) -> Decision:
        """Send the job that has come."""
        if not isinstance(event, Arrival):
            return Decision()
        return Decision({event.job.index: Plan.to_cloud(event.job.chunks)})
