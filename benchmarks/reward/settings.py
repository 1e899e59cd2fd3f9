"""Settings of the ``reward`` workloads: Table 1 of the paper, and what it leaves open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.options import read_options, read_servers, show_range
from models.errors import InputError
from models.reward.utilities import KINDS

__all__ = ["MIXED", "OPTIONS", "Settings", "parse_options", "parse_servers"]

MIXED = "mixed"
"""Name of the utilities drawn for each server and device type among all four kinds."""

_DENSITY = 2.5
_MOST_PAIRS = 2 * 10**7  # ports x servers, of which the edges are drawn
_MOST_DRAWS = 2 * 10**7  # slots x ports x jobs of a port in a slot


@dataclass(frozen=True)
class Settings:
    """What all generators of the problem are told; the defaults are those of Table 1.

    Parameters
    ----------
    ports, servers, slots : int
        Size of the instance: ``|L|``, ``|R|`` and T.
    seed : int or None
        Seed of the generator in use; kept in the instance file.
    density : float or None
        ``sum_r |L_r| / |R|``, ports connected to a server in the mean. Not in Table 1; Table 2
        tries 2, 2.5 and 3. None = 2.5, or what is possible next to it.
    most_ports : int or None
        Most ports connected to one server; None = no limit.
    contention : float
        Multiplies all requests.
    utilities : str
        One of the kinds of (27) for all, or ``"mixed"``: drawn for each server and device type
        with equal probabilities. The paper does not say how its default settings mix them.
    alpha, beta : tuple of float
        Ranges that the parameters of the utilities (for each server and device type) and of the
        overhead (for each device type) are drawn from uniformly.
    probability : float
        ``rho``, in (0, 1].
    arrivals : str or None
        A pattern of ``benchmarks.reward.arrivals.PATTERNS``; None = those of the trace, or where
        it has none, ``"bernoulli"``.
    most_arrivals : int
        Most jobs that arrive at a port in one slot; more than 1 as in Sec. 3.4.
    trace_slot_seconds : float
        Length of a slot in a trace; with 1.8 s the hour of the Alibaba 2018 trace has the 2000
        slots of Table 1.

    Raises
    ------
    InputError
        If a setting is out of its range.
    """

    ports: int
    servers: int
    slots: int
    seed: int | None
    density: float | None = None
    most_ports: int | None = None
    contention: float = 10.0
    utilities: str = MIXED
    alpha: tuple[float, float] = (1.0, 1.5)
    beta: tuple[float, float] = (0.3, 0.5)
    probability: float = 0.7
    arrivals: str | None = None
    most_arrivals: int = 1
    trace_slot_seconds: float = 1.8

    def __post_init__(self) -> None:
        for name in ("ports", "servers", "slots", "most_arrivals"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}, but has to be at least 1")
        if self.ports * self.servers > _MOST_PAIRS:
            raise InputError(
                f"{self.ports} ports x {self.servers} servers are more than {_MOST_PAIRS} pairs"
            )
        if self.slots * self.ports * self.most_arrivals > _MOST_DRAWS:
            raise InputError(
                f"{self.slots} slots x {self.ports} ports x {self.most_arrivals} jobs of a port "
                f"in a slot are more than {_MOST_DRAWS}"
            )
        for name in ("contention", "trace_slot_seconds"):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(f"{name} {getattr(self, name)} is not a positive number")
        if self.utilities not in (MIXED, *KINDS):
            known = ", ".join((MIXED, *KINDS))
            raise InputError(f"utilities '{self.utilities}': choose from {known}")
        if not 0 < self.alpha[0] <= self.alpha[1] < math.inf:
            raise InputError(f"alpha {show_range(self.alpha)} is not a range of positive numbers")
        if not 0 <= self.beta[0] <= self.beta[1] <= 1:
            raise InputError(f"beta {show_range(self.beta)} is not a range within [0, 1]")
        if not 0 < self.probability <= 1:
            raise InputError(f"probability {self.probability} is not in (0, 1]")
        self._check_density()

    def _check_density(self) -> None:
        if self.most_ports is not None and self.most_ports < 1:
            raise InputError(f"most_ports is {self.most_ports}, but has to be at least 1")
        least = max(self.ports, self.servers) / self.servers
        if self.room * self.servers < max(self.ports, self.servers):
            raise InputError(
                f"most_ports {self.most_ports}: {self.servers} servers cannot hold "
                f"{self.ports} ports"
            )
        if self.density is not None and not least <= self.density <= self.room:
            raise InputError(
                f"density {self.density:g} is not in {least:g}..{self.room}: every server and "
                f"every port has an edge, a server at most {self.room}"
            )

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
        density = self.edges / self.servers
        return (
            f"density {density:g}, contention {self.contention:g}, {self.utilities} utilities, "
            f"alpha {show_range(self.alpha)}, beta {show_range(self.beta)}, "
            f"rho {self.probability:g}{copies}"
        )


def parse_servers(text: str) -> int:
    """Number of servers; raises InputError."""
    return read_servers(text, "128: the instances R")


#: Settings that may be given on a command line, as ``NAME=VALUE``; what a value looks like.
OPTIONS: Mapping[str, str] = {
    "density": "2.5",
    "most_ports": "25",
    "contention": "10",
    "utilities": f"{MIXED}|{'|'.join(KINDS)}",
    "alpha": "1:1.5",
    "beta": "0.3:0.5",
    "probability": "0.7",
    "arrivals": "bernoulli|bursty|alternating|switching|coin|drifting",
    "most_arrivals": "1",
    "trace_slot_seconds": "1.8",
}


def parse_options(given: Mapping[str, str]) -> dict[str, Any]:
    """Values of :class:`Settings` from texts.

    Raises
    ------
    InputError
        If there is no such setting, or its value cannot be read.
    """
    return read_options(Settings, OPTIONS, given)
