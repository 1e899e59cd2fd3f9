"""The results folder: rows and schedules of every instance, written whole, taken up again."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

import models
import online
import solvers
from benchmarks.evaluate import Cell
from benchmarks.rows import Row, Timing, to_json_lines
from models.errors import InputError
from models.files import write_atomic
from online.policy import Policy

__all__ = ["ResultsFolder"]

_LIBRARIES = ("highspy", "numba", "numpy", "pandas", "pyomo", "scipy")


class ResultsFolder:
    """Where a run of many instances is kept.

    ::

        settings.json       options, versions, machine
        rows.jsonl          one Row per line (benchmarks.rows.Row)
        timings.jsonl       one Timing per line
        cells/<key>/        one instance: rows.jsonl, timings.jsonl, instance.json.gz,
                            offline.json.gz, <policy>.json.gz

    The key of a cell is made of the instance's hash, the settings and the code of the
    policies and solvers, so a cell is taken up again only if nothing has changed.

    Parameters
    ----------
    path : str or Path
        Created if absent.
    settings : mapping
        Everything that the rows depend on, apart from instance and code.
    policies : sequence of Policy subclasses
        Their source files belong to the key.

    Raises
    ------
    InputError
        If the folder cannot be made.
    """

    def __init__(
        self, path: str | Path, settings: Mapping[str, Any], policies: Sequence[type[Policy]]
    ) -> None:
        self.path = Path(path)
        self._settings = dict(settings)
        self._policies = [policy.name for policy in policies]
        code = _fingerprint(policies)
        text = json.dumps([self._settings, self._policies, code], sort_keys=True)
        self._key = hashlib.sha256(text.encode()).hexdigest()[:8]
        try:
            (self.path / "cells").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: cannot be made: {error.strerror}") from None

    def _cell(self, instance: Any) -> Path:
        return self.path / "cells" / f"{instance.hash[:16]}-{self._key}"

    def load(self, instance: Any) -> tuple[list[Row], list[Timing]] | None:
        """Rows and timings of an instance finished before with the same settings and code."""
        cell = self._cell(instance)
        if not (cell / "rows.jsonl").is_file():
            return None
        rows = [Row(**_parse(line)) for line in _lines(cell / "rows.jsonl")]
        timings = [Timing(**_parse(line)) for line in _lines(cell / "timings.jsonl")]
        return rows, timings

    def save(self, instance: Any, cell: Cell) -> None:
        """Keep one instance; ``rows.jsonl`` comes last and marks it complete."""
        folder = self._cell(instance)
        folder.mkdir(exist_ok=True)
        instance.write(folder / "instance.json.gz")
        cell.interval.incumbent.schedule.write(folder / "offline.json.gz")
        for run in cell.runs:
            name = re.sub(r"[^\w.-]", "_", run.policy.name)
            run.trace.schedule.write(folder / f"{name}.json.gz")
        write_atomic(folder / "timings.jsonl", to_json_lines(cell.timings).encode())
        write_atomic(folder / "rows.jsonl", to_json_lines(cell.rows).encode())

    def finish(self, rows: Sequence[Row], timings: Sequence[Timing]) -> None:
        """Write the tables of the whole run."""
        versions = {name: version(name) for name in _LIBRARIES}
        settings = {
            "settings": self._settings,
            "policies": self._policies,
            "versions": {"python": platform.python_version(), **versions},
            "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
        }
        text = json.dumps(settings, indent=1, sort_keys=True) + "\n"
        write_atomic(self.path / "settings.json", text.encode())
        write_atomic(self.path / "timings.jsonl", to_json_lines(timings).encode())
        write_atomic(self.path / "rows.jsonl", to_json_lines(rows).encode())
        frame = pd.DataFrame([asdict(row) for row in rows])
        write_atomic(self.path / "rows.csv", frame.to_csv(index=False).encode())


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def _parse(line: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(line)
    return {key: float("inf") if value == "inf" else value for key, value in fields.items()}


def _fingerprint(policies: Sequence[type[Policy]]) -> str:
    """Hash of the code that results depend on."""
    files = {
        file
        for package in (models, solvers, online)
        for folder in package.__path__
        for file in Path(folder).rglob("*.py")
    }
    files |= {Path(inspect.getfile(policy)) for policy in policies}
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()
