"""A study of the user's own, read from a TOML file.

::

    seeds = 3                 # 0, 1, 2; or a list, [7, 8]
    time_limit = 10           # seconds for the optimum of one instance
    threads = 1

    [[study]]                 # one or several, of the same problem or of others
    problem = "utility"
    policies = ["oasis", "rrh", "my_file.py:MyPolicy"]
    base = { jobs = 10, slots = 10, servers = "5+5" }
    vary = { load = [0.5, 1.0, 2.0] }
    design = "cross"          # every combination; "star": each axis alone around the base;
                              # or a number of points that fill the space of the axes
    trace = "google:PATH"     # arrivals (and what else it has) from a real trace

    [[study.reading]]         # one or several, of which the first is the registered one
    name = "as printed"
    settings = { priority = [1, 100] }

    [[study.scheme]]          # a policy with parameters, beside those of `policies`
    name = "srtf-edge"
    policy = "srtf"
    parameters = { use_cloud = false }
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from benchmarks.contract import experiments_of
from benchmarks.study.cell import Effort
from benchmarks.study.grid import Grid
from benchmarks.study.instances import trace_digest
from benchmarks.study.ratio import Ratio, check_ratios, source_of
from benchmarks.study.scheme import Reading, Scheme, default_policies, policy_of, schemes_of
from benchmarks.study.study import Study, Trial
from benchmarks.workload.settings import check_types
from models.errors import InputError
from models.files import read_bytes

__all__ = ["StudyFile", "read_study_file"]

_SIZE = "default"  # the only one that a study from a file has
_SEED = 0  # of a design


_Name = Annotated[str, Meta(min_length=1)]


class _Reading(msgspec.Struct, forbid_unknown_fields=True):
    name: _Name
    settings: dict[str, Any] = {}
    parameters: dict[str, dict[str, Any]] = {}
    source: str = ""


class _Scheme(msgspec.Struct, forbid_unknown_fields=True):
    name: _Name
    policy: str
    parameters: dict[str, Any] = {}
    ignores: list[str] = []


class _Study(msgspec.Struct, forbid_unknown_fields=True):
    problem: str
    policies: list[str] = []
    base: dict[str, Any] = {}
    vary: dict[str, list[Any]] = {}
    design: str | int = "cross"
    trace: str = ""
    reading: list[_Reading] = []
    scheme: list[_Scheme] = []


class _File(msgspec.Struct, forbid_unknown_fields=True):
    study: list[_Study]
    seeds: int | list[int] = 3
    time_limit: float = 10.0
    threads: int = 1


@dataclass(frozen=True)
class StudyFile:
    """What a file asks for.

    Parameters
    ----------
    studies : tuple of Study
        Of the size "default".
    axes : tuple of mapping of str to mapping
        Of each study: the settings that it varies, and for each of them what the others are held
        at in a star (None: not set); empty in other designs.
    seeds : tuple of int
    threads : int
        Of an offline solve.
    """

    studies: tuple[Study, ...]
    axes: tuple[Mapping[str, Mapping[str, Any]], ...]
    seeds: tuple[int, ...]
    threads: int


def read_study_file(path: str | Path) -> StudyFile:
    """Read and check a study file; the first instance of every point is drawn for that.

    Relative paths of policies and traces are looked for in the current folder.

    Raises
    ------
    InputError
        Naming the file, the key and the rule.
    """
    text = read_bytes(path)
    try:
        plain = tomllib.loads(text.decode("utf-8"))
        file = msgspec.convert(plain, _File)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}") from None
    seeds = tuple(range(file.seeds)) if isinstance(file.seeds, int) else tuple(file.seeds)
    _check(path, "seeds", bool(seeds) and min(seeds) >= 0, "want a number of seeds, or a list")
    _check(path, "time_limit", 0 < file.time_limit < float("inf"), "want positive seconds")
    _check(path, "threads", file.threads in (1, 2, 4, 8), "want 1, 2, 4 or 8")
    _check(path, "study", bool(file.study), "want at least one study")
    studies = []
    for number, asked in enumerate(file.study):
        try:
            studies.append(_study(asked, number, file))
        except InputError as error:
            raise InputError(f"{path}: {error} - at `$.study[{number}]`") from None
    axes = tuple(_axes(asked) for asked in file.study)
    found = StudyFile(tuple(studies), axes, seeds, file.threads)
    for number, study in enumerate(found.studies):
        try:
            check_ratios(study, _SIZE, seeds[0])
        except InputError as error:
            raise InputError(f"{path}: {error} - at `$.study[{number}]`") from None
    return found


def _check(path: str | Path, key: str, holds: bool, rule: str) -> None:
    if not holds:
        raise InputError(f"{path}: {rule} - at `$.{key}`")


def _study(asked: _Study, number: int, file: _File) -> Study:
    base = _base(asked)
    axes = {
        name: [_settings(asked.problem, {name: value})[name] for value in values]
        for name, values in asked.vary.items()
    }
    for name, values in axes.items():
        if not values:
            raise InputError(f"`vary.{name}` is empty")
    readings = tuple(
        Reading(r.name, r.name, _settings(asked.problem, r.settings), r.parameters, r.source)
        for r in asked.reading
    )
    if len({reading.name for reading in readings}) < len(readings):
        raise InputError("two readings have the same name")
    schemes = _schemes(asked)
    unknown = {name for reading in readings for name in reading.parameters} - {
        scheme.name for scheme in schemes
    }
    if unknown:
        raise InputError(f"parameters of a reading are of '{min(unknown)}': no such scheme")
    source = source_of if not asked.trace else _Traced(trace_digest(asked.trace))
    return Study(
        name=f"{asked.problem}-{number + 1}",
        problem=asked.problem,
        measure=Ratio(Effort(file.time_limit, file.threads), source=source),
        grids={_SIZE: _grid(asked.design, base, axes)},
        seeds={_SIZE: 1},
        schemes=schemes,
        readings=readings,
    )


def _base(asked: _Study) -> dict[str, Any]:
    workload = experiments_of(asked.problem).workload
    size = workload.default
    sizes = {"jobs": size.jobs, "slots": size.slots, "servers": size.servers}
    usual = workload.with_usual(sizes, traced=bool(asked.trace))
    return _settings(asked.problem, {**usual, **asked.base})


def _axes(asked: _Study) -> dict[str, dict[str, Any]]:
    base = _base(asked) if asked.design == "star" else None
    return {
        axis: {} if base is None else {name: base.get(name) for name in asked.vary if name != axis}
        for axis in asked.vary
    }


def _settings(problem_name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings in Python's types; texts are read as on the command line."""
    _known(problem_name, given)
    workload = experiments_of(problem_name).workload
    found: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, str):
            if name in ("jobs", "slots"):
                raise InputError(f"{name} '{value}' is not a whole number")
            read = workload.parse_servers if name == "servers" else None
            found[name] = read(value) if read else workload.read_settings({name: value})[name]
        elif name == "servers":
            found[name] = workload.servers.check(value)
        else:
            check_types(workload.settings, {name: value})
            found[name] = value
    return found


