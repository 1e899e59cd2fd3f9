"""Offline solvers: one adapter to HiGHS, and per problem the oracle and the ways to an optimum.

Nothing is imported here, so that a command which needs no solver loads none.
"""
