"""Admission at prices that rise: Alg. 1 of OASiS and of PD-ORS, over an oracle and a price book."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from models.slot_column import Column
from online.policy import Arrival, Decision, JobEvent, Policy
from online.primal_dual import PriceBook, decide
from online.segments import plan_from_column

__all__ = ["PriceAdmission"]


class PriceAdmission(Policy):
    """Admit a job if its best schedule at current prices has a positive payoff; raise prices.

    At the arrival of a job the oracle maximises value minus cost over the schedules that still
    fit. If the payoff is positive the job is admitted and runs exactly that schedule, and the price
    of each touched (slot, server, resource) rises to ``L (U/L)^(g/c)``. Nothing is ever planned
    anew.

    Attributes
    ----------
    book : PriceBook
        Of the run.
    """

    book: Any

    @abstractmethod
    def open_book(self, public: Any, rng: np.random.Generator) -> PriceBook:
        """The price book of a run, with the lowest prices everywhere."""

    @abstractmethod
    def oracle(self, job: Any, prices: Any, free: Any) -> Column | None:
        """The best schedule of a job; None if none fits."""

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        """Start with the lowest prices."""
        self.book = self.open_book(public, rng)

    def step(self, event: JobEvent) -> Decision:
        """Decide an arriving job."""
        if not isinstance(event, Arrival):
            return Decision()
        column, record = decide(event.job, self.oracle, self.book)
        if column is None:
            return Decision(info=record)
        return Decision({event.job.index: plan_from_column(column)}, info=record)

    @property
    def final_prices(self) -> Any:
        """Prices after the last decision."""
        return self.book.prices
