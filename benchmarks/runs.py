"""A folder of results: runs by name, their rows together; of ratios, files to verify, too."""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from benchmarks.study.cell import Cell
from benchmarks.study.closure import versions_and_machine
from benchmarks.study.instances import as_bytes, instance_of
from benchmarks.study.offline import CERTIFICATE, INSTANCE, incumbent_file
from benchmarks.study.ratio import Joined
from benchmarks.study.rows import from_json_lines, to_json_lines
from benchmarks.study.run import schedule_file
from benchmarks.study.scheme import plain_reference
from benchmarks.study.store import Store
from benchmarks.tables import format_records
from models.errors import InputError
from models.files import make_folder, read_bytes, write_atomic, write_whole
from models.problem import problem, read_instance

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NONE: Mapping[str, bytes | None] = MappingProxyType({})
_HASH = 8  # characters of a hash in names


class Runs:
    """Folder of runs, which share one store.

    ::

        cells/                  the store (benchmarks.study.store)
        runs/<run>/             settings.json     what was asked for, versions, machine
                                rows.csv          the rows for a spreadsheet
                                rows.jsonl        one row per line
                                and pictures, rows.parquet, timings.jsonl (one Timing per line) or
                                paired.csv (benchmarks.pairs)
        settings.json, rows.csv, ...
                                the same of the run that ended last
        all.csv                 rows of all runs, with the name of the run in front
        instances/<name>-<hash>/    of ratios:
                                instance.json.gz, certificate.json.gz (prices, and the bound they
                                prove), offline.json.gz (the best schedule known from any run),
                                schedules/<policy>.json.gz, and of a policy from a file or module
                                schedules/<policy>-<file or module>-<class>.json.gz

    Schedules end as the problem's schedule files do, ``.json.gz`` for most.

    Nothing is written before a run has ended. ``asked`` is what its rows depend on, apart from the
    code, in JSON types. Its name is by default a hash of that, so that the same question again
    replaces its rows; InputError if a name is not fit for a folder, or of a run that asked for
    something else.
    """

    def __init__(self, path: str | Path, asked: Mapping[str, Any], name: str | None = None) -> None:
        text = json.dumps(dict(asked), sort_keys=True)
        self.path = Path(path)
        self.name = name or hashlib.sha256(text.encode()).hexdigest()[:_HASH]
        self.folder = self.path / "runs" / self.name
        self._asked = before = json.loads(text)
        if not _NAME.fullmatch(self.name):
            raise InputError(f"run '{name}': want a name of letters, digits, '.', '_' and '-'")
        with suppress(OSError, ValueError, KeyError, TypeError):  # no such run, or half of one
            before = json.loads((self.folder / "settings.json").read_bytes())["asked"]
        keys = self._asked | before
        if differing := ", ".join(k for k in keys if self._asked.get(k) != before.get(k)):
            raise InputError(
                f"run '{self.name}' of {self.path} asked for other {differing}: choose another name"
            )

    def keep_instance(self, store: Store, cells: Sequence[Cell], joined: Joined) -> None:
        """Lay out instance, schedules and certificate of an instance for whoever checks them.

        The store holds the finished cells: the offline cell, and a run cell for each row.
        """
        offline, *runs = cells
        row = joined.rows[0]
        if not row.instance_hash:  # nothing of it is known
            return
        kind = problem(row.problem)
        place = self.path / "instances" / f"{_plain(row.instance)}-{row.instance_hash[:_HASH]}"
        make_folder(place / "schedules")
        if not _link(store.file(offline, INSTANCE), place / INSTANCE):
            instance = instance_of(offline.parameters["instance"], offline.data or None)
            write_whole(place / INSTANCE, as_bytes(instance.write, INSTANCE))
        _link(store.file(offline, CERTIFICATE), place / CERTIFICATE)
        best = store.file(offline, incumbent_file(row.problem))
        for one, cell in zip(joined.rows, runs, strict=True):
            policy = plain_reference(cell.parameters["policy"])
            # Two files or modules may have policies of the same name.
            own = one.policy.partition(" ")[0]
            name = f"{own}-{_plain(policy)}" if ":" in policy else one.policy
            schedule = store.file(cell, schedule_file(row.problem))
            _link(schedule, place / f"schedules/{name}{kind.schedule_suffix}")
            if one.policy == joined.best:
                best = schedule
        known = place / incumbent_file(row.problem)
        if _is_better(place / INSTANCE, best, known):
            _link(best, known)

    @property
    def words(self) -> str:
        """Where the rows are."""
        return f"rows: {self.path}, of all runs: {self.path / 'all.csv'}, this one is {self.name}"

    def finish(self, rows: Sequence[Any], more: Mapping[str, bytes | None] = _NONE) -> None:
        """Write rows, dicts or of one dataclass, more files by name, and the rows of all runs.

        Of more files, None is one that an earlier run of this name may have left and this has not.
        """
        settings = {"run": self.name, "asked": self._asked, **versions_and_machine()}
        files = {
            "settings.json": (json.dumps(settings, indent=1) + "\n").encode(),
            **more,
            "rows.csv": format_records(msgspec.to_builtins(rows), "csv").encode(),
            "rows.jsonl": to_json_lines(rows).encode(),  # the last: a run that has it has ended
        }
        make_folder(self.folder)
        for name, content in files.items():
            if content is None:
                (self.folder / name).unlink(missing_ok=True)
            else:
                write_atomic(self.folder / name, content)
        seen: dict[Path, int] = {}
        while (ended := self._ended()) != seen:  # once more if a run has ended meanwhile
            seen = ended
            _, last = max((when, file) for file, when in ended.items())
            for name in {*files, *(file.name for file in last.parents[1].glob("*/[!.]*"))}:
                if (file := last.with_name(name)).exists():
                    write_atomic(self.path / name, read_bytes(file))
                else:  # a picture of another run
                    (self.path / name).unlink(missing_ok=True)
            together = format_records(_joined(ended, type(rows[0])), "csv")
            write_atomic(self.path / "all.csv", together.encode())

    def _ended(self) -> dict[Path, int]:
        """File of the rows of each run that has ended, and when it was written."""
        files = sorted((self.path / "runs").glob("*/rows.jsonl"))
        return {file: file.stat().st_mtime_ns for file in files}


