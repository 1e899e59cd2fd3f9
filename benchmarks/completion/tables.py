"""Tables of runs on ``completion``: who runs where, capacity in use, where weight is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.run import Run
from models.completion import CompletionInstance, CompletionSchedule
from models.completion.cluster import NO_TYPE
from solvers.completion.modes import DURATION, modes_of

__all__ = ["blocks", "losses", "metrics", "usage"]


def metrics(instance: CompletionInstance, run: Run) -> dict[str, Any]:
    """What is told of one run, in JSON types.

    Returns
    -------
    dict
        ``policy``; ``total`` (sum of w c, the objective); ``weighted_jct`` (sum of w (c - a));
        ``mean_jct`` (slots from arrival to completion); ``makespan`` (slot after the last);
        ``pauses`` (times that a job stopped before it was complete); ``blocks`` and ``alpha``: of
        A_online the blocks that a round used, in the mean over rounds that scheduled somebody, and
        the most that (6) allowed one; None for others.
    """
    schedule, done = run.trace.schedule, run.score.completion
    weight, arrival = np.array([(job.weight, job.arrival) for job in instance.jobs]).T
    rounds = [row for row in run.trace.decisions if row.get("blocks")]
    return {
        "policy": run.policy.name,
        "total": float(run.score.objective),
        "weighted_jct": float(run.score.objective - weight @ arrival),
        "mean_jct": float((done - arrival).mean()),
        "makespan": int(done.max()),
        "pauses": _pauses(schedule),
        "blocks": float(np.mean([row["blocks"] for row in rounds])) if rounds else None,
        "alpha": max((row["alpha"] for row in rounds), default=None),
    }


def _pauses(schedule: CompletionSchedule) -> int:
    """Times that a job has nothing anywhere between two slots in which it runs."""
    count = 0
    for job in np.unique(schedule.rows[:, 0]):
        spans = schedule.rows[schedule.rows[:, 0] == job, 1:3]
        spans = spans[np.argsort(spans[:, 0])]
        count += int((spans[1:, 0] > np.maximum.accumulate(spans[:-1, 1])).sum())
    return count


def blocks(instance: CompletionInstance, schedule: CompletionSchedule) -> pd.DataFrame:
    """Who runs where, for :func:`benchmarks.pictures.slots.plot_gantt`.

    Returns
    -------
    DataFrame
        ``job`` (id), ``server``, ``start``, ``stop`` (slot after the last), ``count`` (workers and
        parameter servers), ``share`` (of the server's scarcest resource), ``worker_type``.
    """
    cluster, records = instance.cluster, []
    for index, start, stop, server, workers, ps in schedule.rows.tolist():
        m, p = schedule.worker_type[index], schedule.ps_type[index]
        held = _held(instance, m, p, workers, ps)
        have = cluster.servers[server]
        share = float(np.divide(held, have, out=np.zeros_like(held), where=have > 0).max())
        count = workers + ps
        records.append((instance.jobs[index].id, server, start, stop, count, share, f"type {m}"))
    columns = ["job", "server", "start", "stop", "count", "share", "worker_type"]
    return pd.DataFrame(records, columns=columns)


def usage(instance: CompletionInstance, schedule: CompletionSchedule) -> pd.DataFrame:
    """Share of each resource, of all servers, in use in each slot: ``slot, resource, share``."""
    cluster = instance.cluster
    used = np.zeros((int(schedule.end.max(initial=0)), len(cluster.resources)))
    for index, start, stop, _, workers, ps in schedule.rows.tolist():
        m, p = schedule.worker_type[index], schedule.ps_type[index]
        used[start:stop] += _held(instance, m, p, workers, ps)
    table = pd.DataFrame(used / cluster.servers.sum(axis=0), columns=list(cluster.resources))
    long = table.rename_axis("slot").reset_index()
    return long.melt("slot", var_name="resource", value_name="share")


def _held(instance: CompletionInstance, m: int, p: int, workers: int, ps: int) -> np.ndarray:
    held: np.ndarray = workers * instance.cluster.worker_types[m]
    return held if p == NO_TYPE else held + ps * instance.cluster.ps_types[p]


def losses(instance: CompletionInstance, schedule: CompletionSchedule) -> pd.DataFrame:
    """Where weight is lost: what each job adds to the objective beyond what no schedule saves.

    Returns
    -------
    DataFrame
        By job: ``job`` (id), ``weight``; and, weighted, ``waits`` (slots from the arrival to the
        start), ``slow`` (slots from the start to the completion, pauses included, beyond its
        shortest duration on the empty cluster) and ``least`` (these).
    """
    shortest = [int(modes_of(job, instance.cluster)[:, DURATION].min()) for job in instance.jobs]
    frame = pd.DataFrame(
        {
            "job": [job.id for job in instance.jobs],
            "weight": [job.weight for job in instance.jobs],
            "waits": schedule.start - np.array([job.arrival for job in instance.jobs]),
            "slow": schedule.duration - shortest,
            "least": shortest,
        }
    )
    parts = ["waits", "slow", "least"]
    return frame.assign(**{name: frame[name] * frame["weight"] for name in parts})
