"""The default synthetic workload of ``utility`` (paper, Sec. V-A); needs no download."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.utility.draw import SIMULATION, draw_candidates
from benchmarks.utility.rejection import Kept, Rule, collect
from benchmarks.utility.report import WorkloadReport
from benchmarks.utility.servers import C4, P2_G3, RESOURCES, draw_servers
from benchmarks.workload.arrivals import PATTERNS
from models.errors import InputError
from models.rounding import ceil_tolerant
from models.utility import UtilityInstance
from models.utility.files import JobRecord, Sigmoid, UtilityFile

__all__ = [
    "MIX",
    "PRIORITY",
    "Settings",
    "build_instance",
    "draw_rule",
    "draw_utilities",
    "generate",
    "instance_name",
]

PRIORITY = (1.0, 100.0)
MIX = (0.10, 0.55, 0.35)  # time-insensitive, time-sensitive, time-critical
_DECAY = ((0.0, 0.0), (0.01, 1.0), (4.0, 6.0))
_TARGET = (1, 15)


@dataclass(frozen=True)
class Settings:
    """What all generators of the problem are told.

    Parameters
    ----------
    jobs, slots, worker_servers, ps_servers : int
        Size of the instance: I, T, H and K.
    seed : int or None
        Seed of the generator in use; kept in the instance file.
    max_duration : int or None
        Most slots a job may need at its fastest; None = ``min(20, ceil(0.6 T))``.
    priority : tuple of float
        Range of gamma_1.
    mix : tuple of float
        Shares of time-insensitive, time-sensitive and time-critical jobs, kept exactly up to
        rounding.
    slot_seconds : float
        Length of a slot.

    Raises
    ------
    InputError
        If a setting is out of its range.
    """

    jobs: int
    slots: int
    worker_servers: int
    ps_servers: int
    seed: int | None
    max_duration: int | None = None
    priority: tuple[float, float] = PRIORITY
    mix: tuple[float, float, float] = MIX
    slot_seconds: float = 3600.0

    def __post_init__(self) -> None:
        for name in ("jobs", "slots", "worker_servers", "ps_servers"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}, but has to be at least 1")
        if self.max_duration is not None and not 1 <= self.max_duration <= self.slots:
            raise InputError(f"max_duration {self.max_duration} is not in 1..{self.slots}")
        if not 0 <= self.priority[0] <= self.priority[1] < np.inf:
            raise InputError(f"priority {self.priority} is not a range of numbers >= 0")
        if len(self.mix) != 3 or min(self.mix) < 0 or abs(sum(self.mix) - 1) > 1e-9:
            raise InputError(f"mix {self.mix} is not three shares that add up to 1")
        if not 0 < self.slot_seconds < np.inf:
            raise InputError(f"slot_seconds {self.slot_seconds} is not a positive number")

    @property
    def longest(self) -> int:
        """``max_duration``, with its default filled in."""
        return self.max_duration or min(20, ceil_tolerant(0.6 * self.slots))

    def describe(self) -> str:
        """The settings that the rest of an instance file does not show."""
        low, high = self.priority
        mix = "/".join(f"{share:g}" for share in self.mix)
        return (
            f"P2/G3-like worker and C4-like parameter servers, max_duration {self.longest}, "
            f"priority [{low:g}, {high:g}], mix {mix}"
        )


def draw_rule(settings: Settings, rng: np.random.Generator) -> Rule:
    """Draw the servers; the paper's two families are swapped, since workers need the GPUs."""
    return Rule(
        worker_servers=draw_servers(rng, settings.worker_servers, P2_G3),
        ps_servers=draw_servers(rng, settings.ps_servers, C4),
        slots=settings.slots,
        max_duration=settings.longest,
    )


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
    settings: Settings, rule: Rule, kept: Kept, utilities: list[Sigmoid], name: str, origin: str
) -> UtilityInstance:
    """Put the parts together, jobs in order of arrival."""
    order = np.argsort(kept.jobs.arrival, kind="stable")
    jobs, n_max = kept.jobs.take(order), kept.n_max[order]
    requested = np.minimum(jobs.requested, n_max)
    training = {key: values.tolist() for key, values in jobs.training.items()}
    width = len(str(len(jobs) - 1))
    records = [
        JobRecord(
            id=f"job-{i:0{width}}",
            arrival=int(jobs.arrival[i]),
            chunks=int(jobs.chunks[i]),
            worker=jobs.worker[i].tolist(),
            ps=jobs.ps[i].tolist(),
            utility=utilities[i],
            requested_workers=int(requested[i]),
            **({key: values[i] for key, values in training.items()} or {"work": int(jobs.work[i])}),
        )
        for i in range(len(jobs))
    ]
    return UtilityInstance.from_file(
        UtilityFile(
            format="1",
            problem="utility",
            name=name,
            slots=settings.slots,
            slot_seconds=settings.slot_seconds,
            resources=list(RESOURCES),
            worker_servers=rule.worker_servers.tolist(),
            ps_servers=rule.ps_servers.tolist(),
            jobs=records,
            seed=settings.seed,
            origin=origin,
        )
    )


def instance_name(settings: Settings, source: str) -> str:
    """Name that tells instances apart in a table."""
    servers = f"{settings.worker_servers}+{settings.ps_servers}"
    return f"{source}-{settings.jobs}x{settings.slots}-{servers}-seed{settings.seed}"


def generate(
    settings: Settings, rng: np.random.Generator, *, arrivals: str = "google2011-fit"
) -> tuple[UtilityInstance, WorkloadReport]:
    """Draw an instance with the paper's simulation settings.

    Jobs are drawn, arrival included, until enough of them pass the rejection rule: the
    ranges make most jobs impossible (E M tau up to 2,000 slots). The rule thins the
    arrivals of the last slots, in which few jobs can still finish.

    Parameters
    ----------
    settings : Settings
    rng : Generator
        The only source of randomness.
    arrivals : str
        One of ``benchmarks.workload.arrivals.PATTERNS``.

    Returns
    -------
    UtilityInstance
        The same seed gives the same bytes.
    WorkloadReport

    Raises
    ------
    InputError
        If there is no such pattern, or hardly any job is possible.
    """
    if arrivals not in PATTERNS:
        raise InputError(f"unknown arrivals '{arrivals}': choose from {', '.join(PATTERNS)}")
    jobs, slots, slot_seconds = settings.jobs, settings.slots, settings.slot_seconds
    rule = draw_rule(settings, rng)
    weights = PATTERNS[arrivals](slots, slot_seconds, rng)
    kept = collect(
        lambda count: draw_candidates(
            rng, rng.choice(slots, size=count, p=weights), slot_seconds, SIMULATION
        ),
        rule,
        jobs,
    )
    utilities = draw_utilities(rng, jobs, settings.priority, settings.mix)
    origin = (
        f"synthetic: OASiS Sec. V-A settings, arrivals {arrivals}, {settings.describe()}; "
        f"kept {jobs} of {kept.draws} draws"
    )
    name = instance_name(settings, arrivals)
    instance = build_instance(settings, rule, kept, utilities, name, origin)
    return instance, WorkloadReport.build(kept, jobs, (f"arrivals: pattern {arrivals}",))
