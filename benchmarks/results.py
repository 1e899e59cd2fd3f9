"""The results folder: rows and schedules of every instance, written whole, taken up again."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.evaluate import Cell
from benchmarks.fingerprint import fingerprint, is_covered, versions
from benchmarks.study.rows import Row, Timing, from_json_lines, to_json_lines
from models.errors import InputError
from models.files import write_atomic
from models.problem import problem
from online.policy import Policy
from online.registry import check_policy

__all__ = ["ResultsFolder"]

_CERTIFICATE = "certificate.json.gz"
_EXPERIMENT = ("benchmarks/evaluate.py", "benchmarks/offline.py", "benchmarks/rows.py")


def _counts(name: str) -> bool:
    """Whether rows may depend on a module; the instances have a hash of their own."""
    return not name.startswith("benchmarks/") or name in _EXPERIMENT


class ResultsFolder:
    """Where a run of many instances is kept.

    ::

        settings.json       options, policies, versions, machine
        rows.jsonl          one Row per line (benchmarks.study.rows.Row)
        rows.csv            the same for a spreadsheet
        timings.jsonl       one Timing per line
        cells/<key>/        one instance: rows.jsonl, timings.jsonl, instance.json.gz,
                            offline.json.gz (the best schedule known),
                            certificate.json.gz (prices, and the bound they prove),
                            schedules/<policy>.json.gz

    Schedules end as the problem's schedule files do, ``.json.gz`` for most.

    The key of a cell is made of the instance's hash, the settings, the policies and the code
    and libraries, so a cell is taken up again only if nothing has changed. What a policy from
    outside the toolkit depends on, nobody knows; with such a one among the policies every
    instance is run anew.

    Parameters
    ----------
    path : str or Path
        Created if absent.
    settings : mapping
        Everything that the rows depend on, apart from instance, policies and code.
    policies : sequence of Policy subclasses

    Raises
    ------
    InputError
        If the folder cannot be made, or a policy has no name fit for a file.
    """

    def __init__(
        self, path: str | Path, settings: Mapping[str, Any], policies: Sequence[type[Policy]]
    ) -> None:
        self.path = Path(path)
        self._settings = dict(settings)
        self._policies = {
            check_policy(policy, policy.__qualname__).name: _label(policy) for policy in policies
        }
        self._resumes = all(is_covered(policy) for policy in policies)
        key = [self._settings, list(self._policies.items()), fingerprint(_counts)]
        text = json.dumps(key, sort_keys=True)
        self._key = hashlib.sha256(text.encode()).hexdigest()[:8]
        cells = self.path / "cells"
        self._made = [folder for folder in (cells, *cells.parents) if not folder.exists()]
        try:
            cells.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: cannot be made: {error.strerror}") from None

    def _cell(self, instance: Any) -> Path:
        return self.path / "cells" / f"{instance.hash[:16]}-{self._key}"

    def discard_empty(self) -> None:
        """Remove the folders made for this run that hold nothing, where it ends with an error."""
        for folder in self._made:  # the innermost first
            with suppress(OSError):
                folder.rmdir()

    def load(self, instance: Any) -> tuple[list[Row], list[Timing]] | None:
        """Rows and timings of an instance finished before; None if it has to be run.

        A cell that is damaged counts as absent.
        """
        cell = self._cell(instance)
        if not (self._resumes and all((cell / file).is_file() for file in self._files(instance))):
            return None
        try:
            rows = from_json_lines((cell / "rows.jsonl").read_text(encoding="utf-8"), Row)
            timings = from_json_lines((cell / "timings.jsonl").read_text(encoding="utf-8"), Timing)
        except ValueError:
            return None
        found = [[(item.instance_hash, item.policy) for item in part] for part in (rows, timings)]
        wanted = [(instance.hash, name) for name in self._policies]
        certified = any(row.offline_certified is not None for row in rows)
        if found != [wanted, wanted] or (certified and not (cell / _CERTIFICATE).is_file()):
            return None
        return rows, timings

    def _files(self, instance: Any) -> list[str]:
        """What a finished cell holds, the certificate apart."""
        schedules = (_schedule_file(instance, name) for name in self._policies)
        offline = _offline_file(instance)
        return ["rows.jsonl", "timings.jsonl", "instance.json.gz", offline, *schedules]

    def save(self, instance: Any, cell: Cell) -> None:
        """Keep one instance; ``rows.jsonl`` comes last and marks it complete."""
        folder = self._cell(instance)
        (folder / "schedules").mkdir(parents=True, exist_ok=True)
        (folder / "rows.jsonl").unlink(missing_ok=True)
        instance.write(folder / "instance.json.gz")
        cell.interval.incumbent.schedule.write(folder / _offline_file(instance))
        if cell.certificate is not None:
            cell.certificate.write(folder / _CERTIFICATE)
        for run in cell.runs:
            run.trace.schedule.write(folder / _schedule_file(instance, run.policy.name))
        write_atomic(folder / "timings.jsonl", to_json_lines(cell.timings).encode())
        write_atomic(folder / "rows.jsonl", to_json_lines(cell.rows).encode())

    def finish(self, rows: Sequence[Row], timings: Sequence[Timing]) -> None:
        """Write the tables of the whole run."""
        settings = {
            "settings": self._settings,
            "policies": self._policies,
            "versions": versions(),
            "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
        }
        text = json.dumps(settings, indent=1) + "\n"
        write_atomic(self.path / "settings.json", text.encode())
        write_atomic(self.path / "timings.jsonl", to_json_lines(timings).encode())
        write_atomic(self.path / "rows.jsonl", to_json_lines(rows).encode())
        frame = pd.DataFrame([asdict(row) for row in rows])
        write_atomic(self.path / "rows.csv", frame.to_csv(index=False).encode())


def _offline_file(instance: Any) -> str:
    return f"offline{problem(instance.problem).schedule_suffix}"


def _schedule_file(instance: Any, policy: str) -> str:
    return f"schedules/{policy}{problem(instance.problem).schedule_suffix}"


def _label(policy: type[Policy]) -> str:
    return f"{policy.__module__}:{policy.__qualname__}"
