"""Models as LP and MPS files: for other solvers, and for reading."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from models.errors import InputError
from models.files import write_atomic

__all__ = ["FORMATS", "write_model"]

FORMATS = ("lp", "mps")


def write_model(model: Any, path: str | Path) -> None:
    """Write a Pyomo model, whole or not at all, with readable names.

    The name of y[0,1,2] in the file is ``y(0_1_2)``.

    Parameters
    ----------
    model : pyomo ConcreteModel
        Linear, with one objective.
    path : str or Path
        The ending says the format: ``.lp`` or ``.mps`` (free format), each also with ``.gz``.

    Raises
    ------
    InputError
        If the ending is another, or the file cannot be written.
    """
    ending = Path(str(path).removesuffix(".gz")).suffix
    if ending.removeprefix(".") not in FORMATS:
        raise InputError(f"{path}: the ending is not .lp or .mps (or .lp.gz, .mps.gz)")
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / f"model{ending}"
        model.write(str(draft), io_options={"symbolic_solver_labels": True})
        write_atomic(path, draft.read_bytes())
