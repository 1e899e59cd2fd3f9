"""What cells of ``completion`` measure: runs, batches, times, and examples worked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.completion.tables import metrics
from benchmarks.study.cell import Measurement, Result
from benchmarks.study.instances import Points
from benchmarks.study.run import Run, run_policy, warm_policy
from benchmarks.study.scheme import policy_of
from models.completion import CompletionInstance
from online.completion.a_online import AOnline
from online.completion.max_weight import MaxWeight, greedy_max_weight, least_bound

__all__ = ["batch", "bounds", "draw", "run", "seconds"]

Record = dict[str, Any]

_TOLD = ("jobs", "slots", "servers", "architecture", "only_type", "most_workers", "seed", "reading")
_POINTS = Points("completion", _TOLD, ("scheme", "reading", "deadline", "factors", "moves"))
draw, _head = _POINTS.draw, _POINTS.head


def run(**cell: Any) -> Measurement:
    """One record: :func:`benchmarks.completion.tables.metrics` of a scheme's run."""
    instance, scheme = draw(**cell), cell["scheme"]
    head = _head(instance, cell)

    def measure() -> Result:
        found = _run(instance, scheme["policy"], scheme["parameters"])
        return Result([{**head, **metrics(instance, found), "policy": scheme["name"]}])

    return measure


def seconds(**cell: Any) -> Measurement:
    """One record: ``seconds`` that the decisions of a run took, reset included."""
    instance, scheme = draw(**cell), cell["scheme"]
    warm_policy("completion", scheme["policy"])
    head = _head(instance, cell)

    def measure() -> Result:
        trace = _run(instance, scheme["policy"], scheme["parameters"]).trace
        return Result([{**head, "policy": scheme["name"], "seconds": float(trace.seconds.sum())}])

    return measure


def _run(instance: CompletionInstance, policy: str, parameters: Mapping[str, Any]) -> Run:
    return run_policy(instance, policy_of("completion", policy), **parameters)


def bounds(*, factors: Sequence[float], moves: str, **cell: Any) -> Measurement:
    """One record per factor that F is multiplied by: the run of A_online, Fig. 4.

    ``moves`` says how: ``"prices"``, F of the price function alone; ``"weights"``, the upper end of
    the range of the weights, and with it F.
    """

    def measure() -> Result:
        records = []
        for factor, instance, bound in _moved(factors, moves, cell):
            found = run_policy(instance, AOnline, price_bound=bound)
            records.append({**_head(instance, cell), "factor": factor, **metrics(instance, found)})
        return Result([{**record, "moves": moves} for record in records])

    return measure


def batch(
    *, deadline: int, factors: Sequence[float] = (1.0,), moves: str = "prices", **cell: Any
) -> Measurement:
    """Records of one batch, all jobs of an instance as if they had arrived: Fig. 8, 11, 12.

    ``weight`` is that of the jobs that are complete after ``deadline`` slots, ``share`` of the
    weight of all, and ``scheduled`` their number; by A_maxweight at each factor of F, as in
    :func:`bounds`, and by the greedy algorithm of Jain et al. at the factor 1.
    """

    def measure() -> Result:
        records = []
        for factor, instance, bound in _moved(factors, moves, cell):
            cluster, jobs = instance.cluster, instance.jobs
            schemes = {"a-maxweight": MaxWeight(cluster, bound).block(jobs, deadline).columns}
            if factor == 1.0:
                schemes["greedy"] = tuple(greedy_max_weight(jobs, cluster, deadline))
            whole = sum(job.weight for job in jobs)
            for name, columns in schemes.items():
                weight = sum(jobs[column.job].weight for column in columns)
                told = {"weight": weight, "share": weight / whole, "scheduled": len(columns)}
                head = {**_head(instance, cell), "moves": moves, "factor": factor}
                records.append({**head, "policy": name, **told})
        return Result(records)

    return measure


def _moved(
    factors: Sequence[float], moves: str, cell: Mapping[str, Any]
) -> list[tuple[float, CompletionInstance, float]]:
    """Factors with an instance and F each."""
    found = []
    for factor in factors:
        more: Record = {"weight": [200.0, 200.0 + 4800.0 * factor]} if moves == "weights" else {}
        instance = draw(**cell, **more)
        bound = least_bound(instance.jobs, instance.cluster)
        found.append((factor, instance, bound * factor if moves == "prices" else bound))
    return found
