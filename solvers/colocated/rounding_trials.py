"""What randomised rounding does to one placement problem, over many trials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.colocated.cluster import Job
from solvers.colocated.placement import slot_of
from solvers.colocated.placement_exact import ExactPlacement
from solvers.colocated.placement_program import (
    Gain,
    PlacementProgram,
    keeps_packing,
    round_at_random,
)

__all__ = ["RoundingTrials", "rounding_trials"]


@dataclass(frozen=True)
class RoundingTrials:
    """Frequencies over the trials, before any repair, and costs.

    Parameters
    ----------
    covering : float
        (26) and the row of the parameter servers hold.
    packing : float
        (24) and (25) hold.
    cost : float
        The cost is at most ``3 G / delta`` times that of the relaxation.
    all : float
        All of that at once.
    gain : float
        ``G_delta``.
    lp_cost, exact_cost : float
        Cost of the relaxation, and least cost of an external placement.
    mean_cost : float
        Mean over all trials, feasible or not.
    """

    covering: float
    packing: float
    cost: float
    all: float
    gain: float
    lp_cost: float
    exact_cost: float
    mean_cost: float


def rounding_trials(
    job: Job,
    price: np.ndarray,
    free: np.ndarray,
    workers: int,
    gain: Gain,
    delta: float,
    trials: int,
    rng: np.random.Generator,
) -> RoundingTrials | None:
    """Round the relaxation of one placement so often, (27), (28).

    Parameters
    ----------
    job : Job
    price, free : ndarray, shape (H, R)
        Nonnegative prices, and what is free.
    workers : int
        From 1 to F.
    gain : float, "packing" or "covering"
    delta : float
        In (0, 1].
    trials : int
    rng : Generator

    Returns
    -------
    RoundingTrials or None
        None if no formula for ``G_delta`` applies.

    Raises
    ------
    ValueError
        If no external placement exists.
    """
    exact = ExactPlacement().options(job, price, free, workers).external_cost
    if len(exact) <= workers or not np.isfinite(exact[workers]):
        raise ValueError(f"{workers} workers of job '{job.id}' do not fit")
    slot = slot_of(job, price, free, job.max_workers)
    program = PlacementProgram(job, slot, free)
    factor = program.gain(gain, delta, workers)
    if factor is None:
        return None
    x = program.solve(workers)
    lp_cost = slot.cost((x[0], x[1]))
    tried = round_at_random(factor * x, trials, rng)
    costs = tried[:, 0] @ slot.worker_cost + tried[:, 1] @ slot.ps_cost
    covering = (tried.sum(axis=2) >= (workers, slot.ps_needed[workers])).all(axis=1)
    packing = keeps_packing(job, slot, tried)
    cheap = costs <= 3.0 * factor / delta * lp_cost * (1.0 + 1e-9)
    return RoundingTrials(
        covering=float(covering.mean()),
        packing=float(packing.mean()),
        cost=float(cheap.mean()),
        all=float((covering & packing & cheap).mean()),
        gain=factor,
        lp_cost=lp_cost,
        exact_cost=float(exact[workers]),
        mean_cost=float(costs.mean()),
    )
