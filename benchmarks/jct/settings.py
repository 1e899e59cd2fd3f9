"""Settings of the ``jct`` workloads: Sec. V-A of the paper, and what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.workload.settings import BaseSettings, setting, show_range
from models.errors import InputError

__all__ = ["Settings"]

_SCALES = ("simulation", "testbed")
_REQUESTED = ("gpus", "uniform", "chunks")
_UPLOADS = ("job", "server")
_GRADIENT_MB = (30.0, 575.0)
_BANDWIDTH_MBPS = {"simulation": (100.0, 5.0 * 1024.0), "testbed": (100.0, 1000.0)}
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
        Ranges of the upload delays, slots.
    worker_types, ps_types : tuple of int or None
        Ranges of the number of types in the simulator; None = 8 to 10. The testbed's are fixed.
    chunks, epochs : tuple of int
        Ranges of D and E; chunks may be None = Table II.
    minibatch_hours, update_ms : tuple of float
        Ranges of m, hours, and of G, milliseconds.
    gradient_mb : tuple of float or None
        Range of q, MB; None = [30, 575] in the simulator, the size of the model on the testbed.
    bandwidth_mbps : tuple of float or None
        Range of b, Mbit/s, drawn for each type of workers; None = [100, 5 x 1024] in the
        simulator, and up to the port's 1 Gbit/s on the testbed.
    storage_gb, chunk_gb : tuple of float
        Ranges of ``U_s``, which may be None = unlimited, as everywhere in Sec. V, and of ``u_j``,
        the storage of a chunk.
    slot_seconds : float
        Length of a slot.
    """

    servers: int
    scale: str = setting("simulation", "|".join(_SCALES))
    cloud: bool = setting(True, "yes|no")
    requested: str = setting("gpus", "|".join(_REQUESTED))
    arrivals: str | None = setting(None, "google2011-fit|uniform|peaks")
    upload: str = setting("job", "|".join(_UPLOADS))
    edge_upload: tuple[int, int] = setting((1, 4), "1:4")
    cloud_upload: tuple[int, int] = setting((10, 15), "10:15")
    worker_types: tuple[int, int] | None = setting(None, "8:10")
    ps_types: tuple[int, int] | None = setting(None, "8:10")
    chunks: tuple[int, int] | None = setting(None, "27:115")
    epochs: tuple[int, int] = setting((20, 60), "20:60")
    minibatch_hours: tuple[float, float] = setting((0.001, 0.05), "0.001:0.05")
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
        for name, known in (("scale", _SCALES), ("requested", _REQUESTED), ("upload", _UPLOADS)):
            self.check_word(name, known)
        self.check_positive("slot_seconds")
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

    @property
    def gradients(self) -> tuple[float, float] | None:
        """Range of q, MB; None = those of the models."""
        return self.gradient_mb or (_GRADIENT_MB if self.scale == "simulation" else None)

    @property
    def bandwidth(self) -> tuple[float, float]:
        """Range of b, Mbit/s."""
        return self.bandwidth_mbps or _BANDWIDTH_MBPS[self.scale]

    def describe(self) -> str:
        """The settings that the rest of an instance file does not show."""
        gradients = "of the model" if self.gradients is None else show_range(self.gradients)
        return (
            f"E {show_range(self.epochs)}, m {show_range(self.minibatch_hours)} h, "
            f"G {show_range(self.update_ms)} ms, q {gradients} MB, "
            f"b {show_range(self.bandwidth)} Mbit/s, requested by {self.requested}"
        )
