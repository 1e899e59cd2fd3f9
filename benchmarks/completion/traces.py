"""What real traces give to instances of ``completion``, in words and in code."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.completion.jobs import Speeds
from benchmarks.traces import Trace
from benchmarks.traces.gavel import GPUS
from models.errors import InputError

__all__ = ["MAPPINGS", "model_speeds"]

_JOBS = (
    "`jobs` give the arrivals, `requested_workers` (GPUs, at most D) and v (so that "
    "as many workers as GPUs run about as long as the job did: mean over the worker types = GPUs x "
    "run time / (E D K), kept within the range of v). They are those of a window of T whole slots, "
    "chosen by the seed among those that hold at least `jobs` submissions, in random order; one "
    "that cannot complete by T is left out, and taken up again, drawn anew, once all have been"
)
_NODES = (
    "`nodes` with GPUs, each at most once, give the servers' shares of GPUs and of vCPUs; "
    "bandwidth is shared as vCPUs are"
)
_SPEEDS = (
    "`speeds` give how fast a job is on each worker type: a type has GPUs of one of the measured "
    "models, drawn uniformly; a job trains a model of the list, drawn uniformly, in proportion to "
    "its speed on one GPU of a kind times the GPUs of a worker; v is drawn for the slowest type"
)
_TEXTS = {
    "philly": _JOBS,
    "csv": f"{_JOBS}; `weight` gives w",
    "openb-nodes": _NODES,
    "gavel": _SPEEDS,
    "gpu-cluster": f"{_JOBS}; {_NODES}; {_SPEEDS}",
}

MAPPINGS: Mapping[str, str] = {
    kind: f"{text}. All else is drawn as in the synthetic workload."
    for kind, text in _TEXTS.items()
}
"""Kinds of traces that are used, and what they give."""


def model_speeds(trace: Trace | None) -> tuple[Speeds, tuple[str, ...]]:
    """Iterations per second on one GPU of each type, and a note; nothing without a list.

    Raises
    ------
    InputError
        If nothing in the list runs on one GPU.
    """
    if trace is None or "speeds" not in trace.names:
        return None, ()
    frame = trace.table("speeds").frame
    alone = frame[frame["gpus"] == 1]
    if alone.empty:
        raise InputError(f"{trace.path}: no speed on one GPU")
    return alone[[*GPUS]].to_numpy(dtype=float), (f"speeds of {len(alone)} models on {GPUS}",)
