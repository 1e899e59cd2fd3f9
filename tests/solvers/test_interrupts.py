"""Ctrl-C within a kernel: the error that Numba makes of it, and others of that kind."""

from __future__ import annotations

import pytest

from solvers.contract import offline_solver
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


class _Interrupted:
    """An instance at whose first use Ctrl-C comes within a kernel."""

    def __getattr__(self, name: str) -> object:
        raise SystemError("a kernel returned a result with an exception set") from (
            KeyboardInterrupt()
        )


@pytest.mark.parametrize("name", ["colocated", "completion", "reward", "utility"])
def test_ctrl_c_in_a_kernel_of_a_solver_that_is_called_from_python(name: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        offline_solver(name).solve(_Interrupted(), time_limit=1.0)
