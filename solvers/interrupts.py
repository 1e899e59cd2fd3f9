"""Ctrl-C while a compiled function runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["kernels_interruptible"]


@contextmanager
def kernels_interruptible() -> Iterator[None]:
    """Let Ctrl-C within a kernel be the KeyboardInterrupt that it is anywhere else.

    Numba makes a SystemError of it, which has the KeyboardInterrupt as its cause. Whoever catches
    Exception would take that for a fault of the code, and go on.
    """
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
