"""Is a point feasible? Decided from the program's own arrays, whoever made the point."""

from __future__ import annotations

import numpy as np

from solvers.highs.program import FloatArray, LinearProgram

#: Allowed distance of an integer column from an integer (HiGHS: 1e-6), and allowed violation of a
#: row or bound, relative to its side where that exceeds 1 (HiGHS: 1e-6, or 1e-7 in an LP).
INTEGRALITY = 1e-5
FEASIBILITY = 2e-6


def settle(program: LinearProgram, x: FloatArray) -> tuple[FloatArray | None, str]:
    """Return the feasible point that a solver's `x` stands for, or why there is none.

    Columns are moved onto the bounds that they miss by round-off, and integer columns to the
    nearest integer. Where a row does not bear the rounding (a large coefficient on a column off
    its integer by 1e-7), the unrounded point is taken if that is feasible within the tolerance.

    Parameters
    ----------
    program : LinearProgram
        The judge.
    x : float array, shape [n]
        A solver's point.

    Returns
    -------
    tuple
        ``(point, "")`` or ``(None, reason)``.
    """
    x = np.asarray(x, dtype=np.float64)
    if x.shape != program.cost.shape:
        return None, f"{x.size} values for {program.cost.size} columns"
    if not np.isfinite(x).all():
        return None, f"{program.column_name(int(np.argmin(np.isfinite(x))))} is not finite"
    lower, upper = program.lower, program.upper
    excess, index = _worst(x, lower, upper)
    if excess > FEASIBILITY:
        return None, f"{program.column_name(index)} misses its bounds by {excess:.3g}"
    clipped = np.clip(x, lower, upper)
    rounded = np.where(program.integer, np.round(clipped), clipped)
    distance = np.abs(rounded - clipped)
    if distance.size and distance.max() > INTEGRALITY:
        index = int(np.argmax(distance))
        return None, f"{program.column_name(index)} = {x[index]} is not an integer"
    for point in (rounded, clipped):
        # Rounding can leave an interval of an integer column whose bounds are fractional.
        excess, index = _worst(point, lower, upper)
        reason = f"{program.column_name(index)} misses its bounds by {excess:.3g}"
        if excess <= FEASIBILITY:
            activity = program.matrix @ point
            excess, index = _worst(activity, program.row_lower, program.row_upper)
            reason = f"{program.row_name(index)} is violated by {excess:.3g}"
        if excess <= FEASIBILITY:
            return point, ""
    return None, reason


def _worst(values: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[float, int]:
    """Return the largest violation, relative to sides above 1, and its index."""
    if not values.size:
        return 0.0, 0
    # An infinite side gives -inf / inf without the two guards.
    below = (lower - values) / np.where(np.isfinite(lower), np.maximum(1.0, np.abs(lower)), 1.0)
    above = (values - upper) / np.where(np.isfinite(upper), np.maximum(1.0, np.abs(upper)), 1.0)
    excess = np.maximum(below, above)
    index = int(np.argmax(excess))
    return max(0.0, float(excess[index])), index
