"""From the slots in which workers run jobs to a schedule, parameter servers included."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from models.jct.cluster import CLOUD
from models.jct.instance import JctInstance
from models.jct.schedule import JctSchedule

__all__ = ["Runs", "assembled"]

Runs = Mapping[int, np.ndarray]
"""Slots in which an edge worker (0..W-1) runs a job; no worker: the job is all in the cloud."""

_Rows = list[tuple[int, int, int, int, int]]


def assembled(instance: JctInstance, runs: list[Runs]) -> JctSchedule:
    """Make the schedule of every job's runs.

    Jobs on the edge have a parameter server in the cloud, which is never short of them, or else
    one of the edge that is free in the slot, the one that served the job last if possible. In
    each slot enough must be free.
    """
    cluster = instance.cluster
    workers: _Rows = []
    ps: _Rows = []
    busy: list[tuple[int, int]] = []  # slot, job
    for job, run in zip(instance.jobs, runs, strict=True):
        if not run:
            assert job.cloud_upload_slots is not None
            start = job.arrival + job.cloud_upload_slots
            stop = start + job.cloud_chunk_slots
            workers.extend((job.index, CLOUD, unit, start, stop) for unit in range(job.chunks))
            ps.append((job.index, CLOUD, 0, start, stop))
            continue
        for w, slots in run.items():
            place = int(cluster.worker_server[w]), int(cluster.worker_number[w])
            workers.extend((job.index, *place, t, t + 1) for t in slots.tolist())
        used = np.unique(np.concatenate(list(run.values()))).tolist()
        if cluster.cloud:
            ps.extend((job.index, CLOUD, 0, t, t + 1) for t in used)
        else:
            busy.extend((t, job.index) for t in used)
    ps.extend(_served(instance, sorted(busy)))
    return JctSchedule.build(instance, [not run for run in runs], workers, ps)


def _served(instance: JctInstance, busy: list[tuple[int, int]]) -> _Rows:
    """Edge parameter servers of the jobs that run in each slot."""
    cluster, rows = instance.cluster, []
    last: dict[int, int] = {}
    by_slot: dict[int, list[int]] = {}
    for slot, j in busy:
        by_slot.setdefault(slot, []).append(j)
    for slot, jobs in by_slot.items():
        taken: set[int] = set()
        for j in sorted(jobs, key=lambda j: j not in last):
            able = instance.jobs[j].eligible_ps(cluster).tolist()
            unit = last.get(j, -1)
            if unit < 0 or unit in taken:
                unit = next(u for u in able if u not in taken)
            taken.add(unit)
            last[j] = unit
            place = int(cluster.ps_server[unit]), int(cluster.ps_number[unit])
            rows.append((j, *place, slot, slot + 1))
    return rows
