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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.contract import experiments_of
from benchmarks.study.cell import Effort, Outcome
from benchmarks.study.compute import compute
from benchmarks.study.engine import InProcess, Processes
from benchmarks.study.grid import Grid
from benchmarks.study.instances import given
from benchmarks.study.join import join
from benchmarks.study.offline import offline_cell
from benchmarks.study.ratio import Ratio, check_ratios
from benchmarks.study.run import Run, result_of, run_policy
from benchmarks.study.scheme import Reading, Scheme, given_policy, policy_of, schemes_of
from benchmarks.study.store import Store
from benchmarks.study.study import Study
from models.errors import InputError
from models.problem import read_instance
from online.policy import Policy
from online.registry import policy_names
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
    problem : str
    seed : int
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
    workload = experiments_of(problem).workload
    size = workload.default
    chosen = {"jobs": size.jobs, "slots": size.slots, "servers": size.servers, **settings}
    if reading is not None:
        chosen.update(reading.settings)
    return workload.draw(seed=seed, **chosen)[0]


def read(path: str | Path) -> Any:
    """Read an instance file of any problem; see :func:`models.problem.read_instance`."""
    return read_instance(path)


def solve(
    instance: Any, *, time_limit: float | None = _TIME_LIMIT, threads: int = 1
) -> SolveResult[Any]:
    """Solve an instance offline: an optimum, or an interval that contains it.

    Parameters
    ----------
    instance : Instance
    time_limit : float or None
        Seconds.
    threads : int
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
    instance : Instance
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
    """Policies on one instance.

    Parameters
    ----------
    frame : DataFrame
        A row for each policy, as ``python -m benchmarks.ratio`` writes them.
    runs : dict of str to Run
        By the name of the scheme.
    """

    frame: pd.DataFrame
    runs: Mapping[str, Run]

    def __str__(self) -> str:
        columns = ["policy", "objective", "offline_lower", "offline_upper", "ratio_upper"]
        return self.frame[columns].to_string(index=False)


def evaluate(
    instance: Any,
    policies: Iterable[PolicyLike] | None = None,
    *,
    time_limit: float | None = _TIME_LIMIT,
    threads: int = 1,
) -> Evaluation:
    """Run policies on an instance and compare them with its optimum.

    Parameters
    ----------
    instance : Instance
    policies : iterable, optional
        By default those of the problem's table.
    time_limit : float or None
        Seconds for the optimum; the interval is valid whatever is reached.
    threads : int

    Examples
    --------
    >>> found = evaluate(draw("utility", jobs=5, slots=6, servers=(3, 3)), ["oasis", "fifo"])
    >>> bool((found.frame["ratio_lower"] >= 1 - 1e-9).all())
    True
    """
    name = instance.problem
    schemes = _schemes(name, policies)
    runs = {}
    outcomes = []
    for scheme in schemes:
        found = run_policy(instance, policy_of(name, scheme.policy), **scheme.parameters)
        runs[scheme.name] = found
        outcomes.append(Outcome("done", result_of(instance, found)))
    source, data = given(instance)
    offline = offline_cell(source, Effort(time_limit, threads), data=data)
    (solved,) = compute([offline])
    if solved.result is None:
        raise InputError(f"optimum of '{instance.name}': {solved.message}")
    rows = join(name, schemes, outcomes, solved, seed=instance.seed).rows
    return Evaluation(pd.DataFrame(rows), runs)


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
    problem : str
    seeds : int or sequence of int, optional
        How many, or which; by default as many as the default table has.
    policies : iterable, optional
        By default those of the problem's table. A class that only this process has (one of a
        notebook) needs ``workers=1``, and its runs are not kept.
    readings : sequence of Reading
        Of one choice; the first is the registered one.
    time_limit : float or None
        Seconds for the optimum of an instance.
    threads : int
        Of the offline solver.
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
    workload = experiments_of(problem).workload
    size = workload.default
    chosen = {"jobs": size.jobs, "slots": size.slots, "servers": size.servers, **settings}
    asked = size.seeds if seeds is None else seeds
    chosen_seeds = list(range(asked) if isinstance(asked, int) else asked)
    if not chosen_seeds or min(chosen_seeds) < 0:
        raise InputError(f"seeds {asked!r}: want how many, or which, each at least 0")
    schemes = _schemes(problem, policies)
    if workers > 1 and not all(scheme.is_importable for scheme in schemes):
        raise InputError("a class that only this process has runs with workers=1 alone")
    study = Study(
        name=f"{problem}-compare",
        problem=problem,
        measure=Ratio(Effort(time_limit, threads)),
        grids={"default": Grid((chosen,))},
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
    if policies is None:
        policies = experiments_of(problem).workload.policies or policy_names(problem)
    schemes: list[Scheme] = []
    for policy in policies:
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
