"""Real traces as instances of ``utility``; each mapping is said in words and in code."""

from __future__ import annotations

import numpy as np

from benchmarks.traces import Trace
from benchmarks.utility.draw import FACTORS, Jobs, draw_jobs, take
from benchmarks.utility.rejection import Kept, Rule, collect
from benchmarks.utility.servers import RESOURCES
from benchmarks.utility.settings import Settings
from models.errors import InputError

__all__ = ["MAPPINGS", "take_from"]

_GPU = RESOURCES.index("gpu")


def _google(trace: Trace, settings: Settings, rule: Rule, rng: np.random.Generator) -> Kept:
    name, slot_seconds = trace.find("job_submit_events", "job_events"), settings.slot_seconds
    found = trace.windows(name, settings.slots, slot_seconds, settings.jobs, rng)
    start, rows, arrival = next(found)

    def draw(count: int) -> Jobs:
        source = rng.integers(len(rows), size=count)
        return {**draw_jobs(rng, arrival[source], slot_seconds), "source": source}

    note = f"arrivals: {settings.jobs} of {len(rows)} in slots {start}.. of {name}"
    return collect(draw, rule, settings.jobs, note)


def _listed(trace: Trace, settings: Settings, rule: Rule, rng: np.random.Generator) -> Kept:
    frame, count = trace.table("jobs").frame, settings.jobs
    slots = frame["gpu_seconds"].to_numpy() / settings.slot_seconds
    work = np.maximum(np.ceil(slots * (1 - 1e-12)), 1).astype(np.int64)
    fullest = 0
    found = trace.windows("jobs", settings.slots, settings.slot_seconds, count, rng)
    for tried, (start, rows, arrival) in enumerate(found, 1):
        drawn = draw_jobs(rng, arrival, settings.slot_seconds)
        drawn["worker"][:, _GPU] = 1.0
        jobs = {name: column for name, column in drawn.items() if name not in FACTORS}
        jobs |= {"chunks": frame["gpus"].to_numpy()[rows], "work": work[rows]}
        if "weight" in frame:
            jobs["weight"] = frame["weight"].to_numpy()[rows]
        reason, n_max = rule.judge(jobs)
        usable = np.flatnonzero(reason == 0)
        fullest = max(fullest, len(usable))
        if len(usable) >= count:
            note = f"rows: {count} of {len(usable)} usable in slots {start}.. of the trace "
            note += f"(window number {tried} of those tried)"
            thin = usable[np.sort(rng.choice(len(usable), size=count, replace=False))]
            return Kept.build(take({**jobs, "n_max": n_max}, thin), reason, note)
    told = f"no window of {settings.slots} slots holds {count} usable jobs"
    raise InputError(f"{trace.path}: {told}; the fullest holds {fullest}")


MAPPINGS = {
    "google": (
        "arrivals are those of a window of T whole slots chosen by the seed among the windows "
        "that hold at least `jobs` submits, thinned to `jobs` uniformly at random; everything "
        "else is drawn with the paper's Sec. V-A ranges (the trace knows no GPUs, chunks or "
        "utilities). A draw that breaks the rejection rule gives its arrival back, so late "
        "arrivals are thinned more: few jobs can still finish then."
    ),
    **dict.fromkeys(
        ("philly", "csv"),
        "jobs are the rows of a window of T whole slots: N = num_gpus, one GPU per worker, `work` "
        "= ceil(gpu_time / slot_seconds); arrival = slot of the submission; `weight` of a csv is "
        "gamma_1 of the utility. The other "
        "demands, `requested_workers` and the utility are drawn with the paper's Sec. V-A ranges. "
        "Rows that break the rejection rule are dropped and counted; windows that hold at least "
        "`jobs` rows are tried in an order chosen by the seed until one has `jobs` usable rows, "
        "which are thinned to `jobs` uniformly at random.",
    ),
}
"""Kinds of traces that are made into instances, and how, in words."""

_TAKE = {"google": _google, "philly": _listed, "csv": _listed}


def take_from(trace: Trace, settings: Settings, rule: Rule, rng: np.random.Generator) -> Kept:
    """Jobs of a trace, as ``MAPPINGS`` say."""
    return _TAKE[trace.kind](trace, settings, rule, rng)
