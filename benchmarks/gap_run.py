"""One cell of :mod:`benchmarks.gap`: solved in a process of its own, watched, killed in time."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from benchmarks.figure import Cell
from benchmarks.memory import tree_peak

__all__ = ["run_cell"]

_COMMAND = (sys.executable, "-m", "benchmarks.gap_worker")
_ROOT = Path(__file__).resolve().parents[1]  # where the process finds the toolkit
_STARTUP = 300.0  # seconds to load, and to compile what no earlier run has compiled
_GRACE = 60.0  # seconds past the time limit
_EVERY = 0.05  # seconds between two looks at the memory


class _Reader(threading.Thread):
    """Takes the two lines of the process, and the time of the first."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self.ready: float | None = None
        self.outcome: dict[str, Any] | None = None

    def run(self) -> None:
        if self._pipe.readline().endswith(b"\n"):
            self.ready = time.monotonic()
        line = self._pipe.readline()
        if line.endswith(b"\n"):
            self.outcome = json.loads(line)


def run_cell(**cell: Any) -> list[dict[str, Any]]:
    """Solve one cell.

    Parameters
    ----------
    **cell
        ``problem``, ``jobs``, ``slots``, ``servers``, ``seed``, ``method``, ``time_limit``,
        ``threads``; settings of the workload as the list ``set``, if there are any.

    Returns
    -------
    list of one dict
        The cell, with: ``load`` of the instance (None where there is no answer); ``seconds``
        taken (without loading and drawing) and ``overrun``, by how much that is more than the
        limit; ``cpu_seconds`` of it, of the process and its children; ``objective`` by the scorer
        and ``bound`` (None where there is none), ``gap`` (relative to the bound; 1 where there is
        no schedule or no bound, and at most 1), ``bound_source``; ``status`` of the solver, or
        "killed" a minute after the time limit, or "failed" where the process ended with an error;
        ``message``; ``memory_mb``, the peak of the process and its children (None if not on
        Linux).
    """
    began = time.monotonic()
    peak = 0
    killed = False
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            (*_COMMAND, json.dumps(cell)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=_ROOT,
            start_new_session=True,  # a Ctrl-C on the terminal is for this process to handle
        )
        assert child.stdin is not None and child.stdout is not None
        reader = _Reader(child.stdout)
        reader.start()
        try:
            while reader.is_alive() and not killed:
                reader.join(_EVERY)
                peak = max(peak, tree_peak(child.pid) or 0)
                killed = time.monotonic() >= _deadline(cell, began, reader.ready)
            if not killed:  # let it end by itself: it may still be saying why it failed
                with suppress(subprocess.TimeoutExpired):
                    child.wait(_GRACE)
        finally:
            child.kill()
            child.wait()
            reader.join()
            child.stdin.close()
            child.stdout.close()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
    outcome = reader.outcome
    if outcome is None:
        late = f"killed {_GRACE:g} s after the time limit"
        outcome = {
            "load": None,
            "seconds": time.monotonic() - (reader.ready or began),
            "cpu_seconds": None,
            "objective": None,
            "bound": None,
            "gap": 1.0,
            "bound_source": None,
            "status": "killed" if killed else "failed",
            "message": late if killed else (said or [f"exit code {child.returncode}"])[-1],
        }
    return [
        {
            **cell,
            **outcome,
            "overrun": outcome["seconds"] - cell["time_limit"],
            "memory_mb": round(peak / 1e6) or None,
        }
    ]


def _deadline(cell: Cell, began: float, ready: float | None) -> float:
    if ready is None:
        return began + _STARTUP
    return ready + cell["time_limit"] + _GRACE
