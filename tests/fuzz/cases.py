"""One case: a damaged file, or an instance at the edges of its ranges, and what comes of it.

Whatever goes wrong is raised: an exception that is not meant for bad input, a warning of the
toolkit's own code, or a :class:`Falsehood`.
"""

from __future__ import annotations

import functools
import json
import random
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from benchmarks.study.interval import Bound, Incumbent, offline_interval
from benchmarks.study.run import run_policy, small_instance
from models.errors import InputError
from models.problem import Problem, problem
from online.registry import find_policy, policy_names
from online.run import InfeasibleDecision
from solvers.certificate import Verdict, seal
from solvers.contract import offline_solver
from solvers.result import SolveResult
from tests.contract_cases import CERTIFIED, MAY_FAIL, PRICED, TINY
from tests.fuzz.damage import damaged, damaged_archive, tampered_tree
from tests.fuzz.edges import at_the_edges

__all__ = ["KINDS", "Falsehood", "accepted", "damaged_files", "examine"]

_INSTANCES = 4  # of a problem, to begin with,
_PROOFS = 20  # and certificates
_SECONDS = 2.0  # for an instance at the edges
_ROUND_OFF = 1e-9


class Falsehood(AssertionError):
    """Something accepted that is not so."""


@dataclass(frozen=True)
class _Files:
    """A tiny instance, what is proven of it, and files that belong to it."""

    instance: Any
    solved: SolveResult[Any]
    schedules: tuple[bytes, ...]


@dataclass(frozen=True)
class _Proof:
    """A small instance, the best objective known of it, and a certificate."""

    instance: Any
    best: float
    certificate: bytes


def damaged_files(names: Sequence[str]) -> list[tuple[str, str]]:
    """Problems and kinds of files that can be damaged; not all have trees."""
    pairs = product(names, [kind for kind in KINDS if kind != "edges"])
    return [(name, kind) for name, kind in pairs if kind != "trees" or name in PRICED]


def examine(name: str, kind: str, seed: int) -> bool:
    """Try one case of a problem; the same seed gives the same case.

    Returns whether the file was accepted, a tampered tree could be read, or an instance without any
    damage is at the edges.
    """
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.filterwarnings("error", module=r"(models|solvers|online|benchmarks)\b")
        return KINDS[kind](name, random.Random(seed), Path(folder))


@functools.cache
def _tiny(name: str, seed: int) -> Any:
    """A tiny instance; of a problem that brings none, its workload's quick one."""
    return TINY[name](np.random.default_rng(seed)) if name in TINY else small_instance(name)


@functools.cache
def _files(name: str, seed: int) -> _Files:
    kind, solver, instance = problem(name), offline_solver(name), _tiny(name, seed)
    solved = solver.solve(instance, time_limit=None)
    with tempfile.TemporaryDirectory() as folder:
        path = _schedule_path(kind, Path(folder))

        def written(schedule: Any) -> bytes:
            schedule.write(path)
            return path.read_bytes()

        runs = [run_policy(instance, find_policy(name, one)) for one in policy_names(name)[:2]]
        schedules = tuple(written(s) for s in (*(r.trace.schedule for r in runs), solved.schedule))
    return _Files(instance, solved, schedules)


@functools.cache
def _proof(name: str, seed: int) -> _Proof:
    """Of a problem with certificates: every other one with prices of no meaning."""
    solver, certified = offline_solver(name), CERTIFIED.get(name)
    instance = _tiny(name, seed) if certified is None else certified(seed)
    solved = solver.solve(instance, time_limit=None)
    prices = solved.duals
    if name in PRICED and seed % 2:
        prices = PRICED[name](instance, prices, np.random.default_rng(seed))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        solver.certify(instance, prices).write(path)
        return _Proof(instance, solved.objective, path.read_bytes())


def _schedule_path(kind: Problem, folder: Path) -> Path:
    return folder / f"bad{kind.schedule_suffix.removesuffix('.gz')}"


def accepted(read: Callable[..., Any], *arguments: Any) -> Any:
    """What is read, or None where it is refused as it should be."""
    try:
        return read(*arguments)
    except InputError as error:
        if "\n" in str(error) or "bad." not in str(error):
            raise Falsehood(f"refused, but not by file and in one line: {error}") from error
        return None


# ---- damaged files -------------------------------------------------------------------------------


def _damaged_instance(name: str, rng: random.Random, folder: Path) -> bool:
    kind, text = problem(name), msgspec.json.encode(_tiny(name, rng.randrange(_INSTANCES)).file)
    instance = accepted(kind.decode_instance, damaged(text, rng), "bad.json")
    if instance is None:
        return False
    _check_instance(kind, instance)
    return True


def _check_instance(kind: Problem, instance: Any) -> None:
    """What holds of every valid instance."""
    again = kind.decode_instance(msgspec.json.encode(instance.file), "bad.json")
    if again.hash != instance.hash:
        raise Falsehood("another instance after it was written and read")
    if not kind.load(instance) >= 0.0:
        raise Falsehood(f"load {kind.load(instance)}")


