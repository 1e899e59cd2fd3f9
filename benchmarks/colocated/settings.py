"""Settings of the ``colocated`` workloads: those of the paper, and what our notes of it leave open.

The ranges of E, K, g, tau, gamma, F and of the utilities are the paper's. Capacities, bandwidths,
the length of a slot and the arrivals are not in the notes: they are readings.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.workload.arrivals import ARRIVALS, PATTERNS, pattern_of
from benchmarks.workload.settings import LOAD_PRESETS, BaseSettings, setting, show_range
from models.errors import InputError

__all__ = ["Settings"]

_MACHINE_SLOTS = 2000  # of Figures 6 and 7
_MOST = 10**9  # of a whole number in an instance file


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """What all generators of the problem are told.

    Parameters
    ----------
    servers : int
        H, machines with 8 GPUs.
    preset : str
        How much there is to train. ``"paper"``: the samples as they are drawn, a load of 5 to 19 at
        the sizes of the figures; ``"moderate"``: the samples of all jobs times one factor, 0.1 to
        0.2 at 100 machines and 20 slots, so that the load is drawn from [0.9, 1.1]. Smaller
        clusters have smaller jobs then, in proportion, before they are judged (``base``), as with
        ``"overload"``: load 2.
    load : float or None
        The load itself (:func:`models.colocated.load.load`), in place of either.
    scale : float or None
        The factor itself, beside ``base``: then the load moves with the size.
    judged_on : int or None
        Jobs are drawn that can complete on so many machines, of which the first H are there; None =
        on H. The same jobs can then be run on more or fewer machines.
    arrivals : str or None
        A pattern of ``PATTERNS``; None = those of the trace, or where it has none, ``ARRIVALS``.
    epochs, samples, gamma, max_workers : tuple of int
        Ranges of E, K, gamma (workers for each parameter server) and F.
    gradient_mb, sample_slots : tuple of float
        Ranges of g, MB, and tau, slots.
    priority, decay, target : tuple
        Ranges of theta_1, theta_2 and theta_3 of the utility.
    external_gbps : tuple of float
        Range of b_ext: what EC2 gives a machine of such jobs, where several share it.
    internal_times : float
        b_int / b_ext, at least 1.
    requested : tuple of int
        Range of ``requested_workers``, then cut to what can run.
    slot_seconds : float
        Length of a slot.
    """

    presets = LOAD_PRESETS
    servers: int
    preset: str = setting("moderate", "|".join(LOAD_PRESETS))
    load: float | None = setting(None, "1")
    scale: float | None = setting(None, "0.15")
    judged_on: int | None = setting(None, "100")
    arrivals: str | None = setting(None, "|".join(PATTERNS))
    epochs: tuple[int, int] = setting((50, 200), "50:200")
    samples: tuple[int, int] = setting((20_000, 500_000), "20000:500000")
    gamma: tuple[int, int] = setting((1, 10), "1:10")
    max_workers: tuple[int, int] = setting((1, 200), "1:200")
    gradient_mb: tuple[float, float] = setting((30.0, 575.0), "30:575")
    sample_slots: tuple[float, float] = setting((1e-5, 1e-4), "1e-5:1e-4")
    priority: tuple[float, float] = setting((1.0, 100.0), "1:100")
    decay: tuple[float, float] = setting((0.01, 1.0), "0.01:1")
    target: tuple[int, int] = setting((1, 15), "1:15")
    external_gbps: tuple[float, float] = setting((1.0, 5.0), "1:5")
    internal_times: float = setting(10.0, "10")
    requested: tuple[int, int] = setting((1, 30), "1:30")
    slot_seconds: float = setting(3600.0, "3600")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_counts("servers", "judged_on")
        if self.judged_on is not None and self.judged_on < self.servers:
            raise InputError(f"judged_on {self.judged_on} is below the {self.servers} machines")
        self.check_pairs("jobs", self.judged_on or self.servers)
        self.check_pairs("slots", self.servers)
        self.check_positive("load", "scale", "slot_seconds")
        for name in ("sample_slots", "external_gbps"):
            self.check_range(name, 0.0, _MOST, strict=True)
        for name in ("epochs", "samples", "gamma", "max_workers", "requested"):
            self.check_range(name, 1, _MOST)
        for name in ("gradient_mb", "priority", "decay", "target"):
            self.check_range(name, 0, _MOST)
        if not 1.0 <= self.internal_times <= _MOST:
            raise InputError(f"internal_times {self.internal_times:g} is not from 1 to {_MOST:g}")
        pattern_of(self.arrivals or ARRIVALS, PATTERNS)  # refuses an unknown one

    @property
    def base(self) -> float:
        """What samples are multiplied by before it is judged which jobs can complete."""
        machine_slots = (self.judged_on or self.servers) * self.slots
        return 1.0 if self.preset == "paper" else min(1.0, machine_slots / _MACHINE_SLOTS)

    def describe(self) -> str:
        """The settings that the rest of an instance file does not show."""
        ranges: dict[str, tuple[float, float]] = {"E": self.epochs, "K": self.samples}
        ranges |= {"F": self.max_workers, "gamma": self.gamma, "tau": self.sample_slots}
        told = ", ".join(f"{name} {show_range(interval)}" for name, interval in ranges.items())
        return f"{told}, b_int = {self.internal_times:g} b_ext"
