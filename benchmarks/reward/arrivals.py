"""Arrival patterns: stochastic ones, and sequences made to be hard to learn."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.reward.settings import Settings
from benchmarks.traces import Table
from benchmarks.workload.arrivals import pattern_of
from models.errors import InputError

__all__ = ["PATTERNS", "draw_arrivals", "take_arrivals"]

_Turn = Callable[[int, np.random.Generator], np.ndarray]
_WINDOW = 0.25  # share of the ports that are busy at a time in `drifting`
_STAY = 0.95  # probability that a port stays busy, or idle, for another slot in `bursty`


def _bernoulli(settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """Each of ``most_arrivals`` possible jobs arrives with probability rho, on its own.

    A shorter horizon with the same seed has the first slots of a longer one.
    """
    shape = (settings.slots, settings.ports, settings.most_arrivals)
    return (rng.random(shape) < settings.probability).sum(axis=2)


def _bursty(settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """Ports go on and off, 20 slots in the mean; a busy port has jobs as in `bernoulli`.

    A port is busy half of the time, so the rate is half of that of `bernoulli`.
    """
    uniform = rng.random((settings.slots, settings.ports, 1 + settings.most_arrivals))
    flips = uniform[..., 0] >= _STAY
    flips[0] = uniform[0, :, 0] >= 0.5
    busy = flips.cumsum(axis=0) % 2
    return (uniform[..., 1:] < settings.probability).sum(axis=2) * busy


def _halves(turn: _Turn, settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """In every slot the even ports, where it is turn 0, or the odd ones."""
    side = np.arange(settings.ports) % 2
    return (side[None, :] == turn(settings.slots, rng)[:, None]) * settings.most_arrivals


def _drifting(settings: Settings, rng: np.random.Generator) -> np.ndarray:
    """A quarter of the ports, next to each other, is busy at a time; it goes round once.

    A fixed decision serves all of them at once; a policy that follows the drift can beat it, and
    then has negative regret.
    """
    ports = settings.ports
    first = np.arange(settings.slots) * ports // settings.slots
    behind = (np.arange(ports)[None, :] - first[:, None]) % ports
    return (behind < max(1, round(_WINDOW * ports))) * settings.most_arrivals


PATTERNS: dict[str, Callable[[Settings, np.random.Generator], np.ndarray]] = {
    "bernoulli": _bernoulli,
    "bursty": _bursty,
    # Whatever is decided for one half of the ports is of no use in the next slot; the best fixed
    # decision shares every server between the halves.
    "alternating": partial(_halves, lambda slots, rng: np.arange(slots) % 2),
    # A switch every ceil(sqrt(T)) slots is long enough for a learner to lean to one half, just
    # when the other's turn comes.
    "switching": partial(
        _halves, lambda slots, rng: np.arange(slots) // math.ceil(math.sqrt(slots)) % 2
    ),
    # The classic lower bound: nothing can be learned from a fair coin, and the best fixed decision
    # in hindsight profits from the excess of one side, which is of the order of sqrt(T).
    "coin": partial(_halves, lambda slots, rng: rng.integers(0, 2, size=slots)),
    "drifting": _drifting,
}


def draw_arrivals(settings: Settings, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    """Arrivals ``x_l(t)`` by the pattern of the settings, int64, shape (T, L), and a note.

    Raises InputError if there is no such pattern.
    """
    name = settings.arrivals or "bernoulli"
    arrivals = pattern_of(name, PATTERNS)(settings, rng)
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
