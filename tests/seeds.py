"""Of many seeds alike, most are slow."""

from __future__ import annotations

from typing import Any

import pytest


def seeds(count: int, *, quick: int) -> list[Any]:
    """Seeds 0 to count - 1 to parametrize by, of which all but the first are marked as slow."""
    return [
        *range(quick),
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, count)),
    ]
