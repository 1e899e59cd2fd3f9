"""What a figure of a paper is: cells computed one by one and kept, a plot, three files."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from tqdm import tqdm

from benchmarks.fingerprint import fingerprint
from models.errors import InputError
from models.files import write_atomic
from models.problem import has_sub_package, problem, problem_names, sub_package

__all__ = ["SIZES", "Cell", "CellStore", "Figure", "compute", "figures_of", "find_figure"]

SIZES = ("quick", "default", "paper")
"""Seconds; a few minutes; as large as in the paper."""

Cell = dict[str, Any]
"""Parameters of one unit of work, in JSON types: what a record is computed from."""


@dataclass(frozen=True)
class Figure:
    """A figure: what is computed for it, and how it is drawn.

    Parameters
    ----------
    name : str
        ``<problem>-<name>``, as on the command line.
    title : str
        What it shows.
    source : str
        The paper's figure, or where else it comes from.
    cells : callable
        ``(size, seeds or None) -> list of Cell``; size is one of ``SIZES``, and seeds replace
        those of the size.
    run : callable
        ``(**cell) -> list of records``: flat, JSON types, the same for the same cell; no times.
    plot : callable
        ``(frame, axes or None) -> matplotlib figure``.
    data : str
        Name under which finished cells are kept, the figure's own by default. Figures with the
        same ``run`` may share one, and then share the cells that both have.
    """

    name: str
    title: str
    source: str
    cells: Callable[[str, Sequence[int] | None], list[Cell]]
    run: Callable[..., list[dict[str, Any]]]
    plot: Callable[[pd.DataFrame, Axes | None], Picture]
    data: str = ""


def figures_of(problem_name: str) -> dict[str, Figure]:
    """Figures of a problem by name, in the order of the paper; none if it has none yet."""
    problem(problem_name)  # a clear error for an unknown problem
    if not has_sub_package("benchmarks", problem_name, "figures"):
        return {}
    found: dict[str, Figure] = sub_package("benchmarks", problem_name, "figures").FIGURES
    return found


def find_figure(name: str) -> Figure:
    """Look a figure up; the problem is the part of its name before the first dash.

    Raises
    ------
    InputError
        If there is no such problem or figure.
    """
    problem_name = name.partition("-")[0]
    if problem_name not in problem_names():
        known = ", ".join(problem_names())
        raise InputError(f"unknown figure '{name}': names begin with a problem, one of {known}")
    figures = figures_of(problem_name)
    if name not in figures:
        known = ", ".join(figures) or "none yet"
        raise InputError(f"unknown figure '{name}': figures of '{problem_name}' are {known}")
    return figures[name]


class CellStore:
    """Folder of finished cells, so that a long figure can be taken up again.

    The key of a cell is made of the figure's data, the cell's parameters and all code that its
    records may depend on, so a cell is used again only if nothing has changed.

    Parameters
    ----------
    path : str or Path
        Created if absent.

    Raises
    ------
    InputError
        If the folder cannot be made.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: cannot be made: {error.strerror}") from None

    def _file(self, figure: Figure, cell: Cell) -> Path:
        name = figure.data or figure.name
        key = json.dumps([name, cell, fingerprint(_counts)], sort_keys=True)
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        return self._path / f"{name}-{digest}.json"

    def load(self, figure: Figure, cell: Cell) -> list[dict[str, Any]] | None:
        """Records of a cell finished before; None if there are none that can be read."""
        file = self._file(figure, cell)
        if not file.is_file():
            return None
        try:
            # Not msgspec's decoder: a ratio may be infinite, which JSON proper cannot say.
            text = json.loads(file.read_text(encoding="utf-8"))
            return msgspec.convert(text, list[dict[str, Any]])
        except (ValueError, msgspec.ValidationError):
            return None

    def save(self, figure: Figure, cell: Cell, records: Sequence[Mapping[str, Any]]) -> None:
        """Keep the records of a finished cell."""
        write_atomic(self._file(figure, cell), json.dumps(list(records)).encode())


def _counts(name: str) -> bool:
    """Whether records may depend on a module: pictures and verdicts are made from records."""
    parts = PurePosixPath(name).parts
    return not ("pictures" in parts or parts[-1].startswith("claim"))


def compute(
    figure: Figure,
    size: str,
    seeds: Sequence[int] | None = None,
    *,
    store: CellStore | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Compute the data of a figure.

    Parameters
    ----------
    figure : Figure
    size : str
        One of ``SIZES``.
    seeds : sequence of int, optional
        Instead of those of the size.
    store : CellStore, optional
        Cells it holds are not computed again; new ones are kept there as they are finished.
    progress : bool
        Show a progress bar on stderr, if that is a terminal; and say how many cells were there.

    Returns
    -------
    DataFrame
        One row per record, tidy, the same for the same arguments.
    """
    rows: list[dict[str, Any]] = []
    cells, ready = figure.cells(size, seeds), 0
    for cell in tqdm(cells, desc=figure.name, unit="cell", disable=None if progress else True):
        records = store.load(figure, cell) if store else None
        if records is None:
            # Through JSON even when nothing is stored: one kind of numbers, whatever the path.
            records = json.loads(json.dumps(figure.run(**cell)))
            if store:
                store.save(figure, cell, records)
        else:
            ready += 1
        rows.extend(records)
    if ready and progress:
        print(f"{figure.name}: {ready} of {len(cells)} cells: as run before", file=sys.stderr)
    return pd.DataFrame(rows)
