"""Formulations of the ``jct`` problem in Pyomo, constraints named as in the paper."""
