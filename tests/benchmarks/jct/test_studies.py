"""Studies of `jct`: what their frames say, by hand and against the runs they come from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.catalogue import find_picture, find_study, pictures_of
from benchmarks.jct.measures import EPSILONS
from benchmarks.jct.readings import BASELINES, MULTIVERSE, OWN, READINGS
from benchmarks.jct.studies import SCHEMES, STUDIES
from benchmarks.jct.tables import rates
from benchmarks.study.cell import Outcome
from benchmarks.study.closure import import_closure
from benchmarks.study.instances import drawn, instance_of
from benchmarks.study.run import run_policy
from benchmarks.study.scheme import Reading
from benchmarks.study.store import Store
from benchmarks.study.study import in_every_reading
from models.jct import JctInstance
from online.jct.a_online import AOnline
from online.jct.speed import augmented
from online.registry import find_policy
from tests.benchmarks.frames import (
    assert_is_kept,
    assert_marks_are_told,
    assert_other_seeds_are_kept,
    kept,
)
from tests.benchmarks.jct.conftest import Frames

PICTURES = tuple(picture.name for picture in pictures_of("jct"))
RUNS = len(OWN) + len(READINGS) * len(BASELINES)  # of one instance

# Exact solves stop at a relative gap of 1e-4, so two runs may differ by as much.
SOLVED = {
    **dict.fromkeys(("offline_lower", "offline_upper", "ratio_lower", "ratio_upper"), 2e-4),
    "paper_bound": 1e-6,
}


def draw(*, jobs: int, servers: int, slots: int, seed: int, **settings: Any) -> JctInstance:
    source = drawn("jct", jobs=jobs, slots=slots, servers=servers, seed=seed, settings=settings)
    found: JctInstance = instance_of(source)
    return found


# ---- frames and pictures -------------------------------------------------------------------


def test_pictures_are_those_of_the_paper() -> None:
    assert PICTURES == tuple(f"jct-{n}" for n in (4, 5, 7, 8, 9, 10, 11, 12, 13))


@pytest.mark.parametrize("name", PICTURES)
def test_quick_frame_is_the_reference(name: str, quick: Frames) -> None:
    assert_is_kept(quick(find_picture(name).study), name, SOLVED)


@pytest.mark.slow
def test_quick_frames_of_the_other_seeds_are_the_references(tmp_path: Path) -> None:
    for name in PICTURES:
        assert_other_seeds_are_kept(name, SOLVED, Store(tmp_path))


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_states_its_size(name: str) -> None:
    picture = find_picture(name)
    frame = kept(picture.study)
    drawn_alone = picture.plot(frame, None)
    axes = drawn_alone.axes
    assert axes[0].get_xlabel() and axes[0].get_ylabel()
    texts = [panel.get_title(loc="left") for panel in axes if isinstance(panel, Axes)]
    words = " ".join([drawn_alone.get_suptitle(), *texts])
    assert "and the cloud" in words
    assert_marks_are_told(drawn_alone)
    own = Figure()
    _, right = own.subplots(1, 2)
    assert picture.plot(frame, right) is own


def test_sizes_grow_and_seeds_replace() -> None:
    for study in STUDIES:
        sizes = [len(study.trials(size)) for size in ("quick", "default", "paper")]
        assert sizes == sorted(sizes)
        assert {trial.seed for trial in study.trials("default", range(7, 9))} == {7, 8}
        points = [dict(point) for grid in study.grids.values() for point in grid]
        assert json.loads(json.dumps(points)) == points


def test_sizes_of_the_paper() -> None:
    trials = find_study("jct-jobs").trials("paper", [0])
    points = pd.DataFrame([trial.point for trial in trials])
    assert (points["jobs"].max(), points["servers"].max()) == (300, 100)
    assert {len(trial.entries) for trial in trials} == {RUNS}
    trials = find_study("jct-testbed").trials("paper", [0])
    points = pd.DataFrame([trial.point for trial in trials])
    assert (points["jobs"].max(), points["servers"].max()) == (30, 8)
    # Fig. 4 has four algorithms.
    assert {entry.scheme.name for entry in trials[0].entries} == set(SCHEMES) - {"a-online-e"}
    for axis, least, most in (("jobs", 5, 25), ("servers", 5, 45)):
        values = [t.point[axis] for t in find_study(f"jct-speeds-{axis}").trials("paper", [0])]
        assert (min(values), max(values)) == (least, most)


def test_no_cell_depends_on_pictures_claims_or_studies() -> None:
    above = {
        f"benchmarks.jct.{name}"
        for name in ("pictures", "claims", "over_time", "theory", "studies")
    }
    for study in STUDIES:
        for cell in study.measure.cells(study.trials("quick")[0]):
            found = set(import_closure([cell.function.partition(":")[0], *cell.roots]))
            assert "benchmarks.jct.workload" in found
            assert not found & above
            assert not any(name.startswith("benchmarks.pictures") for name in found)


# ---- readings ------------------------------------------------------------------------------


def test_readings_differ_in_the_workers_asked_for() -> None:
    (trial,) = find_study("jct-testbed").trials("quick", [0])[1:]
    asked, cloud = {}, {}
    for entry in trial.entries:
        if entry.scheme.name == "srtf":
            ins = draw(**entry.settings, seed=0)
            policy = find_policy("jct", "srtf")
            run = run_policy(ins, policy, **entry.scheme.parameters)
            asked[entry.reading] = [(item.requested_workers, item.chunks) for item in ins.jobs]
            cloud[entry.reading] = run.trace.schedule.together
    assert list(asked) == [reading.name for reading in READINGS]
    assert asked["chunks"] == asked["edge"] == [(d, d) for _, d in asked["chunks"]]
    assert asked["gpus"] != asked["uniform"] != asked["chunks"]
    assert not cloud["edge"].any()
    assert cloud["chunks"].all()  # 8 GPUs and 16 CPUs are fewer than any D


@pytest.mark.parametrize("name", OWN)
def test_own_schemes_are_indifferent_to_the_workers_asked_for(name: str) -> None:
    size = {"jobs": 20, "servers": 4, "slots": 100, "seed": 1}
    instances = [draw(**size, requested=rule) for rule in ("gpus", "uniform", "chunks")]
    assert len({ins.hash for ins in instances}) == 3
    first, *others = (run_policy(ins, find_policy("jct", name)) for ins in instances)
    assert first.score.objective > 0
    for run in others:
        assert np.array_equal(run.trace.schedule.workers, first.trace.schedule.workers)
        assert np.array_equal(run.trace.schedule.ps, first.trace.schedule.ps)
        assert run.trace.decisions == first.trace.decisions


@pytest.mark.parametrize(("study", "schemes"), [("testbed", 4), ("jobs", 5), ("servers", 5)])
def test_every_scheme_in_every_reading(study: str, schemes: int, quick: Frames) -> None:
    frame = in_every_reading(quick(f"jct-{study}"), READINGS)
    setting = "servers" if study == "servers" else "jobs"
    counts = frame.groupby([setting, "reading", "seed"])["policy"].nunique()
    assert (counts == schemes).all()
    assert (frame["mean_jct"] * frame["jobs"] - frame["total_jct"]).abs().max() < 1e-6


# ---- what is measured ----------------------------------------------------------------------


def test_rates_by_hand() -> None:
    frame = pd.DataFrame(
        [
            {"jobs": 1, "seed": 0, "policy": policy, "reading": reading, "total_jct": value}
            for policy, reading, value in (
                ("a-online", "gpus", 4.0),
                ("srtf", "gpus", 8.0),
                ("srtf", "edge", 5.0),
                ("batchsche", "edge", 10.0),
            )
        ]
    )
    every = rates(in_every_reading(frame, READINGS), "jobs")
    found = every.set_index(["reading", "policy"])["jct_rate"]
    assert found["gpus", "a-online"] == 0.5
    assert found["edge", "a-online"] == 0.8
    assert found["edge", "batchsche"] == 2.0
    assert np.isnan(found["chunks", "a-online"])  # there is no SRTF to divide by


def test_sweeps_are_made_of_runs(quick: Frames) -> None:
    frame = quick("jct-jobs")
    assert len(frame) == RUNS * 2
    row = frame[(frame["policy"] == "a-online") & (frame["seed"] == 0)].iloc[0]
    ins = draw(**{key: int(row[key]) for key in ("jobs", "servers", "slots", "seed")})
    assert run_policy(ins, AOnline).score.objective == row["total_jct"]


def test_utilisation(quick: Frames) -> None:
    frame = quick("jct-utilisation")
    assert frame["utilisation"].between(0, 1).all()
    assert (frame["utilisation"] <= frame["peak"] + 1e-12).all()
    within = frame[frame["slot"] < frame["slots"]]
    keys = ["policy", "reading", "seed"]
    # One slot is one span at this size, so the busy share is the mean over the arrival slots.
    mean = within.groupby(keys)["utilisation"].sum() / frame["slots"].iat[0]
    pd.testing.assert_series_equal(mean, frame.groupby(keys)["busy"].first(), check_names=False)
    assert (within.groupby(keys)["submissions"].sum() == frame["jobs"].iat[0]).all()
    axes = find_picture("jct-11").plot(frame, None).axes
    assert axes[0].get_ylabel() == "jobs submitted in a slot"
    assert {panel.get_xlabel() for panel in axes} == {"slot of one hour"}


@pytest.mark.parametrize("axis", ["jobs", "servers"])
def test_ratios(axis: str, quick: Frames) -> None:
    frame = quick(f"jct-speeds-{axis}")
    assert (frame["offline_status"] == "optimal").all()  # so small that nothing stays open
    assert (frame["ratio_lower"] <= frame["ratio_upper"]).all()
    np.testing.assert_allclose(frame["ratio_lower"] * frame["offline_upper"], frame["total_jct"])
    assert (frame["paper_bound"] <= frame["offline_lower"] * (1 + 1e-9)).all()
    slow = frame[frame["epsilon"] == 0.0]
    assert (slow["ratio_upper"] >= 1 - 1e-9).all()
    assert slow["guarantee"].isna().all()
    assert (slow["posterior_bound"] <= slow["offline_upper"] * (1 + 1e-9)).all()
    assert sorted(frame["epsilon"].unique()) == [a / b for a, b in EPSILONS]


def test_ratio_at_half_more_speed(quick: Frames) -> None:
    row = quick("jct-speeds-jobs").query("epsilon == 0.5 and seed == 0").iloc[0]
    size = {key: int(row[key]) for key in ("jobs", "servers", "slots", "seed")}
    fast = augmented(draw(chunks=[1, 3], epochs=[1, 3], **size), 1, 2)
    run = run_policy(fast, AOnline)
    assert run.score.objective / 3 == pytest.approx(row["total_jct"])
    assert row["guarantee"] == 3 * max(item.chunks for item in fast.jobs)


def test_more_time_for_the_optimum_measures_no_speed_again() -> None:
    study = find_study("jct-speeds-jobs")
    trial = study.trials("quick", [0])[0]
    short = replace(trial, point={**trial.point, "time_limit": 1.0})
    optimum, speeds = study.measure.cells(trial)
    other_optimum, other_speeds = study.measure.cells(short)
    assert optimum.parameters == other_optimum.parameters and optimum.effort != other_optimum.effort
    assert speeds == other_speeds


def test_readings_reach_every_cell() -> None:
    """Parameters of A_online those of three speeds, too; the testbed keeps its types."""
    reading = Reading("r", "", {"worker_types": [1, 1]}, {"a-online": {"later": "all"}})
    for name, points in MULTIVERSE.points.items():
        study = replace(find_study(name), grids={"default": points}).in_reading(reading)
        trial = study.trials("default", [0])[0]
        told = {entry.scheme.name: entry.scheme.parameters for entry in trial.entries}
        assert told["a-online"] == {"later": "all"}
        testbed = name == "jct-testbed"
        assert trial.point["worker_types"] == (None if testbed else [1, 1])
        cells = study.measure.cells(trial)
        if name.startswith("jct-speeds"):
            assert cells[1].parameters["parameters"] == {"later": "all"}
        else:
            assert cells[0].parameters["scheme"]["parameters"] == {"later": "all"}


def test_a_failed_cell_is_a_row_that_says_so() -> None:
    study = find_study("jct-speeds-jobs")
    trial = study.trials("quick", [0])[0]
    lost = [Outcome("killed", message="no memory"), Outcome("failed", message="no run")]
    rows = study.measure.rows(trial, lost)
    assert [row["error"] for row in rows] == ["killed: no memory", "failed: no run"]
    assert rows[0]["jobs"] == trial.point["jobs"]
