"""What cells of ``jct`` measure: metrics of a run, use of the edge, A_online at three speeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.jct.tables import metrics, usage
from benchmarks.study.cell import Measurement, Result
from benchmarks.study.instances import Points, Source, instance_of
from benchmarks.study.run import Run, run_policy
from benchmarks.study.scheme import policy_of
from models.jct import JctInstance
from models.jct.flow import fractional_flow
from models.jct.load import load
from online.jct.a_online import AOnline
from online.jct.speed import augmented
from solvers.jct.pool import Pool
from solvers.jct.relaxation import paper_relaxation

__all__ = ["EPSILONS", "SHOWN", "run", "speeds", "utilisation"]

EPSILONS = ((0, 1), (1, 5), (1, 2))
"""Speed augmentation a/b of the paper: 0, 0.2, 0.5."""

SHOWN = 4
"""Utilisation is told for so many times the slots in which jobs arrive; it is low from then on."""

_SPANS = 40  # in which jobs arrive; as long ones follow

Record = dict[str, Any]

_TOLD = ("scale", "jobs", "servers", "slots", "arrivals", "seed", "reading")
_POINTS = Points("jct", _TOLD, ("scheme", "reading"))


def run(**cell: Any) -> Measurement:
    """One record: :func:`benchmarks.jct.tables.metrics` of a scheme's run."""
    return _of_run(cell, lambda instance, found: [metrics(instance, found)])


def utilisation(**cell: Any) -> Measurement:
    """One record per span: the mean share of workers that train, and the jobs that arrive.

    There are spans until nothing runs, in the cloud neither, or 4 times the slots in which jobs
    arrive are over. ``peak`` (of one slot of the run), ``busy`` (mean over the slots in which
    jobs arrive) and ``makespan`` are those of the whole run.
    """
    slots = cell["slots"]
    span = max(1, slots // _SPANS)

    def tell(instance: JctInstance, found: Run) -> list[Record]:
        told = metrics(instance, found)
        share = usage(instance, found.trace.schedule)["share"].to_numpy()
        arrivals = np.bincount([job.arrival for job in instance.jobs], minlength=slots)
        return [
            {
                "slot": start,
                "utilisation": float(share[start : start + span].mean()),
                "submissions": int(arrivals[start : start + span].sum()),
                "peak": told["peak_utilisation"],
                "busy": float(share[:slots].sum() / slots),
                "makespan": told["makespan"],
            }
            for start in range(0, min(len(share), SHOWN * slots), span)
        ]

    return _of_run(cell, tell)


def _of_run(cell: Record, tell: Callable[[JctInstance, Run], list[Record]]) -> Measurement:
    """Records of the run of a cell, each after what says which run it is."""
    scheme, instance = cell["scheme"], _POINTS.draw(**cell)
    head = {**_POINTS.head(instance, cell), "policy": scheme["name"]}

    def measure() -> Result:
        found = run_policy(instance, policy_of("jct", scheme["policy"]), **scheme["parameters"])
        return Result([{**head, **record} for record in tell(instance, found)])

    return measure


def speeds(*, instance: Source, parameters: Mapping[str, Any]) -> Measurement:
    """One record per speed: the run of A_online in refined slots, its times divided back.

    ``fractional`` is the objective of ILP (4) that the run attains, and ``paper_bound`` the
    optimum of its relaxation at the offline speed, pooled.
    """
    known: JctInstance = instance_of(instance)

    def measure() -> Result:
        program = paper_relaxation(Pool.of(known))
        assert program is not None  # no time limit
        records = []
        for a, b in EPSILONS:
            fine, faster, policy = a + b, augmented(known, a, b), AOnline(**parameters)
            found = run_policy(faster, policy)
            records.append(
                {
                    "epsilon": a / b,
                    "load": load(known),
                    "total_jct": found.score.objective / fine,
                    "fractional": fractional_flow(faster, found.trace.schedule) / fine,
                    "paper_bound": program.value,
                    "evidence": policy.evidence(faster, found.trace),
                    "dual_violation": policy.duals.largest_violation() / fine,
                    "other_violation": policy.duals.largest_violation(own=True) / fine,
                    "alpha_over_beta": policy.duals.lemma4_ratio,
                    "posterior_bound": policy.duals.posterior_bound(a / b) / fine,
                }
            )
        return Result(records)

    return measure
