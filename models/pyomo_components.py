"""Pyomo components over sparse indices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pyomo.environ as pyo

from models.tolerance import row_units

__all__ = ["by_key", "capacity_rows", "rows", "stays_done", "sums", "total_utility", "variable"]


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


def sums(component: pyo.Var, key: Callable[..., Hashable]) -> dict[Any, Any]:
    """Sum of the variables of a component that have the same key of their index."""
    return {at: pyo.quicksum(v for _, v in group) for at, group in by_key(component, key).items()}


def capacity_rows(
    terms: Mapping[tuple[int, int, int], list[tuple[float, Any]]], capacity: np.ndarray
) -> pyo.Constraint:
    """One row ``sum amount v <= c`` per (server, slot, resource), in units of ``row_units``.

    Parameters
    ----------
    terms : mapping of (server, slot, resource) to list of (amount, variable)
        Amounts below 1e-9 of the capacity are left out: solvers take them for 0.
    capacity : ndarray, shape (servers, resources)
    """
    units = row_units(capacity)
    kept = {
        (s, t, r): [(amount, v) for amount, v in group if amount > 1e-9 * capacity[s, r]]
        for (s, t, r), group in terms.items()
    }
    return rows(
        (
            (s, t, r),
            pyo.quicksum(amount / float(units[s, r]) * v for amount, v in group)
            <= float(capacity[s, r] / units[s, r]),
        )
        for (s, t, r), group in kept.items()
        if group
    )


def stays_done(done: pyo.Var) -> pyo.Constraint:
    """``d[i,t-1] <= d[i,t]``: 1 if job i is to be done by the end of slot t."""
    return rows(((i, t), done[i, t - 1] <= d) for (i, t), d in done.items() if (i, t - 1) in done)


def total_utility(done: pyo.Var, values: Mapping[int, np.ndarray]) -> pyo.Objective:
    """Maximise ``sum_it v_i[t] (d[i,t] - d[i,t-1])``, summed by parts; values of a job by slot."""
    value = {i: [*of_job.tolist(), 0.0] for i, of_job in values.items()}
    total = pyo.quicksum((value[i][t] - value[i][t + 1]) * d for (i, t), d in done.items())
    return pyo.Objective(expr=total, sense=pyo.maximize)
