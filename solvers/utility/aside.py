"""One program at a time, solved for its bound in a process beside."""

from __future__ import annotations

import time
from types import TracebackType

from solvers.highs import HighsOptions, LinearProgram, MatrixResult
from solvers.highs.background import Background
from solvers.utility.totals_program import TotalsProgram

__all__ = ["Aside"]


class Aside:
    """The process, which there is while it works; a context manager that leaves none behind."""

    def __init__(self) -> None:
        self._solve: Background | None = None
        self._totals: TotalsProgram | None = None
        self._began = 0.0

    def __enter__(self) -> Aside:
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
    def works(self) -> bool:
        """Whether there is a program whose result has not been taken."""
        return self._solve is not None

    @property
    def finished(self) -> bool:
        """Whether there is a result to be taken."""
        return self._solve is not None and self._solve.finished

    @property
    def began(self) -> float:
        """``time.monotonic()`` at which the program was begun."""
        return self._began

    def begin(self, totals: TotalsProgram, program: LinearProgram, options: HighsOptions) -> None:
        """Solve a program, made of a totals program, from now on."""
        assert self._solve is None
        self._totals, self._began = totals, time.monotonic()
        self._solve = Background(program, options)

    def take(self, seconds: float) -> tuple[TotalsProgram, MatrixResult]:
        """Wait for the result, so long at most; what there is by then, and whose it is."""
        assert self._solve is not None and self._totals is not None
        solve, self._solve = self._solve, None
        return self._totals, solve.result(seconds)
