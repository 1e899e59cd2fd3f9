"""A linear program that grows: each solve starts from the basis of the last one."""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import highspy
import numpy as np
from highspy import HighsModelStatus as ModelStatus
from highspy import HighsStatus
from scipy import sparse

from solvers.highs.engine import HighsError, highs_lp
from solvers.highs.program import FloatArray, LinearProgram
from solvers.result import Sense

__all__ = ["GrowingProgram", "Infeasible", "Optimum", "OutOfTime"]

# HiGHS's numbers for the simplex: after a new column the basis is primal feasible, after a new row
# or bound dual feasible.
_PRIMAL, _DUAL = 4, 1


class OutOfTime(HighsError):
    """The deadline passed before the optimum was found."""


class Infeasible(HighsError):
    """No point satisfies the rows and bounds."""


class Optimum(NamedTuple):
    """Optimal point of a linear program.

    Parameters
    ----------
    objective : float
    x : float array, shape [n]
    row_duals : float array, shape [m]
        d objective / d right-hand side, in the program's own sense (``solvers.highs``).
    """

    objective: float
    x: FloatArray
    row_duals: FloatArray


class GrowingProgram:
    """``max/min cost x`` subject to ``lower <= A x <= upper``, ``x >= 0``, built piece by piece.

    The restricted master of a column generation, or a program whose cuts come by need. It stays in
    this process.

    Parameters
    ----------
    sense : "max" or "min"
    """

    def __init__(self, sense: Sense) -> None:
        self._highs = highspy.Highs()
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("presolve", "off"),  # it would throw the basis away
        ):
            self._check(self._highs.setOptionValue(name, value))
        objective = highspy.ObjSense.kMaximize if sense == "max" else highspy.ObjSense.kMinimize
        self._check(self._highs.changeObjectiveSense(objective))
        self.rows = 0
        self.columns = 0
        self.iterations = 0  # of the simplex, in all solves
        self._strategy = _PRIMAL
        self._solved = False

    @classmethod
    def of(cls, program: LinearProgram) -> GrowingProgram:
        """A program that is there already, without its integrality, to be given more rows."""
        growing = cls(program.sense)
        growing._check(growing._highs.passModel(highs_lp(program.relaxed())))
        growing._strategy = _DUAL
        # Of use in the first solve; from then on there is a basis, and HiGHS leaves it out.
        growing._check(growing._highs.setOptionValue("presolve", "choose"))
        growing.rows, growing.columns = program.matrix.shape
        return growing

    @staticmethod
    def _check(status: HighsStatus) -> None:
        if status == HighsStatus.kError:
            raise HighsError("HiGHS refused to change the program")

    def _repair(self) -> None:
        """Have the next solve make an optimum feasible again, which rows or bounds cut off."""
        if self._solved:
            self._strategy = _DUAL

    @property
    def nonzeros(self) -> int:
        """How many coefficients its rows have."""
        return int(self._highs.getNumNz())

    def add_row(
        self,
        lower: float,
        upper: float,
        columns: np.ndarray | None = None,
        values: np.ndarray | None = None,
    ) -> int:
        """Add a row over columns that are there already; returns its index."""
        self._repair()
        index = np.asarray([] if columns is None else columns, dtype=np.int32)
        entries = _finite([] if values is None else values)
        self._check(self._highs.addRow(lower, upper, len(index), index, entries))
        self.rows += 1
        return self.rows - 1

    def add_rows(self, matrix: sparse.csr_array, upper: np.ndarray) -> None:
        """Add rows ``matrix x <= upper`` over the columns that are there already."""
        self._repair()
        count = matrix.shape[0]
        self._check(
            self._highs.addRows(
                count,
                np.full(count, -highspy.kHighsInf),
                _finite(upper),
                matrix.nnz,
                matrix.indptr[:-1].astype(np.int32),
                matrix.indices.astype(np.int32),
                _finite(matrix.data),
            )
        )
        self.rows += count

    def change_row(self, row: int, lower: float, upper: float) -> None:
        """Replace the sides of a row."""
        self._repair()
        self._check(self._highs.changeRowBounds(row, lower, upper))

    def bound_columns(self, columns: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Replace the bounds of columns."""
        self._repair()
        index = np.asarray(columns, dtype=np.int32)
        self._check(self._highs.changeColsBounds(len(index), index, _finite(lower), _finite(upper)))

    def add_column(self, cost: float, rows: np.ndarray, values: np.ndarray) -> int:
        """Add a column from 0 to infinity; returns its index."""
        self._strategy = _PRIMAL
        index = np.asarray(rows, dtype=np.int32)
        entries = _finite(values)
        infinity = highspy.kHighsInf
        self._check(
            self._highs.addCol(float(_finite(cost)), 0.0, infinity, len(index), index, entries)
        )
        self.columns += 1
        return self.columns - 1

    def add_columns(self, cost: np.ndarray, matrix: np.ndarray) -> None:
        """Add columns from 0 to infinity; `matrix` is dense and has a row for each row so far."""
        self._strategy = _PRIMAL
        column, row = np.nonzero(matrix.T)
        count = len(cost)
        self._check(
            self._highs.addCols(
                count,
                _finite(cost),
                np.zeros(count),
                np.full(count, highspy.kHighsInf),
                len(row),
                np.searchsorted(column, np.arange(count)).astype(np.int32),
                row.astype(np.int32),
                _finite(matrix[row, column]),
            )
        )
        self.columns += count

    def change_cost(self, column: int, cost: float) -> None:
        """Replace the cost of a column."""
        self._strategy = _PRIMAL
        self._check(self._highs.changeColCost(column, float(_finite(cost))))

    def solve(self, deadline: float = math.inf) -> Optimum:
        """Solve to optimality.

        Parameters
        ----------
        deadline : float
            ``time.monotonic()`` at which to give up.

        Raises
        ------
        OutOfTime
            If the deadline comes first; the next solve goes on from there.
        Infeasible
            If there is no point to find.
        HighsError
            If the program is unbounded, or HiGHS does not end with an optimum.
        """
        left = deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime("deadline")
        # HiGHS's clock runs on from solve to solve.
        self._check(self._highs.setOptionValue("time_limit", self._highs.getRunTime() + left))
        self._check(self._highs.setOptionValue("simplex_strategy", self._strategy))
        self._solved = True
        status = self._highs.run()
        if status == HighsStatus.kError:
            # Another user of HiGHS in this process has set up its thread pool with another size.
            highspy.Highs.resetGlobalScheduler(True)
            status = self._highs.run()
        self.iterations += max(self._highs.getInfo().simplex_iteration_count, 0)
        model = self._highs.getModelStatus()
        if model == ModelStatus.kTimeLimit:
            raise OutOfTime("deadline")
        if model == ModelStatus.kInfeasible:
            raise Infeasible("HiGHS ended with 'Infeasible'")
        if status == HighsStatus.kError or model != ModelStatus.kOptimal:
            raise HighsError(f"HiGHS ended with {self._highs.modelStatusToString(model)!r}")
        solution = self._highs.getSolution()
        if not solution.dual_valid:
            raise HighsError("HiGHS calls an LP optimal but has no duals")
        return Optimum(
            self._highs.getObjectiveValue(),
            np.array(solution.col_value),
            np.array(solution.row_dual),
        )


def _finite(values: object) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("a coefficient is not finite")
    return array
