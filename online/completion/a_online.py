"""A_online (Alg. 1): batches that are closed at times which double, scheduled by A_dual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from models.completion.cluster import Cluster, Job
from models.completion.column import Column
from models.completion.instance import CompletionInstance
from models.errors import InputError
from online.completion.guarantee import check_guarantee, evidence_of_run
from online.completion.max_weight import ORDERS, MaxWeight, Round, compacted, least_bound
from online.completion.plan import Run, run_of
from online.policy import Arrival, Decision, Guarantee, JobEvent, Policy

__all__ = ["AOnline"]


class AOnline(Policy):
    """Collect jobs until ``tau_i = 2^(i-1)``, schedule them by A_dual, and again (Sec. 4, 5).

    Round i starts at ``tau_i``, or when the last job of the round before completes, and takes the
    jobs that arrived by ``tau_i`` and are not scheduled yet. A_dual plans them in blocks of
    ``tau_i`` slots, at most alpha of them, (6), which run from the start of the round on.

    The literal variant has one alpha for the whole run, and runs from ``alpha tau_i`` on what it
    plans at ``tau_i``: of this the ratio ``4 alpha`` is proven
    (:mod:`online.completion.guarantee`). (7b) with slots from 1 on leaves ``tau_i - 1`` slots of a
    block. With alpha in the hundreds, as at the paper's settings, almost all time is waiting.

    Rows record of each slot ``scheduled``, the number of jobs, and of its last round ``blocks``,
    those used, and ``alpha``, the most allowed.

    Parameters
    ----------
    price_bound : float
        F; ``for_instance`` computes it of all jobs (``clairvoyant_bounds``), unless one is given.
    alpha : int, optional
        The one alpha of the literal variant; ``for_instance(literal=True)`` takes it from (6).
    compact : bool
        Whether jobs start as early as the round's other jobs allow
        (:func:`~online.completion.max_weight.compacted`), or as planned.
    order : {"arrival", "weight", "id"}
        In which the jobs of a batch are taken; the heaviest first.
    """

    name = "a-online"

    def __init__(
        self,
        price_bound: float,
        *,
        alpha: int | None = None,
        compact: bool = True,
        order: str = "arrival",
    ) -> None:
        if order not in ORDERS:
            raise InputError(f"order '{order}': choose from {', '.join(ORDERS)}")
        if not price_bound > 0.0:
            raise InputError(f"price_bound {price_bound} is not positive")
        self.price_bound, self.alpha = price_bound, alpha
        self._compact, self._order = compact, ORDERS[order]

    @classmethod
    def for_instance(
        cls,
        instance: CompletionInstance,
        *,
        literal: bool = False,
        compact: bool = True,
        order: str = "arrival",
        price_bound: float | None = None,
    ) -> AOnline:
        """With the least F that holds for all jobs."""
        if price_bound is None:
            price_bound = least_bound(instance.jobs, instance.cluster)
        alpha = MaxWeight(instance.cluster, price_bound).alpha(instance.jobs)
        return cls(price_bound, alpha=alpha if literal else None, compact=compact, order=order)

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        """Start before the first round."""
        self._cluster, self._algorithm = public, MaxWeight(public, self.price_bound)
        self._waiting: dict[int, Job] = {}
        self._round, self._busy_until = 0, 0
        self._literal_rounds: list[Round] = []

    def step(self, event: JobEvent) -> Decision:
        """Collect an arriving job; start the rounds whose time has come."""
        if isinstance(event, Arrival):
            self._waiting[event.job.index] = event.job
            return Decision()
        plans: dict[int, Run] = {}
        info: dict[str, Any] = {"scheduled": 0}
        start = self._next_start()
        while start == event.slot:
            planned, blocks, most = self._run_round(start)
            plans |= {column.job: run_of(column) for column in planned}
            info = {"scheduled": len(plans), "blocks": blocks, "alpha": most}
            start = self._next_start()
        return Decision(plans, start, info)

    def _next_start(self) -> int | None:
        """Start of the next round with jobs, which becomes round ``self._round + 1``."""
        if not self._waiting:
            return None
        earliest = min(job.arrival for job in self._waiting.values())
        while 2**self._round < earliest:
            self._round += 1
        return max(2**self._round, self._busy_until)

    def _run_round(self, start: int) -> tuple[list[Column], int, int]:
        """The jobs of one round with their windows, the blocks used and the most allowed."""
        tau = 2**self._round
        self._round += 1
        jobs = [job for job in self._waiting.values() if job.arrival <= tau]
        jobs.sort(key=self._order)
        slots, most = tau, self._algorithm.alpha(jobs)
        if self.alpha is not None:
            slots, most, start = tau - 1, self.alpha, self.alpha * tau
        blocks = self._algorithm.blocks(jobs, slots, most)
        planned = [
            replace(column, start=start + number * tau + column.start)
            for number, block in enumerate(blocks)
            for column in block.columns
        ]
        if self._compact:
            planned = compacted(planned, self._cluster, start)
        for column in planned:
            del self._waiting[column.job]
        if self.alpha is None:
            self._busy_until = max([start, *(column.completion for column in planned)])
        else:
            self._literal_rounds.append(Round(slots, jobs, blocks))
        return planned, len(blocks), most

    def evidence(self, instance: CompletionInstance, trace: Any) -> dict[str, Any] | None:
        """What the proof of ``4 alpha`` supposes, as measured; None unless literal."""
        if self.alpha is None:
            return None
        return evidence_of_run(instance, self.alpha, self._algorithm, self._literal_rounds)

    @classmethod
    def applies(cls, evidence: Mapping[str, Any], best_known: float) -> Guarantee:
        """``4 alpha`` of Theorem 5, whatever the optimum is."""
        return check_guarantee(evidence)
