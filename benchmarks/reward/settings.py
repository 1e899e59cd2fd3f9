"""Settings of the ``reward`` workloads: Table 1 of the paper, and what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.workload.ports import PATTERNS
from benchmarks.workload.settings import LOADS, BaseSettings, setting, show_range
from models.errors import InputError
from models.reward.utilities import KINDS

__all__ = ["MIXED", "Settings"]

MIXED = "mixed"
"""Name of the utilities drawn for each server and device type among all four kinds."""

PRESETS: Mapping[str, Mapping[str, Any]] = {"paper-ranges": {}, **LOADS}

_DENSITY = 2.5
_MOST_DRAWS = 2 * 10**7  # slots x ports x jobs of a port in a slot


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """What all generators of the problem are told; the defaults are those of Table 1.

    Parameters
    ----------
    servers : int
        ``|R|``. The jobs of the size are ports, ``|L|``.
    preset : str
        Sets what is not given: ``"moderate"`` load 1, ``"overload"`` 2, ``"paper-ranges"`` nothing.
    density : float or None
        ``sum_r |L_r| / |R|``, ports connected to a server in the mean. Not in Table 1; Table 2
        tries 2, 2.5 and 3. None = 2.5, or what is possible next to it.
    most_ports : int or None
        Most ports connected to one server; None = no limit.
    contention : float
        Multiplies all requests.
    requests : float
        Largest request before that, in the largest capacity of a server; the paper has no range.
    load : float or None
        The load (:func:`models.reward.load.load`) that requests are scaled to, in place of both.
    utilities : str
        One of the kinds of (27) for all, or ``"mixed"``: drawn for each server and device type
        with equal probabilities. The paper does not say how its default settings mix them.
    alpha, beta : tuple of float
        Ranges that the parameters of the utilities (for each server and device type) and of the
        overhead (for each device type) are drawn from uniformly.
    probability : float
        ``rho``, in (0, 1].
    arrivals : str or None
        A pattern of ``benchmarks.workload.ports.PATTERNS``; None = those of the trace, or where
        it has none, ``"bernoulli"``.
    most_arrivals : int
        Most jobs that arrive at a port in one slot; more than 1 as in Sec. 3.4.
    trace_slot_seconds : float
        Length of a slot in a trace; with 1.8 s the hour of the Alibaba 2018 trace has the 2000
        slots of Table 1.
    """

    presets = PRESETS
    servers: int
    preset: str = setting("paper-ranges", "|".join(PRESETS))
    density: float | None = setting(None, "2.5")
    most_ports: int | None = setting(None, "25")
    contention: float = setting(10.0, "10")
    requests: float = setting(1.0, "0.1")
    load: float | None = setting(None, "1")
    utilities: str = setting(MIXED, "|".join((MIXED, *KINDS)))
    alpha: tuple[float, float] = setting((1.0, 1.5), "1:1.5")
    beta: tuple[float, float] = setting((0.3, 0.5), "0.3:0.5")
    probability: float = setting(0.7, "0.7")
    arrivals: str | None = setting(None, "|".join(PATTERNS))
    most_arrivals: int = setting(1, "1")
    trace_slot_seconds: float = setting(1.8, "1.8")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_counts("servers", "most_arrivals", "most_ports")
        self.check_pairs("ports", self.servers)  # of which the edges are drawn
        if self.slots * self.ports * self.most_arrivals > _MOST_DRAWS:
            raise InputError(
                f"{self.slots} slots x {self.ports} ports x {self.most_arrivals} jobs of a port "
                f"in a slot are more than {_MOST_DRAWS}"
            )
        self.check_positive("contention", "requests", "load", "trace_slot_seconds")
        self.check_word("utilities", (MIXED, *KINDS))
        self.check_range("alpha", 0, strict=True)
        self.check_range("beta", 0, 1)
        if not 0 < self.probability <= 1:
            raise InputError(f"probability {self.probability} is not in (0, 1]")
        if self.room * self.servers < max(self.ports, self.servers):
            held = f"{self.servers} servers cannot hold {self.ports} ports"
            raise InputError(f"most_ports {self.most_ports}: {held}")
        least = max(self.ports, self.servers) / self.servers
        if self.density is not None and not least <= self.density <= self.room:
            raise InputError(
                f"density {self.density:g} is not in {least:g}..{self.room}: every server and "
                f"every port has an edge, a server at most {self.room}"
            )

    @property
    def ports(self) -> int:
        """Number of ports, ``|L|``."""
        return self.jobs

    @property
    def edges(self) -> int:
        """Number of edges, ``sum_r |L_r|``."""
        least = max(self.ports, self.servers)
        density = _DENSITY if self.density is None else self.density
        return min(max(round(density * self.servers), least), self.room * self.servers)

    @property
    def room(self) -> int:
        """Most ports that a server can be connected to."""
        return min(self.ports, self.most_ports or self.ports)

    def describe(self) -> str:
        """The settings that the rest of an instance file does not show."""
        copies = f", up to {self.most_arrivals} a port and slot" if self.most_arrivals > 1 else ""
        demand = f"contention {self.contention:g}" + f" x {self.requests:g}" * (self.requests != 1)
        demand = demand if self.load is None else f"load {self.load:g}"
        return (
            f"density {self.edges / self.servers:g}, {demand}, {self.utilities} utilities, "
            f"alpha {show_range(self.alpha)}, beta {show_range(self.beta)}, "
            f"rho {self.probability:g}{copies}"
        )
