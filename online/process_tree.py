"""Memory of processes with all that they have started, as the kernel counts it; and their end.

psutil knows no peak, and finds children by reading about all processes of the machine, which takes
too long for what a guard does twenty times a second.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


class PeakMemory:
    """How far the resident memory of this process rises above what it is now.

    The kernel's record of the peak is reset; it works on Linux alone.
    """

    def __init__(self) -> None:
        self._before = _memory("self")
        try:
            (_PROC / "self" / "clear_refs").write_text("5")  # forget the peak
        except OSError:
            self._before = None

    @property
    def risen(self) -> int | None:
        """Bytes; None where the kernel does not tell."""
        now = _memory("self")
        return max(0, now[1] - self._before[0]) if now and self._before else None


def tree_memory(pid: int) -> tuple[int, int] | None:
    """Add up what the living processes of a tree hold now, and the peak of each so far.

    Not ``ru_maxrss``: on Linux it counts what the parent held when it started the child, too.
    What two processes share is counted twice, and their peaks need not fall together, so both
    sums, in bytes, are upper estimates. None if the root has ended, or where the kernel does not
    tell (not Linux).
    """
    root = _memory(str(pid))
    if root is None:  # ended, and not yet waited for
        return None
    known = [root, *filter(None, (_memory(str(child)) for child in descendants(pid)))]
    return sum(now for now, _ in known), sum(peak for _, peak in known)


def _memory(process: str) -> tuple[int, int] | None:
    """Bytes that are resident now, and their peak; None if the kernel does not tell."""
    with suppress(OSError, KeyError):
        lines = (_PROC / process / "status").read_text().splitlines()
        told = dict(line.split(":", 1) for line in lines)
        now, peak = (1024 * int(told[key].split()[0]) for key in ("VmRSS", "VmHWM"))
        return now, peak
    return None


def descendants(pid: int) -> list[int]:
    """Living processes that a process has started, and those that they have, and so on."""
    found = [pid]
    for parent in found:  # grows meanwhile
        with suppress(OSError):  # it has ended
            for task in (_PROC / str(parent) / "task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found[1:]


def end_tree(pid: int) -> None:
    """Kill a process that leads a group, and all that it has started, in groups of its own too."""
    for child in descendants(pid):
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
