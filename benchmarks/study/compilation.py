"""Kernels are compiled before any time limit starts."""

from __future__ import annotations

from collections.abc import Callable

from numba.core import event

__all__ = ["run_until_compiled"]


def run_until_compiled(run: Callable[[], object]) -> None:
    """Run something again until nothing is compiled any more.

    Once is not enough for what has a time limit: in a fresh clone most of it goes by while the
    first kernels are compiled, and what then is left out would be compiled in the run that is
    measured.

    Parameters
    ----------
    run : callable
        Does on a small instance what will be measured on another.
    """
    while True:
        with event.install_recorder("numba:compile") as compiled:
            run()
        if not compiled.buffer:
            return
