"""The problems: the toolkit's own by their sub-packages, others by their entry points."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Protocol, TypeVar

import msgspec

import models
from models.entry_points import OutsideProblem, outside_problems
from models.errors import InputError
from models.files import peek, read_bytes
from models.scoring import Score

__all__ = [
    "Instance",
    "Problem",
    "Schedule",
    "all_offered",
    "has_sub_package",
    "offered",
    "own_problem_names",
    "problem",
    "problem_names",
    "problem_of_file",
    "read_instance",
    "sub_package",
]


OfferT = TypeVar("OfferT")


class Instance(Protocol):
    """What every instance offers, whatever its problem."""

    @property
    def problem(self) -> str:
        """Name of the problem."""

    @property
    def name(self) -> str:
        """Name of the instance."""

    @property
    def seed(self) -> int | None:
        """Seed it was drawn with, if any."""

    @property
    def origin(self) -> str:
        """Where it comes from, free text."""

    @property
    def hash(self) -> str:
        """Hash (sha256) of the canonical instance."""

    def write(self, path: str | Path) -> None:
        """Write the instance file."""


class Schedule(Protocol):
    """What every schedule offers, whatever its problem."""

    def write(self, path: str | Path) -> None:
        """Write the schedule file."""


@dataclass(frozen=True)
class Problem:
    """One problem: its nouns and its scorer.

    Parameters
    ----------
    name : str
        The same in every layer, on the command line and in files.
    sense : {"max", "min"}
        Direction of the objective.
    title : str
        One line for people.
    paper : str
        Reference of the paper that poses it.
    instance_file, schedule_file : type
        The ``msgspec.Struct`` of their files; None for schedules that are not JSON.
    decode_instance : callable
        ``(bytes, source) -> Instance``; raises InputError.
    read_schedule : callable
        ``(path, instance) -> Schedule``; raises InputError.
    score : callable
        ``(instance, schedule) -> Score``; the only scorer.
    load : callable
        ``(instance) -> float``: the sum over its jobs of their dominant share, the largest over
        resources of what a job needs to complete over what all servers have in all slots; for
        jobs without a fixed need, a definition of the problem's own. At 1 there is about as much
        to do as can be done. The definition is in the callable's docstring.
    load_means : str
        The same in a line for people, if it is a definition of the problem's own.
    certificate_file : type, optional
        The ``msgspec.Struct`` of its certificates (``solvers.<problem>.certificate``), if there
        are any.
    schedule_suffix : str
        How names of schedule files end.
    wider : str
        What some schedules may do beyond the problem's own model, e.g. "migration": the scorer
        accepts them, but they are no incumbents of its exact models, and only bounds by prices
        hold for them, if these do (``OFFLINE.wider``). It is the name of the attribute that
        says so of a schedule; empty if there are none.
    offline : callable
        ``(instance) -> instance`` on which policies run at the speed of the offline side: itself,
        unless they are faster on it (speed augmentation). Faster schedules are no incumbents.
    negligible : callable
        ``(instance) -> float``: objectives and bounds up to this size count as 0, because the
        scorer's tolerances may be worth as much. It scales with the objective; by default 0.
    """

    name: str
    sense: Literal["max", "min"]
    title: str
    paper: str
    instance_file: type[msgspec.Struct]
    schedule_file: type[msgspec.Struct] | None
    decode_instance: Callable[[bytes, str], Any]
    read_schedule: Callable[[str | Path, Any], Any]
    score: Callable[[Any, Any], Score]
    load: Callable[[Any], float]
    certificate_file: type[msgspec.Struct] | None = None
    schedule_suffix: str = ".json.gz"
    wider: str = ""
    load_means: str = (
        "sum over the jobs of the largest share that each needs of a resource of all servers in "
        "all slots; at 1 there is about as much to do as can be done"
    )
    offline: Callable[[Any], Any] = lambda instance: instance
    negligible: Callable[[Any], float] = lambda instance: 0.0

    def is_wider(self, schedule: Any) -> bool:
        """Whether a schedule is one of those that may do more."""
        return bool(self.wider) and bool(getattr(schedule, self.wider))


@functools.cache
def own_problem_names() -> tuple[str, ...]:
    """Names of the toolkit's own problems, sorted; the folder is read once."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(models.__path__) if m.ispkg))


def problem_names(layer: str = "", module: str = "") -> tuple[str, ...]:
    """Names of all problems, those of other packages (:mod:`models.entry_points`) too, sorted.

    With a layer, those of which it has something (:func:`has_sub_package`).
    """
    names = sorted({*own_problem_names(), *outside_problems()})
    return tuple(name for name in names if not layer or has_sub_package(layer, name, module))


def problem(name: str) -> Problem:
    """Look a problem up by its name.

    Raises
    ------
    InputError
        If there is no such problem.
    """
    found = offered("models", name, "PROBLEM", Problem)
    if found.name != name:
        raise InputError(f"{_label(name)}: its `PROBLEM` is named '{found.name}'")
    return found


def has_sub_package(layer: str, name: str, module: str = "") -> bool:
    """Whether :func:`sub_package` would find it; problems are built layer by layer.

    What another package has is imported to see whether it can be.
    """
    if name in outside_problems():
        try:
            sub_package(layer, name, module)
        except InputError:
            return False
        return True
    return name in own_problem_names() and _is_there(*_dotted(layer, name, module))


