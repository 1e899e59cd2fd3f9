"""The Python door: what a notebook needs, in seven functions; commands are thin on top of the same.

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
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.contract import experiments_of
from benchmarks.pairs import paired as paired
from benchmarks.study.cell import Cell, Effort, Outcome
from benchmarks.study.compute import compute
from benchmarks.study.engine import InProcess, Processes
from benchmarks.study.grid import Grid
from benchmarks.study.instances import Source, from_bytes, given
from benchmarks.study.offline import incumbent_file
from benchmarks.study.ratio import Joined, Ratio, check_ratios
from benchmarks.study.rows import Row, Timing
from benchmarks.study.run import Run, run_policy, schedule_file
from benchmarks.study.scheme import Isolation, Reading, Scheme, policy_of, schemes_of
from benchmarks.study.seeds import seeds_of
from benchmarks.study.store import Store
from benchmarks.study.study import Study, trial_on
from models.errors import InputError
from models.problem import problem as find_problem
from models.problem import read_instance
from online.isolated import DECISION_LIMIT
from online.policy import Policy
from solvers.contract import offline_solver
from solvers.result import SolveResult

PolicyLike = str | type[Policy] | Scheme
"""A registered name, ``module:Class``, ``file.py:Class``, a class, or a scheme."""

_TIME_LIMIT = 30.0  # seconds

read = read_instance


def draw(problem: str, *, seed: int = 0, reading: Reading | None = None, **settings: Any) -> Any:
    """Draw an instance of a problem's workload.

    Settings are ``jobs``, ``slots``, ``servers``, by default those of the default table, and what
    else the workload may be told (``load=1.0``, say); those of a reading come on top. InputError
    if one is unknown or bad.

    >>> draw("jct", jobs=5, slots=20, servers=3).name
    'google2011-fit-5x20-3-seed0'
    """
    _check_readings([reading] if reading else [])
    chosen = _point(problem, settings) | dict(reading.settings if reading else {})
    return experiments_of(problem).workload.draw(seed=seed, **chosen)[0]


def _point(problem: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    workload = experiments_of(problem).workload
    size = {name: getattr(workload.default, name) for name in ("jobs", "slots", "servers")}
    return workload.with_usual({**size, **settings})


def _check_readings(readings: Iterable[Any]) -> None:
    for one in readings:
        if not isinstance(one, Reading):
            example = "benchmarks.study.scheme.Reading('equal', settings={'priority': (1.0, 1.0)})"
            raise InputError(f"reading {one!r}: want e.g. {example}")


def solve(
    instance: Any, *, time_limit: float | None = _TIME_LIMIT, threads: int = 1
) -> SolveResult[Any]:
    """Solve an instance offline, in so many seconds: an optimum, or an interval around it."""
    effort = Effort(time_limit, threads)
    solver = offline_solver(instance.problem)
    return solver.solve(instance, time_limit=effort.seconds, threads=effort.threads)


def run(
    instance: Any,
    policy: str | type[Policy] | Policy,
    *,
    seed: int | None = None,
    isolate: bool | None = None,
    decision_limit: float = DECISION_LIMIT,
    **parameters: Any,
) -> Run:
    """Run one policy, or a named variant of one, on an instance, and score it.

    A class, which may be named, is built with the parameters; an object is run as it is. The seed
    is that of the policy's generator; by default the instance's own, or 0. ``isolate`` and
    ``decision_limit`` are those of :func:`evaluate`.
    """
    if isinstance(policy, str):
        (scheme,) = schemes_of(instance.problem, [policy], Isolation(isolate, decision_limit))
        chosen: Any = policy_of(instance.problem, scheme.policy)
        parameters = {**scheme.parameters, **parameters}
    elif isolate:
        raise InputError("only a policy that is named can be isolated, as file.py:Class, say")
    else:
        chosen = policy
    return run_policy(instance, chosen, seed, **parameters)


@dataclass(frozen=True)
class Evaluation:
    """What is known of one instance: a row for each policy; what failed says so in ``error``.

    Timings and schedules, these by name, are of the policies that did not fail. ``best`` is the
    best schedule known; None if none is.
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
    isolate: bool | None = None,
    decision_limit: float = DECISION_LIMIT,
) -> Evaluation:
    """Competitive ratios of policies on one instance, in this process.

    By default the policies are those of the problem's table; InputError if one is unknown, or two
    have the same name. The offline solver has so many seconds and threads; the interval is valid
    whatever it reaches. ``isolate`` says which policies run in processes of their own, all or
    none; by default those from outside the toolkit that are named as ``module:Class`` or
    ``file.py:Class``. These have ``decision_limit`` seconds for each answer (docs/policies.md).

    >>> found = evaluate(draw("utility", jobs=5, slots=6, servers=(3, 3)), ["oasis", "fifo"])
    >>> bool((found.frame["ratio_lower"] >= 1 - 1e-9).all())
    True
    """
    kind = find_problem(instance.problem)
    schemes = schemes_of(kind.name, policies, Isolation(isolate, decision_limit))
    source, data = given(instance)
    effort = Effort(time_limit, threads)
    ((_, outcomes, joined),) = measure([source], schemes, effort, {source["file"]: data})
    whose = ["", *(scheme.name for scheme in schemes)]  # the first is the solver
    names = [incumbent_file(kind.name), *[schedule_file(kind.name)] * len(schemes)]
    schedules: dict[str, Any] = {}
    for who, name, outcome in zip(whose, names, outcomes, strict=True):
        if outcome.result is not None and (content := outcome.result.files.get(name)):
            schedules[who] = from_bytes(lambda p: kind.read_schedule(p, instance), content, name)
    best = schedules.get(joined.best or "")
    schedules.pop("", None)
    return Evaluation(joined.rows, joined.timings, schedules, best)


