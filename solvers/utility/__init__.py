"""Offline solvers of the ``utility`` problem.

Import its modules directly: those that recompute a bound from prices load no solver.
"""
