"""Tables of runs on ``colocated``: metrics, and who runs where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.run import Run
from models.colocated import ColocatedInstance, ColocatedSchedule

__all__ = ["blocks", "metrics", "places"]


def metrics(instance: ColocatedInstance, run: Run) -> dict[str, Any]:
    """What is told of one run, in JSON types.

    Returns
    -------
    dict
        ``policy``; ``utility`` (the objective); ``completed`` (number of jobs); ``time_done``
        (median over the completed jobs of the slots from arrival to completion, None of none) and
        ``time_all`` (over all jobs, where the others count as if they completed in slot T, right
        after the last); ``internal`` (share of the worker-slots that are internal, Fact 1).
    """
    done, slots = run.score.completion, instance.cluster.slots
    arrival = np.array([job.arrival for job in instance.jobs])
    delay = np.where(done >= 0, done, slots) - arrival + 1
    table = places(run.trace.schedule)
    workers = int(table["workers"].sum())
    return {
        "policy": run.policy.name,
        "utility": float(run.score.objective),
        "completed": int((done >= 0).sum()),
        "time_done": float(np.median(delay[done >= 0])) if (done >= 0).any() else None,
        "time_all": float(np.median(delay)),
        "internal": float(table["workers"] @ table["internal"]) / max(1, workers),
    }


def places(schedule: ColocatedSchedule) -> pd.DataFrame:
    """What every job has on every machine in every slot.

    Returns
    -------
    DataFrame
        ``job`` (index), ``slot``, ``server``, ``workers``, ``ps``, ``internal`` (whether the job
        is on this machine alone, Fact 1); in order of job, slot and server.
    """
    keys = ["job", "slot", "server"]
    parts = [
        pd.DataFrame(rows, columns=[*keys, name]).set_index(keys)
        for name, rows in (("workers", schedule.workers), ("ps", schedule.ps))
    ]
    table = pd.concat(parts, axis=1).fillna(0).astype("int64").sort_index().reset_index()
    alone = table.groupby(["job", "slot"])["server"].transform("size") == 1
    return table.assign(internal=alone.astype(bool))


def blocks(instance: ColocatedInstance, schedule: ColocatedSchedule) -> pd.DataFrame:
    """Who runs where, for :func:`benchmarks.pictures.slots.plot_gantt`.

    Stretches of slots in which nothing changes for a job on a machine.

    Returns
    -------
    DataFrame
        ``job`` (id), ``server``, ``start``, ``stop`` (slot after the last), ``count`` (workers and
        parameter servers), ``share`` (of the machine's scarcest resource), ``way`` (``internal``
        or ``external``); in order of job, machine and time.
    """
    jobs, servers = instance.jobs, instance.cluster.servers
    records: list[list[Any]] = []
    last: tuple[int, ...] = ()
    table = places(schedule).sort_values(["job", "server", "slot"], kind="stable")
    for job, slot, server, workers, ps, inside in table.itertuples(index=False, name=None):
        if last == (job, server, slot, workers, ps, inside):
            records[-1][3] = slot + 1
        else:
            held, have = workers * jobs[job].worker + ps * jobs[job].ps, servers[server]
            share = float((held[held > 0] / have[held > 0]).max(initial=0.0))
            way = "internal" if inside else "external"
            records.append([jobs[job].id, server, slot, slot + 1, workers + ps, share, way])
        last = (job, server, slot + 1, workers, ps, inside)
    columns = ["job", "server", "start", "stop", "count", "share", "way"]
    return pd.DataFrame(records, columns=columns)
