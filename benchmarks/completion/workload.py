"""The workloads of ``completion``: Sec. 7 of the paper, synthetic, or with parts of real traces.

What the paper leaves open, and what is chosen here:

- which demand is ideal: D workers of the fastest pair of types, spread, with the fewest parameter
  servers (:func:`models.completion.load.ideal_demand`);
- how servers "according to Amazon EC2" have a fraction of that demand: their shares of it are
  those of EC2's sizes (:mod:`benchmarks.completion.servers`);
- jobs that nobody could complete in time: they are drawn again, below;
- arrivals without a trace, and what becomes of run times, GPUs and speeds of one:
  :mod:`benchmarks.completion.traces`;
- all ranges: :class:`benchmarks.completion.settings.Settings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from benchmarks.completion.jobs import Jobs, draw_jobs, records, take
from benchmarks.completion.servers import RESOURCES, draw_types, shares, split
from benchmarks.completion.settings import Settings
from benchmarks.completion.traces import model_speeds
from benchmarks.traces import Trace
from benchmarks.workload.report import WorkloadReport
from benchmarks.workload.submissions import origin_of, source_of, submissions
from models.completion import Cluster, CompletionInstance, Job
from models.completion.files import CompletionFile
from models.completion.load import ideal_demand, load
from models.completion.rates import least_duration
from models.errors import InputError

__all__ = ["generate"]

_MODERATE = (0.9, 1.1)  # range of the load
_MOST_ROUNDS = 500  # of drawing again what does not fit
_PLENTY = 1e9  # of each resource


class _Drawing:
    """An instance in the making: types, servers' parts of the capacity, jobs in order of arrival.

    ``run`` draws until every job can complete.
    """

    def __init__(self, settings: Settings, rng: np.random.Generator, trace: Trace | None) -> None:
        # Each part has a stream of its own, so that a change in one leaves the others as they are.
        arrivals, self._jobs, self._types, self._shapes, level = rng.spawn(5)
        self._settings, self._trace = settings, trace
        self._submit, note = submissions(settings, arrivals, trace)
        self._speeds, told = model_speeds(trace)
        self._drawn_load = float(level.uniform(*_MODERATE))
        self._drawn_capacity = float(level.uniform(*settings.capacity))
        self._draw_cluster()
        self.notes = (note, self._note, *told)
        self.redrawn = 0

    def _draw_cluster(self) -> None:
        self.types = draw_types(self._settings, self._types)
        self._parts, self._note = shares(self._settings, self._shapes, self._trace)

    def run(self) -> None:
        """Draw jobs again that cannot complete in time, and types and servers if nothing fits.

        Raises
        ------
        InputError
            If that does not come to an end.
        """
        count = self._settings.jobs
        self.jobs = self._in_time(count)
        fault = self._hopeless(0)
        for _ in range(_MOST_ROUNDS):
            self.jobs = take(self.jobs, np.argsort(self.jobs["arrival"], kind="stable"))
            self._set_capacity()
            try:
                instance = self.instance()
            except InputError as error:
                told = f"{len(self._parts)} servers share what {count} jobs demand"
                fault = InputError(f"{error}: {told}; try fewer of them, more chunks, or less load")
                self._draw_cluster()
                continue
            limits = self._limit(self.jobs["arrival"]).tolist()
            pairs = zip(instance.jobs, limits, strict=True)
            kept = np.flatnonzero([_can_complete(job, instance.cluster, n) for job, n in pairs])
            if len(kept) == count:
                return
            fault = self._hopeless(len(kept))
            self.redrawn += count - len(kept)
            again = self._in_time(count - len(kept))
            self.jobs = _joined([take(self.jobs, kept), again])
        raise fault

    def _in_time(self, count: int) -> Jobs:
        """Jobs that D workers of the fastest type complete in time, if U and pi were 0."""
        found: list[Jobs] = []
        left = count
        for _ in range(_MOST_ROUNDS):
            jobs = draw_jobs(
                self._settings, self.types, self._submit(count), self._speeds, self._jobs
            )
            slots = jobs["epochs"] * jobs["minibatches"] * jobs["minibatch_slots"].min(axis=1)
            rows = np.flatnonzero(slots <= self._limit(jobs["arrival"]))[:left]
            left -= len(rows)
            # What is drawn beyond the last job does not count.
            self.redrawn += (count if left else int(rows[-1]) + 1) - len(rows)
            found.append(take(jobs, rows))
            if not left:
                return _joined(found)
        raise self._hopeless(count - left)

    def _limit(self, arrival: np.ndarray) -> np.ndarray:
        left = self._settings.slots - arrival
        return np.minimum(left, self._settings.max_duration or left)

    def _hopeless(self, found: int) -> InputError:
        settings = self._settings
        return InputError(
            f"only {found} of {settings.jobs} jobs: hardly any can complete within max_duration "
            f"{settings.max_duration} and {settings.slots} slots on {settings.servers} servers"
        )

    def _set_capacity(self) -> None:
        """Servers with the capacity that the settings ask for, for these jobs."""
        self.servers = np.full((1, len(RESOURCES)), _PLENTY)
        known = self.instance()
        demands = [ideal_demand(job, known.cluster)[0] for job in known.jobs]
        self.servers = np.sum(demands, axis=0, keepdims=True)
        if self._settings.load is None and self._settings.preset == "paper":
            self.capacity = self._drawn_capacity
        else:
            # The load falls as the capacity grows, in proportion.
            self.capacity = load(self.instance()) / (self._settings.load or self._drawn_load)
        self.servers = split(self.capacity * self.servers[0], self._parts)

    def instance(
        self, *, restricted: bool = False, name: str = "drawing", origin: str = ""
    ) -> CompletionInstance:
        """Of what is drawn; restricted to what two of the settings leave."""
        settings, workers = self._settings, self.types.workers
        if restricted and settings.only_type is not None:
            workers = workers[[settings.only_type]]
        return CompletionInstance.from_file(
            CompletionFile(
                format="1",
                problem="completion",
                name=name,
                slots=settings.slots,
                resources=list(RESOURCES),
                architecture="ps" if settings.architecture == "ps" else "allreduce",
                servers=self.servers.tolist(),
                worker_types=workers.tolist(),
                ps_types=[] if settings.architecture == "allreduce" else self.types.ps.tolist(),
                jobs=records(settings, self.jobs, restricted=restricted),
                slot_seconds=settings.slot_seconds,
                seed=settings.seed,
                origin=origin,
            )
        )


def _can_complete(job: Job, cluster: Cluster, limit: int) -> bool:
    """Whether the empty cluster has a place where the job takes no more slots."""
    pairs = np.array([*product((1, 0), range(len(cluster.worker_types)), cluster.ps_choices)])
    internal, m, p = (column[:, None] for column in pairs.T)
    workers = np.arange(1, job.chunks + 1)[None]
    duration = least_duration(job, m, p, workers, internal > 0)
    from solvers.completion.modes import placeable  # compiled code

    # Spread by all-reduce, one worker is none.
    in_time = (duration <= limit) & ((workers > 1) | (internal > 0) | (not cluster.allreduce))
    able = np.flatnonzero(in_time.any(axis=1))
    fewest = in_time[able].argmax(axis=1)
    rows = np.column_stack([pairs[able], fewest + 1, duration[able, fewest]])
    return len(rows) > 0 and len(placeable(job, cluster, rows)) > 0


def _joined(parts: Sequence[Jobs]) -> Jobs:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def generate(
    settings: Settings, rng: np.random.Generator, trace: Trace | None = None
) -> tuple[CompletionInstance, WorkloadReport]:
    """Draw an instance; what a trace has is taken from it, the rest is drawn.

    Jobs that cannot complete by T, or within ``max_duration``, alone on the cluster are drawn
    again, arrival included, which thins the last slots. The capacity follows the jobs, so this is
    repeated until none is left. ``only_type`` and ``most_workers`` then take away from an instance
    whose jobs and servers they do not change, so that its load may be another one, and its jobs
    may take longer.

    See also :class:`benchmarks.workload.contract.Workload`. Raises InputError if hardly any job is
    possible, no server has room for a worker, or the trace is of no use or too small.
    """
    drawing = _Drawing(settings, rng, trace)
    drawing.run()
    source = source_of(settings, trace)
    preset = f"load{settings.load:g}" if settings.load is not None else settings.preset
    size = f"{settings.jobs}x{settings.slots}-{settings.servers}"
    about = f"capacity {drawing.capacity:.3g} of the ideal demand, {settings.describe()}"
    instance = drawing.instance(
        restricted=True,
        name=f"{settings.architecture}-{source}-{size}-{preset}-seed{settings.seed}",
        origin=origin_of(trace, drawing.notes, "heterogeneous jobs Sec. 7", about),
    )
    return instance, _report(instance, drawing)


def _report(instance: CompletionInstance, drawing: _Drawing) -> WorkloadReport:
    cluster, jobs = instance.cluster, instance.jobs
    held, slots = zip(*(ideal_demand(job, cluster) for job in jobs), strict=True)
    ratio = np.array([job.weight for job in jobs]) / (np.sum(held, axis=1) * slots)
    fields: dict[str, Any] = {
        "arrival": [job.arrival for job in jobs],
        "weight w": [job.weight for job in jobs],
        "most workers D": [job.chunks for job in jobs],
        "mini-batches E D K": [job.work for job in jobs],
        "slots with D workers": slots,
        "w / sum of f with D workers": ratio,
        "requested workers": [job.requested_workers for job in jobs],
        **{f"server {name}": cluster.servers[:, r] for r, name in enumerate(RESOURCES)},
    }
    counts = (
        f"capacity {drawing.capacity:.3g} of the summed ideal demand",
        f"{drawing.redrawn} jobs drawn again that could not complete in time",
        f"{(ratio < 1.0).sum()} of {len(jobs)} jobs break 1 <= w / sum f (Sec. 5.1) with D workers",
    )
    told = {"notes": drawing.notes, "counts": counts, "accepted": len(jobs)}
    return WorkloadReport.of(instance, fields, **told, rejected=drawing.redrawn)