def _joined(files: Iterable[Path], kind: type) -> list[dict[str, Any]]:
    """The rows of all runs; those of another version are left out."""
    found: list[dict[str, Any]] = []
    for file in files:
        try:
            rows: list[Any] = from_json_lines(file.read_text(encoding="utf-8"), kind)
        except (InputError, UnicodeDecodeError, OSError) as error:
            print(f"{file}: left out of all.csv: {error}", file=sys.stderr)
            continue
        found += [{"run": file.parent.name, **msgspec.to_builtins(row)} for row in rows]
    return found


def _plain(text: str) -> str:
    """A text as part of the name of a file."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", text)


def _is_better(instance_file: Path, new: Path, known: Path) -> bool:
    """Whether there is a new schedule, and none from another run that is worth as much."""
    if not new.is_file() or (known.is_file() and filecmp.cmp(new, known, shallow=False)):
        return False
    instance = read_instance(instance_file)
    kind = problem(instance.problem)

    def rank(path: Path) -> tuple[bool, bool, float]:
        schedule = kind.read_schedule(path, instance)
        score = kind.score(instance, schedule)
        value = score.objective if kind.sense == "max" else -score.objective
        return score.feasible, not kind.is_wider(schedule), value

    if not known.is_file():
        return True
    try:
        return rank(new) > rank(known)
    except InputError as error:
        print(f"damaged, so it is replaced: {error}", file=sys.stderr)
        return True


def _link(source: Path, target: Path) -> bool:
    """Give a file a second name, or copy it; no source, no target. Returns whether it is there."""
    if not source.is_file():
        if target.exists():
            target.unlink(missing_ok=True)
        return False
    try:
        target.unlink(missing_ok=True)
        os.link(source, target)
    except OSError:  # no links here, or another run was faster
        write_whole(target, source.read_bytes())
    return True
