"""How a cell names its instance: by what it is drawn from, or by the content of its file."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.contract import experiments_of
from benchmarks.traces import read_trace
from benchmarks.traces.table import MOST_BYTES
from models.errors import InputError
from models.files import read_bytes
from models.problem import problem, sub_package
from online.contract import online_side

T = TypeVar("T")

Source = Mapping[str, Any]
"""JSON: ``problem``, and either ``jobs``, ``slots``, ``servers``, ``seed``, ``settings`` and
``trace``, from which the instance is drawn, or ``file``, the hash of the instance, with its
``name`` and ``seed``."""

_DATA = "instance.json"
_KEPT = 4  # instances that a process keeps at hand


def drawn(
    problem_name: str,
    *,
    jobs: int,
    slots: int,
    servers: Any,
    seed: int,
    settings: Mapping[str, Any] | None = None,
    trace: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Source of an instance that is drawn, of what ``Workload.draw`` takes.

    All is in JSON types; the trace is that of :func:`trace_digest`.
    """
    size = {"jobs": jobs, "slots": slots, "servers": servers, "seed": seed}
    source = {"problem": problem_name, **size, "settings": settings or {}}
    source |= {"trace": trace} if trace is not None else {}
    plain: dict[str, Any] = json.loads(json.dumps(source, default=dict))
    return plain


@dataclass(frozen=True)
class Points:
    """How the cells of a problem's studies draw the instance of their point, and tell of it.

    Parameters
    ----------
    problem : str
    told : tuple of str
        What records say of a cell, beside the load.
    apart : tuple of str
        What a cell is told that is no setting of the instance.
    """

    problem: str
    told: tuple[str, ...]
    apart: tuple[str, ...]

    def draw(self, *, jobs: int, slots: int, servers: Any, seed: int, **settings: Any) -> Any:
        """The instance of a cell."""
        size = {"jobs": jobs, "slots": slots, "servers": servers, "seed": seed}
        kept = {name: value for name, value in settings.items() if name not in self.apart}
        return instance_of(drawn(self.problem, **size, settings=kept))

    def head(self, instance: Any, cell: Mapping[str, Any]) -> dict[str, Any]:
        """What every record of a cell says."""
        told = {name: cell[name] for name in self.told if name in cell}
        return {**told, "load": problem(self.problem).load(instance)}


def given(instance: Any) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Source of an instance that is at hand, and the data that a cell needs with it."""
    content = as_bytes(instance.write, _DATA)
    about = {"file": instance.hash, "name": instance.name, "seed": instance.seed}
    return {"problem": instance.problem, **about}, {_DATA: content}


def trace_digest(text: str) -> dict[str, Any]:
    """What a trace is: ``KIND:PATH``, and hashes of its files; InputError if it cannot be read.

    Files are named by where they lie in the folder of the trace: tables have parts of equal names.
    """
    trace, root = _trace(text), Path(text.partition(":")[2])
    folder = root if root.is_dir() else root.parent
    files = sorted({file for name in trace.names for file in trace.table(name).files})
    hashes = {
        file.relative_to(folder).as_posix(): sha256(read_bytes(file, most=MOST_BYTES)).hexdigest()
        for file in files
    }
    return {"trace": text, "files": hashes}


def instance_of(source: Source, data: Mapping[str, bytes] | None = None) -> Any:
    """Draw or decode the instance; the last few are kept at hand.

    InputError if a setting is bad, or a trace is not what it was when the cell was made.
    """
    return _instance(json.dumps(dict(source), sort_keys=True), data and data[_DATA])[0]


def draws_of(source: Source, data: Mapping[str, bytes] | None = None) -> tuple[int, int] | None:
    """Draws that were accepted for an instance, and those that were not; None of a file."""
    return _instance(json.dumps(dict(source), sort_keys=True), data and data[_DATA])[1]


def instance_roots(problem_name: str) -> tuple[str, ...]:
    """Modules that drawing, decoding and scoring look up by name."""
    return tuple(sub_package(layer, problem_name).__name__ for layer in ("models", "benchmarks"))


def show_size(point: Mapping[str, Any]) -> str:
    """``JOBSxSLOTSxSERVERS`` of a source or a point, as on a command line."""
    return f"{point['jobs']}x{point['slots']}x{show_servers(point['servers'])}"


def show_servers(servers: Any) -> str:
    """Numbers of servers, joined by a plus where there are several kinds."""
    return "+".join(map(str, servers)) if isinstance(servers, (list, tuple)) else str(servers)


def world_module(problem_name: str) -> str:
    """Module of the world that policies run in: apart from the list of policies, which may grow."""
    return online_side(problem_name).make_world.__module__


_trace = functools.lru_cache(1)(read_trace)


@functools.lru_cache(_KEPT)
def _instance(text: str, content: bytes | None) -> tuple[Any, tuple[int, int] | None]:
    source = json.loads(text)
    name = source["problem"]
    if content is not None:
        return problem(name).decode_instance(content, f"instance '{source['name']}'"), None
    trace = None
    if "trace" in source:
        if trace_digest(source["trace"]["trace"]) != source["trace"]:
            raise InputError(f"{source['trace']['trace']}: its files have changed")
        trace = _trace(source["trace"]["trace"])
    drawn_from = {key: source[key] for key in ("jobs", "slots", "servers", "seed")}
    settings: dict[str, Any] = {  # JSON has lists where settings are ranges
        key: tuple(value) if isinstance(value, list) else value
        for key, value in source["settings"].items()
    }
    found, report = experiments_of(name).workload.draw(**drawn_from, trace=trace, **settings)
    return found, (report.accepted, report.rejected)


def as_bytes(write: Callable[[Path], None], name: str) -> bytes:
    """What a ``write(path)`` method would write into a file of this name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()


def from_bytes(read: Callable[[Path], T], content: bytes, name: str) -> T:
    """What a ``read(path)`` function reads from a file of this name and content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return read(path)
