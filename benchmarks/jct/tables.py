"""Tables of runs on ``jct``: the paper's metrics, utilisation, who trains where and who waits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.run import Run
from models.errors import InputError
from models.jct import JctInstance, JctSchedule
from models.jct.cluster import CLOUD

__all__ = ["blocks", "metric_table", "metrics", "queue", "rates", "usage"]

_MOST_SLOTS = 10**7  # of a table with a row per slot


def metrics(instance: JctInstance, run: Run) -> dict[str, Any]:
    """The paper's metrics (Sec. V) of one run, in JSON types.

    Returns
    -------
    dict
        ``policy``; ``jobs``;
        ``total_jct`` and ``mean_jct`` (slots);
        ``makespan`` (slots from the first arrival to the last completion);
        ``preemptions`` (times an unfinished chunk was displaced from the worker training it);
        ``mean_utilisation`` (share of the edge's worker-slots within the makespan in which a
        chunk is trained) and ``peak_utilisation`` (largest share of the edge's workers that train
        in one slot), both 0 where the edge has no workers;
        ``cloud_share`` (of all slots in which chunks are trained, those in the cloud);
        ``jobs_in_cloud`` (jobs sent to the cloud as a whole, ``zeta = 1``);
        ``migrates`` (whether the schedule moves chunks between workers).
    """
    rows = run.trace.schedule.workers
    at_edge = rows[:, 1] != CLOUD
    trained = rows[:, 4] - rows[:, 3]
    workers = len(instance.cluster.worker_server)
    arrivals = [job.arrival for job in instance.jobs]
    jobs = len(arrivals)
    makespan = int(run.score.completion.max()) + 1 - min(arrivals) if jobs else 0
    _, counts = _steps(rows[at_edge])
    return {
        "policy": run.policy.name,
        "jobs": jobs,
        "total_jct": float(run.score.objective),
        "mean_jct": float(run.score.objective) / max(1, jobs),
        "makespan": makespan,
        "preemptions": sum(int(row["preempted"]) for row in run.trace.decisions),
        "mean_utilisation": float(trained[at_edge].sum()) / max(1, workers * makespan),
        "peak_utilisation": float(counts.max(initial=0)) / max(1, workers),
        "cloud_share": float(trained[~at_edge].sum()) / max(1, int(trained.sum())),
        "jobs_in_cloud": int(run.trace.schedule.together.sum()),
        "migrates": bool(run.trace.schedule.migration),
    }


def metric_table(instance: JctInstance, runs: Iterable[Run]) -> pd.DataFrame:
    """:func:`metrics` of several runs on one instance, and their JCT rates.

    Returns
    -------
    DataFrame
        One row per run; ``jct_rate`` is the total JCT divided by that of SRTF, as in the paper,
        NaN if that is not among the runs.
    """
    table = pd.DataFrame([metrics(instance, run) for run in runs])
    return table if table.empty else rates(table, "jobs")


def rates(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    """A study's frame with ``jct_rate``, at the same point with the same reading and seed."""
    keys = [name for name in (varied, "reading", "seed") if name in frame]
    base = frame.loc[frame["policy"] == "srtf", [*keys, "total_jct"]]
    under = frame[keys].merge(base, how="left")["total_jct"].to_numpy()
    return frame.assign(jct_rate=frame["total_jct"] / under)


def usage(instance: JctInstance, schedule: JctSchedule) -> pd.DataFrame:
    """Share of the edge's workers that train in every slot.

    One that waits for data to be uploaded does not.

    Returns
    -------
    DataFrame
        ``slot`` (from 0 to the last in which something runs, in the cloud too), ``share`` (0 to
        1); no rows if there are no workers.

    Raises
    ------
    InputError
        If that are more than 1e7 rows.
    """
    workers = len(instance.cluster.worker_server)
    stop = int(schedule.workers[:, 4].max(initial=0)) if workers else 0
    if stop > _MOST_SLOTS:
        raise InputError(f"{instance.name}: {stop} slots are more than {_MOST_SLOTS} rows")
    slots, counts = _steps(schedule.workers[schedule.workers[:, 1] != CLOUD])
    lengths = np.diff(np.concatenate([[0], slots, [stop]]))
    share = np.repeat(np.append(0, counts), lengths) / max(1, workers)
    return pd.DataFrame({"slot": np.arange(stop), "share": share})


