"""Ctrl-C within a kernel: the error that Numba makes of it, and others of that kind."""

from __future__ import annotations

import pytest

from solvers.interrupts import kernels_interruptible


def test_what_numba_makes_of_an_interrupt_is_one_again() -> None:
    with pytest.raises(KeyboardInterrupt), kernels_interruptible():
        raise SystemError("a kernel returned a result with an exception set") from (
            KeyboardInterrupt()
        )


@pytest.mark.parametrize("cause", [None, ValueError("no")])
def test_other_errors_stay_what_they_are(cause: Exception | None) -> None:
    with pytest.raises(SystemError, match="a fault"), kernels_interruptible():
        raise SystemError("a fault") from cause
