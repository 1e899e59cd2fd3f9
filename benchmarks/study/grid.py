"""Points of a study: settings that are varied together, one by one, or by a design."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Point = Mapping[str, Any]
"""Settings by name, in JSON types."""


@dataclass(frozen=True)
class Grid:
    """Explicit points, each once, in order.

    Grids add (the points of both) and multiply (each point of one with each of the other, the
    right one's settings on top).
    """

    points: tuple[Point, ...] = ({},)

    def __post_init__(self) -> None:
        once: list[Point] = []
        for point in self.points:
            if point not in once:
                once.append(dict(point))
        object.__setattr__(self, "points", tuple(once))

    @classmethod
    def cross(cls, **axes: Sequence[Any]) -> Grid:
        """Every combination of the values of all axes; the last axis varies fastest."""
        every = itertools.product(*axes.values())
        return cls(tuple(dict(zip(axes, values, strict=True)) for values in every))

    @classmethod
    def star(cls, base: Point, **axes: Sequence[Any]) -> Grid:
        """Each axis alone around a base, which need not be on the axes."""
        return cls(tuple({**base, name: v} for name, values in axes.items() for v in values))

    @classmethod
    def design(cls, count: int, seed: int, **axes: Sequence[Any]) -> Grid:
        """A space-filling sample of the combinations: a Latin hypercube of the axes' places.

        Each value of an axis comes up as often as any other, up to one. Combinations that come up
        twice count once.
        """
        from scipy.stats import qmc  # as long to load as all of the rest

        places = qmc.LatinHypercube(d=len(axes), rng=seed).random(count)
        points = [
            {name: axes[name][int(p * len(axes[name]))] for name, p in zip(axes, row, strict=True)}
            for row in places
        ]
        return cls(tuple(points))

    def __add__(self, other: Grid) -> Grid:
        return Grid((*self.points, *other.points))

    def __mul__(self, other: Grid) -> Grid:
        return Grid(tuple({**one, **two} for one in self.points for two in other.points))

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)


def grids_by_size(
    bases: Sequence[Point], *axes: tuple[str, Sequence[Sequence[Any]]], **same: Any
) -> list[Grid]:
    """A grid for each base, one of each size: its settings and the same at all, crossed with axes.

    Axes have values for each size, and so has a setting that is a tuple.
    """
    found = []
    for place, base in enumerate(bases):
        fixed = {name: v[place] if isinstance(v, tuple) else v for name, v in same.items()}
        values = {name: steps[place] for name, steps in axes}
        found.append(Grid(({**base, **fixed},)) * Grid.cross(**values))
    return found