def blocks(instance: JctInstance, schedule: JctSchedule) -> pd.DataFrame:
    """Who trains where: stretches of slots in which a job has the same number of workers.

    Returns
    -------
    DataFrame
        Of the edge: ``job`` (id), ``server``, ``start``, ``stop`` (slot after the last),
        ``count`` (workers) and ``share`` (of the server's workers); in order of job, server and
        time.
    """
    size = np.diff(instance.cluster.first_worker)
    rows = schedule.workers[schedule.workers[:, 1] != CLOUD]
    records = []
    for job, server in np.unique(rows[:, :2], axis=0).tolist():
        slots, counts = _steps(rows[(rows[:, 0] == job) & (rows[:, 1] == server)])
        records += [
            (instance.jobs[job].id, server, start, stop, count, count / size[server])
            for start, stop, count in zip(slots[:-1], slots[1:], counts[:-1], strict=True)
            if count
        ]
    columns = ["job", "server", "start", "stop", "count", "share"]
    return pd.DataFrame(records, columns=columns)


def queue(instance: JctInstance, schedule: JctSchedule, server: int) -> pd.DataFrame:
    """What the queues of one edge server's workers hold, and who displaces whom.

    Chunks of a job on one worker are trained one after the other and shown as one.

    Parameters
    ----------
    instance : JctInstance
    schedule : JctSchedule
        Without migration: where a chunk that may move waits is not known from its schedule.
    server : int

    Returns
    -------
    DataFrame
        One row per stretch, in order of worker, release and time: ``worker`` (its number on
        the server), ``job`` (id), ``chunks`` (of the job on the worker), ``state`` ("uploads",
        "waits" or "trains"), ``start``, ``stop`` (slot after the last), and ``preempted``:
        whether the stretch ends before a chunk is done, so that the worker can do something else.

    Raises
    ------
    InputError
        If there is no such server, or chunks migrate.
    """
    if not 0 <= server < instance.cluster.servers:
        raise InputError(f"{instance.name}: no server {server}")
    if schedule.migration:
        raise InputError(f"{instance.name}: chunks migrate, so there is no queue to show")
    instance = schedule.at_its_speed(instance)
    rows = schedule.workers[schedule.workers[:, 1] == server]
    held = np.unique(rows[:, [0, 2]], axis=0).tolist()
    records = []
    for worker, arrival, index in sorted((w, instance.jobs[job].arrival, job) for job, w in held):
        job, trained = instance.jobs[index], 0
        at = arrival + job.upload_to(server)
        stretches = [("uploads", arrival, at, False)]
        for start, stop in rows[(rows[:, 0] == index) & (rows[:, 2] == worker), 3:].tolist():
            trained += stop - start
            torn = trained % job.chunk_slots != 0
            stretches += [("waits", at, start, False), ("trains", start, stop, torn)]
            at = stop
        head = (worker, job.id, trained // job.chunk_slots)
        records += [(*head, *stretch) for stretch in stretches if stretch[1] < stretch[2]]
    columns = ["worker", "job", "chunks", "state", "start", "stop", "preempted"]
    return pd.DataFrame(records, columns=columns)


def _steps(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slots in which the number of running intervals may change, and the number from there on."""
    starts, stops = np.sort(rows[:, 3]), np.sort(rows[:, 4])
    slots = np.unique(np.concatenate([starts, stops]))
    counts = np.searchsorted(starts, slots, "right") - np.searchsorted(stops, slots, "right")
    return slots, counts
