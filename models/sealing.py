"""Arrays that nobody can make writable again."""

from __future__ import annotations

import numpy as np

__all__ = ["sealed"]


def sealed(array: np.ndarray) -> np.ndarray:
    """Copy an array into memory that stays read-only.

    Of an array that owns its memory, or has a base that does, ``setflags`` takes the lock off
    again; a bytes object has no lock to take off.
    """
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)