def _known(problem_name: str, names: Iterable[str]) -> None:
    """Refuse unknown settings."""
    known = ("jobs", "slots", "servers", *experiments_of(problem_name).workload.examples)
    for name in names:
        if name not in known:
            raise InputError(f"unknown setting '{name}': choose from {', '.join(known)}")


def _grid(design: str | int, base: Mapping[str, Any], axes: Mapping[str, list[Any]]) -> Grid:
    if not axes:
        return Grid((base,))
    if design == "cross":
        return Grid((base,)) * Grid.cross(**axes)
    if design == "star":
        return Grid.star(base, **axes)
    if isinstance(design, int) and design > 0:
        return Grid((base,)) * Grid.design(design, _SEED, **axes)
    raise InputError(f'design {design!r}: want "cross", "star" or a number of points')


def _schemes(asked: _Study) -> tuple[Scheme, ...]:
    names = list(asked.policies)
    if not names and not asked.scheme:
        names = list(default_policies(asked.problem))
    schemes = [*schemes_of(asked.problem, names)]
    for item in asked.scheme:
        policy_of(asked.problem, item.policy)
        _known(asked.problem, item.ignores)
        schemes.append(Scheme(item.name, item.policy, item.parameters, tuple(item.ignores)))
    if len({scheme.name for scheme in schemes}) < len(schemes):
        raise InputError("two policies or schemes have the same name")
    return tuple(schemes)


@dataclass(frozen=True)
class _Traced:
    """Sources of instances made from a trace."""

    trace: Mapping[str, Any]

    def __call__(self, trial: Trial, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {**source_of(trial, settings), "trace": dict(self.trace)}
