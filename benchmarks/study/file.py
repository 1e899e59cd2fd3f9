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

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from benchmarks.contract import experiments_of
from benchmarks.study.cell import Effort
from benchmarks.study.grid import Grid
from benchmarks.study.instances import trace_digest
from benchmarks.study.ratio import Ratio, check_ratios, source_of
from benchmarks.study.scheme import (
    NOBODY,
    Isolation,
    Reading,
    Scheme,
    default_policies,
    policy_of,
    schemes_of,
)
from benchmarks.study.seeds import seeds_of
from benchmarks.study.study import Study
from benchmarks.workload.settings import check_types
from models.errors import InputError
from models.files import read_bytes

_SIZE = "default"  # the only one that a study from a file has
_SEED = 0  # of a design


class _Study(msgspec.Struct, forbid_unknown_fields=True):
    problem: str
    policies: list[str] = []
    base: dict[str, Any] = {}
    vary: dict[str, Any] = {}
    design: str | int = "cross"
    trace: str = ""
    reading: tuple[Reading, ...] = ()
    scheme: tuple[Scheme, ...] = ()


class _File(msgspec.Struct, forbid_unknown_fields=True):
    study: list[_Study]
    seeds: int | list[int] = 3
    time_limit: float = 10.0
    threads: int = 1


_TABLES = {"": _File, "study": _Study, "study.reading": Reading, "study.scheme": Scheme}

Axes = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class StudyFile:
    """What a file asks for: studies of the size "default", seeds, threads of an offline solve.

    ``axes`` are, of each study, the settings that it varies, and for each of them what the others
    are held at in a star (None: not set); empty in other designs. ``asked`` is what the file says.
    """

    studies: tuple[Study, ...]
    axes: tuple[Axes, ...]
    seeds: tuple[int, ...]
    threads: int
    asked: Mapping[str, Any]


def read_study_file(path: str | Path, isolation: Isolation = NOBODY) -> StudyFile:
    """Read and check a study file; the first instance of every point is drawn for that.

    Relative paths of policies and traces are looked for in the current folder. InputError names the
    file, the key and the rule. ``isolation`` says which policies have a process of their own.
    """
    try:
        file = msgspec.convert(tomllib.loads(read_bytes(path).decode("utf-8")), _File)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}{_hint(str(error))}") from None
    try:
        seeds = seeds_of(file.seeds)
    except InputError as error:
        raise InputError(f"{path}: {error} - at `$.seeds`") from None
    rules = {
        "time_limit": (0 < file.time_limit < float("inf"), "want positive seconds"),
        "threads": (file.threads in (1, 2, 4, 8), "want 1, 2, 4 or 8"),
        "study": (file.study, "want at least one study"),
    }
    for key, (holds, rule) in rules.items():
        if not holds:
            raise InputError(f"{path}: {rule} - at `$.{key}`")
    studies, axes = [], []
    for number, asked in enumerate(file.study):
        try:
            study, varied = _study(asked, number, Effort(file.time_limit, file.threads), isolation)
            check_ratios(study, _SIZE, seeds[0])
        except InputError as error:
            raise InputError(f"{path}: {error} - at `$.study[{number}]`") from None
        studies.append(study)
        axes.append(varied)
    said = {**msgspec.to_builtins(file), "seeds": seeds}
    return StudyFile(tuple(studies), tuple(axes), seeds, file.threads, said)


def _hint(fault: str) -> str:
    """What may stand where a file has something else."""
    table = re.sub(r"\[\d+\]", "", fault.partition(" - at `$.")[2].rstrip("`"))
    if "unknown field" in fault:
        return f": choose from {', '.join(_TABLES[table].__struct_fields__)}"
    twice = table in _TABLES and "got `object`" in fault
    return f": write [[{table}]], in double brackets" if twice else ""


def _study(asked: _Study, number: int, effort: Effort, isolation: Isolation) -> tuple[Study, Axes]:
    problem, workload = asked.problem, experiments_of(asked.problem).workload
    size = {name: getattr(workload.default, name) for name in ("jobs", "slots", "servers")}
    usual = workload.with_usual(size, traced=bool(asked.trace))
    base = _settings(problem, {**usual, **asked.base})
    vary = {name: _axis(problem, name, values) for name, values in asked.vary.items()}
    readings = tuple(replace(r, settings=_settings(problem, r.settings)) for r in asked.reading)
    if len({reading.name for reading in readings}) < len(readings):
        raise InputError("two readings have the same name")
    for reading in readings:
        for name in sorted(vary.keys() & reading.settings.keys()):
            raise InputError(f"`vary.{name}` is set by the reading '{reading.name}', too")
    for scheme in asked.scheme:
        policy_of(problem, isolation.of(scheme.policy))
        _check_known(problem, scheme.ignores)
    own = asked.policies or (() if asked.scheme else default_policies(problem))
    schemes = schemes_of(problem, [*own, *asked.scheme], isolation)
    told = {name for reading in readings for name in reading.parameters}
    for name in sorted(told.difference(scheme.name for scheme in schemes)):
        raise InputError(f"parameters of a reading are of '{name}': no such scheme")
    trace = trace_digest(asked.trace) if asked.trace else None
    study = Study(
        name=f"{problem}-{number + 1}",
        problem=problem,
        measure=Ratio(effort, source=partial(source_of, trace=trace)),
        grids={_SIZE: _grid(asked.design, base, vary)},
        seeds={_SIZE: 1},
        schemes=schemes,
        readings=readings,
    )
    others = vary if asked.design == "star" else {}
    axes = {axis: {name: base.get(name) for name in others if name != axis} for axis in vary}
    return study, axes


def _axis(problem_name: str, name: str, values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise InputError(f"`vary.{name}` is {values!r}: want a list of values, e.g. [{values!r}]")
    if not values:
        raise InputError(f"`vary.{name}` is empty")
    return [_settings(problem_name, {name: value})[name] for value in values]


def _settings(problem_name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings in Python's types; texts are read as on the command line."""
    _check_known(problem_name, given)
    workload = experiments_of(problem_name).workload
    found: dict[str, Any] = {}
    for name, value in given.items():
        is_text = isinstance(value, str)
        if name == "servers":
            found[name] = (workload.parse_servers if is_text else workload.servers.check)(value)
        elif is_text and name in workload.examples:
            found |= workload.read_settings({name: value})
        else:
            check_types(workload.settings, {name: value})
            found[name] = value
    return found


def _check_known(problem_name: str, names: Iterable[str]) -> None:
    known = ("jobs", "slots", "servers", *experiments_of(problem_name).workload.examples)
    for name in names:
        if name not in known:
            raise InputError(f"unknown setting '{name}': choose from {', '.join(known)}")


def _grid(design: str | int, base: Mapping[str, Any], axes: Mapping[str, list[Any]]) -> Grid:
    if design == "cross" or not axes:
        return Grid((base,)) * Grid.cross(**axes)
    if design == "star":
        return Grid.star(base, **axes)
    if isinstance(design, int) and design > 0:
        return Grid((base,)) * Grid.design(design, _SEED, **axes)
    raise InputError(f'design {design!r}: want "cross", "star" or a number of points')
