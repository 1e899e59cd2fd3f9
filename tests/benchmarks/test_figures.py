"""Figures: quick data against the kept references, the files, the cells, the command."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Picture

from benchmarks import figure as figure_module
from benchmarks.evaluate import run_policy
from benchmarks.figure import CellStore, Figure, compute, figures_of, find_figure
from benchmarks.figures import main
from benchmarks.pictures.lines import plot_lines
from benchmarks.utility.figures_common import KINDS, draw, kind_of
from models.errors import InputError
from models.problem import problem_names
from online.utility.oasis import OASiS

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


def test_figure_3_shows_five_schemes_at_every_number_of_jobs(quick: Any) -> None:
    frame = quick("utility-3")
    counts = frame.groupby(["jobs", "seed"])["policy"].nunique()
    assert (counts == 5).all()
    assert (frame["completed"] <= frame["jobs"]).all()
    assert (frame["utility"] >= 0).all()


def test_figure_4_has_as_many_jobs_of_both_classes(quick: Any) -> None:
    frame = quick("utility-4")
    sizes = frame.groupby(["policy", "seed", "kind"]).size()
    assert set(frame["kind"]) == {"time-sensitive", "time-critical"}
    assert sizes.nunique() == 1
    # Only a completed job has a lateness; the others could at best complete at T.
    assert (frame["lateness"].notna() == frame["completed"]).all()
    done = frame[frame["completed"]]
    assert (done["lateness"] == done["lateness_at_t"]).all()
    missed = frame[~frame["completed"]]
    assert (missed["lateness_at_t"] + missed["target"] <= frame["slots"].max()).all()


def test_figure_5_intervals_hold_the_ratio(quick: Any) -> None:
    frame = quick("utility-5")
    assert (frame["ratio_lower"] >= 1 - 1e-9).all()
    assert (frame["ratio_lower"] <= frame["ratio_upper"]).all()
    assert (frame["utility"] <= frame["offline_upper"] * (1 + 1e-9)).all()
    assert (frame["offline_status"] == "optimal").all()  # so small that nothing stays open


def test_figure_6_at_the_actual_value_is_oasis(quick: Any) -> None:
    frame = quick("utility-6")
    exact = frame[frame["scale"] == 1.0]
    row = exact.iloc[0]
    instance = draw(**{key: int(row[key]) for key in ("jobs", "slots", "servers", "seed")})
    assert run_policy(instance, OASiS).score.objective == pytest.approx(row["utility"])


def test_classes_of_jobs() -> None:
    instance = draw(jobs=20, slots=20, servers=5, seed=0, mix=(0.25, 0.5, 0.25))
    kinds = [kind_of(job) for job in instance.jobs]
    assert [kinds.count(kind) for kind in KINDS] == [5, 10, 5]


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


def test_kept_or_not_the_data_is_the_same(tmp_path: Path) -> None:
    figure = find_figure("utility-6")
    fresh = compute(figure, "quick", range(1))
    store = CellStore(tmp_path)
    for _ in range(2):
        pd.testing.assert_frame_equal(compute(figure, "quick", range(1), store=store), fresh)


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


def test_command_writes_three_files_and_the_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for out in ("a", "b"):
        assert main(["utility-6", "--quick", "--seeds", "2", "--out", str(tmp_path / out)]) == 0
    for ending in ("pdf", "png", "csv"):
        first, again = (tmp_path / out / f"utility-6-quick.{ending}" for out in "ab")
        assert first.read_bytes() == again.read_bytes()
        assert str(first) in capsys.readouterr().out or ending != "pdf"
    frame = pd.read_csv(tmp_path / "a" / "utility-6-quick.csv")
    assert set(frame["seed"]) == {0, 1}
    assert np.isfinite(frame["utility"]).all()


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES)
    assert {f"utility-{n}" for n in (3, 4, 5, 6, 8, 9)} <= set(NAMES)
    assert {f"reward-{n}" for n in (2, 3, 4, 5, 6, 7, "table-2")} <= set(NAMES)
    assert {f"jct-{n}" for n in (4, 5, 7, 8, 9, 10, 11, 12, 13)} <= set(NAMES)


def test_a_problem_without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_module, "problem", lambda name: None)
    assert figures_of("nothing") == {}
    with pytest.raises(InputError, match="unknown problem 'nothing'"):
        monkeypatch.undo()
        figures_of("nothing")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["utility-6", "utility-8", "utility-9"])
def test_default_size_with_one_seed(name: str, tmp_path: Path) -> None:
    assert main([name, "--seeds", "1", "--out", str(tmp_path)]) == 0
    assert len(list(tmp_path.glob(f"{name}.*"))) == 3