def _damaged_schedule(name: str, rng: random.Random, folder: Path) -> bool:
    kind, files = problem(name), _files(name, rng.randrange(_INSTANCES))
    path, before = _schedule_path(kind, folder), rng.choice(files.schedules)
    path.write_bytes((damaged_archive if kind.schedule_file is None else damaged)(before, rng))
    schedule = accepted(kind.read_schedule, path, files.instance)
    if schedule is None:
        return False
    _check_schedule(kind, files.instance, schedule, path, files.solved)
    return True


def _check_schedule(
    kind: Problem, instance: Any, schedule: Any, path: Path, solved: SolveResult[Any]
) -> None:
    """The same score after it was written; none that is feasible beats the bound."""
    score = kind.score(instance, schedule)
    if not np.isfinite(score.objective):
        raise Falsehood(f"objective {score.objective}")
    schedule.write(path)
    again = kind.score(instance, kind.read_schedule(path, instance))
    if (again.objective, len(again.violations)) != (score.objective, len(score.violations)):
        raise Falsehood(f"scored {score.objective} before it was written, {again.objective} after")
    if score.feasible and not kind.is_wider(schedule) and not getattr(schedule, "faster", False):
        _check_bound(kind, instance, score.objective, solved)


def _check_bound(kind: Problem, instance: Any, objective: float, solved: SolveResult[Any]) -> None:
    """Raises ContradictedBound if a feasible schedule is better than what is proven."""
    if solved.bound is not None:
        bound = Bound(solved.bound, solved.bound_source)
        nothing = kind.negligible(instance)
        offline_interval(kind.sense, [Incumbent(objective, None)], [bound], negligible=nothing)


def _damaged_certificate(name: str, rng: random.Random, folder: Path) -> bool:
    if not offline_solver(name).certifies:
        return False
    proof = _proof(name, rng.randrange(_PROOFS))
    verdict = _verdict(name, proof, damaged(proof.certificate, rng), folder)
    return verdict is not None and verdict.accepted


def _tampered_tree(name: str, rng: random.Random, folder: Path) -> bool:
    """Whether it could be read, so that a bound was recomputed from it."""
    proofs = [_proof(name, seed) for seed in range(_PROOFS)]
    proof = rng.choice([proof for proof in proofs if b'"tree"' in proof.certificate])
    return _verdict(name, proof, tampered_tree(proof.certificate, rng), folder) is not None


def _verdict(name: str, proof: _Proof, data: bytes, folder: Path) -> Verdict | None:
    """What the checker says of a file, sealed anew; None where it is refused."""
    kind, path = problem(name), folder / "bad.json"
    try:  # whoever forges a bound can seal it, too
        data = msgspec.json.encode(seal(msgspec.json.decode(data, type=kind.certificate_file)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    path.write_bytes(data)
    verdict: Verdict | None = accepted(offline_solver(name).check, path, proof.instance)
    if verdict is None:
        return None
    best, sign = proof.best, 1.0 if kind.sense == "max" else -1.0
    # Other prices prove another bound, but never a false one, whatever the file states.
    proven = [verdict.recomputed, verdict.stored][: 2 if verdict.accepted else 1]
    for bound in proven:
        if (best - bound) * sign > _ROUND_OFF * abs(best):
            raise Falsehood(f"the bound {bound} is taken for proven, but {best} can be had")
    return verdict


# ---- instances at the edges ----------------------------------------------------------------------


def _edges(name: str, rng: random.Random, folder: Path) -> bool:
    """Every policy and the offline solver, and a certificate if there are any."""
    kind, solver = problem(name), offline_solver(name)
    data = json.loads(msgspec.json.encode(_tiny(name, rng.randrange(_INSTANCES)).file))
    instance = at_the_edges(data, kind.instance_file, kind.decode_instance, rng)
    _check_instance(kind, instance)
    may_fail, runs = MAY_FAIL.get(name, lambda _: False)(instance), []
    for policy in policy_names(name):
        try:
            runs.append(run_policy(kind.offline(instance), find_policy(name, policy)))
        except InfeasibleDecision:
            if not may_fail:
                raise
    solved = solver.solve(instance, time_limit=_SECONDS)
    if solved.status in ("unbounded", "failed") or (solved.status == "infeasible" and not may_fail):
        raise Falsehood(f"{solved.status}: {solved.message}")
    schedules = [run.trace.schedule for run in runs]
    if solved.schedule is not None:
        schedules.append(solved.schedule)
        score = kind.score(instance, solved.schedule)
        if not score.feasible:
            raise Falsehood(f"the solver's schedule: {score.violations[0]}")
    for schedule in schedules:
        if not kind.is_wider(schedule):
            objective = kind.score(instance, schedule).objective
            _check_bound(kind, instance, objective, solved)
    if solver.certifies and solved.duals is not None:
        path = folder / "bad.json"
        solver.certify(instance, solved.duals).write(path)
        verdict = solver.check(path, instance)
        if not verdict.accepted:
            raise Falsehood(f"the certificate is {verdict}")
    return True


KINDS: dict[str, Callable[[str, random.Random, Path], bool]] = {
    "instances": _damaged_instance,
    "schedules": _damaged_schedule,
    "certificates": _damaged_certificate,
    "trees": _tampered_tree,
    "edges": _edges,
}
"""What is tried: damaged files of three kinds, tampered trees, and instances at the edges."""
