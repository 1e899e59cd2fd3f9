"""The sizes of a regret study: horizons and numbers of ports around one base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from benchmarks.workload.servers import ServerNumbers

__all__ = ["Point", "Study"]


class Point(NamedTuple):
    """One size: ports, slots, and what the density of the base is multiplied with."""

    ports: int
    slots: int
    factor: float


@dataclass(frozen=True)
class Study:
    """Sizes, seeds and arrivals.

    Parameters
    ----------
    base : tuple of int
        Ports and slots.
    slots, ports : tuple of int
        Ascending, that of the base among them: horizons, at the ports of the base; numbers of
        ports, at the slots of the base.
    servers : int or tuple of int
    seeds : tuple of int
    arrivals : tuple of str
        Patterns.
    """

    base: tuple[int, int]
    slots: tuple[int, ...]
    ports: tuple[int, ...]
    servers: ServerNumbers
    seeds: tuple[int, ...]
    arrivals: tuple[str, ...]

    def points(self, scaling: str) -> list[Point]:
        """All sizes.

        Parameters
        ----------
        scaling : {"degree", "density"}
            What stays the same as ports are added: the servers of a port, so that the density
            grows with the ports; or the density, so that the servers of a port become fewer.
        """
        ports, slots = self.base
        found = [Point(ports, length, 1.0) for length in self.slots]
        for count in self.ports:
            if count != ports:
                found.append(Point(count, slots, count / ports if scaling == "degree" else 1.0))
        return found

    def axes(self) -> dict[str, tuple[int, ...]]:
        """Sizes that growth is fitted over, by the column of the rows."""
        return {"slots": self.slots, "ports": self.ports}

    def along(self, frame: pd.DataFrame, axis: str) -> pd.DataFrame:
        """Rows in which only this axis differs from the base."""
        if axis == "slots":
            return frame[frame["ports"] == self.base[0]]
        return frame[frame["slots"] == self.base[1]]

    def is_base(self, frame: pd.DataFrame) -> pd.Series:
        """Which rows are of the size of the base."""
        return (frame["ports"] == self.base[0]) & (frame["slots"] == self.base[1])
