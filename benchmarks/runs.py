"""The folder of measured ratios: runs by name, their rows together, and files to verify."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.study.cell import Cell
from benchmarks.study.closure import versions_and_machine
from benchmarks.study.instances import as_bytes, instance_of
from benchmarks.study.join import Joined
from benchmarks.study.offline import CERTIFICATE, INSTANCE, incumbent_file
from benchmarks.study.rows import Row, Timing, from_json_lines, to_json_lines
from benchmarks.study.run import schedule_file
from benchmarks.study.store import Store
from benchmarks.tables import format_records
from models.errors import InputError
from models.files import make_folder, write_atomic, write_whole
from models.problem import problem

__all__ = ["Runs"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HASH = 8  # characters of a hash in names


class Runs:
    """Folder of runs, which share one store.

    ::

        cells/                  the store (benchmarks.study.store)
        runs/<run>/             settings.json     what was asked for, versions, machine
                                rows.jsonl        one Row per line (benchmarks.study.rows.Row)
                                rows.csv          the same for a spreadsheet
                                timings.jsonl     one Timing per line
        rows.jsonl, rows.csv, timings.jsonl, settings.json
                                the same of the run that ended last
        all.csv                 rows of all runs, with the name of the run in front
        instances/<name>-<hash>/
                                instance.json.gz, offline.json.gz (the best schedule known),
                                certificate.json.gz (prices, and the bound they prove),
                                schedules/<policy>.json.gz

    Schedules end as the problem's schedule files do, ``.json.gz`` for most. A run's name says
    what was asked for, so the same question again replaces its rows, and another one has rows of
    its own.

    Parameters
    ----------
    path : str or Path
        Nothing is written before the store is opened.
    asked : mapping
        What the rows depend on, apart from the code; in JSON types.
    name : str, optional
        Of the run; by default a hash of what is asked for.

    Raises
    ------
    InputError
        If the name is not fit for a folder, or is that of a run that asked for something else.
    """

    def __init__(self, path: str | Path, asked: Mapping[str, Any], name: str | None = None) -> None:
        text = json.dumps(dict(asked), sort_keys=True)
        self.path = Path(path)
        self.name = name or hashlib.sha256(text.encode()).hexdigest()[:_HASH]
        self._asked = json.loads(text)
        if not _NAME.fullmatch(self.name):
            raise InputError(f"run '{name}': want a name of letters, digits, '.', '_' and '-'")
        before = self._asked_before()
        if before is not None and before != self._asked:
            keys = self._asked | before
            differing = ", ".join(k for k in keys if self._asked.get(k) != before.get(k))
            raise InputError(
                f"run '{self.name}' of {self.path} asked for other {differing}: choose another name"
            )

    def _asked_before(self) -> dict[str, Any] | None:
        try:
            settings = json.loads((self._folder / "settings.json").read_text(encoding="utf-8"))
            asked: dict[str, Any] = settings["asked"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return asked

    @property
    def _folder(self) -> Path:
        return self.path / "runs" / self.name

    def open_store(self) -> Store:
        """The store of all runs; its folder is made if absent."""
        return Store(self.path / "cells")

    def keep_instance(self, store: Store, cells: Sequence[Cell], joined: Joined) -> None:
        """Lay out instance, schedules and certificate of an instance for whoever checks them.

        Parameters
        ----------
        store : Store
            Holds the finished cells.
        cells : sequence of Cell
            The offline cell, and a run cell for each row.
        """
        offline, *runs = cells
        row = joined.rows[0]
        if not row.instance_hash:
            return  # nothing of it is known
        name = re.sub(r"[^A-Za-z0-9._-]", "-", row.instance)
        place = self.path / "instances" / f"{name}-{row.instance_hash[:_HASH]}"
        schedules = place / "schedules"
        make_folder(schedules)
        suffix = problem(row.problem).schedule_suffix
        best = store.file(offline, incumbent_file(row.problem))
        for one, cell in zip(joined.rows, runs, strict=True):
            schedule = store.file(cell, schedule_file(row.problem))
            _link(schedule, schedules / f"{one.policy}{suffix}")
            if one.policy == joined.best:
                best = schedule
        _link(best, place / incumbent_file(row.problem))
        _link(store.file(offline, CERTIFICATE), place / CERTIFICATE)
        if not _link(store.file(offline, INSTANCE), place / INSTANCE):
            instance = instance_of(offline.parameters["instance"], offline.data or None)
            write_whole(place / INSTANCE, as_bytes(instance.write, INSTANCE))

    def finish(self, rows: Sequence[Row], timings: Sequence[Timing]) -> None:
        """Write the tables of this run, and those of all runs together."""
        settings = {"run": self.name, "asked": self._asked, **versions_and_machine()}
        files = {
            "settings.json": json.dumps(settings, indent=1) + "\n",
            "timings.jsonl": to_json_lines(timings),
            "rows.csv": format_records([asdict(row) for row in rows], "csv"),
            "rows.jsonl": to_json_lines(rows),
        }
        make_folder(self._folder)
        for folder in (self._folder, self.path):
            for name, text in files.items():
                write_atomic(folder / name, text.encode())
        self._join_runs()

    def _join_runs(self) -> None:
        """Write the rows of all runs, once more if a run has ended meanwhile."""
        while True:
            seen = self._ended_runs()
            parts: list[dict[str, Any]] = []
            for name, (file, _) in seen.items():
                try:
                    rows = from_json_lines(file.read_text(encoding="utf-8"), Row)
                except (InputError, UnicodeDecodeError, OSError) as error:
                    print(f"{file}: left out of all.csv: {error}", file=sys.stderr)
                    continue
                parts += [{"run": name, **asdict(row)} for row in rows]
            write_atomic(self.path / "all.csv", format_records(parts, "csv").encode())
            if self._ended_runs() == seen:
                return

    def _ended_runs(self) -> dict[str, tuple[Path, int]]:
        """File of the rows of each run, and when it was written."""
        found = {}
        for file in sorted((self.path / "runs").glob("*/rows.jsonl")):
            with suppress(OSError):
                found[file.parent.name] = file, file.stat().st_mtime_ns
        return found


def _link(source: Path, target: Path) -> bool:
    """Make one file of two names, or a copy where that cannot be; no source, no target.

    Returns whether there is a source.
    """
    if not source.is_file():
        target.unlink(missing_ok=True)
        return False
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        try:
            os.link(source, temporary)
        except OSError:
            shutil.copyfile(source, temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)
    return True
