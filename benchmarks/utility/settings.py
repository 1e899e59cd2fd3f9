"""Settings of the ``utility`` workloads: Sec. V-A of the paper, and what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.workload.arrivals import ARRIVALS, PATTERNS, pattern_of
from benchmarks.workload.settings import LOADS, BaseSettings, setting
from models.errors import InputError
from models.rounding import ceil_tolerant

__all__ = ["Settings"]

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "paper-ranges": {"load": None},
    **LOADS,
    "testbed-like": {"load": None, "max_duration": 6},
}


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """What all generators of the problem are told.

    Parameters
    ----------
    servers : tuple of int
        Worker servers and parameter servers, H and K.
    preset : str
        Sets what is not given: ``"paper-ranges"`` nothing; ``"moderate"`` load 1, ``"overload"``
        load 2; ``"testbed-like"`` jobs of at most 6 slots, as those of Sec. V-B.
    max_duration : int or None
        Most slots a job may need at its fastest; None = ``min(20, ceil(0.6 T))``.
    priority : tuple of float
        Range of gamma_1.
    mix : tuple of float
        Shares of time-insensitive, time-sensitive and time-critical jobs, kept exactly up to
        rounding.
    load : float or None
        The load of the instance (:func:`models.utility.load.load`) that the work of its jobs is
        scaled to (:mod:`benchmarks.utility.scaling`); None = what the draws give, 2.5 in the mean
        of the default size.
    arrivals : str or None
        A pattern of ``PATTERNS``; None = those of the trace, or ``ARRIVALS`` where there is none.
    slot_seconds : float
        Length of a slot.
    """

    presets = PRESETS
    servers: tuple[int, int]
    preset: str = setting("paper-ranges", "|".join(PRESETS))
    max_duration: int | None = setting(None, "3")
    priority: tuple[float, float] = setting((1.0, 100.0), "1:100")
    mix: tuple[float, float, float] = setting((0.10, 0.55, 0.35), "0.1:0.55:0.35")
    load: float | None = setting(None, "1")
    arrivals: str | None = setting(None, "|".join(PATTERNS))
    slot_seconds: float = setting(3600.0, "3600")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_duration is not None and not 1 <= self.max_duration <= self.slots:
            raise InputError(f"max_duration {self.max_duration} is not in 1..{self.slots}")
        self.check_range("priority", 0)
        if len(self.mix) != 3 or min(self.mix) < 0 or abs(sum(self.mix) - 1) > 1e-9:
            raise InputError(f"mix {self.mix} is not three shares that add up to 1")
        self.check_positive("load", "slot_seconds")
        pattern_of(self.arrivals or ARRIVALS, PATTERNS)  # refuses an unknown one

    @property
    def longest(self) -> int:
        """``max_duration``, with its default filled in."""
        return self.max_duration or min(20, ceil_tolerant(0.6 * self.slots))

    def describe(self) -> str:
        """The settings that the rest of an instance file does not show."""
        low, high = self.priority
        mix = "/".join(f"{share:g}" for share in self.mix)
        load = "" if self.load is None else f", work scaled to load {self.load:g}"
        return (
            f"P2/G3-like worker and C4-like parameter servers, max_duration {self.longest}, "
            f"priority [{low:g}, {high:g}], mix {mix}{load}"
        )
