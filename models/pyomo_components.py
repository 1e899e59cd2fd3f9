"""Pyomo components over sparse indices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import pyomo.environ as pyo

__all__ = ["by_key", "rows", "variable"]


def variable(upper: Mapping[Any, float | None], domain: Any) -> pyo.Var:
    """Variables from 0 to an upper bound each (None = no bound), in the order of the keys."""
    bounds = {index: (0, most) for index, most in upper.items()}
    return pyo.Var(list(upper), domain=domain, bounds=bounds)


def rows(relations: Iterable[tuple[Hashable, Any]]) -> pyo.Constraint:
    """One constraint per pair of index and relation, in their order."""
    found = dict(relations)
    return pyo.Constraint(list(found), rule=lambda _, *at: found[at if len(at) > 1 else at[0]])


def by_key(component: pyo.Var, key: Callable[..., Hashable]) -> dict[Any, list[tuple[Any, Any]]]:
    """Items (index, variable) of a component, grouped by a key of their index."""
    groups: dict[Any, list[tuple[Any, Any]]] = defaultdict(list)
    for index, item in component.items():
        groups[key(*index)].append((index, item))
    return dict(groups)
