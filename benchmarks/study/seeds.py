"""Which seeds may be asked for: by commands, study files and Python alike."""

from __future__ import annotations

from collections.abc import Sequence

from models.errors import InputError

_MOST = 1_000_000
_LARGEST = 2**63 - 1  # a column of whole numbers holds no larger one


def seeds_of(asked: int | Sequence[int]) -> tuple[int, ...]:
    """So many seeds, 0, 1, ..., or those of a list; InputError if they are not fit to be seeds."""
    given = range(asked) if isinstance(asked, int) else asked
    seeds = tuple(given[: _MOST + 1])  # of a range, too, that is too long for its own len
    if not 0 < len(seeds) <= _MOST:
        raise InputError(f"want 1 to {_MOST} seeds, as a number or a list")
    if not all(isinstance(seed, int) and 0 <= seed <= _LARGEST for seed in seeds):
        raise InputError("a seed is not in 0..2**63-1")
    if len(set(seeds)) < len(seeds):
        raise InputError("a seed is there twice")
    return seeds
