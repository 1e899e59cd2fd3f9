"""Points of a study: settings that are varied together, one by one, or by a design."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_SWAPS = 3000  # tried in a design

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
        """A balanced sample of the combinations.

        Each value of an axis comes up as often as any other, up to one. So do pairs of values of
        two axes, as nearly as exchanges of two places of an axis find it: from a random start, what
        does not make the squares of what is amiss grow is kept. Combinations that come up twice
        count once.
        """
        rng, sizes = np.random.default_rng(seed), [len(values) for values in axes.values()]
        places = np.array([rng.permutation(np.arange(count) % size) for size in sizes])
        weight = np.repeat(np.array(sizes, dtype=float), sizes)

        def amiss() -> float:
            """Squares of what pairs lack or have too much, in units of what they should have."""
            seen = np.concatenate([np.eye(n)[row] for n, row in zip(sizes, places, strict=True)], 1)
            off = seen.T @ seen - count / np.outer(weight, weight)
            return float((off**2 * np.outer(weight, weight)).sum())

        best = amiss()
        for _ in range(_SWAPS if len(axes) > 1 else 0):
            row, pair = int(rng.integers(len(sizes))), rng.integers(count, size=2)
            if places[row, pair[0]] == places[row, pair[1]]:
                continue
            places[row, pair] = places[row, pair[::-1]]
            if (now := amiss()) <= best:
                best = now
            else:
                places[row, pair] = places[row, pair[::-1]]
        points = (zip(axes.items(), column, strict=True) for column in places.T.tolist())
        return cls(tuple({name: values[p] for (name, values), p in point} for point in points))

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
