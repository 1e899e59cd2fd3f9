"""The default synthetic workload of ``utility`` (paper, Sec. V-A); needs no download."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from benchmarks.traces import Trace
from benchmarks.utility.draw import FACTORS, Jobs, draw_jobs, take
from benchmarks.utility.rejection import Kept, Rule, collect
from benchmarks.utility.scaling import scaled_to
from benchmarks.utility.servers import C4, P2_G3, RESOURCES, cluster_of, draw_servers
from benchmarks.utility.settings import Settings
from benchmarks.utility.traces import take_from
from benchmarks.workload.arrivals import ARRIVALS, PATTERNS
from benchmarks.workload.report import WorkloadReport
from benchmarks.workload.submissions import no_pattern
from models.sigmoid import Sigmoid
from models.utility import Cluster, UtilityInstance
from models.utility.files import JobRecord, UtilityFile

__all__ = ["UtilityReport", "build_instance", "draw_utilities", "generate"]

_DECAY = ((0.0, 0.0), (0.01, 1.0), (4.0, 6.0))
_TARGET = (1, 15)


def draw_utilities(
    rng: np.random.Generator,
    count: int,
    priority: tuple[float, float],
    mix: tuple[float, float, float],
) -> list[Sigmoid]:
    """Sigmoid utilities in random order, their classes in the given shares."""
    classes = rng.permutation(np.repeat(np.arange(3), _shares(count, mix)))
    gamma_1 = np.round(rng.uniform(*priority, size=count), 3)
    low, high = np.array(_DECAY)[classes].T
    gamma_2 = np.round(rng.uniform(low, high), 4)
    gamma_3 = rng.integers(*_TARGET, size=count, endpoint=True)
    rows = zip(gamma_1.tolist(), gamma_2.tolist(), gamma_3.tolist(), strict=True)
    return [Sigmoid(priority=g1, decay=g2, target=float(g3)) for g1, g2, g3 in rows]


def _shares(count: int, mix: tuple[float, float, float]) -> np.ndarray:
    """Whole numbers that add up to ``count``, by largest remainder; ties to the first."""
    exact = np.round(np.array(mix) * count, 9)
    whole = np.floor(exact).astype(np.int64)
    order = np.argsort(whole - exact, kind="stable")
    whole[order[: count - int(whole.sum())]] += 1
    return whole


def build_instance(
    settings: Settings,
    cluster: Cluster,
    kept: Kept,
    rng: np.random.Generator,
    name: str,
    origin: str,
) -> UtilityInstance:
    """Draw utilities and put the parts together, jobs in order of arrival."""
    utilities = draw_utilities(rng, settings.jobs, settings.priority, settings.mix)
    jobs = take(kept.jobs, np.argsort(kept.jobs["arrival"], kind="stable"))
    if "weight" in jobs:
        weighed = zip(utilities, jobs["weight"].tolist(), strict=True)
        utilities = [replace(utility, priority=weight) for utility, weight in weighed]
    given = [name for name in FACTORS if name in jobs] or ["work"]
    columns = {name: jobs[name].tolist() for name in ("arrival", "chunks", "worker", "ps", *given)}
    columns["requested_workers"] = np.minimum(jobs["requested"], jobs["n_max"]).tolist()
    width = len(str(len(utilities) - 1))
    records = [
        JobRecord(id=f"job-{i:0{width}}", utility=utility, **dict(zip(columns, row, strict=True)))
        for i, (utility, *row) in enumerate(zip(utilities, *columns.values(), strict=True))
    ]
    return UtilityInstance.from_file(
        UtilityFile(
            format="1",
            problem="utility",
            name=name,
            slots=cluster.slots,
            slot_seconds=cluster.slot_seconds,
            resources=list(RESOURCES),
            worker_servers=cluster.worker_servers.tolist(),
            ps_servers=cluster.ps_servers.tolist(),
            jobs=records,
            seed=settings.seed,
            origin=origin,
        )
    )


@dataclass(frozen=True, kw_only=True)
class UtilityReport(WorkloadReport):
    """What was drawn and kept, and the distribution of the instance's jobs."""

    kept: Kept


def _report(instance: UtilityInstance, kept: Kept) -> UtilityReport:
    jobs, accepted, draws = kept.jobs, kept.accepted, kept.draws
    fields = {name: jobs[name] for name in ("arrival", "work", "chunks")}
    fields["most workers n_max"] = jobs["n_max"]
    fields["shortest duration ceil(W/n_max)"] = -(-jobs["work"] // jobs["n_max"])
    fields |= {name: jobs[name] for name in FACTORS if name in jobs}
    for side in ("worker", "ps"):
        fields |= {f"{side} {name}": jobs[side][:, r] for r, name in enumerate(RESOURCES)}
    fields["requested_workers"] = np.minimum(jobs["requested"], jobs["n_max"])
    counts = (
        f"accepted {accepted:,} of {draws:,} draws ({100 * (accepted / draws):.3g} %)",
        *(f"rejected {count:,}: {why}" for why, count in kept.rejected.items()),
    )
    more = {"notes": (kept.note,), "counts": counts, "about": "accepted jobs", "kept": kept}
    return UtilityReport.of(instance, fields, accepted=accepted, rejected=draws - accepted, **more)


def generate(
    settings: Settings, rng: np.random.Generator, trace: Trace | None = None
) -> tuple[UtilityInstance, UtilityReport]:
    """Draw an instance with the paper's simulation settings.

    Without a trace, jobs are drawn, arrival included, until enough of them pass the rejection
    rule: the ranges make most jobs impossible (E M tau up to 2,000 slots). The rule thins the
    arrivals of the last slots, in which few jobs can still finish. Where a load is asked for, the
    work of the same jobs is then scaled to it; nothing else of them changes.

    ``MAPPINGS`` say what is taken from a trace. See also
    :class:`benchmarks.workload.contract.Workload`. Raises InputError if hardly any job is
    possible, the trace is too short or too empty, or these jobs cannot have the load asked for.
    """
    workers, ps = settings.servers
    # The paper's two families are swapped, since workers need the GPUs.
    drawn = draw_servers(rng, workers, P2_G3), draw_servers(rng, ps, C4)
    rule = Rule(cluster_of(settings.slots, settings.slot_seconds, *drawn), settings.longest)
    if trace is None:
        kept, source = _synthetic(settings, rule, rng), settings.arrivals or ARRIVALS
        origin = (
            f"synthetic: OASiS Sec. V-A settings, arrivals {source}, {settings.describe()}; "
            f"kept {settings.jobs} of {kept.draws} draws"
        )
    else:
        no_pattern(settings, trace)
        kept, source = take_from(trace, settings, rule, rng), trace.kind
        origin = f"trace {source}: {kept.note}; OASiS Sec. V-A settings, {settings.describe()}"
    load = ""
    if settings.load is not None:
        kept = scaled_to(settings.load, kept, rule)
        load = f"-load{settings.load:g}"
    name = f"{source}-{settings.jobs}x{settings.slots}-{workers}+{ps}{load}-seed{settings.seed}"
    instance = build_instance(settings, rule.cluster, kept, rng, name, origin)
    return instance, _report(instance, kept)


def _synthetic(settings: Settings, rule: Rule, rng: np.random.Generator) -> Kept:
    name, slots, seconds = settings.arrivals or ARRIVALS, settings.slots, settings.slot_seconds
    weights = PATTERNS[name](slots, seconds, rng)

    def draw(count: int) -> Jobs:
        return draw_jobs(rng, rng.choice(slots, size=count, p=weights), seconds)

    return collect(draw, rule, settings.jobs, f"arrivals: pattern {name}")
