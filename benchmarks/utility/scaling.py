"""The work of drawn jobs, scaled so that an instance has the load asked for.

The rejection rule alone makes an overload: 2.5 in the mean of the default size, 8 and more at the
paper's. So the work of all jobs is multiplied by one factor, the same for all: their epochs E
where they have any (Sec. V-A draws them from [50, 200]; scaled they leave that range), else W
itself. Arrivals, demands, chunks and utilities stay as they were drawn, so that instances of one
seed differ in nothing but their load. A job keeps at least one epoch and at most the work with
which it still passes the rejection rule.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.utility.draw import Jobs, most_epochs, work_of
from benchmarks.utility.rejection import Kept, Rule
from benchmarks.workload import scaling
from models.utility.load import dominant_shares

__all__ = ["scaled_to"]


def scaled_to(load: float, kept: Kept, rule: Rule) -> Kept:
    """Scale the work of jobs that pass the rule to a load.

    Of the steps in which the load moves, for epochs and worker-slots are whole numbers, the nearest
    is taken (:func:`benchmarks.workload.scaling.scaled_to`).

    Raises
    ------
    InputError
        If no factor brings the load within 0.1 of the one asked for. It says which loads these
        jobs can have.
    """
    jobs = kept.jobs
    most = rule.slots_left(jobs) * jobs["n_max"]

    def at(factor: float) -> tuple[float, Jobs]:
        scaled = _scaled(jobs, factor, most, rule.cluster.slot_seconds)
        work = scaled["work"].astype(float)
        shares = dominant_shares(rule.cluster, work, jobs["worker"], jobs["ps"])
        return float(shares.sum()), scaled

    ends = (0.0, 2.0 * float((most / jobs["work"]).max()))
    change = "jobs, slots, servers or max_duration"
    return replace(kept, jobs=scaling.scaled_to(load, at, ends, "epochs", change))


def _scaled(jobs: Jobs, factor: float, most: np.ndarray, slot_seconds: float) -> Jobs:
    """The jobs with their work multiplied, kept from 1 epoch or worker-slot to ``most``."""
    name = "epochs" if "epochs" in jobs else "work"
    limit = most_epochs(jobs, slot_seconds, most) if name == "epochs" else most
    scaled = np.clip(np.rint(np.minimum(jobs[name] * factor, limit)), 1, limit).astype(np.int64)
    found = {**jobs, name: scaled}
    return {**found, "work": work_of(found, slot_seconds)} if name == "epochs" else found
