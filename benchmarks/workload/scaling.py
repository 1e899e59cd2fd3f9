"""Work multiplied by one factor, the same for all jobs, so that an instance has a load."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from models.errors import InputError

__all__ = ["scaled_to"]

Jobs = TypeVar("Jobs")

_MOST_OFF = 0.1  # how far the load of an instance may be from the one asked for
_STEPS = 60  # of the bisection; each halves the range of the factor


def scaled_to(
    load: float,
    at: Callable[[float], tuple[float, Jobs]],
    ends: tuple[float, float],
    whole: str,
    change: str,
) -> Jobs:
    """Jobs with the load that is nearest to the one asked for, by bisection.

    Parameters
    ----------
    load : float
    at : callable
        Gives the load at a factor, and the jobs scaled by it. The load never falls as the factor
        grows; it moves in steps, since something comes in whole numbers.
    ends : (float, float)
        Factors at which the load is least and greatest.
    whole : str
        What comes in whole numbers.
    change : str
        Settings that change which loads can be had.

    Raises
    ------
    InputError
        If no factor brings the load within 0.1 of the one asked for. It says which loads these
        jobs can have.
    """
    low, high = ends
    least, greatest = at(low)[0], at(high)[0]
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if at(middle)[0] <= load else (low, middle)
    # Of two that are equally near the one with the lower load.
    found, jobs = min(at(low), at(high), key=lambda pair: abs(pair[0] - load))
    if abs(found - load) > _MOST_OFF:
        reach = f"between {least:.3g} and {greatest:.3g}"
        if least <= load <= greatest:
            reach = f"{found:.3g}, as near as whole {whole} come, but not that"
        raise InputError(
            f"load {load:g}: with the jobs drawn on these servers it can be {reach}; change "
            f"{change}"
        )
    return jobs
