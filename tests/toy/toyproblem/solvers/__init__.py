"""The best things, by sorting."""

from solvers.contract import OfflineSolver

OFFLINE = OfflineSolver(solver="toyproblem.solvers.sorting:solve", starts=("first",))
