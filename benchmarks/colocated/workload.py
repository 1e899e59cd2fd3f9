"""The workloads of ``colocated``: the paper's ranges, synthetic, or with parts of real traces.

Capacities, bandwidths, slots and arrivals are not in our notes of the paper, nor how jobs are kept
apart that nobody could complete: these are drawn again, arrival included. What is chosen stands in
:class:`benchmarks.colocated.settings.Settings` and :mod:`benchmarks.colocated.jobs`.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np

from benchmarks.colocated.jobs import (
    RESOURCES,
    Jobs,
    can_complete,
    draw_jobs,
    machines,
    records,
    worker_slots,
)
from benchmarks.colocated.settings import Settings
from benchmarks.traces import Trace
from benchmarks.workload.report import WorkloadReport
from benchmarks.workload.submissions import origin_of, source_of, submissions
from models.colocated import ColocatedInstance
from models.colocated.files import ColocatedFile
from models.errors import InputError
from models.resources import dominant_share

__all__ = ["generate"]

_MODERATE = (0.9, 1.1)  # range of the load
_MOST_ROUNDS = 500  # of drawing again


class _Drawing:
    """An instance in the making: machines, jobs in order of arrival, the factor of their samples.

    ``run`` draws until every job can complete.
    """

    def __init__(self, settings: Settings, rng: np.random.Generator, trace: Trace | None) -> None:
        # Each part has a stream of its own, so that a change in one leaves the others as they are.
        arrivals, self._jobs, shapes, level = rng.spawn(4)
        self._settings = settings
        self._submit, note = submissions(settings, arrivals, trace)
        self._judged_on, told = machines(settings, shapes, trace)
        self.servers = self._judged_on[: settings.servers]
        self._drawn_load = float(level.uniform(*_MODERATE))
        self.notes = (note, told)
        self.redrawn = 0

    def run(self) -> None:
        """Draw jobs again that cannot complete in time.

        The factor, which may be above 1, follows the jobs: this is repeated until none is left.

        Raises
        ------
        InputError
            If that does not come to an end.
        """
        count, kept = self._settings.jobs, 0
        jobs = self._more(count)
        for _ in range(_MOST_ROUNDS):
            order = np.argsort(jobs["arrival"], kind="stable")
            self.jobs = {name: column[order] for name, column in jobs.items()}
            self.factor = self._settings.base * self._level()
            judged = max(self._settings.base, self.factor)
            able = can_complete(self.jobs, self._judged_on, judged, self._settings)
            kept = int(able.sum())
            if kept == count:
                return
            self.redrawn += count - kept
            again = self._more(count - kept)
            jobs = {name: np.concatenate([c[able], again[name]]) for name, c in self.jobs.items()}
        raise InputError(
            f"only {kept} of {count} jobs: hardly any can complete within {self._settings.slots} "
            f"slots on {len(self._judged_on)} machines"
        )

    def _more(self, count: int) -> Jobs:
        return draw_jobs(self._settings, self._submit(count), self._jobs)

    def _level(self) -> float:
        """What the samples are multiplied by beyond the base."""
        settings = self._settings
        if settings.scale is not None:
            return settings.scale
        if settings.load is None and settings.preset == "paper":
            return 1.0
        # The load grows with the samples, in proportion but for rounding.
        return (settings.load or self._drawn_load) / (settings.base * self._load())

    def _load(self) -> float:
        """The load with the samples as drawn, jobs among them that no instance may have."""
        jobs, every = self.jobs, self.servers.sum(axis=0) * self._settings.slots
        need = jobs["worker"] + jobs["ps"] / jobs["gamma"][:, None]
        work = worker_slots(jobs, self._settings.slot_seconds)
        return float(sum(map(dominant_share, work[:, None] * need, repeat(every))))

    def instance(self, *, name: str = "drawing", origin: str = "") -> ColocatedInstance:
        """Of what is drawn."""
        return ColocatedInstance.from_file(
            ColocatedFile(
                format="1",
                problem="colocated",
                name=name,
                slots=self._settings.slots,
                slot_seconds=self._settings.slot_seconds,
                resources=list(RESOURCES),
                servers=self.servers.tolist(),
                jobs=records(self.jobs, self.servers, self.factor),
                seed=self._settings.seed,
                origin=origin,
            )
        )


def generate(
    settings: Settings, rng: np.random.Generator, trace: Trace | None = None
) -> tuple[ColocatedInstance, WorkloadReport]:
    """Draw an instance; what a trace has is taken from it, the rest is drawn.

    Jobs that cannot complete by T alone on the machines, before their samples are scaled to a load,
    are drawn again, arrival included, which thins the last slots, the more the larger the jobs. So
    instances of one seed differ in their load alone, unless they are scaled up: then jobs have to
    be able to complete with these samples.

    See also :class:`benchmarks.workload.contract.Workload`. Raises InputError if hardly any job is
    possible, or the trace is of no use or too small.
    """
    drawing = _Drawing(settings, rng, trace)
    drawing.run()
    preset = f"load{settings.load:g}" if settings.load is not None else settings.preset
    preset = preset if settings.scale is None else f"scale{settings.scale:g}"
    size = f"{settings.jobs}x{settings.slots}-{settings.servers}"
    about = f"{drawing.factor:.3g} of the samples, {settings.describe()}"
    instance = drawing.instance(
        name=f"{source_of(settings, trace)}-{size}-{preset}-seed{settings.seed}",
        origin=origin_of(trace, drawing.notes, "PD-ORS, numerical results", about),
    )
    return instance, _report(instance, drawing)


def _report(instance: ColocatedInstance, drawing: _Drawing) -> WorkloadReport:
    cluster, jobs = instance.cluster, instance.jobs
    fields: dict[str, Any] = {
        "arrival": [job.arrival for job in jobs],
        "samples E K": [job.samples for job in jobs],
        "external worker-slots": [job.work for job in jobs],
        "speedup on one machine": [job.speedup for job in jobs],
        "most workers F": [job.max_workers for job in jobs],
        "workers per server gamma": [job.gamma for job in jobs],
        "requested workers": [job.requested_workers for job in jobs],
        **{f"worker {name}": [job.worker[r] for job in jobs] for r, name in enumerate(RESOURCES)},
        **{f"server {name}": cluster.servers[:, r] for r, name in enumerate(RESOURCES)},
    }
    counts = (
        f"samples times {drawing.factor:.3g}",
        f"{drawing.redrawn} jobs drawn again that could not complete in time",
    )
    told = {"notes": drawing.notes, "counts": counts, "accepted": len(jobs)}
    return WorkloadReport.of(instance, fields, **told, rejected=drawing.redrawn)
