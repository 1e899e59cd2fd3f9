"""Real traces as instances of ``utility``; each mapping is said in words and in code."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.traces import Trace
from benchmarks.traces.windows import windows
from benchmarks.utility.draw import SIMULATION, Candidates, draw_candidates
from benchmarks.utility.rejection import Kept, Rule, Taken, collect
from benchmarks.utility.servers import RESOURCES
from benchmarks.utility.settings import Settings
from models.errors import InputError

__all__ = ["MAPPINGS", "Mapping"]

_GPU = RESOURCES.index("gpu")


class Mapping(NamedTuple):
    """How a kind of trace becomes jobs: in words, and the function that does it."""

    text: str
    take: Callable[[Trace, Settings, Rule, np.random.Generator], Taken]


def _windows(
    seconds: np.ndarray, settings: Settings, rng: np.random.Generator, path: str
) -> tuple[np.ndarray, np.ndarray]:
    return windows(seconds, settings.slots, settings.slot_seconds, settings.jobs, rng, path)


def _google(trace: Trace, settings: Settings, rule: Rule, rng: np.random.Generator) -> Taken:
    table = trace.table("job_submit_events", "job_events")
    seconds = table.frame["submit_s"].to_numpy()
    slot, starts = _windows(seconds, settings, rng, trace.path)
    start = int(starts[0])
    rows = np.flatnonzero((slot >= start) & (slot < start + settings.slots))

    def draw(count: int) -> Candidates:
        chosen = rng.choice(rows, size=count)
        jobs = draw_candidates(rng, slot[chosen] - start, settings.slot_seconds, SIMULATION)
        return Candidates(**{**vars(jobs), "source": chosen})

    kept = collect(draw, rule, settings.jobs)
    note = f"arrivals: {settings.jobs} of {len(rows)} in slots {start}.. of {table.name}"
    return Taken(kept, settings.jobs, note)


def _philly(trace: Trace, settings: Settings, rule: Rule, rng: np.random.Generator) -> Taken:
    frame = trace.table("jobs").frame
    slot, starts = _windows(frame["submit_s"].to_numpy(), settings, rng, trace.path)
    gpus = frame["gpus"].to_numpy()
    hours = frame["gpu_seconds"].to_numpy() / settings.slot_seconds
    work = np.maximum(np.ceil(hours * (1 - 1e-12)), 1).astype(np.int64)
    fullest = 0
    for tried, start in enumerate(starts.tolist(), 1):
        rows = np.flatnonzero((slot >= start) & (slot < start + settings.slots))
        drawn = draw_candidates(rng, slot[rows] - start, settings.slot_seconds, SIMULATION)
        drawn.worker[:, _GPU] = 1.0
        given = {"chunks": gpus[rows], "work": work[rows], "training": {}, "source": rows}
        jobs = Candidates(**{**vars(drawn), **given})
        reason, n_max = rule.judge(jobs)
        usable = np.flatnonzero(reason == 0)
        fullest = max(fullest, len(usable))
        if len(usable) >= settings.jobs:
            kept = Kept.build(jobs.take(usable), n_max[usable], reason[reason > 0])
            thin = np.sort(rng.choice(len(usable), size=settings.jobs, replace=False))
            thinned = Kept(kept.jobs.take(thin), kept.n_max[thin], kept.draws, kept.rejected)
            note = (
                f"rows: {settings.jobs} of {len(usable)} usable in slots {start}.. of the trace "
                f"(window number {tried} of those tried)"
            )
            return Taken(thinned, len(usable), note)
    raise InputError(
        f"{trace.path}: no window of {settings.slots} slots holds {settings.jobs} usable jobs; "
        f"the fullest holds {fullest}"
    )


MAPPINGS = {
    "google": Mapping(
        "arrivals are those of a window of T whole slots chosen by the seed among the windows "
        "that hold at least `jobs` submits, thinned to `jobs` uniformly at random; everything "
        "else is drawn with the paper's Sec. V-A ranges (the trace knows no GPUs, chunks or "
        "utilities). A draw that breaks the rejection rule gives its arrival back, so late "
        "arrivals are thinned more: few jobs can still finish then.",
        _google,
    ),
    "philly": Mapping(
        "jobs are the rows of a window of T whole slots: N = num_gpus, one GPU per worker, "
        "`work` = ceil(gpu_time / slot_seconds); arrival = slot of the submission. The other "
        "demands, `requested_workers` and the utility are drawn with the paper's Sec. V-A ranges. "
        "Rows that break the rejection rule are dropped and counted; windows that hold at least "
        "`jobs` rows are tried in an order chosen by the seed until one has `jobs` usable rows, "
        "which are thinned to `jobs` uniformly at random.",
        _philly,
    ),
}
