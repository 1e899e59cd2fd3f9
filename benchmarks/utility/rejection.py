"""Which drawn jobs are possible at all: the paper's ranges make most of them impossible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.utility.draw import Jobs, take
from benchmarks.utility.servers import BANDWIDTH
from models.errors import InputError
from models.utility import Cluster

__all__ = ["REASONS", "Kept", "Rule", "collect", "most_workers"]

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

    ``max_duration`` are the most slots a job may need at its fastest on the empty cluster.
    """

    cluster: Cluster
    max_duration: int

    def slots_left(self, jobs: Jobs) -> np.ndarray:
        """Most slots that each job may take."""
        return np.minimum(self.max_duration, self.cluster.slots - jobs["arrival"])

    def judge(self, jobs: Jobs) -> tuple[np.ndarray, np.ndarray]:
        """Why each job is refused, and how many workers it can run.

        Returns
        -------
        reason : ndarray of int, shape (n,)
            0 = kept, else 1 + index into ``REASONS``.
        n_max : ndarray of int64, shape (n,)
            Computed only for jobs that no cheaper test has refused; else 0.
        """
        limit = self.slots_left(jobs)
        work, chunks = jobs["work"], jobs["chunks"]
        reason = np.zeros(len(work), dtype=np.int64)
        n_max = np.zeros(len(work), dtype=np.int64)
        # The cheap tests first, since they refuse most; of two, the later line wins.
        reason[work > limit * chunks] = _TOO_LONG_N
        if "minibatch_slots" in jobs:
            reason[jobs["minibatch_slots"] <= 0] = _NO_TIME
        reason[jobs["worker"][:, BANDWIDTH] > jobs["ps"][:, BANDWIDTH]] = _B_OVER
        left = np.flatnonzero(reason == 0)
        n_max[left] = most_workers(take(jobs, left), self.cluster)
        reason[left[work[left] > limit[left] * n_max[left]]] = _TOO_LONG
        reason[left[n_max[left] == 0]] = _NO_FIT
        return reason, n_max


def most_workers(jobs: Jobs, cluster: Cluster) -> np.ndarray:
    """``n_max`` of many jobs at once: as ``Job.max_workers``, needs ``b <= B``.

    The largest ``n <= min(N, sum_h floors)`` whose ``ceil(n b / B)`` parameter servers fit.
    """
    places = _places(cluster.worker_servers, jobs["worker"])
    ps_places = _places(cluster.ps_servers, jobs["ps"])
    b, big_b = jobs["worker"][:, BANDWIDTH], jobs["ps"][:, BANDWIDTH]
    # One more than the quotient says, then back down by the tolerant rule itself.
    n = np.minimum(np.minimum(jobs["chunks"], places), np.floor(ps_places * big_b / b) + 1)
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
    jobs : Jobs
        With ``n_max``.
    accepted : int
        Jobs that passed the rule: more than are kept if a trace's window was thinned afterwards.
    rejected : dict of str to int
        Jobs that did not, by reason.
    note : str
        Where the arrivals come from.
    """

    jobs: Jobs
    accepted: int
    rejected: dict[str, int]
    note: str

    @property
    def draws(self) -> int:
        """Jobs drawn, or rows of a trace looked at, until the last one was accepted."""
        return self.accepted + sum(self.rejected.values())

    @classmethod
    def build(cls, jobs: Jobs, reason: np.ndarray, note: str) -> Kept:
        """Count the reasons (0 = accepted) of all that were drawn."""
        accepted, *counts = np.bincount(reason, minlength=len(REASONS) + 1).tolist()
        rejected = {why: n for why, n in zip(REASONS, counts, strict=True) if n}
        return cls(jobs, accepted, rejected, note)


def collect(draw: Callable[[int], Jobs], rule: Rule, count: int, note: str = "") -> Kept:
    """Draw batches, of as many jobs as asked for, until ``count`` jobs are kept.

    Raises
    ------
    InputError
        If hardly any job is possible.
    """
    batches: list[Jobs] = []
    reasons: list[np.ndarray] = []
    taken: set[int] = set()
    found = draws = 0
    size = _MIN_BATCH
    while found < count:
        if draws >= _MAX_DRAWS:
            raise InputError(
                f"only {found} of {count} jobs after {draws:,} draws: hardly any job can finish "
                f"within max_duration {rule.max_duration} and {rule.cluster.slots} slots on these "
                "servers"
            )
        jobs = draw(size)
        reason, n_max = rule.judge(jobs)
        if "source" in jobs:
            for row in np.flatnonzero(reason == 0).tolist():
                source = int(jobs["source"][row])
                if source in taken:
                    reason[row] = _TAKEN
                taken.add(source)
        rows = np.flatnonzero(reason == 0)[: count - found]
        found += len(rows)
        # What is drawn beyond the last job does not count.
        reasons.append(reason if found < count else reason[: rows[-1] + 1])
        draws += len(reasons[-1])
        batches.append(take({**jobs, "n_max": n_max}, rows))
        size = int(np.clip((count - found) * draws / max(found, 1), _MIN_BATCH, _MAX_BATCH))
    kept = {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}
    return Kept.build(kept, np.concatenate(reasons), note)
