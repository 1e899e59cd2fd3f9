"""CP-SAT in a process of its own: ``python -m solvers.cp_sat_child``.

OR-Tools brings a release of HiGHS of its own, and a process that has loaded one cannot load
another. So nothing here imports highspy, nor what does.

It reads a pickled `Request` from standard input and writes a pickled `Reply` to standard output.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from typing import Any, TypedDict

import numpy as np
from scipy import sparse

__all__ = ["Reply", "Request", "main"]


class Request(TypedDict):
    """A program of integer columns, CP-SAT's parameters, and a limit from when it has loaded."""

    lower: np.ndarray
    upper: np.ndarray
    cost: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    matrix: Any
    offset: float
    maximize: bool
    parameters: dict[str, object]
    seconds: float | None


class Reply(TypedDict):
    """How it ended, by name and in words; point and bound, where there is a point."""

    status: str
    words: str
    x: np.ndarray | None
    bound: float | None


def _solve(asked: Request) -> Reply:
    # Without the module around it, which imports pandas.
    from ortools.linear_solver.python import model_builder_helper

    began = time.monotonic()
    model = model_builder_helper.ModelBuilderHelper()
    model.fill_model_from_sparse_data(*_program(asked))
    for k in range(asked["cost"].size):
        model.set_var_integrality(k, True)
    model.set_objective_offset(asked["offset"])
    model.set_maximize(asked["maximize"])
    solver = model_builder_helper.ModelSolverHelper("sat")
    told = " ".join(f"{name}:{value}" for name, value in asked["parameters"].items())
    solver.set_solver_specific_parameters(told)
    if asked["seconds"] is not None:
        left = asked["seconds"] - (time.monotonic() - began)
        solver.set_time_limit_in_seconds(max(1e-3, left))
    solver.solve(model)
    known = solver.has_solution()
    return {
        "status": solver.status().name,
        "words": solver.status_string(),
        "x": np.array(solver.variable_values()) if known else None,
        "bound": solver.best_objective_bound() if known else None,
    }


def _program(asked: Request) -> Any:  # not its types: OR-Tools' stubs have those of arrays wrong
    columns = asked["lower"], asked["upper"], asked["cost"]
    return *columns, asked["row_lower"], asked["row_upper"], sparse.csr_matrix(asked["matrix"])


def main() -> None:
    """Solve one request."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up in the reply
    pickle.dump(_solve(pickle.load(sys.stdin.buffer)), pipe)
    pipe.close()


if __name__ == "__main__":
    main()
