"""Grids: stars, crosses, designs, sums and products; each point once, in order."""

from __future__ import annotations

from collections import Counter

from benchmarks.study.grid import Grid


def test_cross_varies_the_last_axis_fastest() -> None:
    assert list(Grid.cross(a=[1, 2], b=["x", "y"])) == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_star_varies_each_axis_alone_and_the_base_comes_once() -> None:
    star = Grid.star({"a": 1, "b": 1}, a=[1, 2], b=[1, 3])
    assert list(star) == [{"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 3}]
    # A base that is on no axis is no point.
    assert list(Grid.star({"a": 0}, a=[1])) == [{"a": 1}]


def test_sum_and_product() -> None:
    one, two = Grid.cross(a=[1, 2]), Grid.cross(a=[2, 3])
    assert list(one + two) == [{"a": 1}, {"a": 2}, {"a": 3}]
    assert list(one * Grid.cross(b=[5])) == [{"a": 1, "b": 5}, {"a": 2, "b": 5}]
    # The right one's settings are on top.
    assert list(Grid(({"a": 1, "b": 0},)) * two) == [{"a": 2, "b": 0}, {"a": 3, "b": 0}]
    assert list(Grid() * one) == list(one)
    # Coupled settings are neither star nor cross.
    coupled = Grid(tuple({"a": a, "b": 10 * a} for a in (1, 2)))
    assert len(coupled * Grid.cross(c=[0, 1])) == 4


def test_design_fills_the_space_evenly_and_always_in_the_same_way() -> None:
    design = Grid.design(8, 0, a=[1, 2, 3, 4], b=["x", "y"], c=list(range(8)))
    points = list(design)
    assert len(points) == 8
    assert Counter(point["a"] for point in points) == {1: 2, 2: 2, 3: 2, 4: 2}
    assert Counter(point["b"] for point in points) == {"x": 4, "y": 4}
    assert sorted(point["c"] for point in points) == list(range(8))
    assert points == list(Grid.design(8, 0, a=[1, 2, 3, 4], b=["x", "y"], c=list(range(8))))
    assert points != list(Grid.design(8, 1, a=[1, 2, 3, 4], b=["x", "y"], c=list(range(8))))


def test_points_do_not_change_with_what_they_were_made_of() -> None:
    point = {"a": 1}
    grid = Grid((point,))
    point["a"] = 2
    assert list(grid) == [{"a": 1}]
