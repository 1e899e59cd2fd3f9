"""What jobs are submitted when: by real traces, in words and in code, or drawn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.jct.jobs import draw_gpus
from benchmarks.jct.settings import Settings
from benchmarks.traces import Trace
from benchmarks.workload.arrivals import PATTERNS as GENERAL
from benchmarks.workload.arrivals import pattern_of
from benchmarks.workload.lists import some_of
from benchmarks.workload.submissions import Submissions, no_pattern
from models.errors import InputError

__all__ = ["MAPPINGS", "PATTERNS", "submissions"]

_PEAKS = (0.25, 0.7)  # of the slots in which jobs arrive,
_PEAK_WIDTH = 0.05  # standard deviation, of the same,
_PEAK_SHARE = 0.7  # and share of the jobs that arrive in peaks
_JOBS = (
    "`jobs` give GPUs, at most D, as `requested_workers`, and run times: m = run time / "
    "(E B), kept within its range"
)
_NODES = (
    "`nodes` give the servers, each at most once: a worker for each GPU, a parameter server for "
    "each CPU"
)
_HOUR = "the hour is stretched to the slots in which jobs arrive, and thinned to `jobs` at random"
_SUBMITTED = (
    "arrival = slot of the submission, in a window of as many whole slots as jobs arrive in, chosen"
    " by the seed among those that hold at least `jobs` submissions, thinned to them at random"
)
_WITH_JOBS = ("philly", "csv")  # kinds that give arrivals, GPUs and run times of the same jobs
_TEXTS = {
    **dict.fromkeys(_WITH_JOBS, f"{_JOBS}; {_SUBMITTED}"),
    "alibaba-2018": f"`jobs` give the arrivals: {_HOUR}",
    "openb-nodes": _NODES,
    "edge-cloud": f"{_JOBS}, of rows drawn uniformly at random; `arrivals` of Alibaba: {_HOUR}; "
    f"{_NODES}",
}

MAPPINGS: Mapping[str, str] = {
    kind: f"{text}. All else is drawn as in the synthetic workload."
    for kind, text in _TEXTS.items()
}
"""Kinds of traces that are used, and what they give."""


def peaks(slots: int, slot_seconds: float, rng: np.random.Generator) -> np.ndarray:
    """Two peaks of submissions, as Figure 11 has them, on top of an even rate.

    Where they lie and how high they are is not said in words: here at a quarter and at 70 % of
    the slots, with 70 % of the jobs.
    """
    place = (np.arange(slots) + 0.5) / slots
    bells = sum(np.exp(-0.5 * ((place - peak) / _PEAK_WIDTH) ** 2) for peak in _PEAKS)
    return _PEAK_SHARE * bells / np.sum(bells) + (1.0 - _PEAK_SHARE) / slots


PATTERNS = {**GENERAL, "peaks": peaks}
"""How likely each slot is to receive a job that is drawn."""


def submissions(
    settings: Settings, streams: list[np.random.Generator], trace: Trace | None
) -> tuple[Submissions, tuple[str, ...]]:
    """Arrivals, sorted, GPUs and run times: from a trace as ``MAPPINGS`` says, else drawn; notes.

    Without a trace there are no run times.

    Parameters
    ----------
    settings : Settings
        Its arrival pattern, if any, takes the place of the trace's arrivals.
    streams : list of Generator
        Two: for arrivals, and for GPUs and run times.
    trace : Trace or None

    Raises
    ------
    InputError
        If there is no such arrival pattern, the settings leave nothing to take from the trace, it
        has too few jobs, or no window holds enough.
    """
    if trace is not None and trace.kind == "openb-nodes" and settings.scale == "testbed":
        raise InputError(f"{trace.spec}: gives servers, but those of scale testbed are fixed")
    if trace is not None and trace.kind == "alibaba-2018":
        no_pattern(settings, trace)
    arrival, rows, note = _arrivals(settings, streams[0], trace)
    if trace is None or trace.kind not in (*_WITH_JOBS, "edge-cloud"):
        gpus = draw_gpus(settings.jobs, streams[1])
        return Submissions(arrival, gpus), (note, "GPUs by the published counts of Philly")
    frame = trace.table("jobs").frame
    told = "GPUs and run times of the same jobs"
    if rows is None:
        if not len(frame):
            raise InputError(f"{trace.path}: no usable job of Philly")
        rows = streams[1].integers(len(frame), size=settings.jobs)
        told = f"GPUs and run times: {settings.jobs} drawn from {len(frame)} jobs of Philly"
    gpus = frame["gpus"].to_numpy(dtype=np.int64)[rows]
    hours = frame["duration_s"].to_numpy(dtype=float)[rows] / 3600.0
    return Submissions(arrival, gpus, hours), (note, told)


def _arrivals(
    settings: Settings, rng: np.random.Generator, trace: Trace | None
) -> tuple[np.ndarray, np.ndarray | None, str]:
    """Arrival slots, sorted; the rows of the Philly list that they are of, if so; a note."""
    jobs, slots = settings.jobs, settings.slots
    if trace is None or trace.kind == "openb-nodes" or settings.arrivals is not None:
        name = settings.arrivals or "google2011-fit"
        weights = pattern_of(name, PATTERNS)(slots, settings.slot_seconds, rng)
        return np.sort(rng.choice(slots, size=jobs, p=weights)), None, f"arrivals {name}"
    if trace.kind in _WITH_JOBS:
        start, held, slot = next(trace.windows("jobs", slots, settings.slot_seconds, jobs, rng))
        kept = np.sort(rng.choice(len(held), size=jobs, replace=False))
        note = f"arrivals: {jobs} of {len(held)} in slots {start}.. of the list"
        return slot[kept], held[kept], note
    frame = trace.table("arrivals", "jobs").frame.sort_values("submit_s")
    kept = some_of(frame, jobs, "arrivals", rng, trace.path)["submit_s"].to_numpy()
    span = max(3600.0, float(np.floor(frame["submit_s"].iat[-1])) + 1.0)
    note = f"arrivals: {jobs} of {len(frame)}, {span:g} s stretched to {slots} slots"
    return np.floor(kept / span * slots).astype(np.int64), None, note
