"""From a Pyomo model to the one HiGHS adapter, and back to its variables and constraints.

Pyomo's own interfaces to HiGHS are not used: compiling the model to matrices is several times
faster, and there is one place for statuses, limits and signs of duals.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt
from pyomo.common.enums import maximize
from pyomo.common.errors import InfeasibleConstraintException
from pyomo.core.base import ConcreteModel, Constraint, Objective, Var
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler

from models.errors import InputError
from solvers.highs import HighsOptions, LinearProgram, MatrixResult, solve
from solvers.highs.program import FloatArray
from solvers.result import Sense

Engine = Callable[[LinearProgram, HighsOptions], MatrixResult]
"""Another solver than HiGHS: one of :mod:`solvers.reference`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CompiledModel:
    """A Pyomo model as arrays.

    Attributes
    ----------
    program : LinearProgram
        One column per variable that is not fixed and appears in the objective or a constraint; one
        row per active constraint with a variable, two-sided ones included.
    variables : tuple of pyomo VarData
        In the order of the columns.
    constraints : tuple of pyomo ConstraintData
        In the order of the rows.
    """

    program: LinearProgram
    variables: tuple[Any, ...]
    constraints: tuple[Any, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class PyomoResult:
    """A solve of a Pyomo model.

    Attributes
    ----------
    model : pyomo ConcreteModel
        The model; its variables are left as they were.
    result : MatrixResult
        Status, objective, bound and so on.
    """

    model: ConcreteModel
    result: MatrixResult
    _columns: Mapping[int, int] = field(repr=False)
    _rows: Mapping[int, int] = field(repr=False)

    def values(self, component: Var) -> dict[Hashable, float]:
        """Value of each variable of a component, by index (None for a scalar one).

        A fixed variable has its fixed value; one that appears nowhere, and so is not solved for,
        the value within its bounds that is closest to 0.

        Raises
        ------
        InputError
            If the component belongs to another model.
        ValueError
            If the solve has no solution.
        """
        self._check_owner(component)
        if self.result.x is None:
            raise ValueError(f"no values: the solve ended as {self.result.status!r}")
        x = self.result.x.tolist()
        return {
            index: x[self._columns[id(data)]] if id(data) in self._columns else _unsolved(data)
            for index, data in component.items()
        }

    def duals(self, component: Constraint) -> dict[Hashable, float]:
        """Dual of each active constraint of a component, by index (None for a scalar one).

        The dual is d objective / d right-hand side of Pyomo's form `lower <= body <= upper`, in the
        model's own sense (sign table in `solvers.highs`). Pyomo writes ``a >= b`` with variables
        on both sides as ``b - a <= 0``.

        Raises
        ------
        InputError
            If the component belongs to another model.
        NoDuals
            If the model has integer variables or was not solved to optimality.
        """
        self._check_owner(component)
        duals = self.result.row_duals.tolist()
        # A constraint without variables binds nothing.
        return {
            index: duals[self._rows[id(data)]] if id(data) in self._rows else 0.0
            for index, data in component.items()
            if data.active
        }

    def _check_owner(self, component: Any) -> None:
        if component.model() is not self.model:
            raise InputError(f"{component.name} is not a component of the model that was solved")


def compile_model(model: ConcreteModel) -> CompiledModel:
    """Compile a linear model with one objective to arrays.

    Raises
    ------
    InputError
        If there is not exactly one active objective, if a variable's domain is neither continuous
        nor all the integers between its bounds, or if a number is refused by `LinearProgram`.
    pyomo.common.errors.PyomoException
        If an expression is not linear, or a constraint without variables is false.
    """
    sense = _sense(model)
    form = LinearStandardFormCompiler().write(model, mixed_form=True, set_sense=None)
    constraints = [entry.constraint for entry in form.rows]
    sides = np.array([entry.bound_type for entry in form.rows], dtype=int)
    # A two-sided constraint comes as two neighbouring rows.
    first = np.array(
        [
            k == 0 or constraints[k - 1] is not constraint
            for k, constraint in enumerate(constraints)
        ],
        dtype=bool,
    )
    row = np.cumsum(first) - 1
    right_hand_side = np.asarray(form.rhs, dtype=np.float64)
    row_lower, row_upper = np.full(first.sum(), -np.inf), np.full(first.sum(), np.inf)
    row_lower[row[sides <= 0]] = right_hand_side[sides <= 0]
    row_upper[row[sides >= 0]] = right_hand_side[sides >= 0]
    kept = tuple(constraints[k] for k in np.flatnonzero(first))
    lower, upper, integer = _domains(form.columns)
    program = LinearProgram(
        sense=sense,
        cost=form.c.toarray()[0],
        matrix=form.A.tocsr()[first],
        row_lower=row_lower,
        row_upper=row_upper,
        lower=lower,
        upper=upper,
        integer=integer,
        offset=float(form.c_offset[0]),
        column_names=[variable.name for variable in form.columns],
        row_names=[constraint.name for constraint in kept],
    )
    return CompiledModel(program=program, variables=tuple(form.columns), constraints=kept)


_DEFAULT = HighsOptions()


def solve_model(
    model: ConcreteModel,
    options: HighsOptions = _DEFAULT,
    *,
    warm_start: bool = False,
    log: str | Path | TextIO | None = None,
    engine: Engine | None = None,
) -> PyomoResult:
    """Solve a linear Pyomo model with HiGHS, or with another solver.

    Parameters
    ----------
    model : pyomo ConcreteModel
        Linear, with one active objective.
    options, log : HighsOptions, path or text stream or None
        As in `solvers.highs.solve`.
    warm_start : bool
        Whether the present values of the variables are a MIP start; HiGHS completes missing ones.
    engine : callable, optional
        Takes the place of HiGHS. It has neither start nor log.

    Raises
    ------
    InputError
        As `compile_model` and `solvers.highs.solve`, or the engine; if an engine is to have a
        start or a log.
    """
    if engine is not None and (warm_start or log is not None):
        raise InputError("only HiGHS takes a start and a log")
    try:
        compiled = compile_model(model)
    except InfeasibleConstraintException as error:
        result = MatrixResult(
            sense=_sense(model),
            status="infeasible",
            x=None,
            objective=None,
            bound=None,
            seconds=0.0,
            options=options.as_dict(),
            message=str(error),
            _duals=f"no duals: {error}",
        )
        return PyomoResult(model=model, result=result, _columns={}, _rows={})
    start = None
    if warm_start:
        values = [variable.value for variable in compiled.variables]
        start = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    if engine is None:
        result = solve(compiled.program, options, start=start, log=log)
    else:
        result = engine(compiled.program, options)
    return PyomoResult(
        model=model,
        result=result,
        _columns={id(variable): k for k, variable in enumerate(compiled.variables)},
        _rows={id(constraint): k for k, constraint in enumerate(compiled.constraints)},
    )


def _sense(model: ConcreteModel) -> Sense:
    objectives = list(model.component_data_objects(Objective, active=True))
    if len(objectives) != 1:
        raise InputError(f"{model.name}: {len(objectives)} active objectives, expected 1")
    return "max" if objectives[0].sense == maximize else "min"


def _domains(variables: list[Any]) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """Return lower bounds, upper bounds and integrality."""
    lower, upper = np.full(len(variables), -np.inf), np.full(len(variables), np.inf)
    integer = np.zeros(len(variables), dtype=bool)
    for k, variable in enumerate(variables):
        low, high = variable.bounds
        if low is not None:
            lower[k] = low
        if high is not None:
            upper[k] = high
        integer[k] = variable.is_integer()
        if not integer[k] and not variable.is_continuous():
            raise InputError(f"{variable.name}: domain {variable.domain} is not supported")
    return lower, upper, integer


def _unsolved(variable: Any) -> float:
    """Value of a variable that the compiled program leaves out."""
    if variable.fixed:
        return float(variable.value)
    low, high = variable.bounds
    return float(np.clip(0.0, -np.inf if low is None else low, np.inf if high is None else high))
