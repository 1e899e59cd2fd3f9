"""Which drawn jobs are possible at all: the paper's ranges make most of them impossible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchmarks.utility.draw import Candidates
from benchmarks.utility.servers import RESOURCES
from models.errors import InputError

__all__ = ["REASONS", "Kept", "Rule", "Taken", "collect", "most_workers"]

_BANDWIDTH = RESOURCES.index("bandwidth_gbps")
_TOLERANCE = 1e-12

# A job counts under one reason, found in the order of Rule.judge.
REASONS = (
    "a worker's bandwidth exceeds a parameter server's, so (6) and (7) contradict",
    "takes longer than max_duration or the slots left, even with N workers",
    "no worker or no parameter server fits",
    "takes longer than max_duration or the slots left with the workers that fit",
    "stands for a row of the trace (testbed: a model) that is already taken",
    "transfers alone take longer than the job runs: tau would not be positive",
)
_B_OVER, _TOO_LONG_N, _NO_FIT, _TOO_LONG, _TAKEN, _NO_TIME = range(1, len(REASONS) + 1)

_MIN_BATCH, _MAX_BATCH = 2048, 65536
_MAX_DRAWS = 1 << 24


@dataclass(frozen=True, eq=False)
class Rule:
    """Keep a job if ``1 <= ceil(W / n_max) <= min(max_duration, T - a)`` and ``b <= B``.

    Parameters
    ----------
    worker_servers, ps_servers : ndarray, shape (H, R) and (K, R)
        Capacities.
    slots : int
        T.
    max_duration : int
        Most slots a job may need at its fastest on the empty cluster.
    """

    worker_servers: np.ndarray
    ps_servers: np.ndarray
    slots: int
    max_duration: int

    def judge(self, jobs: Candidates) -> tuple[np.ndarray, np.ndarray]:
        """Why each job is refused, and how many workers it can run.

        Returns
        -------
        reason : ndarray of int, shape (n,)
            0 = kept, else 1 + index into ``REASONS``.
        n_max : ndarray of int64, shape (n,)
            Computed only for jobs that no cheaper test has refused; else 0.
        """
        limit = np.minimum(self.max_duration, self.slots - jobs.arrival)
        reason = np.zeros(len(jobs), dtype=np.int64)
        n_max = np.zeros(len(jobs), dtype=np.int64)
        # The cheap tests first, since they refuse most; of two, the later line wins.
        reason[jobs.work > limit * jobs.chunks] = _TOO_LONG_N
        if "minibatch_slots" in jobs.training:
            reason[jobs.training["minibatch_slots"] <= 0] = _NO_TIME
        reason[jobs.worker[:, _BANDWIDTH] > jobs.ps[:, _BANDWIDTH]] = _B_OVER
        left = np.flatnonzero(reason == 0)
        n_max[left] = most_workers(jobs.take(left), self.worker_servers, self.ps_servers)
        reason[left[jobs.work[left] > limit[left] * n_max[left]]] = _TOO_LONG
        reason[left[n_max[left] == 0]] = _NO_FIT
        return reason, n_max


def most_workers(
    jobs: Candidates, worker_servers: np.ndarray, ps_servers: np.ndarray
) -> np.ndarray:
    """``n_max`` of many jobs at once: as ``Job.max_workers``, needs ``b <= B``.

    The largest ``n <= min(N, sum_h floors)`` whose ``ceil(n b / B)`` parameter servers fit.
    """
    places = _places(worker_servers, jobs.worker)
    ps_places = _places(ps_servers, jobs.ps)
    b, big_b = jobs.worker[:, _BANDWIDTH], jobs.ps[:, _BANDWIDTH]
    # One more than the quotient says, then back down by the tolerant rule itself.
    n = np.minimum(np.minimum(jobs.chunks, places), np.floor(ps_places * big_b / b) + 1)
    for _ in range(2):
        n -= np.ceil(n * b / big_b * (1 - _TOLERANCE)) > ps_places
    return np.maximum(n, 0).astype(np.int64)


def _places(servers: np.ndarray, demand: np.ndarray) -> np.ndarray:
    """Copies of each demand vector that fit on all servers together, shape (n,)."""
    least = np.full((len(demand), len(servers)), np.inf)
    for r in range(servers.shape[1]):
        with np.errstate(divide="ignore", invalid="ignore"):
            copies = np.floor(servers[:, r] / demand[:, r, None] * (1 + _TOLERANCE))
        np.minimum(least, np.where(demand[:, r, None] > 0, copies, np.inf), out=least)
    return least.sum(axis=1)


@dataclass(frozen=True, eq=False)
class Kept:
    """Jobs kept, and what it took.

    Parameters
    ----------
    jobs : Candidates
        The jobs kept.
    n_max : ndarray of int64, shape (n,)
    draws : int
        Jobs drawn until the last one was kept.
    rejected : dict of str to int
        Jobs refused among them, by reason.
    """

    jobs: Candidates
    n_max: np.ndarray
    draws: int
    rejected: dict[str, int]

    @classmethod
    def build(cls, jobs: Candidates, n_max: np.ndarray, rejected: np.ndarray) -> Kept:
        """Count reasons (codes 1..) into a Kept."""
        counts = np.bincount(rejected, minlength=len(REASONS) + 1)[1:]
        return cls(
            jobs,
            n_max,
            len(jobs) + int(counts.sum()),
            {why: int(n) for why, n in zip(REASONS, counts, strict=True) if n},
        )


class Taken(NamedTuple):
    """Jobs kept, and where they are from.

    ``accepted`` passed the rejection rule: more than are kept if a trace's window was thinned
    afterwards. ``note`` says where the arrivals come from.
    """

    kept: Kept
    accepted: int
    note: str


def collect(draw: Callable[[int], Candidates], rule: Rule, count: int) -> Kept:
    """Draw batches until ``count`` jobs are kept.

    Parameters
    ----------
    draw : callable
        Number of jobs -> Candidates.
    rule : Rule
    count : int

    Raises
    ------
    InputError
        If hardly any job is possible.
    """
    batches: list[tuple[Candidates, np.ndarray]] = []
    refused: list[np.ndarray] = []
    taken: set[int] = set()
    found = draws = 0
    size = _MIN_BATCH
    while found < count:
        if draws >= _MAX_DRAWS:
            raise InputError(
                f"only {found} of {count} jobs after {draws:,} draws: hardly any job can finish "
                f"within max_duration {rule.max_duration} and {rule.slots} slots on these servers"
            )
        jobs = draw(size)
        reason, n_max = rule.judge(jobs)
        chosen = []
        for row in np.flatnonzero(reason == 0).tolist():
            if jobs.source is not None and (source := int(jobs.source[row])) in taken:
                reason[row] = _TAKEN
                continue
            if jobs.source is not None:
                taken.add(source)
            chosen.append(row)
            found += 1
            if found == count:
                break
        rows = np.array(chosen, dtype=np.int64)
        used = len(jobs) if found < count else int(rows[-1]) + 1
        draws += used
        refused.append(reason[:used][reason[:used] > 0])
        batches.append((jobs.take(rows), n_max[rows]))
        size = int(np.clip((count - found) * draws / max(found, 1), _MIN_BATCH, _MAX_BATCH))
    jobs = _join([batch for batch, _ in batches])
    return Kept.build(jobs, np.concatenate([n for _, n in batches]), np.concatenate(refused))


def _join(parts: list[Candidates]) -> Candidates:
    def column(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])

    return Candidates(
        arrival=column("arrival"),
        chunks=column("chunks"),
        work=column("work"),
        requested=column("requested"),
        worker=column("worker"),
        ps=column("ps"),
        training={
            name: np.concatenate([part.training[name] for part in parts])
            for name in parts[0].training
        },
        source=None if parts[0].source is None else column("source"),
    )
