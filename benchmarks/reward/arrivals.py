"""Arrivals at ports: by a pattern, or from the jobs of a trace."""

from __future__ import annotations

import numpy as np

from benchmarks.reward.settings import Settings
from benchmarks.traces import Table
from benchmarks.workload.arrivals import pattern_of
from benchmarks.workload.ports import PATTERNS
from models.errors import InputError

__all__ = ["draw_arrivals", "take_arrivals"]


def draw_arrivals(settings: Settings, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    """Arrivals ``x_l(t)`` by the pattern of the settings, int64, shape (T, L), and a note.

    Raises InputError if there is no such pattern.
    """
    name = settings.arrivals or "bernoulli"
    shape = (settings.slots, settings.ports, settings.most_arrivals)
    arrivals = pattern_of(name, PATTERNS)(shape, settings.probability, rng)
    return arrivals.astype(np.int64), f"arrivals {name}"


def take_arrivals(
    table: Table, settings: Settings, rng: np.random.Generator, path: str
) -> tuple[np.ndarray, str]:
    """Arrivals from the jobs of a trace, thinned by rho (Sec. 4: Bernoulli draws on top).

    Jobs sorted by size (core-seconds) are cut into ``|L|`` ports of equal numbers of jobs, so
    that a port is a class of alike jobs with its own rhythm; the more ports, the fewer jobs each
    has. The slots are ``trace_slot_seconds`` long; the first one is chosen by the seed, and a
    horizon that is longer than the trace goes on at its start. At most ``most_arrivals`` jobs of
    a port and slot are taken, each with probability rho.

    Returns what :func:`draw_arrivals` does. Raises InputError if there are fewer jobs than ports,
    or the trace is shorter than a slot.
    """
    frame = table.frame
    jobs, ports = len(frame), settings.ports
    if jobs < ports:
        raise InputError(f"{path}: {jobs} jobs, fewer than the {ports} ports asked for")
    seconds = frame["submit_s"].to_numpy()
    length = settings.trace_slot_seconds
    whole = int((np.floor(seconds.max()) + 1.0) / length)
    if whole < 1:
        raise InputError(f"{path}: spans less than one slot of {length:g} s")
    order = np.argsort(frame["core_seconds"].to_numpy(), kind="stable")
    slot = np.floor(seconds[order] / length).astype(np.int64)
    port = np.arange(jobs) * ports // jobs
    counts = np.zeros((whole, ports), dtype=np.int64)
    np.add.at(counts, (slot[slot < whole], port[slot < whole]), 1)
    start = int(rng.integers(whole))
    rows = (start + np.arange(settings.slots)) % whole
    found = np.minimum(counts[rows], settings.most_arrivals)
    note = f"arrivals: {jobs} jobs in {whole} slots of {length:g} s, from slot {start} on"
    return rng.binomial(found, settings.probability).astype(np.int64), note
