"""The dual solution of (6) that A_online constructs, and what it is worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from models.jct.cluster import CLOUD, Cluster, Job
from online.jct.dispatch import Dispatch
from online.jct.kernels import least_slack

__all__ = ["DualRecord"]


class DualRecord:
    """The prices and weights of a run.

    ``alpha_jd`` is the price at which a chunk was sent; ``beta_sw(t)`` sums up the weights 1/D of
    the chunks that worker w has at t, each from its job's arrival until it is done. Every chunk
    in the cloud has a worker of its own, so there is always one with ``beta = 0``.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._jobs: dict[int, Job] = {}
        self._sent: dict[int, Dispatch] = {}
        self._done: dict[tuple[int, int], int] = {}

    def send(self, job: Job, sent: Dispatch) -> None:
        """A job's chunks are sent."""
        self._jobs[job.index] = job
        self._sent[job.index] = sent

    def finish(self, job: int, chunk: int, slot: int) -> None:
        """A chunk is done; ``slot`` is the one after its last."""
        self._done[job, chunk] = slot

    @property
    def sum_alpha(self) -> float:
        """``sum_jd alpha_jd``."""
        return float(sum(sum(sent.alphas) for sent in self._sent.values()))

    @property
    def sum_beta(self) -> float:
        """``sum_swt beta_sw(t)``, the cloud's workers included."""
        return self._sum_beta(cloud=True)

    @property
    def lemma4_ratio(self) -> float:
        """``sum alpha / sum beta``.

        Lemma 4 says 1. That is exact where upload delays depend on the server alone and all
        chunks are done by the horizon: then a chunk arrives at a worker after all that were sent
        there before. Otherwise chunks still under way may leave gaps that (5) does not see.
        """
        return self.sum_alpha / self.sum_beta if self._jobs else 1.0

    def largest_violation(self, *, own: bool = False) -> float:
        """Largest excess of ``alpha_jd`` over ``(t - r)/D + p beta_sw(t)``, (6a); at least 0.

        Over all eligible workers, the cloud's too, and slots from the upload on. The proof of
        Lemma 2 counts the new chunk's own 1/D on every worker, so this fails in most runs.

        Parameters
        ----------
        own : bool
            Over ``p/D`` more, the chunk's own weight (``p_c/D`` in the cloud): what is left has
            other causes, which docs/jct.md lists.
        """
        highest = np.array([max(self._sent[rank].alphas) for rank in self._jobs])
        jobs = self._jobs.values()
        more = [(j.chunk_slots, j.cloud_chunk_slots) if own else (0.0, 0.0) for j in jobs]
        return float((highest - self._allowed(more)).max(initial=0.0))

    def posterior_bound(self, epsilon: float = 0.0) -> float:
        """Lower bound on the offline optimum from this run's beta, by weak duality of (11).

        Keeps ``beta / (1 + epsilon)`` of the edge and resets every alpha to the largest value that
        the repaired (11a) allows: the least ``(t - r)/D + c/D + p beta_sw(t)``, with p at the
        online speed, over all eligible workers, idle ones of the cloud too, and all slots from
        the upload on. In the cloud, where an idle worker limits alpha anyway, beta is set to 0.

        ``c/D`` is paid by the primal, whose chunks cost ``c/D`` more each. At the offline
        ``(1 + epsilon) p`` a chunk that completes C slots after the release adds at most
        ``(C - ((1 + epsilon) p + 1)/2)/D`` to (4). So ``c = ((1 + epsilon) p + 1)/2`` leaves the
        primal below the optimum, and ``c = p``, the chunk's own weight, below
        ``max(1, 1/2 + 1/(1 + epsilon))`` times it. The better of the two bounds is returned
        (docs/jct.md). The unit is a slot of the run.

        Parameters
        ----------
        epsilon : float
            Speed augmentation of the run.
        """
        speed, jobs = 1.0 + epsilon, self._jobs.values()
        times = np.array([(job.chunk_slots, job.cloud_chunk_slots) for job in jobs], dtype=float)
        chunks = np.array([job.chunks for job in jobs])
        beta = self._sum_beta(cloud=False) / speed
        free, own = (
            float((chunks * self._allowed(more)).sum()) - beta
            for more in ((speed * times + 1.0) / 2.0, times)
        )
        return max(0.0, free, own / max(1.0, 0.5 + 1.0 / speed))

    def repaired_ratio(self, epsilon: float) -> float | None:
        """``sum beta`` over :meth:`posterior_bound`; None if that is 0.

        The total JCT is at most ``D_max sum beta`` (paper, Appendix D), so D_max times this is a
        competitive ratio of the run, whether (6a) and Lemma 4 hold or not. Where they do but for
        ``p/D`` in (6a), it is at most ``max(1, 1/2 + 1/(1 + epsilon)) (1 + 1/epsilon)``.
        """
        bound = self.posterior_bound(epsilon)
        return self.sum_beta / bound if bound > 0.0 else None

    def _sum_beta(self, *, cloud: bool) -> float:
        return float(
            sum(
                (self._end(rank, chunk) - job.arrival) / job.chunks
                for rank, job in self._jobs.items()
                for chunk, worker in enumerate(self._sent[rank].workers)
                if cloud or worker != CLOUD
            )
        )

    def _end(self, rank: int, chunk: int) -> int:
        return self._done.get((rank, chunk), self._cluster.slots)

    def _allowed(self, more: Sequence[tuple[float, float]] | np.ndarray) -> np.ndarray:
        """Least right-hand side of (6a), times ``p``, of each job; shape (jobs,).

        ``more``, over D, is added to that of edge workers and of the cloud's.
        """
        first, slots, beta = self._betas()
        least = np.full(len(self._jobs), np.inf)
        for place, (job, (edge, cloud)) in enumerate(zip(self._jobs.values(), more, strict=True)):
            workers = job.eligible(self._cluster)
            delay = job.upload_slots[self._cluster.worker_server[workers]]
            if len(workers):
                slack = least_slack(
                    workers, delay, job.arrival, job.chunks, job.chunk_slots, first, slots, beta
                )
                least[place] = slack + edge / job.chunks
            if job.cloud_upload_slots is not None:
                least[place] = min(least[place], (job.cloud_upload_slots + cloud) / job.chunks)
        return least

    def _betas(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``beta`` of every edge worker as steps: (first step of each, slots, beta from there)."""
        changes: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for rank, job in self._jobs.items():
            for chunk, worker in enumerate(self._sent[rank].workers):
                if worker != CLOUD:
                    changes[worker].append((job.arrival, 1.0 / job.chunks))
                    changes[worker].append((self._end(rank, chunk), -1.0 / job.chunks))
        workers = len(self._cluster.worker_server)
        first = np.zeros(workers + 1, dtype=np.int64)
        slots, beta = [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for worker in range(workers):
            steps = sorted(changes[worker])
            at = np.array([slot for slot, _ in steps], dtype=np.int64)
            level = np.cumsum([change for _, change in steps])
            last = np.append(at[1:] != at[:-1], True) if len(at) else np.empty(0, dtype=bool)
            slots.append(at[last])
            beta.append(np.maximum(level[last], 0.0))
            first[worker + 1] = first[worker] + int(last.sum())
        return first, np.concatenate(slots), np.concatenate(beta)
