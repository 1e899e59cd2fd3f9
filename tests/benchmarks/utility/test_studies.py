"""Studies: quick frames against the kept references, what is true of them, and their cells."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from benchmarks.catalogue import claims_of, find_study, pictures_of
from benchmarks.study.cell import Outcome
from benchmarks.study.closure import import_closure
from benchmarks.study.run import run_policy
from benchmarks.study.store import Store
from benchmarks.study.study import SIZES, Study
from benchmarks.utility.measures import KINDS, draw, kind_of
from benchmarks.utility.studies import STUDIES
from online.utility.oasis import OASiS
from tests.benchmarks.frames import (
    assert_is_kept,
    assert_marks_are_told,
    assert_other_seeds_are_kept,
    kept,
)

Quick = Callable[[str], pd.DataFrame]

PICTURES = {picture.name.removeprefix("utility-"): picture for picture in pictures_of("utility")}

# Exact solves stop at a relative gap of 1e-4, so two runs may differ by as much.
SOLVED = dict.fromkeys(("offline_lower", "offline_upper", "ratio_lower", "ratio_upper"), 2e-4)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n == "5-large" else n for n in PICTURES],
)
def test_quick_frame_is_the_reference(name: str, quick: Quick) -> None:
    assert_is_kept(quick(name), f"utility-{name}", SOLVED)


@pytest.mark.slow
def test_quick_frames_of_the_other_seeds_are_the_references(tmp_path: Path) -> None:
    for name in PICTURES:
        assert_other_seeds_are_kept(f"utility-{name}", SOLVED, Store(tmp_path))


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_drawn_from_its_frame(name: str, quick: Quick) -> None:
    picture = PICTURES[name]
    assert picture.study == picture.name and picture.title and picture.source
    frames = {picture.study: kept(picture.study)}
    if picture.beside:
        frames[picture.beside] = quick(f"{name}-loads")
    frame = picture.frame(frames.__getitem__)
    drawn = picture.plot(frame, None)
    assert_marks_are_told(drawn)
    assert drawn.axes[0].get_xlabel() and drawn.axes[0].get_ylabel()
    own = Figure()
    _, right = own.subplots(1, 2)
    assert picture.plot(frame, right) is own


def test_a_panel_says_the_load_of_its_rows(quick: Quick) -> None:
    picture = PICTURES["3"]
    frame = picture.frame(lambda name: quick(name.removeprefix("utility-")))
    scaled, drawn = (part for _, part in frame.groupby(frame["asked_load"], dropna=False))
    assert (scaled["asked_load"] == 1.0).all() and scaled["load"].between(0.95, 1.05).all()
    assert drawn["load"].max() > 2.0
    pd.testing.assert_frame_equal(drawn[quick("3").columns], quick("3"))  # what claims see
    panels = picture.plot(frame, None).axes
    titles = [panel.get_title(loc="left") for panel in panels]
    low, high = drawn["load"].min(), drawn["load"].max()
    assert titles == [f"work as drawn: load {low:.2g} to {high:.2g}", "work scaled: load 1"]
    for panel, part in zip(panels, (drawn, scaled), strict=True):
        best = part.groupby(["jobs", "policy"])["utility"].mean().max()
        assert max(line.get_ydata().max() for line in panel.get_lines()[:15:3]) <= best + 1e-9


@pytest.mark.parametrize("name", ["3", "4", "5"])
def test_points_of_the_loads(name: str) -> None:
    registered, beside = find_study(f"utility-{name}"), find_study(PICTURES[name].beside)
    for size in SIZES:
        loads = {point.get("load") for point in beside.grids[size]}
        assert loads >= ({1.0} if size == "quick" else {0.5, 1.0, 2.0})
        points = [dict(point) for point in registered.grids[size]]
        assert not [point for point in beside.grids[size] if point in points]
    assert not [claim for claim in claims_of("utility") if beside.name in claim.studies]
    if name == "5":
        every = [*registered.grids["default"], *beside.grids["default"]]
        for load in (None, 0.5, 1.0):
            servers = {point["servers"] for point in every if point.get("load") == load}
            assert servers == {5, 10, 20, 50, 100}


def test_titles_count_in_whole_numbers() -> None:
    # A row with a fraction in it would turn all its numbers into floats.
    frame = pd.DataFrame({"jobs": [4, 4], "slots": 12, "servers": 3, "seed": [0, 1]})
    frame["past"], frame["utility"], frame["exact_utility"] = 1, [0.5, 1.5], 2.5
    title = PICTURES["history"].plot(frame, None).axes[0].get_title(loc="left")
    assert title == "4 jobs, 3+3 servers, T = 12"


def test_figure_3_shows_five_schemes_at_every_number_of_jobs(quick: Quick) -> None:
    frame = quick("3")
    counts = frame.groupby(["jobs", "seed"])["policy"].nunique()
    assert (counts == 5).all()
    assert (frame["completed"] <= frame["jobs"]).all()
    assert (frame["utility"] >= 0).all()


def test_figure_4_has_as_many_jobs_of_both_classes(quick: Quick) -> None:
    frame = quick("4")
    sizes = frame.groupby(["policy", "seed", "kind"]).size()
    assert set(frame["kind"]) == {"time-sensitive", "time-critical"}
    assert sizes.nunique() == 1
    # Only a completed job has a lateness; the others could at best complete at T.
    assert (frame["lateness"].notna() == frame["completed"]).all()
    done = frame[frame["completed"]]
    assert (done["lateness"] == done["lateness_at_t"]).all()
    missed = frame[~frame["completed"]]
    assert (missed["lateness_at_t"] + missed["target"] <= frame["slots"].max()).all()


def test_figure_5_intervals_hold_the_ratio(quick: Quick) -> None:
    frame = quick("5")
    assert (frame["ratio_lower"] >= 1 - 1e-9).all()
    assert (frame["ratio_lower"] <= frame["ratio_upper"]).all()
    assert (frame["utility"] <= frame["offline_upper"] * (1 + 1e-9)).all()
    assert (frame["offline_status"] == "optimal").all()  # so small that nothing stays open


def test_figure_5_row_of_a_cell_that_failed() -> None:
    study = find_study("utility-5")
    (trial, *_) = study.trials("quick")
    killed = Outcome("killed", message="signal 9")
    (row,) = study.measure.rows(trial, [killed, killed])
    assert row["error"] == "run: killed: signal 9; offline: killed: signal 9"
    assert {name: row[name] for name in ("jobs", "servers", "seed", "policy")} == {
        "jobs": 5,
        "servers": 2,
        "seed": 0,
        "policy": "oasis",
    }


def test_figure_6_at_the_actual_value_is_oasis(quick: Quick) -> None:
    frame = quick("6")
    exact = frame[frame["scale"] == 1.0]
    row = exact.iloc[0]
    instance = draw(**{key: int(row[key]) for key in ("jobs", "slots", "servers", "seed")})
    assert run_policy(instance, OASiS).score.objective == pytest.approx(row["utility"])


def test_classes_of_jobs() -> None:
    instance = draw(jobs=20, slots=20, servers=5, seed=0, mix=[0.25, 0.5, 0.25])
    kinds = [kind_of(job) for job in instance.jobs]
    assert [kinds.count(kind) for kind in KINDS] == [5, 10, 5]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_sizes_grow_and_seeds_replace(study: Study) -> None:
    assert find_study(study.name) is study
    counts = [len(study.trials(size)) for size in SIZES]
    assert counts == sorted(counts)
    assert {trial.seed for trial in study.trials("default", range(7, 9))} == {7, 8}
    parameters = [
        cell.parameters for trial in study.trials("default") for cell in study.measure.cells(trial)
    ]
    assert json.loads(json.dumps(parameters)) == parameters


def test_kept_or_not_the_frame_is_the_same(tmp_path: Path) -> None:
    study = find_study("utility-6")
    fresh = study.frame("quick", range(1))
    for _ in range(2):
        again = study.frame("quick", range(1), store=Store(tmp_path))
        pd.testing.assert_frame_equal(again, fresh)


def test_times_are_measured_anew() -> None:
    for name in ("decision-time", "optimum-time"):
        study = find_study(f"utility-{name}")
        (cell,) = study.measure.cells(study.trials("quick")[0])
        assert not cell.kept and cell.needs.alone


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_cells_depend_on_their_policies_and_on_no_picture(study: Study) -> None:
    for trial in study.trials("quick")[:5]:
        for cell in study.measure.cells(trial):
            modules = import_closure([cell.function.partition(":")[0], *cell.roots])
            assert "online.utility.oasis" in modules
            later = ("pictures", "claims", "studies")
            assert not [name for name in modules if name.rpartition(".")[2] in later]
            assert not [name for name in modules if name.startswith("benchmarks.pictures.")]


def test_the_thresholds_depend_on_all_schemes() -> None:
    study = find_study("utility-thresholds")
    for cell in study.measure.cells(study.trials("quick")[0]):
        modules = import_closure(cell.roots)
        assert {f"online.utility.{policy}" for policy in ("dorm", "drf", "fifo", "rrh")} <= (
            modules.keys()
        )
