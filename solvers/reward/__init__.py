"""Offline solvers of the ``reward`` problem.

Import its modules directly: those that recompute a bound from multipliers load no solver.
"""
