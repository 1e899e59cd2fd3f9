"""The work of drawn jobs, scaled so that an instance has the load asked for.

The rejection rule alone makes an overload: 2.5 in the mean of the default size, 8 and more at the
paper's. So the work of all jobs is multiplied by one factor, the same for all: their epochs E
where they have any (Sec. V-A draws them from [50, 200]; scaled they leave that range), else W
itself. Arrivals, demands, chunks and utilities stay as they were drawn, so that instances of one
seed differ in nothing but their load. A job keeps at least one epoch and at most the work with
which it still passes the rejection rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.utility.draw import Jobs, most_epochs, work_of
from benchmarks.utility.rejection import Kept, Rule
from models.errors import InputError
from models.utility.load import dominant_shares

__all__ = ["scaled_to"]

_MOST_OFF = 0.1  # how far the load of an instance may be from the one asked for
_STEPS = 60  # of the bisection; each halves the range of the factor


def scaled_to(load: float, kept: Kept, rule: Rule) -> Kept:
    """Scale the work of jobs that pass the rule to a load.

    The factor is found by bisection, since the load never falls as it grows: it moves in steps,
    for epochs and worker-slots are whole numbers, of which the nearest to the load is taken.

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

    least, greatest = at(0.0)[0], at(np.inf)[0]
    found, scaled = _nearest(at, load, float((most / jobs["work"]).max()))
    if abs(found - load) > _MOST_OFF:
        reach = f"between {least:.3g} and {greatest:.3g}"
        if least <= load <= greatest:
            reach = f"{found:.3g}, as near as whole epochs come, but not that"
        raise InputError(
            f"load {load:g}: with the jobs drawn on these servers it can be {reach}; change "
            "jobs, slots, servers or max_duration"
        )
    return replace(kept, jobs=scaled)


def _nearest(
    at: Callable[[float], tuple[float, Jobs]], load: float, high: float
) -> tuple[float, Jobs]:
    """The better of the two neighbouring loads that bisection ends at; of equal ones the lower."""
    low, high = 0.0, 2.0 * high
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if at(middle)[0] <= load else (low, middle)
    return min(at(low), at(high), key=lambda pair: abs(pair[0] - load))


def _scaled(jobs: Jobs, factor: float, most: np.ndarray, slot_seconds: float) -> Jobs:
    """The jobs with their work multiplied, kept from 1 epoch or worker-slot to ``most``."""
    name = "epochs" if "epochs" in jobs else "work"
    limit = most_epochs(jobs, slot_seconds, most) if name == "epochs" else most
    scaled = np.clip(np.rint(np.minimum(jobs[name] * factor, limit)), 1, limit).astype(np.int64)
    found = {**jobs, name: scaled}
    return {**found, "work": work_of(found, slot_seconds)} if name == "epochs" else found