def measure(
    sources: Sequence[Source],
    schemes: Sequence[Scheme],
    effort: Effort,
    data: Mapping[str, Mapping[str, bytes]],
    **how: Any,
) -> list[tuple[list[Cell], list[Outcome], Joined]]:
    """Run every scheme on every instance (:class:`Ratio` says what ``data`` is), and solve it.

    Store, engine and progress are those of :func:`benchmarks.study.compute.compute`. Returns of
    each instance the offline cell and a run cell for each scheme, how they ended, and the rows.
    """
    ratio = Ratio(effort, source=lambda trial, settings: settings, data=data)
    trials = [trial_on(source, schemes) for source in sources]
    parts = [ratio.cells(trial) for trial in trials]
    ended = iter(compute([cell for part in parts for cell in part], **how))
    found = []
    for trial, part in zip(trials, parts, strict=True):
        outcomes = [next(ended) for _ in part]
        ((_, joined),) = ratio.join(trial, outcomes)
        found.append((part, outcomes, joined))
    return found


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
    isolate: bool | None = None,
    decision_limit: float = DECISION_LIMIT,
    **settings: Any,
) -> pd.DataFrame:
    """Competitive ratios of policies on drawn instances: the rows that ``ratio`` prints.

    Parameters
    ----------
    seeds : int or sequence of int, optional
        How many, or which; by default as many as the default table has.
    policies, time_limit, threads, isolate, decision_limit, **settings
        As for :func:`evaluate` and :func:`draw`. A policy that is given as a class needs
        ``workers=1``, and its runs are not kept. If anything is bad, nothing is run (InputError).
    readings : sequence of Reading
        Of one choice; the first is the registered one.
    workers : int
        1: in this process; more: local processes.
    store : str or Path, optional
        Folder in which finished cells are kept and found again; the same as ``--out DIR/cells``.
    progress : bool
        Show on stderr how far it is.

    Returns
    -------
    DataFrame
        A row for each instance, reading and policy: :class:`benchmarks.study.rows.Row` and, if
        there are readings, ``reading``. :func:`benchmarks.table.summarise` makes the table of it,
        :func:`paired` compares two of the policies.

    >>> frame = compare("utility", seeds=2, policies=["oasis"], jobs=5, slots=6, servers=(3, 3))
    >>> frame[["seed", "policy"]].values.tolist()
    [[0, 'oasis'], [1, 'oasis']]
    """
    asked = experiments_of(problem).workload.default.seeds if seeds is None else seeds
    chosen_seeds = seeds_of(asked)
    _check_readings(readings)
    if workers < 1:
        raise InputError(f"workers is {workers}, but has to be at least 1")
    schemes = schemes_of(problem, policies, Isolation(isolate, decision_limit))
    if workers > 1 and not all(scheme.is_importable for scheme in schemes):
        raise InputError(
            "a policy given as a class runs with workers=1 alone: name it as file.py:Class"
        )
    study = Study(
        name=f"{problem}-compare",
        problem=problem,
        measure=Ratio(Effort(time_limit, threads)),
        grids={"default": Grid((_point(problem, settings),))},
        seeds={},
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
    return frame[["reading"] * bool(readings) + [item.name for item in fields(Row)]]
