"""What the layer ``solvers`` offers of a problem, and where commands find it.

Nothing heavy is imported here or by looking a problem up: solvers are named by references
(:mod:`models.reference`), so that whoever verifies a certificate loads none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from models.errors import InputError
from models.problem import offered
from models.reference import resolve
from solvers.certificate import Verdict
from solvers.result import SolveResult

__all__ = [
    "Certificate",
    "Certify",
    "Check",
    "OfflineSolver",
    "Solve",
    "WiderBound",
    "offline_solver",
]


class Certificate(Protocol):
    """A bound and the prices that prove it."""

    @property
    def bound(self) -> float:
        """What the prices prove."""

    def write(self, path: str | Path) -> None:
        """Write the certificate file."""


class Solve(Protocol):
    """What :attr:`OfflineSolver.solver` refers to."""

    def __call__(
        self,
        instance: Any,
        *,
        time_limit: float | None,
        threads: int = 1,
        start: Any | None = None,
    ) -> SolveResult[Any]:
        """Find the optimum, or an interval that contains it.

        The result says by ``timed`` whether the clock decided any step on the way.

        Parameters
        ----------
        instance : Instance
        time_limit : float or None
            Seconds for everything; None: as long as it takes.
        threads : int
            That it may use.
        start : Schedule, optional
            A feasible schedule to start from.
        """


class Certify(Protocol):
    """What :attr:`OfflineSolver.certifier` refers to."""

    def __call__(self, instance: Any, prices: Any, /) -> Certificate:
        """Make the certificate of a bound from the prices (``duals``) of a result."""


class Check(Protocol):
    """What :attr:`OfflineSolver.checker` refers to."""

    def __call__(self, path: str | Path, instance: Any, /) -> Verdict:
        """Recompute the bound of a certificate file; raises InputError if it cannot be read."""


class WiderBound(Protocol):
    """What :attr:`OfflineSolver.wider` refers to."""

    def __call__(self, instance: Any, prices: Any, /) -> float:
        """Compute the bound on wider schedules that the prices (``duals``) of a result prove."""


@dataclass(frozen=True)
class OfflineSolver:
    """The offline solver of a problem: ``solvers.<problem>.OFFLINE``.

    Parameters
    ----------
    solver : str
        Reference to a :class:`Solve`.
    starts : tuple of str
        Registered policies whose schedules the offline solver may start from, in the order in
        which the first of equals is taken. A list of its own, so that what is found offline does
        not depend on which policies somebody compares.
    certifier, checker : str
        References to a :class:`Certify` and a :class:`Check`; both empty if the problem has no
        certificates.
    wider : str
        Reference to a :class:`WiderBound`, where the bound of a certificate does not hold for
        wider schedules (:attr:`models.problem.Problem.wider`). Empty if it does, or if there are
        none.
    """

    solver: str
    starts: tuple[str, ...]
    certifier: str = ""
    checker: str = ""
    wider: str = ""

    def __post_init__(self) -> None:
        """Refuse certificates that nobody could check, or nobody could make."""
        if bool(self.certifier) != bool(self.checker):
            raise ValueError("an offline solver has a certifier and a checker, or neither")
        if self.wider and not self.certifier:
            raise ValueError("a bound on wider schedules by prices needs a certifier")

    @property
    def certifies(self) -> bool:
        """Whether the problem has certificates."""
        return bool(self.certifier)

    def solve(
        self,
        instance: Any,
        *,
        time_limit: float | None,
        threads: int = 1,
        start: Any | None = None,
    ) -> SolveResult[Any]:
        """Find the optimum, or an interval that contains it, as :class:`Solve` says."""
        solve: Solve = resolve(self.solver)
        return solve(instance, time_limit=time_limit, threads=threads, start=start)

    def certify(self, instance: Any, prices: Any) -> Certificate:
        """Make a certificate, as :class:`Certify` says.

        Raises
        ------
        InputError
            If the problem has no certificates.
        """
        certify: Certify = resolve(self._certificates(instance, self.certifier))
        return certify(instance, prices)

    def wider_bound(self, instance: Any, prices: Any) -> float | None:
        """The bound on wider schedules that prices prove, if it is not that of the certificate."""
        if not self.wider:
            return None
        bound: WiderBound = resolve(self.wider)
        return bound(instance, prices)

    def check(self, path: str | Path, instance: Any) -> Verdict:
        """Recompute the bound of a certificate file, as :class:`Check` says.

        Raises
        ------
        InputError
            If the problem has no certificates, or the file cannot be read.
        """
        check: Check = resolve(self._certificates(instance, self.checker))
        return check(path, instance)

    def _certificates(self, instance: Any, reference: str) -> str:
        if not reference:
            raise InputError(f"problem '{instance.problem}' has no certificates")
        return reference


def offline_solver(problem_name: str) -> OfflineSolver:
    """The offline solver of a problem.

    Raises
    ------
    InputError
        If there is no such problem, or it has no offline solver yet.
    """
    return offered("solvers", problem_name, "OFFLINE", OfflineSolver)
