"""The one place where finished cells are kept and found again: a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from benchmarks.study.cell import Cell, Effort, Outcome, Result
from benchmarks.study.closure import code_hash
from models.errors import InputError
from models.files import make_folder, write_whole

__all__ = ["Store"]

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
        self._codes: dict[tuple[str, ...], str] = {}
        self._made = [p for p in (self.path, *self.path.parents) if not p.exists()]
        make_folder(self.path)

    def discard_empty(self) -> None:
        """Remove the folders made for this store that hold nothing, after an early error."""
        for folder in self._made:  # the innermost first
            with suppress(OSError):
                folder.rmdir()

    def find(self, cell: Cell) -> tuple[Outcome | None, bool]:
        """What is known of a cell.

        Returns
        -------
        Outcome or None
            How it ended earlier, with its result; None if it has to be run from nothing. A cell
            that is damaged counts as absent.
        bool
            Whether that is enough: it needs not be run. A solve that was stopped with less effort
            than is asked for now goes on from the result.
        """
        if not cell.kept:
            return None, False
        place = self._place(cell)
        try:
            # Not msgspec's decoder: a ratio may be infinite, which JSON proper cannot say.
            stored = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))
            files = {
                name: (place / _named(name, sha)).read_bytes()
                for name, sha in stored["files"].items()
            }
            whole = all(_sha(data) == stored["files"][name] for name, data in files.items())
            effort = stored["effort"] and Effort(**stored["effort"])
            result = Result(stored["value"], files, stored["proven"])
            outcome = Outcome("done", result, **(stored["costs"] or {}), ran=False)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None, False
        if not whole:
            return None, False
        enough = cell.effort is None or result.proven or effort.covers(cell.effort)
        return outcome, enough

    def save(self, cell: Cell, outcome: Outcome) -> None:
        """Keep a finished cell; one that did not finish is not kept.

        A result of less effort does not replace one of more that another process has written
        meanwhile.

        Raises
        ------
        InputError
            If it cannot be written.
        """
        result = outcome.result
        if not cell.kept or result is None:
            return
        if cell.effort is not None and self.find(cell)[1]:
            return
        place = self._place(cell)
        marker = place.with_suffix(".json")
        if result.files:
            try:
                place.mkdir(exist_ok=True)
            except OSError as error:
                raise InputError(f"{place}: cannot be written: {error.strerror}") from None
            for name, data in result.files.items():
                write_whole(place / _named(name, _sha(data)), data)
        stored = {
            "function": cell.function,
            "parameters": dict(cell.parameters),
            "effort": cell.effort and asdict(cell.effort),
            "proven": result.proven,
            "costs": {name: getattr(outcome, name) for name in _COSTS} if cell.timed else None,
            "value": result.value,
            "files": {name: _sha(data) for name, data in result.files.items()},
        }
        write_whole(marker, json.dumps(stored).encode())

    def file(self, cell: Cell, name: str) -> Path:
        """Where a file of a finished cell is kept; a path to nothing if it has none of the name."""
        place = self._place(cell)
        try:
            hashes = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))["files"]
            return place / _named(name, hashes[name])
        except (OSError, ValueError, KeyError):
            return place / name

    def files(self, cell: Cell, names: Iterable[str]) -> Mapping[str, bytes]:
        """Files of a finished cell, each read when it is asked for."""
        return _Unread({name: self.file(cell, name) for name in names})

    def _place(self, cell: Cell) -> Path:
        return self.path / f"{cell.name}-{self.key(cell)[:20]}"

    def key(self, cell: Cell) -> str:
        """Key of a cell; effort, needs and label are no part of it."""
        roots = cell.all_roots
        if roots not in self._codes:
            self._codes[roots] = code_hash(roots)
        data = {name: _sha(content) for name, content in sorted(cell.data.items())}
        what = [cell.function, dict(cell.parameters), data, self._codes[roots]]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


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
