"""The Python door: what a notebook needs, in six functions; commands are thin on top of the same.

>>> from benchmarks import draw, solve, run
>>> instance = draw("utility", jobs=5, slots=6, servers=(3, 3), seed=1)
>>> optimum = solve(instance)
>>> optimum.is_optimal
True
>>> found = run(instance, "oasis")
>>> found.score.objective <= optimum.bound
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.contract import experiments_of
from benchmarks.study.cell import Effort
from benchmarks.study.compute import compute
from benchmarks.study.engine import InProcess, Processes
from benchmarks.study.grid import Grid
from benchmarks.study.instances import from_bytes, given
from benchmarks.study.join import join
from benchmarks.study.offline import incumbent_file, offline_cell
from benchmarks.study.ratio import Ratio, check_ratios
from benchmarks.study.rows import Row, Timing
from benchmarks.study.run import Run, run_cell, run_policy, schedule_file
from benchmarks.study.scheme import (
    Reading,
    Scheme,
    default_policies,
    given_policy,
    policy_of,
    schemes_of,
)
from benchmarks.study.store import Store
from benchmarks.study.study import Study
from models.errors import InputError
from models.problem import problem as find_problem
from models.problem import read_instance
from online.policy import Policy
from solvers.contract import offline_solver
from solvers.result import SolveResult

__all__ = ["Evaluation", "compare", "draw", "evaluate", "read", "run", "solve"]

PolicyLike = str | type[Policy] | Scheme
"""A registered name, ``module:Class``, ``file.py:Class``, a class, or a scheme."""

_TIME_LIMIT = 30.0  # seconds


def draw(problem: str, *, seed: int = 0, reading: Reading | None = None, **settings: Any) -> Any:
    """Draw an instance of a problem's workload.

    Parameters
    ----------
    reading : Reading, optional
        Whose settings come on top.
    **settings
        ``jobs``, ``slots``, ``servers`` (numbers; those of the default table if they are not
        given), and what else the workload may be told (``load=1.0``, say).

    Raises
    ------
    InputError
        If there is no such problem or setting, or its value is bad.

    Examples
    --------
    >>> draw("jct", jobs=5, slots=20, servers=3).name
    'google2011-fit-5x20-3-seed0'
    """
    chosen = _point(problem, settings) | dict(reading.settings if reading else {})
    return experiments_of(problem).workload.draw(seed=seed, **chosen)[0]


def _point(problem: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    workload = experiments_of(problem).workload
    size = workload.default
    return workload.with_usual(
        {"jobs": size.jobs, "slots": size.slots, "servers": size.servers, **settings}
    )


def read(path: str | Path) -> Any:
    """Read an instance file of any problem; see :func:`models.problem.read_instance`."""
    return read_instance(path)


def solve(
    instance: Any, *, time_limit: float | None = _TIME_LIMIT, threads: int = 1
) -> SolveResult[Any]:
    """Solve an instance offline: an optimum, or an interval that contains it.

    The time limit is in seconds; without one it runs until it is done.
    """
    return offline_solver(instance.problem).solve(instance, time_limit=time_limit, threads=threads)


def run(
    instance: Any,
    policy: str | type[Policy] | Policy,
    *,
    seed: int | None = None,
    **parameters: Any,
) -> Run:
    """Run one policy on an instance, and score it.

    Parameters
    ----------
    policy : str, class or Policy
        An object is run as it is.
    seed : int, optional
        Of the policy's generator; by default the instance's own, or 0.
    **parameters
        The policy's own.

    Returns
    -------
    Run
        ``policy``, ``trace`` (with the schedule and a row for each decision) and ``score``.
    """
    chosen = policy_of(instance.problem, policy) if isinstance(policy, str) else policy
    return run_policy(instance, chosen, seed, **parameters)


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

    @property
    def frame(self) -> pd.DataFrame:
        """The rows, as ``python -m benchmarks.ratio`` writes them."""
        return pd.DataFrame([asdict(row) for row in self.rows])

    def __str__(self) -> str:
        columns = ["policy", "objective", "offline_lower", "offline_upper", "ratio_upper"]
        return str(self.frame[columns].to_string(index=False))


def evaluate(
    instance: Any,
    policies: Iterable[PolicyLike] | None = None,
    *,
    time_limit: float | None = _TIME_LIMIT,
    threads: int = 1,
) -> Evaluation:
    """Competitive ratios of policies on one instance, in this process.

    Parameters
    ----------
    policies : iterable, optional
        By default those of the problem's table.
    time_limit, threads
        Seconds and threads of the offline solver; the interval is valid whatever it reaches.

    Raises
    ------
    InputError
        If there is no such policy, or two have the same name.

    Examples
    --------
    >>> found = evaluate(draw("utility", jobs=5, slots=6, servers=(3, 3)), ["oasis", "fifo"])
    >>> bool((found.frame["ratio_lower"] >= 1 - 1e-9).all())
    True
    """
    kind = find_problem(instance.problem)
    schemes = _schemes(kind.name, policies)
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
    return Evaluation(joined.rows, joined.timings, schedules, best)


def compare(
    problem: str,
    *,
    seeds: int | Sequence[int] | None = None,
    policies: Iterable[PolicyLike] | None = None,
    readings: Sequence[Reading] = (),
    time_limit: float | None = _TIME_LIMIT,
    threads: int = 1,
    workers: int = 1,
    store: str | Path | None = None,
    progress: bool = False,
    **settings: Any,
) -> pd.DataFrame:
    """Competitive ratios of policies on drawn instances: the frame that ``ratio`` prints.

    Parameters
    ----------
    seeds : int or sequence of int, optional
        How many, or which; by default as many as the default table has.
    policies : iterable, optional
        By default those of the problem's table. One that is given as a class needs
        ``workers=1``, and its runs are not kept.
    readings : sequence of Reading
        Of one choice; the first is the registered one.
    time_limit, threads
        Seconds and threads of the offline solver, for the optimum of an instance.
    workers : int
        1: in this process; more: local processes.
    store : str or Path, optional
        Folder in which finished cells are kept and found again; the same as ``--out DIR/cells``.
    progress : bool
        Show on stderr how far it is.
    **settings
        As for :func:`draw`.

    Returns
    -------
    DataFrame
        A row for each instance, reading and policy (:class:`benchmarks.study.rows.Row`);
        :func:`benchmarks.table.summarise` makes the table of it.

    Raises
    ------
    InputError
        If a seed, a setting, a policy or a parameter of it is bad; then nothing has been run.

    Examples
    --------
    >>> frame = compare("utility", seeds=2, policies=["oasis"], jobs=5, slots=6, servers=(3, 3))
    >>> frame[["seed", "policy"]].values.tolist()
    [[0, 'oasis'], [1, 'oasis']]
    """
    asked = experiments_of(problem).workload.default.seeds if seeds is None else seeds
    chosen_seeds = list(range(asked) if isinstance(asked, int) else asked)
    if not chosen_seeds or min(chosen_seeds) < 0:
        raise InputError(f"seeds {asked!r}: want how many, or which, each at least 0")
    schemes = _schemes(problem, policies)
    if workers > 1 and not all(scheme.is_importable for scheme in schemes):
        raise InputError(
            "a policy given as a class runs with workers=1 alone: name it as file.py:Class"
        )
    study = Study(
        name=f"{problem}-compare",
        problem=problem,
        measure=Ratio(Effort(time_limit, threads)),
        grids={"default": Grid((_point(problem, settings),))},
        seeds={"default": 0},
        schemes=schemes,
        readings=tuple(readings),
    )
    check_ratios(study, "default", chosen_seeds[0])
    frame = study.frame(
        seeds=chosen_seeds,
        store=None if store is None else Store(store),
        engine=InProcess() if workers == 1 else Processes(workers),
        progress=progress,
    )
    return frame.drop(columns=[name for name in frame if str(name).startswith("asked_")])


def _schemes(problem: str, policies: Iterable[PolicyLike] | None) -> tuple[Scheme, ...]:
    schemes: list[Scheme] = []
    for policy in default_policies(problem) if policies is None else policies:
        if isinstance(policy, Scheme):
            schemes.append(policy)
        elif isinstance(policy, str):
            schemes += schemes_of(problem, [policy])
        else:
            reference = given_policy(policy)
            schemes.append(Scheme(policy.name, reference))
    names = [scheme.name for scheme in schemes]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two policies are named '{name}'")
    return tuple(schemes)
