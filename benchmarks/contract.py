"""What the layer ``benchmarks`` offers of a problem, and where commands find it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.workload.contract import Workload
from models.problem import offered

__all__ = ["Experiments", "experiments_of"]


@dataclass(frozen=True)
class Experiments:
    """Experiments on a problem: ``benchmarks.<problem>.EXPERIMENTS``.

    All but the workload is named by references (:mod:`models.reference`), so that a cell, which
    needs the workload, does not depend on pictures and claims. Empty: the problem has none.

    Parameters
    ----------
    workload : Workload
        How instances are drawn.
    studies, pictures, claims : str
        References to sequences of :class:`benchmarks.study.study.Study`,
        :class:`benchmarks.study.picture.Picture` and :class:`benchmarks.study.claim.Claim`, in
        the order of the paper.
    gap : str
        Reference to what ``benchmarks.gap`` compares.
    regret : str
        Reference to what ``benchmarks.regret`` measures.
    references : str
        Reference to policies that ``benchmarks.speed`` times beside the registered ones.
    """

    workload: Workload
    studies: str = ""
    pictures: str = ""
    claims: str = ""
    gap: str = ""
    regret: str = ""
    references: str = ""


def experiments_of(problem_name: str) -> Experiments:
    """Experiments on a problem.

    Raises
    ------
    InputError
        If there is no such problem, or it has no experiments yet.
    """
    return offered("benchmarks", problem_name, "EXPERIMENTS", Experiments)