def sub_package(layer: str, name: str, module: str = "") -> ModuleType:
    """Import what a layer has of a problem.

    Parameters
    ----------
    layer : str
        ``"models"``, ``"solvers"``, ``"online"`` or ``"benchmarks"``.
    name : str
        Of the problem.
    module : str
        A module of that sub-package instead of the sub-package itself.

    Raises
    ------
    InputError
        If there is no such problem, the layer has nothing of it yet, or it is of another package
        and cannot be imported.
    """
    if name not in problem_names():
        known = ", ".join(problem_names(layer, module))
        raise InputError(f"unknown problem '{name}': choose from {known}")
    package, target = _dotted(layer, name, module)
    outside = outside_problems().get(name)
    if outside is None:
        found = importlib.import_module(target) if _is_there(package, target) else None
    else:
        found = _import_outside(outside, package, target)
    if found is None:
        raise InputError(f"{_label(name)} has no {module or layer} part yet ({target})")
    return found


def _dotted(layer: str, name: str, module: str) -> tuple[str, str]:
    """Dotted names of a layer's sub-package of a problem, and of a module of it."""
    outside = outside_problems().get(name)
    package = f"{layer}.{name}" if outside is None else f"{outside.package}.{layer}"
    return package, f"{package}.{module}" if module else package


def _label(name: str) -> str:
    """A problem for messages, with the distribution that it comes from."""
    outside = outside_problems().get(name)
    return f"problem '{name}'" if outside is None else outside.label


def _is_there(*targets: str) -> bool:
    """Whether there are such modules, outer ones first; imports the packages they are in."""
    return all(importlib.util.find_spec(target) is not None for target in targets)


def _import_outside(outside: OutsideProblem, package: str, target: str) -> ModuleType | None:
    """Import a module of another package; None if there is none.

    Raises
    ------
    InputError
        If the problem cannot be used, naming the distribution.
    """
    if outside.name in own_problem_names():
        raise InputError(f"{outside.label} has the name of one of the toolkit's own: uninstall it")
    if outside.fault:
        raise InputError(f"{outside.label} {outside.fault}")
    try:
        is_there = _is_there(outside.package)
        found = importlib.import_module(target) if is_there and _is_there(package, target) else None
    except Exception as error:  # anything may happen while another's package is imported
        reason = " ".join(str(error).split())
        raise InputError(
            f"{outside.label}: {target} cannot be imported: {type(error).__name__}: {reason}"
        ) from error
    if not is_there:
        raise InputError(f"{outside.label}: there is no package '{outside.package}'")
    return found


class _Head(msgspec.Struct):
    """The two keys that say how to read the rest."""

    format: str
    problem: str


def offered(layer: str, name: str, attribute: str, kind: type[OfferT]) -> OfferT:
    """What a layer offers of a problem, under one name in its sub-package.

    Each layer has one such object: :class:`Problem`, ``solvers.contract.OfflineSolver``,
    ``online.contract.OnlineSide``.

    Parameters
    ----------
    layer, name : str
        As in :func:`sub_package`.
    attribute : str
        Name of the object in the sub-package.
    kind : type
        What it is.

    Raises
    ------
    InputError
        If there is no such problem, the layer has nothing of it yet, or something else.
    """
    package = sub_package(layer, name)
    found = getattr(package, attribute, None)
    if not isinstance(found, kind):
        what = "is missing" if found is None else f"is of type {type(found).__name__}"
        raise InputError(
            f"{_label(name)}: `{attribute}` of {package.__name__} {what}: want {kind.__qualname__}"
        )
    return found


def all_offered(layer: str, attribute: str, kind: type[OfferT]) -> dict[str, OfferT]:
    """What a layer offers of each problem of which it has something: name -> :func:`offered`.

    A problem of another package that cannot be used is left out, so that it spoils nothing else;
    whoever asks for it is told why.
    """
    found = {}
    for name in problem_names():
        try:
            if has_sub_package(layer, name):
                found[name] = offered(layer, name, attribute, kind)
        except InputError:
            if name not in outside_problems():
                raise
    return found


def read_instance(path: str | Path, *, expect: str | None = None) -> Any:
    """Read and validate an instance file of any problem.

    Parameters
    ----------
    path : str or Path
        JSON, or gzip-ed JSON by ending.
    expect : str, optional
        Refuse an instance of another problem than this one.

    Raises
    ------
    InputError
        Naming the file, the key, the index and the rule.
    """
    data = read_bytes(path)
    name = _problem_of(data, path)
    if expect is not None and name != expect:
        raise InputError(f"{path}: an instance of '{name}', but '{expect}' is asked for")
    return problem(name).decode_instance(data, str(path))


def problem_of_file(path: str | Path) -> str:
    """Name of the problem that a file is an instance of; the rest of the file is not looked at.

    Raises
    ------
    InputError
        If the file cannot be read, or does not name one of the problems.
    """
    return _problem_of(read_bytes(path), path)


def _problem_of(data: bytes, path: str | Path) -> str:
    head = peek(data, _Head, source=str(path))
    if head.format != "1":
        raise InputError(f"{path}: format '{head.format}' is not known, only '1' - at `$.format`")
    if head.problem not in problem_names():
        known = ", ".join(problem_names())
        raise InputError(
            f"{path}: unknown problem '{head.problem}', not one of {known} - at `$.problem`"
        )
    return head.problem
