"""One instance from Python: its ratios and its schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.study.cell import Effort
from benchmarks.study.compute import compute
from benchmarks.study.instances import from_bytes, given
from benchmarks.study.join import join, timings_of
from benchmarks.study.offline import incumbent_file, offline_cell
from benchmarks.study.rows import Row, Timing
from benchmarks.study.run import run_cell, schedule_file
from benchmarks.study.scheme import Scheme, given_policy, schemes_of
from models.problem import problem
from online.policy import Policy

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """What is known of one instance.

    Parameters
    ----------
    rows : tuple of Row
        One for each policy; what failed says so in ``error``.
    timings : tuple of Timing
        Of the policies that did not fail.
    schedules : mapping of str to Schedule
        Of each of them, by its name.
    best : Schedule or None
        The best schedule known; None if none is.
    """

    rows: tuple[Row, ...]
    timings: tuple[Timing, ...]
    schedules: Mapping[str, Any]
    best: Any | None


def evaluate(
    instance: Any,
    policies: Sequence[str | type[Policy]],
    *,
    time_limit: float | None,
    threads: int = 1,
) -> Evaluation:
    """Competitive ratios of policies on one instance, in this process.

    Parameters
    ----------
    instance : Instance
    policies : sequence of str or Policy subclasses
        Registered names, ``module:Class``, ``file.py:Class``, or classes at hand.
    time_limit : float or None
        Seconds for the offline solver; the interval is valid whatever it reaches.
    threads : int
        Threads of the offline solver.

    Raises
    ------
    InputError
        If there is no such policy, or two have the same name.
    """
    kind = problem(instance.problem)
    references = [
        policy if isinstance(policy, str) else given_policy(policy) for policy in policies
    ]
    schemes: tuple[Scheme, ...] = schemes_of(kind.name, references)
    source, data = given(instance)
    cells = [
        offline_cell(source, Effort(time_limit, threads), data=data),
        *(run_cell(source, scheme, data=data) for scheme in schemes),
    ]
    offline, *runs = compute(cells)
    joined = join(kind.name, schemes, runs, offline, seed=instance.seed, name=instance.name)

    def schedule(content: bytes, name: str) -> Any:
        return from_bytes(lambda path: kind.read_schedule(path, instance), content, name)

    file = schedule_file(kind.name)
    schedules = {
        scheme.name: schedule(run.result.files[file], file)
        for scheme, run in zip(schemes, runs, strict=True)
        if run.result is not None
    }
    best = None if joined.best is None else schedules[joined.best]
    file = incumbent_file(kind.name)
    if best is None and offline.result is not None and file in offline.result.files:
        best = schedule(offline.result.files[file], file)
    return Evaluation(joined.rows, tuple(timings_of(joined, offline, runs)), schedules, best)
