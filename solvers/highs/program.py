"""A linear or mixed-integer linear program as arrays, validated at the door.

max or min  offset + cost x
subject to  row_lower <= matrix x <= row_upper,  lower <= x <= upper,  x_j integer where asked
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from models.errors import InputError
from solvers.result import Sense

FloatArray = npt.NDArray[np.float64]

#: HiGHS reads a cost or bound of this size as infinite, and refuses or drops matrix values outside
#: these limits; each would be another model than the one that was meant.
INFINITE = 1e20
SMALLEST_COEFFICIENT = 1e-9
LARGEST_COEFFICIENT = 1e15


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearProgram:
    """A linear program, or a mixed-integer one where a column is integer.

    Attributes
    ----------
    sense : "max" or "min"
        Direction.
    cost : float array, shape [n]
        Objective coefficients.
    matrix : scipy.sparse.csr_array, shape [m, n]
        Constraint coefficients; any SciPy sparse or dense matrix is taken and converted.
    row_lower, row_upper : float array, shape [m]
        Sides of the rows; -inf and inf mean none. A scalar is spread over all rows.
    lower, upper : float array, shape [n]
        Bounds of the columns, 0 and inf by default; likewise.
    integer : bool array, shape [n]
        Which columns take integer values only; none by default.
    offset : float
        Constant of the objective.
    column_names, row_names : tuple of str or None
        Used in messages.

    Raises
    ------
    InputError
        If shapes disagree, a cost or coefficient is NaN or infinite, a side or bound is NaN or
        excludes every number (lower = inf), or a size is one that HiGHS would silently change:
        costs and finite bounds from 1e20, coefficients outside [1e-9, 1e15).
    """

    sense: Sense
    cost: FloatArray
    matrix: Any
    row_lower: FloatArray = field(default_factory=lambda: np.array(-np.inf))
    row_upper: FloatArray = field(default_factory=lambda: np.array(np.inf))
    lower: FloatArray = field(default_factory=lambda: np.array(0.0))
    upper: FloatArray = field(default_factory=lambda: np.array(np.inf))
    integer: npt.NDArray[np.bool_] = field(default_factory=lambda: np.array(False))
    offset: float = 0.0
    column_names: Sequence[str] | None = None
    row_names: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.sense not in ("max", "min"):
            raise InputError(f"sense {self.sense!r} is neither 'max' nor 'min'")
        matrix = sparse.csr_array(self.matrix, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        m, n = matrix.shape
        self._set("matrix", matrix)
        self._set("cost", _spread("cost", self.cost, n))
        for name, size in (("lower", n), ("upper", n), ("row_lower", m), ("row_upper", m)):
            self._set(name, _spread(name, getattr(self, name), size))
        integer = _spread("integer", self.integer, n)
        _refuse(~np.isin(integer, (0, 1)), "integer", integer, "is neither true nor false")
        self._set("integer", integer.astype(bool))
        self._set("offset", float(self.offset))
        for name, size in (("column_names", n), ("row_names", m)):
            names = getattr(self, name)
            if names is not None and len(names) != size:
                raise InputError(f"{name}: {len(names)} names for {size}")
        self._check_numbers()

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_numbers(self) -> None:
        if not np.isfinite(self.offset):
            raise InputError(f"offset {self.offset} is not finite")
        _refuse(~(np.abs(self.cost) < INFINITE), "cost", self.cost, "is not finite (below 1e20)")
        for name, nothing in (("lower", np.inf), ("row_lower", np.inf), ("upper", -np.inf),
                              ("row_upper", -np.inf)):  # fmt: skip
            side = getattr(self, name)
            _refuse(np.isnan(side), name, side, "is not a number")
            _refuse(side == nothing, name, side, "admits no value")
            large = np.isfinite(side) & (np.abs(side) >= INFINITE)
            _refuse(large, name, side, "would be read as infinite; say inf")
        size = np.abs(self.matrix.data)
        wrong = ~((size >= SMALLEST_COEFFICIENT) & (size < LARGEST_COEFFICIENT))
        if wrong.any():
            place = int(np.argmax(wrong))
            row = int(np.searchsorted(self.matrix.indptr, place, side="right")) - 1
            column = int(self.matrix.indices[place])
            raise InputError(
                f"coefficient {self.matrix.data[place]} in {self.row_name(row)}, "
                f"{self.column_name(column)}: its size must lie in [1e-9, 1e15)"
            )

    @property
    def is_mip(self) -> bool:
        """Whether any column must be integer."""
        return bool(np.any(self.integer))

    @property
    def admits_zero(self) -> bool:
        """Whether 0 satisfies all rows and bounds: then no solver may call it infeasible."""
        sides = ((self.lower, self.upper), (self.row_lower, self.row_upper))
        return all(bool((low <= 0).all() and (high >= 0).all()) for low, high in sides)

    def relaxed(self) -> LinearProgram:
        """Return the same program with no column integer."""
        return replace(self, integer=np.zeros(self.cost.size, dtype=bool))

    def where_undecided(self, points: Sequence[FloatArray], tolerance: float) -> LinearProgram:
        """Return the same program with each integer column fixed that is 0, or 1, in all points.

        Integer columns are to be 0 or 1. With the linear relaxation as the only point, this is the
        neighbourhood RENS of Berthold (2014); with a solution as a second point, it is RINS of
        Danna, Rothberg and Le Pape (2005).
        """
        out = self.integer & (np.max(points, axis=0) <= tolerance)
        met = self.integer & (np.min(points, axis=0) >= 1 - tolerance)
        lower, upper = np.where(met, 1.0, self.lower), np.where(out, 0.0, self.upper)
        return replace(self, lower=lower, upper=upper)

    def objective(self, x: FloatArray) -> float:
        """Value of the point `x`, offset included."""
        return self.offset + float(np.dot(self.cost, x))

    def column_name(self, index: int) -> str:
        """Name of a column for messages."""
        return f"column {self.column_names[index] if self.column_names else index}"

    def row_name(self, index: int) -> str:
        """Name of a row for messages."""
        return f"row {self.row_names[index] if self.row_names else index}"

    def crossing(self) -> str | None:
        """Name a column or row whose lower side exceeds its upper one, or return None."""
        for lower, upper, name in (
            (self.lower, self.upper, self.column_name),
            (self.row_lower, self.row_upper, self.row_name),
        ):
            crossed = lower > upper
            if crossed.any():
                return f"{name(int(np.argmax(crossed)))}: its lower side exceeds its upper side"
        return None


def _spread(name: str, value: object, size: int) -> FloatArray:
    """Return `value` as a read-only float array of `size` entries; a scalar fills it."""
    array = np.array(value, dtype=np.float64)
    if array.ndim == 0:
        array = np.full(size, array)
    if array.shape != (size,):
        raise InputError(f"{name}: shape {array.shape}, expected ({size},)")
    array.flags.writeable = False
    return array


def _refuse(wrong: npt.NDArray[np.bool_], name: str, values: FloatArray, rule: str) -> None:
    if wrong.any():
        index = int(np.argmax(wrong))
        raise InputError(f"{name}[{index}] = {values[index]} {rule}")
