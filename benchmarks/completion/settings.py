"""Settings of the ``completion`` workloads: Sec. 7 of the paper, and what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.workload.arrivals import ARRIVALS, PATTERNS, pattern_of
from benchmarks.workload.settings import LOAD_PRESETS, BaseSettings, setting, show_range
from models.errors import InputError

__all__ = ["Settings"]

ARCHITECTURES = ("ps", "allreduce")
TYPES = ("drawn", "ec2")
_MOST = 10**9  # of a whole number in an instance file


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """What all generators of the problem are told; the ranges are those of Sec. 7.

    Parameters
    ----------
    servers : int
        H. The total capacity does not depend on it: it is split over the servers.
    preset : str
        How much capacity there is. ``"paper"``: of each resource a share of the summed ideal
        demand of all jobs, drawn from ``capacity``, which gives loads of 0.2 to 0.55;
        ``"moderate"``: so much that the load is drawn from [0.9, 1.1]; ``"overload"``: load 2.
    load : float or None
        The load itself (:func:`models.completion.load.load`), in place of either.
    capacity : tuple of float
        Range of the share, preset ``paper``.
    architecture : str
        ``"ps"``, or ``"allreduce"``; the drawn jobs are the same apart from U.
    types : str
        ``"drawn"``: resources of worker types from the ranges; ``"ec2"``: the four of Figure 9.
    worker_types, ps_types : int
        M, of drawn types, and P.
    only_type : int or None
        All jobs employ this worker type, and the others are not there; all else stays.
    most_workers : int or None
        No job has more workers: D is cut, and K grows so that the work stays (rounded up).
    max_duration : int or None
        Most slots that a job may take at its fastest on the empty cluster; None = until T.
    arrivals : str or None
        A pattern of ``PATTERNS``; None = those of the trace, or where it has none, ``ARRIVALS``.
    weight, epochs, chunks, minibatches : tuple
        Ranges of w, E, D and K.
    minibatch_slots, update_ms, gradient_mb : tuple of float
        Ranges of v, slots, of U, milliseconds, and of pi, MB.
    requested : tuple of int
        Range of ``requested_workers``, then cut to D.
    gpus, vcpus, worker_gbps, ps_vcpus, ps_gbps : tuple
        Ranges of what a worker, and a parameter server, of a type takes.
    slot_seconds : float
        Length of a slot.
    """

    presets = LOAD_PRESETS
    servers: int
    preset: str = setting("moderate", "|".join(LOAD_PRESETS))
    load: float | None = setting(None, "1")
    capacity: tuple[float, float] = setting((0.2, 0.5), "0.2:0.5")
    architecture: str = setting("ps", "|".join(ARCHITECTURES))
    types: str = setting("drawn", "|".join(TYPES))
    worker_types: int = setting(8, "8")
    ps_types: int = setting(10, "10")
    only_type: int | None = setting(None, "0")
    most_workers: int | None = setting(None, "4")
    max_duration: int | None = setting(None, "6")
    arrivals: str | None = setting(None, "|".join(PATTERNS))
    weight: tuple[float, float] = setting((200.0, 5000.0), "200:5000")
    epochs: tuple[int, int] = setting((50, 100), "50:100")
    chunks: tuple[int, int] = setting((5, 50), "5:50")
    minibatches: tuple[int, int] = setting((10, 50), "10:50")
    minibatch_slots: tuple[float, float] = setting((0.001, 0.05), "0.001:0.05")
    update_ms: tuple[float, float] = setting((10.0, 100.0), "10:100")
    gradient_mb: tuple[float, float] = setting((30.0, 575.0), "30:575")
    requested: tuple[int, int] = setting((1, 30), "1:30")
    gpus: tuple[int, int] = setting((1, 4), "1:4")
    vcpus: tuple[int, int] = setting((1, 16), "1:16")
    worker_gbps: tuple[float, float] = setting((0.1, 5.0), "0.1:5")
    ps_vcpus: tuple[int, int] = setting((1, 16), "1:16")
    ps_gbps: tuple[float, float] = setting((5.0, 20.0), "5:20")
    slot_seconds: float = setting(3600.0, "3600")

    def __post_init__(self) -> None:
        super().__post_init__()
        known = {"architecture": ARCHITECTURES, "types": TYPES}
        for name, words in known.items():
            self.check_word(name, words)
        self.check_counts("servers", "worker_types", "ps_types", "most_workers", "max_duration")
        self.check_pairs("slots", self.servers)
        self.check_pairs("jobs", self.kinds + self.ps_types)  # each pair has a time that is drawn
        self.check_positive("load", "slot_seconds")
        if self.only_type is not None and not 0 <= self.only_type < self.kinds:
            raise InputError(f"only_type {self.only_type} is not in 0..{self.kinds - 1}")
        for name in ("capacity", "weight", "minibatch_slots", "worker_gbps", "ps_gbps"):
            self.check_range(name, 0.0, strict=True)
        for name in ("epochs", "chunks", "minibatches", "requested"):
            self.check_range(name, 1, _MOST)
        for name in ("gpus", "vcpus", "ps_vcpus", "update_ms", "gradient_mb"):
            self.check_range(name, 0, _MOST)
        pattern_of(self.arrivals or ARRIVALS, PATTERNS)  # refuses an unknown one

    @property
    def kinds(self) -> int:
        """M, before ``only_type``."""
        return 4 if self.types == "ec2" else self.worker_types

    def describe(self) -> str:
        """The settings that the rest of an instance file does not show."""
        ranges: dict[str, tuple[float, float]] = {"w": self.weight, "E": self.epochs}
        ranges |= {"D": self.chunks, "K": self.minibatches, "v": self.minibatch_slots}
        told = [f"{name} {show_range(interval)}" for name, interval in ranges.items()]
        told += [f"{self.types} worker types"]
        told += [] if self.only_type is None else [f"only worker type {self.only_type}"]
        told += [] if self.most_workers is None else [f"at most {self.most_workers} workers"]
        return ", ".join(told)
