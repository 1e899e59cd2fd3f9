"""What ``python -m benchmarks.gap`` compares on ``utility``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from models.utility import UtilityInstance, UtilitySchedule
from solvers.result import SolveResult
from solvers.utility import compact_ilp, offline

__all__ = ["METHODS", "SIZES"]

Method = Callable[[UtilityInstance, float], SolveResult[UtilitySchedule]]


def _compact(instance: UtilityInstance, time_limit: float) -> SolveResult[UtilitySchedule]:
    return compact_ilp.solve(instance, time_limit=time_limit)


def _toolkit(instance: UtilityInstance, time_limit: float) -> SolveResult[UtilitySchedule]:
    return offline.solve(instance, time_limit=time_limit)


METHODS: Mapping[str, tuple[str, Method]] = {
    "compact": ("the compact ILP, whole, by HiGHS", _compact),
    "toolkit": ("the interval of benchmarks.ratio", _toolkit),
}
"""By name: what it is, and ``(instance, seconds) -> result``. All start from nothing."""

SIZES: Mapping[str, tuple[str, ...]] = {
    "default": ("10x10x5+5", "20x20x10+10", "50x50x20+20", "100x100x50+50"),
    "quick": ("5x6x3+3", "10x10x5+5"),
}
"""Jobs x slots x servers."""
