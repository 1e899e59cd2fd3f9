"""The run cell: one policy on one instance, scored. It knows nothing of the offline side."""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

from benchmarks.contract import experiments_of
from benchmarks.study.cell import Cell, Result
from benchmarks.study.instances import Source, as_bytes, drawn, instance_of, show_size
from benchmarks.study.scheme import Scheme, policy_of, run_roots
from models.problem import problem
from models.scoring import Score
from online.isolated import Isolated
from online.parameters import knows_future
from online.policy import Policy
from online.registry import build_policy
from online.run import InfeasibleDecision, Trace
from online.run import run as run_online

_POLICY_STREAM = 0x504F4C
_WARM_UP = 10.0  # seconds for a policy on a small instance, at most, without compiling
_TICK = 0.1  # seconds between two looks whether they are over


@dataclass(frozen=True)
class Run:
    """What came of one policy on one instance."""

    policy: Policy
    trace: Trace
    score: Score

    def __str__(self) -> str:
        return f"{self.policy.name}: {self.trace}\n{self.score}"

    @property
    def said(self) -> str:
        """What the policy has written to stderr, if it ran in a process of its own."""
        return self.policy.said if isinstance(self.policy, Isolated) else ""


def run_policy(
    instance: Any, policy: type[Policy] | Policy, seed: int | None = None, **parameters: Any
) -> Run:
    """Run one policy and score it; InfeasibleDecision if the scorer finds a violation.

    A class is built for the instance, with the parameters; an object is run as it is. The seed is
    of the policy's generator (:func:`policy_rng`); by default the instance's own, or 0.
    """
    if isinstance(policy, type):
        policy = build_policy(policy, instance, **parameters)
    seed = seed if seed is not None else instance.seed or 0
    trace = run_online(instance, policy, policy_rng(seed))
    score = problem(instance.problem).score(instance, trace.schedule)
    if not score.feasible:
        raise InfeasibleDecision(
            f"policy '{policy.name}' on '{instance.name}': {count(score)} in its schedule"
        )
    return Run(policy, trace, score)


def policy_rng(seed: int) -> np.random.Generator:
    """Generator of a policy: ``default_rng([seed, 0x504F4C])``, a negative seed plus 2^64.

    The tag sets it apart from ``default_rng(seed)``, which drew the instance: with the same
    stream a policy would draw the jobs again, those of the future too.
    """
    return np.random.default_rng([seed % 2**64, _POLICY_STREAM])


def count(score: Score) -> str:
    """How many violations there are, and the first one."""
    many = len(score.violations)
    return f"{many} violation{'s' if many > 1 else ''}, first {score.violations[0]},"


def run_cell(
    source: Source,
    scheme: Scheme,
    *,
    data: Mapping[str, bytes] | None = None,
    function: str = "benchmarks.study.run:run",
) -> Cell:
    """The cell of one scheme on one instance (:mod:`benchmarks.study.instances`).

    A function other than :func:`run` is given the same.
    """
    told = {"policy": scheme.policy, "parameters": dict(scheme.parameters)}
    return Cell(
        function,
        {"instance": dict(source), **told},
        roots=run_roots(source["problem"], scheme.policy),
        data=data or {},
        kept=scheme.is_importable,
        label=f"{scheme.name} on {label_of(source)}",
    )


def label_of(source: Source) -> str:
    """An instance in a few words, for progress lines and errors."""
    if "file" in source:
        return f"{source['problem']} '{source['name']}'"
    told = [f"{name}={value}" for name, value in source["settings"].items()]
    return " ".join([source["problem"], show_size(source), *told, f"seed {source['seed']}"])


def run(
    *,
    instance: Source,
    policy: str,
    parameters: Mapping[str, Any],
    data: Mapping[str, bytes] | None = None,
) -> Callable[[], Result]:
    """Prepare a run: draw the instance, and compile what the policy needs on a small one.

    The value of its result is what :func:`about` says of the instance, ``jobs``, ``objective``,
    ``completed``, ``violations``, ``wider``, ``faster``, ``clairvoyant``, ``decisions``, and
    ``evidence`` for the guarantee (None if the policy has none). The schedule is a file
    (:func:`schedule_file`).
    """
    chosen = policy_of(instance["problem"], policy)
    warm_policy(instance["problem"], policy)
    known = instance_of(instance, data)
    return lambda: _result(known, run_policy(known, chosen, **parameters))


def _result(instance: Any, found: Run) -> Result:
    kind, policy = problem(instance.problem), type(found.policy)
    name = schedule_file(instance.problem)
    value = {
        **about(instance),
        "objective": found.score.objective,
        "completed": int((found.score.completion >= 0).sum()),
        "jobs": len(found.score.completion),
        "violations": len(found.score.violations),
        "wider": policy.wider or kind.is_wider(found.trace.schedule),
        "faster": kind.offline(instance) is not instance,
        "clairvoyant": knows_future(policy) and not found.policy.blind,
        "decisions": len(found.trace.decisions),
        "evidence": found.policy.evidence(instance, found.trace),
    }
    times = {"policy": float(found.trace.seconds[1:].sum())}  # the first is the reset
    files = {name: as_bytes(found.trace.schedule.write, name)}
    return Result(value, files, times=times, said=found.said)


def about(instance: Any) -> dict[str, Any]:
    """What every row says of an instance."""
    return {
        "instance": instance.name,
        "instance_hash": instance.hash,
        "instance_seed": instance.seed,
        "origin": instance.origin,
        "load": problem(instance.problem).load(instance),
    }


def schedule_file(problem_name: str) -> str:
    """Name of the file of a run's schedule."""
    return f"schedule{problem(problem_name).schedule_suffix}"


@functools.cache
def warm_policy(problem_name: str, policy: str) -> None:
    """Run a policy on a small instance, so that what it compiles is compiled.

    What goes wrong there is no fault of the run that is measured, which shows its own. One that
    takes long there, since it hangs perhaps, is not run to the end.
    """
    small = small_instance(problem_name)
    with suppress(Exception, SystemExit, _TooLong), _at_most(_WARM_UP):
        run_policy(small, policy_of(problem_name, policy))


class _TooLong(BaseException):
    """A policy that catches any Exception does not catch this."""


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise _TooLong after so many seconds, compiling aside; only a main thread can be told."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    left = seconds

    def tick(*which: object) -> None:
        nonlocal left
        left -= 0.0 if global_compiler_lock.is_locked() else _TICK
        if left <= 0.0:
            raise _TooLong

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def run_until_compiled(run: Callable[[], object]) -> None:
    """Run something again until nothing is compiled any more, before any time limit starts.

    Once is not enough for what has a time limit: in a fresh clone most of it goes by while the
    first kernels are compiled, and what then is left out would be compiled in the run that is
    measured: ``run`` does on a small instance what will be measured on another.
    """
    while True:
        with event.install_recorder("numba:compile") as compiled:
            run()
        if not compiled.buffer:
            return


@functools.cache
def small_instance(problem_name: str) -> Any:
    """The first instance of the workload's quick size."""
    size = experiments_of(problem_name).workload.quick
    return instance_of(
        drawn(problem_name, jobs=size.jobs, slots=size.slots, servers=size.servers, seed=0)
    )
