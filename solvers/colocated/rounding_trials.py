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
    """Shares of the trials, before any repair, and costs over that of the relaxation.

    Parameters
    ----------
    gain : float
        ``G_delta``.
    lp_cost : float
        Cost of the relaxation itself.
    covers, packs, cheap, all : float
        (26) and the row of the parameter servers hold; (24) and (25) hold; the cost is at most
        ``3 G / delta`` times that of the relaxation; all of that at once.
    exact, mean : float
        Least cost of an external placement, and mean over all trials, feasible or not.
    """

    gain: float
    lp_cost: float
    covers: float
    packs: float
    cheap: float
    all: float
    exact: float
    mean: float


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
    covers = (tried.sum(axis=2) >= (workers, slot.ps_needed[workers])).all(axis=1)
    packs = keeps_packing(job, slot, tried)
    cheap = costs <= 3.0 * factor / delta * lp_cost * (1.0 + 1e-9)
    return RoundingTrials(
        gain=factor,
        lp_cost=lp_cost,
        covers=float(covers.mean()),
        packs=float(packs.mean()),
        cheap=float(cheap.mean()),
        all=float((covers & packs & cheap).mean()),
        exact=float(exact[workers]) / lp_cost,
        mean=float(costs.mean()) / lp_cost,
    )
