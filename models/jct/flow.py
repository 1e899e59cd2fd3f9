"""Objective of ILP (4), the average fractional flow time of the chunks, of a schedule."""

from __future__ import annotations

from models.jct.instance import JctInstance
from models.jct.schedule import JctSchedule

__all__ = ["fractional_flow"]


def fractional_flow(instance: JctInstance, schedule: JctSchedule) -> float:
    """Objective of ILP (4): ``sum_t y n (t - r) / (E D B)`` over all chunks, (3), in slots."""
    total, instance = 0.0, schedule.at_its_speed(instance)
    for index, _, _, start, stop in schedule.workers.tolist():
        job = instance.jobs[index]
        together = bool(schedule.together[index])
        p = job.cloud_chunk_slots if together else job.chunk_slots
        mean = (start + stop - 1) / 2 - job.arrival
        total += (stop - start) * mean / (p * job.chunks)
    return total
