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
_RESET_PEAK = "5"  # for clear_refs: forget the peak
_PEAK, _NOW = "VmHWM", "VmRSS"


class PeakMemory:
    """How far the resident memory of this process rises above what it is now.

    The kernel's record of the peak is reset; it works on Linux alone.
    """

    def __init__(self) -> None:
        self._before = _status("self", _NOW)
        with suppress(OSError):
            (_PROC / "self" / "clear_refs").write_text(_RESET_PEAK)
            return
        self._before = None

    @property
    def risen(self) -> int | None:
        """Bytes; None where the kernel does not tell."""
        peak = _status("self", _PEAK)
        return None if peak is None or self._before is None else max(0, peak - self._before)


def tree_peak(pid: int) -> int | None:
    """Add up the largest resident memory that each living process of a tree has had so far.

    Not ``ru_maxrss``: on Linux it counts what the parent held when it started the child, too.
    What two processes share is counted twice, and their peaks need not fall together, so the
    sum is an upper estimate.

    Returns
    -------
    int or None
        Bytes; None if the root has ended, or where the kernel does not tell (not Linux).
    """
    return _of_tree(pid, _PEAK)


def tree_resident(pid: int) -> int | None:
    """Add up the resident memory that each living process of a tree holds now, like the peaks."""
    return _of_tree(pid, _NOW)


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


def _of_tree(pid: int, key: str) -> int | None:
    root = _status(str(pid), key)
    if root is None:  # ended, and not yet waited for
        return None
    return root + sum(_status(str(child), key) or 0 for child in descendants(pid))


def _status(process: str, key: str) -> int | None:
    """Bytes that the kernel states of a process under a key."""
    with suppress(OSError):
        for line in (_PROC / process / "status").read_text().splitlines():
            if line.startswith(f"{key}:"):
                return 1024 * int(line.split()[1])
    return None
