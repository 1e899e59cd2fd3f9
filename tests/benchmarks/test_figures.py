"""Figures: quick data against the kept references, the files, the cells, the command."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure as Picture

from benchmarks import figure as figure_module
from benchmarks.figure import CellStore, Figure, compute, figures_of, find_figure
from benchmarks.figures import main
from benchmarks.pictures.lines import plot_lines
from models.errors import InputError
from models.problem import problem_names

NAMES = tuple(name for kind in problem_names() for name in figures_of(kind))
REFERENCES = Path(figure_module.__file__).parent

# Exact solves stop at a relative gap of 1e-4, so two runs may differ by as much; best fixed
# decisions stop at 1e-6, but regret is a small part of their reward, and they may lie apart.
SOLVED = {
    **dict.fromkeys(("offline_lower", "offline_upper", "ratio_lower", "ratio_upper"), 2e-4),
    "paper_bound": 1e-6,
    **dict.fromkeys(("fixed_lower", "fixed_upper"), 2e-6),
    **dict.fromkeys(("regret_lower", "regret_upper"), 1e-3),
    **dict.fromkeys(("inequality_left", "inequality_right"), 1e-2),
}


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Data of a figure at quick size, computed once."""
    store = CellStore(tmp_path_factory.mktemp("cells"))
    return lambda name: compute(find_figure(name), "quick", store=store)


@pytest.mark.parametrize("name", NAMES)
def test_quick_data_is_the_reference(name: str, quick: Any) -> None:
    folder = REFERENCES / name.partition("-")[0] / "reference"
    expected = pd.read_csv(folder / f"{name}.csv")
    found = pd.read_csv(_as_csv(quick(name)))
    assert list(found.columns) == list(expected.columns)
    for column in expected:
        tolerance = SOLVED.get(column, 1e-9)
        pd.testing.assert_series_equal(found[column], expected[column], rtol=tolerance, atol=1e-9)


def _as_csv(frame: pd.DataFrame) -> io.StringIO:
    return io.StringIO(frame.to_csv(index=False))


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_drawn_from_its_data(name: str, quick: Any) -> None:
    figure = find_figure(name)
    frame = quick(name)
    picture = figure.plot(frame, None)
    assert picture.axes[0].get_xlabel() and picture.axes[0].get_ylabel()
    own = Picture()
    _, right = own.subplots(1, 2)
    assert figure.plot(frame, right) is own


def test_sizes_grow_and_seeds_replace() -> None:
    for figure in map(find_figure, NAMES):
        sizes = [len(figure.cells(size, None)) for size in ("quick", "default", "paper")]
        assert sizes == sorted(sizes)
        seeds = {cell["seed"] for cell in figure.cells("default", range(7, 9))}
        assert seeds == {7, 8}
        cells = figure.cells("default", None)
        assert json.loads(json.dumps(cells)) == cells


# ---- cells ---------------------------------------------------------------------------------


def counting(calls: list[int]) -> Figure:
    """A figure that counts how often its cells are computed, and fails at n = 3."""

    def run(*, n: int, seed: int) -> list[dict[str, Any]]:
        calls.append(n)
        if n == 3:
            raise RuntimeError("interrupted")
        return [{"n": n, "y": 1.5 * n, "name": "a", "missing": None}]

    return Figure(
        name="utility-count",
        title="t",
        source="s",
        cells=lambda size, seeds: [{"n": n, "seed": s} for n in (1, 2, 3) for s in seeds or [0]],
        run=run,
        plot=lambda frame, axes: plot_lines(
            frame, axes, x="n", y="y", series="name", xlabel="n", ylabel="y"
        ),
    )


def test_finished_cells_are_kept_when_a_later_one_fails(tmp_path: Path) -> None:
    calls: list[int] = []
    figure = counting(calls)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="interrupted"):
            compute(figure, "quick", store=CellStore(tmp_path))
    assert calls == [1, 2, 3, 3]
    with pytest.raises(RuntimeError):
        compute(figure, "quick", [1], store=CellStore(tmp_path))
    assert calls == [1, 2, 3, 3, 1, 2, 3]  # another seed, other cells


def test_figures_with_the_same_data_share_cells(tmp_path: Path) -> None:
    store, first = CellStore(tmp_path), counting([])
    store.save(first, {"n": 1}, [{"n": 1}])
    assert store.load(replace(first, name="utility-other"), {"n": 1}) is None
    shared = replace(first, name="utility-other", data="utility-count")
    assert store.load(shared, {"n": 1}) == [{"n": 1}]


def test_changed_code_is_another_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, figure, cell = CellStore(tmp_path), counting([]), {"n": 1}
    store.save(figure, cell, [{"n": 1}])
    assert store.load(figure, cell) == [{"n": 1}]
    monkeypatch.setattr(figure_module, "fingerprint", lambda counts: "other")
    assert store.load(figure, cell) is None


@pytest.mark.parametrize("text", [b"", b'[{"n": 1', b"\xff", b"3", b"[3]"])
def test_a_damaged_cell_is_computed_again(text: bytes, tmp_path: Path) -> None:
    store, figure, cell = CellStore(tmp_path), counting([]), {"n": 1, "seed": 0}
    records = [{"n": 1, "ratio": float("inf")}]
    store.save(figure, cell, records)
    assert store.load(figure, cell) == records
    (file,) = tmp_path.iterdir()
    file.write_bytes(text)
    assert store.load(figure, cell) is None


# ---- the command ---------------------------------------------------------------------------


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES)
    assert {f"reward-{n}" for n in (2, 3, 4, 5, 6, 7, "table-2")} <= set(NAMES)
    assert {f"jct-{n}" for n in (4, 5, 7, 8, 9, 10, 11, 12, 13)} <= set(NAMES)


def test_a_problem_without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_module, "problem", lambda name: None)
    assert figures_of("nothing") == {}
    with pytest.raises(InputError, match="unknown problem 'nothing'"):
        monkeypatch.undo()
        figures_of("nothing")
