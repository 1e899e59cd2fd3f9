"""The online primal-dual loop over any oracle and any price function (Alg. 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

__all__ = ["PriceBook", "decide"]


class PriceBook(Protocol):
    """Prices that depend on the resources taken so far."""

    @property
    def prices(self) -> Any:
        """Current prices."""

    @property
    def free(self) -> Any:
        """Resources that are not taken yet."""

    def take(self, job: Any, column: Any) -> Mapping[str, Any]:
        """Take a column's resources and raise the prices; returns numbers for the record."""


def decide(
    job: Any, oracle: Callable[[Any, Any, Any], Any | None], book: PriceBook
) -> tuple[Any | None, dict[str, Any]]:
    """Decide one arrival: the best schedule at current prices, admitted if it pays (lines 2-14).

    Parameters
    ----------
    job : Job
    oracle : callable
        ``(job, prices, free) -> Column or None``, Alg. 2.
    book : PriceBook

    Returns
    -------
    column : Column or None
        The schedule to run, None if the job is rejected.
    record : dict
        ``payoff`` (mu_i; 0 if rejected) and what the price book adds.
    """
    column = oracle(job, book.prices, book.free)
    if column is None or column.payoff <= 0.0:
        return None, {"admitted": False, "payoff": 0.0}
    return column, {"admitted": True, "payoff": column.payoff, **book.take(job, column)}
