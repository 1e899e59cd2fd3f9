"""What a generator did: its load, where its parts are from, and how they are distributed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from models.problem import problem

__all__ = ["WorkloadReport", "distribution_of"]

_QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)


@dataclass(frozen=True, kw_only=True)
class WorkloadReport:
    """Load, notes, counts and distributions.

    Parameters
    ----------
    load : float
        Of the instance (:attr:`models.problem.Problem.load`).
    distribution : dict of str to dict
        Field -> minimum, 10, 50, 90 % quantile and maximum (:func:`distribution_of`).
    notes : tuple of str
        Where the parts are from.
    counts : tuple of str
        Lines on what was counted.
    about : str
        What the distribution is of, where one word says it.
    accepted, rejected : int
        Draws of jobs, or rows of a trace, that passed the rule by which some are refused, and those
        that did not; both 0 if there is no such rule.
    """

    load: float
    distribution: dict[str, dict[str, float]]
    notes: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    about: str = ""
    accepted: int = 0
    rejected: int = 0

    @classmethod
    def of(cls, instance: Any, values: Mapping[str, Any], **more: Any) -> Self:
        """Report an instance, and the distribution of some values by name."""
        load = problem(instance.problem).load(instance)
        return cls(load=load, distribution=distribution_of(values), **more)

    def __str__(self) -> str:
        heads = "".join(f"{f'{100 * q:.0f} %':>11}" for q in _QUANTILES)
        return "\n".join(
            [
                *self.notes,
                f"load {self.load:.3g}",
                *self.counts,
                f"{self.about:32}{heads}",
                *(
                    f"{name:32}" + "".join(f"{value:11.5g}" for value in found.values())
                    for name, found in self.distribution.items()
                ),
            ]
        )


def distribution_of(values: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Minimum, 10, 50, 90 % quantile and maximum of each field, under ``q0`` to ``q100``."""
    return {
        name: {
            f"q{100 * q:.0f}": float(value)
            for q, value in zip(_QUANTILES, np.quantile(numbers, _QUANTILES), strict=True)
        }
        for name, numbers in values.items()
    }
