"""What is measured of one slot, randomised rounding and its rivals; and what is worked by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.colocated.measures import draw, head
from benchmarks.study.cell import Measurement, Result
from models.colocated import ColocatedInstance, ColocatedSchedule, score
from models.colocated.cluster import Job
from models.colocated.files import ColocatedFile, JobRecord
from models.sigmoid import Sigmoid
from solvers.colocated.placement import Placement, slot_of
from solvers.colocated.placement_exact import ExactPlacement
from solvers.colocated.placement_greedy import GreedyPlacement
from solvers.colocated.placement_program import (
    Gain,
    PlacementProgram,
    keeps_packing,
    round_at_random,
)
from solvers.colocated.placement_rounding import RoundingPlacement
from solvers.colocated.rounding_factor import covering_gain, packing_gain

__all__ = ["GAINS", "examples", "rounding", "trials_of"]

GAINS = ("1", "covering", "packing")
"""What roundings are scaled by: nothing, or G for one of the two sides."""

_MEASURED = ("gain", "covers", "packs", "cheap", "all", "rounding", "greedy", "exact", "mean")
_SPREAD = 100.0  # U / L of the prices
_STREAM = 0x524F55  # sets these draws apart from those of the instance


def rounding(*, deltas: Sequence[float], trials: int, **cell: Any) -> Measurement:
    """Records of slots: what rounding keeps to in so many trials, and the costs of three ways.

    Each job of an instance meets one slot: every resource of every machine is used up to a share
    drawn uniformly, and costs ``100^share``, as (12) has it; half of the workers that fit, or of F,
    are to be placed on several machines. A record for each job, way to scale and delta has ``gain``
    (G; None where no formula applies), ``covers``, ``packs``, ``cheap``, ``all`` (shares of the
    trials in which these rows hold, all of them, the cost is at most 3 G / delta times the
    relaxation's), and ``rounding``, ``greedy``, ``exact`` and ``mean`` (costs over the relaxation's
    of what is placed in the end, and of all trials).
    """
    instance = draw(**cell)
    rng = np.random.default_rng([cell["seed"], _STREAM])

    def measure() -> Result:
        records = []
        for job, price, free, workers in _slots(instance, rng):
            for way in GAINS:
                for delta in deltas:
                    told = {"job": job.id, "way": way, "delta": delta, "trials": trials}
                    gain: Any = 1.0 if way == "1" else way
                    found = trials_of(job, price, free, workers, gain, delta, trials, rng)
                    told |= {"workers": workers, **found}
                    records.append({**head(instance, cell), **told})
        return Result(records)

    return measure


def _slots(
    instance: ColocatedInstance, rng: np.random.Generator
) -> Iterator[tuple[Job, np.ndarray, np.ndarray, int]]:
    """Jobs that need several workers or parameter servers, prices, free capacities, workers."""
    servers = instance.cluster.servers
    for job in instance.jobs:
        used = rng.random(servers.shape)
        price, free = _SPREAD**used / servers.max(axis=0), np.round(servers * (1.0 - used), 6)
        cost = ExactPlacement().options(job, price, free, job.max_workers).external_cost
        most = int(np.flatnonzero(np.isfinite(cost)).max(initial=0))
        if most > 1:
            yield job, price, free, most // 2


def trials_of(
    job: Job,
    price: np.ndarray,
    free: np.ndarray,
    workers: int,
    gain: Gain,
    delta: float,
    trials: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Round the relaxation of one placement so often, (27), (28), and place it in three ways.

    Parameters
    ----------
    job : Job
    price, free : ndarray, shape (H, R)
        Nonnegative prices, and what is free.
    workers : int
        For which an external placement exists.
    gain : float, "packing" or "covering"
    delta : float
        In (0, 1].
    trials : int
    rng : Generator

    Returns
    -------
    dict
        ``gain`` and what follows it in :func:`rounding`; all None if no formula for G applies.
    """
    slot = slot_of(job, price, free, job.max_workers)
    program = PlacementProgram(job, slot, free)
    factor = program.gain(gain, delta, workers)
    if factor is None:
        return dict.fromkeys(_MEASURED)
    x = program.solve(workers)
    lp_cost = slot.cost((x[0], x[1]))
    tried = round_at_random(factor * x, trials, rng)
    costs = tried[:, 0] @ slot.worker_cost + tried[:, 1] @ slot.ps_cost
    covers = (tried.sum(axis=2) >= (workers, slot.ps_needed[workers])).all(axis=1)
    packs = keeps_packing(job, slot, tried)
    cheap = costs <= 3.0 * factor / delta * lp_cost * (1.0 + 1e-9)
    ways: tuple[Placement, ...] = (
        RoundingPlacement(rng, gain=gain, delta=delta),
        GreedyPlacement(),
        ExactPlacement(),
    )
    placed = [way.options(job, price, free, workers).external_cost[workers] for way in ways]
    shares = [part.mean() for part in (covers, packs, cheap, covers & packs & cheap)]
    numbers = [factor, *shares, *(cost / lp_cost for cost in (*placed, costs.mean()))]
    return dict(zip(_MEASURED, map(float, numbers), strict=True))


def examples(*, seed: int) -> Measurement:
    """One record: of Fact 1, and of G; ``seed`` means nothing.

    A job needs two workers in its only slot, and 2e-5 slots for a sample on one machine, 1.1e-4
    between two. ``together``, ``split`` and ``apart``: how many violations there are with all on
    one machine, with the workers on two, and with the parameter server on another one.
    ``covering`` and ``covering_one``: G at delta = 0.5 and W1 = 4 with both rows, and with that of
    the workers alone; ``packing``: G at delta = 0.5 and W2 = 48 with 400 rows.
    """
    instance = fact_1_example()
    rows = {"together": ((0, 0), 0), "split": ((0, 1), 0), "apart": ((0, 0), 1)}

    def measure() -> Result:
        found: dict[str, Any] = {"seed": seed}
        for name, (workers, ps) in rows.items():
            placed = [(0, 0, server, 1) for server in workers]
            schedule = ColocatedSchedule.build(instance, np.array([True]), placed, [(0, 0, ps, 1)])
            found[name] = len(score(instance, schedule).violations)
        gains = {"covering": covering_gain(0.5, 4.0), "covering_one": covering_gain(0.5, 4.0, 1)}
        return Result([{**found, **gains, "packing": packing_gain(0.5, 48.0, 400)}])

    return measure


def fact_1_example() -> ColocatedInstance:
    """Two machines; 100,000 samples take two internal workers a slot, and external ones 5.5."""
    job = JobRecord(
        id="a",
        arrival=0,
        epochs=1,
        samples=100_000,
        gradient_mb=1.0,
        sample_slots=1e-5,
        gamma=2.0,
        max_workers=2,
        worker=[1.0],
        ps=[1.0],
        internal_gbps=10.0,
        external_gbps=1.0,
        utility=Sigmoid(priority=2.0, decay=0.0, target=0.0),
    )
    return ColocatedInstance.from_file(
        ColocatedFile(
            format="1",
            problem="colocated",
            name="by hand",
            slots=1,
            slot_seconds=160.0,  # 2 g / b = 1e-4 slots between machines
            resources=["gpu"],
            servers=[[3.0], [3.0]],
            jobs=[job],
        )
    )
