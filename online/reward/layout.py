"""The channels of a cluster by lane and by copy; in the cluster itself they are by server."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.reward.instance import Cluster

__all__ = ["Layout"]


class Layout(NamedTuple):
    """Index arrays for kernels, all int64.

    Parameters
    ----------
    channels : ndarray, shape (C,)
        Channels sorted by lane, then server. Lanes are sorted by copy, so those of a copy are
        together as well.
    lane_start : ndarray, shape (N + 1,)
        Lane n has ``channels[lane_start[n]:lane_start[n + 1]]``.
    copy_start : ndarray, shape (M + 1,)
        Copy m has ``channels[copy_start[m]:copy_start[m + 1]]``.
    copy_lane : ndarray, shape (M + 1,)
        Copy m has lanes ``copy_lane[m]`` to ``copy_lane[m + 1] - 1``.
    server : ndarray, shape (C,)
        Server of each channel.
    minimum : ndarray, shape (M,)
        Components of a job of each copy that have to run, 0 = no gang rule.
    """

    channels: np.ndarray
    lane_start: np.ndarray
    copy_start: np.ndarray
    copy_lane: np.ndarray
    server: np.ndarray
    minimum: np.ndarray

    @classmethod
    def of(cls, cluster: Cluster) -> Layout:
        """Sort the channels of a cluster."""
        channels = np.argsort(cluster.lane, kind="stable")
        lanes = np.arange(len(cluster.lane_copy) + 1)
        lane_start = np.searchsorted(cluster.lane[channels], lanes)
        copies = np.arange(len(cluster.copy_port) + 1)
        copy_lane = np.searchsorted(cluster.lane_copy, copies)
        return cls(
            channels=channels,
            lane_start=lane_start,
            copy_start=lane_start[copy_lane],
            copy_lane=copy_lane,
            server=cluster.server,
            minimum=cluster.minimum_running[cluster.copy_port],
        )
