"""A solve in a child process while this process goes on with something else."""

from __future__ import annotations

import threading
import time

from solvers.highs.adapter import checked_start
from solvers.highs.child import StoppedOnExit, run_in_child
from solvers.highs.matrix_result import MatrixResult, judge
from solvers.highs.options import HighsOptions
from solvers.highs.outcome import Outcome, Tally
from solvers.highs.program import FloatArray, LinearProgram

__all__ = ["Background"]


class Background(StoppedOnExit):
    """Solves a program from now on; a context manager that leaves no child behind.

    Parameters
    ----------
    program : LinearProgram
    options : HighsOptions
    start : float array of shape [n], optional
        MIP start, as for :func:`solvers.highs.solve`.

    Raises
    ------
    InputError
        If an option or the start does not fit the program.
    """

    def __init__(
        self, program: LinearProgram, options: HighsOptions, start: FloatArray | None = None
    ) -> None:
        options.check_for(is_mip=program.is_mip)
        self._program, self._options = program, options
        self._stop = threading.Event()
        self._tally = Tally(program, None)
        self._start = None if start is None else checked_start(program, start, self._tally)
        self._result: MatrixResult | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:  # there is no memory or process left for a thread
            outcome = Outcome(ended="failed", message=f"no thread: {error}", died=True)
            self._result = judge(program, options, outcome, self._tally, 0.0)

    def stop(self) -> None:
        """Stop the solve, and wait until its process has ended."""
        self._stop.set()
        self.wait(None)

    @property
    def finished(self) -> bool:
        """Whether there is a result."""
        return not self._thread.is_alive()

    @property
    def incumbent(self) -> FloatArray | None:
        """The best point so far, checked; None if there is none yet."""
        return self._tally.x

    @property
    def bound(self) -> float | None:
        """The best bound so far, if there is one that the best point so far does not refute.

        Where round-off puts it on the wrong side of that point, it is the value of the point.
        """
        return self._tally.believed_bound

    def refutes(self, bound: float) -> bool:
        """Whether the best point so far is better than a bound, by more than round-off."""
        return self._tally.refutes(bound)

    def wait(self, seconds: float | None) -> None:
        """Wait for the result, no longer than so many seconds if given; the solve goes on."""
        if self._thread.ident is not None:  # it was started
            self._thread.join(seconds)

    def result(self, seconds: float | None = None) -> MatrixResult:
        """Wait for the result, and stop the solve where it takes more than so many seconds."""
        self.wait(seconds)
        self.stop()
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    def _run(self) -> None:
        began = time.perf_counter()
        tally = self._tally
        try:
            outcome = run_in_child(
                self._program, self._options, self._start, tally, want_log=False, stop=self._stop
            )
            spent = time.perf_counter() - began
            self._result = judge(self._program, self._options, outcome, tally, spent)
        except BaseException as error:  # for the one who asks for the result
            self._error = error
