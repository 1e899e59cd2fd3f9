"""One adapter to HiGHS, for programs given as arrays (and, through `solvers.pyomo_bridge`, Pyomo).

Duals have one convention everywhere in the project: **dual = d objective / d right-hand side, in
the program's own sense**. A reduced cost is the same derivative for the bound that a column lies
on. Hence the signs

====================================  ============  ============
multiplier of                         maximisation  minimisation
====================================  ============  ============
row at its upper side (<=)            >= 0          <= 0
row at its lower side (>=)            <= 0          >= 0
equality row                          any           any
row strictly between its sides        0             0
column at its upper bound             >= 0          <= 0
column at its lower bound             <= 0          >= 0
column strictly between its bounds    0             0
====================================  ============  ============

and strong duality, for either sense: objective = offset + sum of row dual times the side its sign
points to + sum of reduced cost times the bound its sign points to. HiGHS follows the same
convention, and so does the dual of a Pyomo constraint obtained through the bridge. Only an LP
solved to optimality has duals; asking them of anything else raises `NoDuals`.
"""

from solvers.highs.adapter import SMALL_MIP, solve
from solvers.highs.matrix_result import SOLVER, MatrixResult, NoDuals
from solvers.highs.options import HighsOptions
from solvers.highs.program import LinearProgram

__all__ = [
    "SMALL_MIP",
    "SOLVER",
    "HighsOptions",
    "LinearProgram",
    "MatrixResult",
    "NoDuals",
    "solve",
]
