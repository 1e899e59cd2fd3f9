"""A child process that solves one program at a time, for its bound."""

from __future__ import annotations

import time
from types import TracebackType

from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs.background import Background
from solvers.utility.totals_program import TotalsProgram

__all__ = ["BoundProcess"]


class BoundProcess:
    """Runs only while it has a program; as a context manager, it leaves no process behind."""

    def __init__(self) -> None:
        self._solve: Background | None = None
        self._totals: TotalsProgram | None = None
        self._began = 0.0

    def __enter__(self) -> BoundProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._solve is not None:
            self._solve.stop()

    @property
    def is_busy(self) -> bool:
        """Whether it has been given a program whose result has not been taken yet."""
        return self._solve is not None

    @property
    def finished(self) -> bool:
        """Whether a result is ready to be taken."""
        return self._solve is not None and self._solve.finished

    @property
    def began(self) -> float:
        """``time.monotonic()`` when the latest program was started."""
        return self._began

    def begin(self, totals: TotalsProgram, program: LinearProgram, options: HighsOptions) -> None:
        """Start solving a program, which was made from a totals program."""
        assert self._solve is None
        self._totals, self._began = totals, time.monotonic()
        self._solve = Background(program, options)

    def take(self, seconds: float) -> tuple[TotalsProgram, MatrixResult]:
        """Wait at most so many seconds; the totals program and the result found by then."""
        assert self._solve is not None and self._totals is not None
        solve, self._solve = self._solve, None
        return self._totals, solve.result(seconds)
