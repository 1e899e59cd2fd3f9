"""Notebooks: kept without outputs, run through, and hold no picture code of their own."""

from __future__ import annotations

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path: Path) -> None:
    for cell in read(path).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_pictures_come_from_benchmarks(path: Path) -> None:
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")
    assert "pyplot" not in text
    assert "import matplotlib" not in text


# What a notebook runs here is smaller: times in seconds and numbers of seeds.
SMALLER = (
    (r"time_limit=\d+", "time_limit=2"),
    (r"seeds=\d+", "seeds=2"),
    (r"seed in range\(\d\)", "seed in range(2)"),
)


def make_smaller(notebook: nbformat.NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            for pattern, small in SMALLER:
                cell.source = re.sub(pattern, small, cell.source)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The kernel is another process: it finds the packages of this checkout by the path.
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    notebook = read(path)
    make_smaller(notebook)
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    pictures = [out for out in outputs if "image/png" in out.get("data", {})]
    calls = sum(len(re.findall(r"^ *plot_\w+\(", cell.source, re.M)) for cell in notebook.cells)
    assert len(pictures) >= calls > 0
    assert not [out for out in outputs if out.get("name") == "stderr"], "a cell warns"
