"""Large instances of ``utility``: first which jobs complete by when, then their workers.

Read the modules in this order:

``state``
    What is known: programs, cuts, the best schedule and bound.
``choose``
    Rounds, each of which chooses deadlines (``neighbourhoods``).
``complete``
    A schedule for given deadlines: a plan in fractions of workers (``plan_program``), followed by
    whole workers on the servers (``plan_tracking``).
``prove``
    What given deadlines are worth at most, in whole workers.
``search``
    The whole of it, from a first bound and schedule on.
"""

from solvers.utility.deadlines.search import deadline_search

__all__ = ["deadline_search"]
