"""Studies of `completion`: what their frames say, by hand and against the runs they come from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.catalogue import find_picture, find_study, pictures_of
from benchmarks.completion.measures import batch, bounds, draw
from benchmarks.completion.measures_theory import exhausted_example
from benchmarks.completion.readings import BASELINES, OWN, READINGS
from benchmarks.completion.studies import SCHEMES, STUDIES, TYPES
from benchmarks.study.closure import import_closure
from benchmarks.study.run import run_policy
from benchmarks.study.store import Store
from models.completion.load import ideal_demand
from online.registry import find_policy
from tests.benchmarks.completion.conftest import Frames
from tests.benchmarks.completion.frames import kept
from tests.benchmarks.frames import (
    assert_is_kept,
    assert_marks_are_told,
    assert_other_seeds_are_kept,
)

PICTURES = tuple(picture.name for picture in pictures_of("completion"))
KEPT = tuple(name for name in PICTURES if name != "completion-7")  # that has times

# Measured as Figures 2, 5 and 10 are, at other points.
ALIKE = tuple(f"completion-{n}" for n in (3, 4, 6, 9, 11))


def test_pictures_are_those_of_the_paper() -> None:
    assert PICTURES == tuple(f"completion-{n}" for n in range(2, 13))


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in ALIKE else n for n in KEPT]
)
def test_quick_frame_is_the_reference(name: str, quick: Frames) -> None:
    assert_is_kept(quick(find_picture(name).study), name, {})


@pytest.mark.slow
def test_quick_frames_of_the_other_seeds_are_the_references(tmp_path: Any) -> None:
    for name in KEPT:
        assert_other_seeds_are_kept(name, {}, Store(tmp_path))


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_states_its_size(name: str) -> None:
    picture = find_picture(name)
    frame = kept(picture.study)
    drawn = picture.plot(frame, None)
    assert_marks_are_told(drawn)
    panels = [panel for panel in drawn.axes if isinstance(panel, Axes)]
    assert panels[0].get_xlabel() and panels[0].get_ylabel()
    words = " ".join([drawn.get_suptitle(), *(p.get_title(loc="left") for p in panels)])
    assert "T = " in words
    own = Figure()
    _, right = own.subplots(1, 2)
    assert picture.plot(frame, right) is own


def test_sizes_grow_and_points_are_json() -> None:
    for study in STUDIES:
        sizes = [len(study.trials(size)) for size in ("quick", "default", "paper")]
        assert sizes == sorted(sizes)
        points = [dict(point) for grid in study.grids.values() for point in grid]
        assert json.loads(json.dumps(points)) == points


def test_sizes_of_the_paper() -> None:
    for name, slots in (("jobs-ps", 300), ("servers-ps", 150), ("jobs-allreduce", 300)):
        trials = find_study(f"completion-{name}").trials("paper", [0])
        assert {trial.point["slots"] for trial in trials} == {slots}
        assert {entry.scheme.name for entry in trials[0].entries} == set(SCHEMES)
    servers = [t.point["servers"] for t in find_study("completion-jobs-ps").trials("paper", [0])]
    assert set(servers) == {150}
    types = [t.point["only_type"] for t in find_study("completion-types").trials("quick", [0])]
    assert types == 2 * [None, *range(len(TYPES))]


def test_no_cell_depends_on_pictures_claims_or_studies() -> None:
    above = {f"benchmarks.completion.{n}" for n in ("pictures", "claims", "theory", "studies")}
    for study in STUDIES:
        for cell in study.measure.cells(study.trials("quick")[0]):
            found = set(import_closure([cell.function.partition(":")[0], *cell.roots]))
            assert not found & above
            assert not any(name.startswith("benchmarks.pictures") for name in found)


# ---- readings and measures -----------------------------------------------------------------


def test_readings_change_one_thing_each() -> None:
    (trial,) = find_study("completion-jobs-ps").trials("quick", [0])[:1]
    said = {(entry.reading, entry.scheme.name): entry for entry in trial.entries}
    assert {reading for reading, _ in said} == {reading.name for reading in READINGS}
    for name in BASELINES:
        assert said["fixed", name].scheme.parameters == ({} if name == "fifo" else {"fixed": True})
        assert said["blocks", name].scheme.parameters == {}
    assert said["blocks", OWN].scheme.parameters == {"compact": False}
    assert said["literal", OWN].scheme.parameters == {"literal": True}
    assert {e.settings["preset"] for (r, _), e in said.items() if r != "moderate"} == {"paper"}


def test_fixed_baselines_keep_their_placement() -> None:
    point = find_study("completion-jobs-ps").trials("quick", [0])[1].point
    for name in BASELINES[1:]:
        run = run_policy(
            draw(**point, preset="paper", seed=0), find_policy("completion", name), fixed=True
        )
        assert not run.trace.schedule.elastic


def test_a_batch_by_hand_and_f() -> None:
    point: dict[str, Any] = {**find_study("completion-batch-jobs").trials("quick", [0])[0].point}
    found = batch(**point, seed=0)().value
    instance = draw(**point, seed=0)
    assert {row["policy"] for row in found} == {"a-maxweight", "greedy"}
    for row in found:
        assert 0 <= row["scheduled"] <= len(instance.jobs)
        whole = sum(job.weight for job in instance.jobs)
        assert row["share"] == pytest.approx(row["weight"] / whole)
    more = {"factors": [1.0, 2.0], "moves": "weights"}
    one, two = bounds(**{**point, **more}, seed=0)().value
    assert two["total"] > one["total"]  # the weights grow with F
    lower = [f * 4800.0 + 200.0 for f in (1.0, 2.0)]
    assert lower == [5000.0, 9800.0]


def test_examples_are_those_of_the_spec(quick: Frames) -> None:
    (row,) = quick("completion-examples").to_dict("records")
    assert (row["optimum"], row["ideal"]) == pytest.approx((12.5, 15.0))
    assert (row["oracle"], row["literal"]) == pytest.approx((51.0, 58.0))
    # E3: ALG 10.04, OPT 1004; 2 log2 401 = 17.3.
    assert row["exhausted_ratio"] == pytest.approx(100.0)
    assert row["exhausted_promised"] == pytest.approx(17.3, abs=0.05)
    held, slots = ideal_demand(exhausted_example().jobs[0], exhausted_example().cluster)
    assert (held.tolist(), slots) == ([0.004, 1.0], 1)
