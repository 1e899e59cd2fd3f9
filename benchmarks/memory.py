"""Peak memory of a process and all that it has started, as the kernel counts it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["tree_peak"]

_PROC = Path("/proc")


def tree_peak(pid: int) -> int | None:
    """Add up the largest resident memory that each living process of a tree has had so far.

    Not ``ru_maxrss``: on Linux it counts what the parent held when it started the child, too.
    What two processes share is counted twice, and their peaks need not fall together, so the
    sum is an upper estimate.

    Parameters
    ----------
    pid : int
        The root of the tree.

    Returns
    -------
    int or None
        Bytes; None if the process has ended, or where the kernel does not tell (not Linux).
    """
    try:
        status = (_PROC / str(pid) / "status").read_text()
        tasks = [task / "children" for task in (_PROC / str(pid) / "task").iterdir()]
        children = [int(child) for task in tasks for child in task.read_text().split()]
    except OSError:  # it has ended meanwhile
        return None
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    if not peaks:  # ended, and not yet waited for
        return None
    return 1024 * int(peaks[0]) + sum(tree_peak(child) or 0 for child in children)
