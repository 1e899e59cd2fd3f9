"""Tables of runs on ``completion``: metrics, who runs where, where weight is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.run import Run
from models.completion import CompletionInstance, CompletionSchedule
from models.completion.cluster import NO_TYPE
from solvers.completion.modes import DURATION, modes_of

__all__ = ["blocks", "losses", "metrics"]


def metrics(instance: CompletionInstance, run: Run) -> dict[str, Any]:
    """What is told of one run, in JSON types.

    Returns
    -------
    dict
        ``policy``; ``total`` (sum of w c, the objective); ``weighted_jct`` (sum of w (c - a));
        ``mean_jct`` (slots from arrival to completion); ``makespan`` (slot after the last);
        ``blocks`` and ``alpha``: of A_online the blocks that a round used, in the mean over rounds
        that scheduled somebody, and the most that (6) allowed one; None for others.
    """
    done = run.score.completion
    weight, arrival = np.array([(job.weight, job.arrival) for job in instance.jobs]).T
    rounds = [row for row in run.trace.decisions if row.get("blocks")]
    return {
        "policy": run.policy.name,
        "total": float(run.score.objective),
        "weighted_jct": float(run.score.objective - weight @ arrival),
        "mean_jct": float((done - arrival).mean()),
        "makespan": int(done.max()),
        "blocks": float(np.mean([row["blocks"] for row in rounds])) if rounds else None,
        "alpha": max((row["alpha"] for row in rounds), default=None),
    }


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
        held, have = workers * cluster.worker_types[m], cluster.servers[server]
        if p != NO_TYPE:
            held = held + ps * cluster.ps_types[p]
        share = float(np.divide(held, have, out=np.zeros_like(held), where=have > 0).max())
        count = workers + ps
        records.append((instance.jobs[index].id, server, start, stop, count, share, f"type {m}"))
    columns = ["job", "server", "start", "stop", "count", "share", "worker_type"]
    return pd.DataFrame(records, columns=columns)


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
