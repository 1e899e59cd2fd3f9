"""What the cells of the studies measure: total utility and lateness of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.study.cell import Result
from benchmarks.study.instances import drawn, instance_of
from benchmarks.study.run import run_policy
from benchmarks.study.scheme import policy_of
from benchmarks.utility.testbed import testbed
from models.utility import Job, UtilityInstance
from online.policy import Policy
from online.utility.oasis import OASiS
from online.utility.price_bounds import PriceBounds

__all__ = [
    "KINDS",
    "draw",
    "estimates",
    "history",
    "kind_of",
    "lateness",
    "point_of",
    "thresholds",
    "utility",
]

KINDS = ("time-insensitive", "time-sensitive", "time-critical")

Measurement = Callable[[], Result]

_POINT = ("jobs", "slots", "servers", "seed")
_PAST_SEED = 1_000_000  # far from every seed of the studies, so that the past is another draw


def draw(
    *, seed: int, jobs: int | None = None, slots: int = 0, servers: int = 0, **settings: Any
) -> UtilityInstance:
    """Draw with as many servers on either side; without a size, one experiment on the testbed.

    The size of the testbed is the paper's (:mod:`benchmarks.utility.testbed`).
    """
    if jobs is None:
        return testbed(seed)
    size: dict[str, Any] = {"jobs": jobs, "slots": slots, "servers": (servers, servers)}
    instance: UtilityInstance = instance_of(drawn("utility", **size, seed=seed, settings=settings))
    return instance


def point_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What every record says of where it was measured."""
    return {name: settings[name] for name in _POINT if name in settings}


def utility(*, scheme: Mapping[str, Any], **settings: Any) -> Measurement:
    """Prepare a run; its record has ``utility`` (total) and ``completed`` (number of jobs)."""
    instance, point = draw(**settings), {**point_of(settings), "policy": scheme["name"]}
    return lambda: Result([{**point, **_total(instance, policy_of("utility", scheme["policy"]))}])


def lateness(*, scheme: Mapping[str, Any], **settings: Any) -> Measurement:
    """Prepare a run; a record for every job says how late it completes.

    ``lateness`` is the delay (completion slot minus arrival) minus the target gamma_3, None
    for a job that does not complete, because it is rejected or still unfinished at T.
    ``lateness_at_t`` counts such a job as if it completed in slot T, right after the last: the
    least lateness it could still have.
    """
    instance, point = draw(**settings), {**point_of(settings), "policy": scheme["name"]}

    def measure() -> Result:
        score = run_policy(instance, policy_of("utility", scheme["policy"])).score
        records = []
        for job, completion in zip(instance.jobs, score.completion.tolist(), strict=True):
            done = completion >= 0
            delay = (completion if done else instance.cluster.slots) - job.arrival
            late = delay - job.utility.target
            told = {"job": job.id, "kind": kind_of(job), "target": job.utility.target}
            both = {"lateness": late if done else None, "lateness_at_t": late}
            records.append({**point, **told, "completed": done, **both})
        return Result(records)

    return measure


def estimates(*, scales: Sequence[float], **settings: Any) -> Measurement:
    """Prepare runs of OASiS whose U/L is the exact one times ``scale``."""
    instance, point = draw(**settings), point_of(settings)
    exact = PriceBounds.from_instance(instance)
    return lambda: Result(
        [{**point, "scale": s, **_total(instance, OASiS(exact.scaled(s)))} for s in scales]
    )


def history(*, pasts: Sequence[int], **settings: Any) -> Measurement:
    """Prepare runs of OASiS with U and L of the first ``past`` jobs of another instance."""
    instance, point = draw(**settings), point_of(settings)
    another = {**settings, "jobs": max(pasts), "seed": _PAST_SEED + settings["seed"]}
    past = draw(**another).jobs

    def measure() -> Result:
        exact = _total(instance, OASiS)["utility"]
        records = []
        for count in pasts:
            bounds = PriceBounds.from_history(instance.cluster, past[:count])
            found = {"past": count, **_total(instance, OASiS(bounds))}
            records.append({**point, **found, "log_u_over_l": bounds.alpha, "exact_utility": exact})
        return Result(records)

    return measure


def thresholds(*, values: Mapping[str, Sequence[float]], **settings: Any) -> Measurement:
    """Prepare runs with each of the values of parameters, which are named ``POLICY PARAMETER``."""
    instance, point = draw(**settings), point_of(settings)

    def measure() -> Result:
        oasis = _total(instance, OASiS)["utility"]
        records = []
        for parameter, chosen in values.items():
            policy, name = parameter.split()
            for value in chosen:
                found = _total(instance, policy_of("utility", policy), **{name: value})
                told = {"parameter": parameter, "value": value}
                records.append({**point, **told, **found, "oasis_utility": oasis})
        return Result(records)

    return measure


def kind_of(job: Job) -> str:
    """Class of a job by its decay factor gamma_2: 0, up to 1, or from 4 (Sec. V-A)."""
    decay = job.utility.decay
    return KINDS[0] if decay == 0 else KINDS[1] if decay <= 1 else KINDS[2]


def _total(
    instance: UtilityInstance, policy: type[Policy] | Policy, **parameters: Any
) -> dict[str, Any]:
    score = run_policy(instance, policy, **parameters).score
    return {"utility": score.objective, "completed": int((score.completion >= 0).sum())}
