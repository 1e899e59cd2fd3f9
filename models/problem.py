"""The problems of the toolkit, found by the name of their sub-package."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Protocol

import msgspec

import models
from models.errors import InputError
from models.files import peek, read_bytes
from models.scoring import Score

__all__ = [
    "Instance",
    "Problem",
    "Schedule",
    "has_sub_package",
    "problem",
    "problem_names",
    "read_instance",
    "sub_package",
]


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
    certificate_file : type, optional
        The ``msgspec.Struct`` of its certificates (``solvers.<problem>.certificate``), if there
        are any.
    schedule_suffix : str
        How names of schedule files end.
    wider : str
        What some schedules may do beyond the problem's own model, e.g. "migration": the scorer
        accepts them, but they are no incumbents of its exact models, and only bounds by prices
        hold for them. It is the name of the attribute that says so of a schedule; empty if
        there are none.
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
    negligible: Callable[[Any], float] = lambda instance: 0.0

    def is_wider(self, schedule: Any) -> bool:
        """Whether a schedule is one of those that may do more."""
        return bool(self.wider) and bool(getattr(schedule, self.wider))


def problem_names() -> tuple[str, ...]:
    """Names of all problems, sorted."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(models.__path__) if m.ispkg))


def problem(name: str) -> Problem:
    """Look a problem up by its name.

    Raises
    ------
    InputError
        If there is no such problem.
    """
    found: Problem = sub_package("models", name).PROBLEM
    return found


def has_sub_package(layer: str, name: str, module: str = "") -> bool:
    """Whether :func:`sub_package` would find it; problems are built layer by layer."""
    return (
        name in problem_names()
        and importlib.util.find_spec(f"{layer}.{name}") is not None
        and (not module or importlib.util.find_spec(f"{layer}.{name}.{module}") is not None)
    )


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
        If there is no such problem, or the layer has nothing of it yet.
    """
    if name not in problem_names():
        raise InputError(f"unknown problem '{name}': choose from {', '.join(problem_names())}")
    if not has_sub_package(layer, name, module):
        lacking = f"{layer}.{name}.{module}" if module else f"{layer}.{name}"
        raise InputError(f"problem '{name}' has no {module or layer} part yet ({lacking})")
    return importlib.import_module(f"{layer}.{name}.{module}" if module else f"{layer}.{name}")


class _Head(msgspec.Struct):
    """The two keys that say how to read the rest."""

    format: str
    problem: str


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
    head = peek(data, _Head, source=str(path))
    if head.format != "1":
        raise InputError(f"{path}: format '{head.format}' is not known, only '1' - at `$.format`")
    if head.problem not in problem_names():
        known = ", ".join(problem_names())
        raise InputError(
            f"{path}: unknown problem '{head.problem}', not one of {known} - at `$.problem`"
        )
    if expect is not None and head.problem != expect:
        raise InputError(f"{path}: an instance of '{head.problem}', but '{expect}' is asked for")
    return problem(head.problem).decode_instance(data, str(path))
