"""The one place where finished cells are kept and found again: a folder."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.study.cell import Cell, Effort, Outcome, Result
from benchmarks.study.closure import code_hash
from models.errors import InputError
from models.files import make_folder, write_whole

_COSTS = ("seconds", "cpu_seconds", "memory_mb")


class Store:
    """Folder of finished cells.

    ::

        <name>-<key>.json     value, parameters, effort, costs, and hashes of the files
        <name>-<key>/         its files, if it has any, each named <hash>-<name of the file>

    The key of a cell is a hash of its function and parameters and of all code, libraries and
    settings that its result depends on (:func:`benchmarks.study.closure.code_hash`), so a cell is
    found again only if nothing has changed. Each file is written whole, and the one that marks
    the cell complete comes last: a reader never sees half a cell, and two writers of the same
    cell do no harm. Files are named by their content, so that a solve that goes on replaces
    nothing of what was known until all of it is there.

    The folder is created if absent; InputError if it cannot be.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.code = functools.cache(code_hash)
        """Hash of the code that roots import, as it was when it was first asked for."""
        self._made = [p for p in (self.path, *self.path.parents) if not p.exists()]
        make_folder(self.path)

    def discard_empty(self) -> None:
        """Remove the folders made for this store that hold nothing, after an early error."""
        for folder in self._made:  # the innermost first
            with suppress(OSError):
                folder.rmdir()

    def find(self, cell: Cell) -> tuple[Outcome | None, bool]:
        """How a cell ended earlier, and whether that is enough.

        None if it has to be run from nothing. A cell that is damaged is removed, which a line on
        stderr says, and counts as absent. If it is enough, the cell needs not be run, and its files
        are read when they are looked up. A solve that was stopped with less effort than is asked
        for now goes on from the result.
        """
        mark = self._place(cell).with_suffix(".json") if cell.kept else None
        if mark is None or not mark.exists():
            return None, False
        try:
            stored, paths = self._stored(cell)
            files = {name: path.read_bytes() for name, path in paths.items()}
            if any(_sha(data) != stored["files"][name] for name, data in files.items()):
                raise ValueError("a file has changed")
            effort = stored["effort"] and Effort(**stored["effort"])
            enough = cell.effort is None or stored["proven"] or effort.covers(cell.effort)
            result = Result(stored["value"], _Unread(paths) if enough else files, stored["proven"])
            return Outcome("done", result, **(stored["costs"] or {}), ran=False), enough
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            print(f"{mark}: damaged, so {cell} is computed again", file=sys.stderr)
            with suppress(OSError):  # so that it is said once
                mark.unlink()
            return None, False

    def save(self, cell: Cell, outcome: Outcome) -> Outcome:
        """Keep a finished cell; one that did not finish is not kept.

        What is not proven replaces nothing that took as much effort or more, and that another
        process may have written meanwhile. Returns the same; if it is kept, with files that are
        read when they are looked up. InputError if it cannot be written.
        """
        result = outcome.result
        if not cell.kept or result is None:
            return outcome
        if cell.effort is not None and not result.proven and self.find(cell)[1]:
            return outcome
        place = self._place(cell)
        hashes = {name: _sha(data) for name, data in result.files.items()}
        paths = {name: place / _named(name, sha) for name, sha in hashes.items()}
        if paths:
            make_folder(place)
        for name, path in paths.items():
            write_whole(path, result.files[name])
        stored = {
            "function": cell.function,
            "parameters": dict(cell.parameters),
            "effort": cell.effort and asdict(cell.effort),
            "proven": result.proven,
            "costs": {name: getattr(outcome, name) for name in _COSTS} if cell.timed else None,
            "value": result.value,
            "files": hashes,
        }
        write_whole(place.with_suffix(".json"), json.dumps(stored).encode())
        return replace(outcome, result=replace(result, files=_Unread(paths)))

    def file(self, cell: Cell, name: str) -> Path:
        """Where a file of a finished cell is kept; a path to nothing if it has none of the name."""
        try:
            return self._stored(cell)[1][name]
        except (OSError, ValueError, KeyError):
            return self._place(cell) / name

    def key(self, cell: Cell) -> str:
        """Key of a cell; effort, needs and label are no part of it."""
        data = {name: _sha(content) for name, content in sorted(cell.data.items())}
        what = [cell.function, dict(cell.parameters), data, self.code(cell.all_roots)]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    def _stored(self, cell: Cell) -> tuple[dict[str, Any], dict[str, Path]]:
        """What the file of a finished cell says, and where its other files are."""
        place = self._place(cell)
        # Not msgspec's decoder: a ratio may be infinite, which JSON proper cannot say.
        stored = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))
        return stored, {name: place / _named(name, sha) for name, sha in stored["files"].items()}

    def _place(self, cell: Cell) -> Path:
        return self.path / f"{cell.name}-{self.key(cell)[:20]}"


class _Unread(Mapping[str, bytes]):
    """Files that are read when they are looked up, so that many results fit into memory."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths

    def __getitem__(self, name: str) -> bytes:
        path = self._paths[name]
        try:
            return path.read_bytes()
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _named(name: str, sha: str) -> str:
    return f"{sha[:12]}-{name}"


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
