"""Peak memory of processes, as the kernel counts it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PeakMemory", "descendants", "tree_peak", "tree_resident"]

_PROC = Path("/proc")
_RESET_PEAK = "5"  # for clear_refs: forget the peak


class PeakMemory:
    """How far the resident memory of this process rises above what it is now.

    The kernel's record of the peak is reset; it works on Linux alone.
    """

    def __init__(self) -> None:
        self._before = _status("self", "VmRSS")
        try:
            (_PROC / "self" / "clear_refs").write_text(_RESET_PEAK)
        except OSError:
            self._before = None

    @property
    def risen(self) -> int | None:
        """Bytes; None where the kernel does not tell."""
        peak = _status("self", "VmHWM")
        return None if peak is None or self._before is None else max(0, peak - self._before)


def _status(process: str, key: str) -> int | None:
    """Bytes that the kernel states of a process under a key."""
    try:
        lines = (_PROC / process / "status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{key}:")), None)


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
    return _of_tree(pid, "VmHWM")


def tree_resident(pid: int) -> int | None:
    """Add up the resident memory that each living process of a tree holds now, like the peaks."""
    return _of_tree(pid, "VmRSS")


def _of_tree(pid: int, key: str) -> int | None:
    root = _status(str(pid), key)
    if root is None:  # ended, and not yet waited for
        return None
    return root + sum(_status(str(child), key) or 0 for child in descendants(pid))


def descendants(pid: int) -> list[int]:
    """Living processes that a process has started, and those that they have, and so on."""
    found: list[int] = []
    todo = [pid]
    while todo:
        try:
            tasks = [task / "children" for task in (_PROC / str(todo.pop()) / "task").iterdir()]
            children = [int(child) for task in tasks for child in task.read_text().split()]
        except OSError:  # it has ended meanwhile
            continue
        found += children
        todo += children
    return found
