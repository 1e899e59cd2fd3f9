"""Rules on instance files that go across keys; those of single keys stand in the file types."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from models.completion.cluster import NO_TYPE, Cluster, Job
from models.completion.files import CompletionFile, JobRecord
from models.completion.rates import least_duration, least_ps
from models.tolerance import count_fitting

__all__ = ["cluster_faults", "job_faults", "one_worker", "run_faults"]

# Prices per slot, server and resource; durations per job, pair of types and number of workers.
_MOST_PRICES = 2 * 10**7
_MOST_DURATIONS = 5 * 10**7
_MOST_SLOTS = 10**6  # that one worker takes for a job

Faults = Iterator[tuple[str, str]]  # what is wrong, and the key


def cluster_faults(file: CompletionFile) -> Faults:
    """Sizes, and which types there have to be."""
    prices = file.slots * len(file.servers) * len(file.resources)
    if prices > _MOST_PRICES:
        yield f"{prices} prices of slots, servers, resources are more than {_MOST_PRICES}", "slots"
    pairs = len(file.worker_types) * max(1, len(file.ps_types))
    durations = pairs * sum(record.chunks for record in file.jobs)
    if durations > _MOST_DURATIONS:
        yield f"{durations} durations of chunks, types are more than {_MOST_DURATIONS}", "jobs"
    if file.architecture == "allreduce" and file.ps_types:
        yield "all-reduce has no parameter servers", "ps_types"
    if file.architecture == "ps" and not file.ps_types:
        yield "at least one type is needed, (2e)", "ps_types"


def job_faults(record: JobRecord, file: CompletionFile) -> Faults:
    """Rules of one job that need nothing but the file."""
    if record.arrival >= file.slots:
        yield f"arrival {record.arrival} is not before the {file.slots} slots' end", "arrival"
    if (record.requested_workers or 0) > record.chunks:
        yield f"more than D = {record.chunks} workers, against (2g)", "requested_workers"
    trained, types = len(record.minibatch_slots), len(file.worker_types)
    if trained != types:
        yield f"{trained} numbers for {types} worker types", "minibatch_slots"
    if file.architecture == "allreduce":
        if isinstance(record.update_slots, list):
            yield "want one number with all-reduce", "update_slots"
    elif not isinstance(record.update_slots, list):
        yield "want a number for each PS type", "update_slots"
    elif len(record.update_slots) != len(file.ps_types):
        numbers = f"{len(record.update_slots)} numbers"
        yield f"{numbers} for {len(file.ps_types)} PS types", "update_slots"
    if record.epochs * record.chunks * record.minibatches >= 2**53:
        yield "E D K is out of range", "epochs"


def run_faults(job: Job, fits: np.ndarray) -> Faults:
    """The empty cluster has to run one worker of the job, and in a million slots.

    ``fits`` are the rows of :func:`one_worker`.
    """
    if not np.isfinite(job.transfer_slots).all():
        yield "2 pi / b is out of range", "gradient_mb"
    elif not len(fits):
        yield "no server has room for one worker and what it needs, whatever the types", "id"
    else:
        m, p, internal = fits.T
        least = int(least_duration(job, m, p, np.ones_like(m), internal > 0).min())
        if least > _MOST_SLOTS:
            yield f"one worker takes {least} slots, more than {_MOST_SLOTS}", "epochs"


def one_worker(cluster: Cluster) -> np.ndarray:
    """Rows (m, p, q): one worker, with the PSs it needs, fits on the empty cluster so."""
    found = []
    for m, e in enumerate(cluster.worker_types):
        worker = count_fitting(cluster.servers, e) > 0
        if cluster.allreduce and worker.any():
            found.append((m, NO_TYPE, 1))
        for p, z in enumerate(cluster.ps_types):
            if count_fitting(cluster.servers, e + z).any():
                found.append((m, p, 1))
            needed = least_ps(1, float(cluster.worker_gbps[m]), float(cluster.ps_gbps[p]))
            ps = count_fitting(cluster.servers, z) >= needed
            if worker.any() and ps.any() and (worker | ps).sum() > 1:
                found.append((m, p, 0))
    return np.array(found, dtype=np.int64).reshape(-1, 3)
