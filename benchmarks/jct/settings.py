"""Settings of the ``jct`` workloads: Sec. V-A of the paper, and what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from benchmarks.workload.settings import LOADS, BaseSettings, setting, show_range
from models.errors import InputError

__all__ = ["PRESETS", "Settings"]

_PAPER = {
    **{"minibatch_hours": (0.001, 0.05), "cloud_upload": (10, 15)},
    **{"worker_types": (8, 10), "ps_types": (8, 10)},
    **{"gradient_mb": (30.0, 575.0), "bandwidth_mbps": (100.0, 5.0 * 1024.0)},
}
_TESTBED = {"gradient_mb": None, "bandwidth_mbps": (100.0, 1000.0)}

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "paper-ranges": {},
    "short-chunks": {"minibatch_hours": (0.001, 0.005)},
    "one-type": {"worker_types": (1, 1)},
    "far-cloud": {"cloud_upload": (100, 150)},
    **LOADS,
}
"""By name, a load or ranges that decide who does well; the first leaves those of Sec. V-A."""
_SCALES = ("simulation", "testbed")
_REQUESTED = ("gpus", "uniform", "chunks")
_UPLOADS = ("job", "server")
_MOST_EPSILON = 100  # of its numerator and denominator
_MOST_SLOTS = 10**7  # in which jobs arrive, each with its share of them
_MOST_TYPES = 10**5  # as many as workers of a server in an instance file
_MOST = 10**9  # of a whole number in an instance file


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """What all generators of the problem are told; the defaults are those of Sec. V-A.

    Parameters
    ----------
    servers : int
        S, edge servers. The slots of the size are those in which jobs arrive; the instance's
        horizon is longer: "T is set to be large enough to complete all jobs".
    scale : str
        ``"simulation"``, the simulator of Sec. V-A, or ``"testbed"``, its eight machines: which
        servers, and what jobs send to parameter servers.
    preset : str
        One of :data:`PRESETS`; ``"paper-ranges"`` is as printed, ``"moderate"`` load 1,
        ``"overload"`` load 2.
    load : float or None
        The load (:func:`models.jct.load.load`) that the time of chunks is scaled to; None = as
        the ranges make it.
    epsilon : float
        Speed augmentation: policies are 1 + epsilon times as fast as the offline side, in finer
        slots. A fraction of whole numbers up to 100.
    cloud : bool
        False: there is no cloud (the paper always has one).
    requested : str
        Rule for ``requested_workers``. The paper computes the requirement "according to the number
        of GPUs of the real trace" and says no more; ``"gpus"`` takes that number, at most D,
        ``"uniform"`` any in 1..D, ``"chunks"`` all D.
    arrivals : str or None
        A pattern of ``benchmarks.jct.traces.PATTERNS``; None = those of the trace, or where it
        has none, ``"google2011-fit"``.
    upload : str
        ``"job"``: upload delays are drawn for each job and server; ``"server"``: for each server,
        the same for all jobs, where Lemma 4 is exact.
    edge_upload, cloud_upload : tuple of int
        Ranges of the upload delays, slots; to the cloud, None = 10 to 15.
    worker_types, ps_types : tuple of int or None
        Ranges of the number of types in the simulator; None = 8 to 10. The testbed's are
        fixed.
    chunks, epochs : tuple of int
        Ranges of D and E; chunks may be None = Table II.
    minibatch_hours, update_ms : tuple of float
        Ranges of m, hours (None = 0.001 to 0.05), and of G, milliseconds.
    gradient_mb, bandwidth_mbps : tuple of float or None
        Ranges of q, MB, and of b, Mbit/s, drawn for each type of workers; None = those of Sec. V-A
        in the simulator; on the testbed the size of the model, and up to the port's 1 Gbit/s.
    storage_gb, chunk_gb : tuple of float
        Ranges of ``U_s``, which may be None = unlimited, as everywhere in Sec. V, and of ``u_j``,
        the storage of a chunk.
    slot_seconds : float
        Length of a slot.
    """

    presets = PRESETS
    servers: int
    scale: str = setting("simulation", "|".join(_SCALES))
    preset: str = setting("paper-ranges", "|".join(PRESETS))
    load: float | None = setting(None, "1")
    epsilon: float = setting(0.0, "0.2")
    cloud: bool = setting(True, "yes|no")
    requested: str = setting("gpus", "|".join(_REQUESTED))
    arrivals: str | None = setting(None, "google2011-fit|uniform|peaks")
    upload: str = setting("job", "|".join(_UPLOADS))
    edge_upload: tuple[int, int] = setting((1, 4), "1:4")
    cloud_upload: tuple[int, int] | None = setting(None, "10:15")
    worker_types: tuple[int, int] | None = setting(None, "8:10")
    ps_types: tuple[int, int] | None = setting(None, "8:10")
    chunks: tuple[int, int] | None = setting(None, "27:115")
    epochs: tuple[int, int] = setting((20, 60), "20:60")
    minibatch_hours: tuple[float, float] | None = setting(None, "0.001:0.05")
    update_ms: tuple[float, float] = setting((10.0, 100.0), "10:100")
    gradient_mb: tuple[float, float] | None = setting(None, "30:575")
    bandwidth_mbps: tuple[float, float] | None = setting(None, "100:5120")
    storage_gb: tuple[float, float] | None = setting(None, "100:500")
    chunk_gb: tuple[float, float] = setting((0.0, 0.0), "0.5:2")
    slot_seconds: float = setting(3600.0, "3600")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_counts("servers")
        if self.slots > _MOST_SLOTS:
            raise InputError(f"slots is {self.slots}, but may be at most {_MOST_SLOTS}")
        self.check_pairs("jobs", self.servers)  # whose upload delays are drawn
        known = {"scale": _SCALES, "requested": _REQUESTED, "upload": _UPLOADS}
        for name, words in known.items():
            self.check_word(name, words)
        exact = 0 <= self.epsilon <= _MOST_EPSILON and self.speed[0] <= _MOST_EPSILON
        if not exact or abs(self.speed[0] / self.speed[1] - self.epsilon) > 1e-9:
            raise InputError(
                f"epsilon {self.epsilon} is no fraction a/b of whole numbers up to {_MOST_EPSILON}"
            )
        self.check_positive("load", "slot_seconds")
        for name in ("worker_types", "ps_types"):
            if self.scale == "testbed" and getattr(self, name) is not None:
                raise InputError(f"{name} does not go with scale testbed, whose types are fixed")
        for name in ("minibatch_hours", "bandwidth_mbps"):
            self.check_range(name, 0.0, strict=True)
        for name, least, most in (
            *(("worker_types", 1, _MOST_TYPES), ("ps_types", 1, _MOST_TYPES)),
            *(("chunks", 1, _MOST), ("epochs", 1, _MOST)),
            *(("edge_upload", 0, _MOST), ("cloud_upload", 0, _MOST)),
        ):
            self.check_range(name, least, most)
        for name in ("update_ms", "gradient_mb", "storage_gb", "chunk_gb"):
            self.check_range(name, 0)

    def range_of(self, name: str) -> Any:
        """A range that may be None: as it is given, else that of the scale or Sec. V-A."""
        usual = {**_PAPER, **(_TESTBED if self.scale == "testbed" else {})}
        return usual[name] if getattr(self, name) is None else getattr(self, name)

    @property
    def speed(self) -> tuple[int, int]:
        """``(a, b)`` with ``epsilon = a/b``."""
        return Fraction(self.epsilon).limit_denominator(_MOST_EPSILON).as_integer_ratio()

    def describe(self) -> str:
        """The settings that the rest of an instance file does not show."""
        names = ("minibatch_hours", "gradient_mb", "bandwidth_mbps")
        m, q, b = (found and show_range(found) for found in map(self.range_of, names))
        load = "" if self.load is None else f", chunks scaled to load {self.load:g}"
        return (
            f"E {show_range(self.epochs)}, m {m} h, G {show_range(self.update_ms)} ms, "
            f"q {q or 'of the model'} MB, b {b} Mbit/s, requested by {self.requested}{load}"
        )
