"""Which seeds may be asked for: by commands, study files and Python alike."""

from __future__ import annotations

from collections.abc import Sequence

from models.errors import InputError

_MOST = 1_000_000
_END = 2**63  # of what a column of whole numbers can hold


def seeds_of(asked: int | Sequence[int]) -> tuple[int, ...]:
    """So many seeds, 0, 1, ..., or those of a list; InputError if they are not fit to be seeds."""
    given = range(asked) if isinstance(asked, int) else asked
    seeds = tuple(given[: _MOST + 1])  # of a range, too, that is too long for its own len
    fit = {seed for seed in seeds if isinstance(seed, int) and 0 <= seed < _END}
    if not 0 < len(seeds) <= _MOST or len(fit) < len(seeds):
        raise InputError(
            f"want 1 to {_MOST} seeds in 0..2**63-1, as a number or a list, none twice"
        )
    return seeds
