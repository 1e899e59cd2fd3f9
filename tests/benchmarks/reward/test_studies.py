"""Studies of `reward`: quick frames against the kept references, by hand, and single runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.catalogue import find_study, pictures_of
from benchmarks.reward.measures import draw, slot_table
from benchmarks.reward.studies import (
    GENEROUS_OF,
    REGRET_AXES,
    SCHEMES,
    SETTINGS,
    STUDIES,
    table_1,
)
from benchmarks.study.closure import import_closure
from benchmarks.study.frames import along
from benchmarks.study.run import run_policy
from benchmarks.study.scheme import policy_of
from benchmarks.study.store import Store
from benchmarks.study.study import SIZES
from online.registry import build_policy
from online.reward.fairness import Fairness
from online.reward.oga import OGASched, OGASchedLiteral
from online.reward.spreading import Spreading
from solvers.reward.projection import algorithm_1
from tests.benchmarks.frames import (
    assert_is_kept,
    assert_marks_are_told,
    assert_other_seeds_are_kept,
    kept,
)
from tests.benchmarks.reward.conftest import Frames
from tests.models.reward.small import reward

PICTURES = {picture.name: picture for picture in pictures_of("reward")}
ALIKE = ("reward-7", "reward-table-2")  # measured as Figure 3 is, at other points
NAMES = [scheme.name for scheme in SCHEMES]

# Best fixed decisions stop at 1e-6, but regret is a small part of their reward, and they may lie
# apart.
SOLVED = {
    **dict.fromkeys(("fixed_lower", "fixed_upper"), 2e-6),
    **dict.fromkeys(("regret_lower", "regret_upper"), 1e-3),
    **dict.fromkeys(("inequality_left", "inequality_right"), 1e-2),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in ALIKE else n for n in PICTURES],
)
def test_quick_frame_is_the_reference(name: str, quick: Frames) -> None:
    assert_is_kept(quick(name), name, SOLVED)


@pytest.mark.slow
def test_quick_frames_of_the_other_seeds_are_the_references(tmp_path: Path) -> None:
    for name in PICTURES:
        assert_other_seeds_are_kept(name, SOLVED, Store(tmp_path))


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_drawn_and_states_its_density(name: str) -> None:
    picture, frame = PICTURES[name], kept(name)
    assert picture.study == picture.name and picture.title and picture.source
    drawn = picture.plot(frame, None)
    assert_marks_are_told(drawn)
    assert drawn.axes[0].get_xlabel() and drawn.axes[0].get_ylabel()
    titles = [axes.get_title(loc="left") for axes in drawn.axes if isinstance(axes, Axes)]
    assert "density 2.5" in " ".join([drawn.get_suptitle(), *titles]).replace("\n", " ")
    letters = [title[:3] for title in titles if title.startswith("(")]
    assert len(set(letters)) == len(letters)
    own = Figure()
    _, right = own.subplots(1, 2)
    assert picture.plot(frame, right) is own


def test_sizes_grow_and_seeds_replace() -> None:
    assert len({study.name for study in STUDIES}) == len(STUDIES)
    for study in STUDIES:
        sizes = [len(study.trials(size)) for size in SIZES]
        assert sizes == sorted(sizes)
        assert {trial.seed for trial in study.trials("default", range(7, 9))} == {7, 8}
        for trial in study.trials("default"):
            assert json.loads(json.dumps(trial.point)) == trial.point


def test_no_cell_depends_on_pictures_claims_or_studies() -> None:
    others = {"studies", "pictures", "claims", "theory", "performance"}
    for study in STUDIES:
        (cell, *_) = study.measure.cells(study.trials("quick")[0])
        found = import_closure((cell.function.partition(":")[0], *cell.roots))
        assert not found.keys() & {f"benchmarks.reward.{name}" for name in others}
        assert "benchmarks.reward.workload" in found and "online.reward.world" in found
        solves = "solvers.reward.hindsight" in found
        assert solves == (study.name == "reward-regret")


def test_slot_table_by_hand() -> None:
    # One port with a job in slots 0 and 2, one unit of one device, f(y) = y, beta 1/4. FAIRNESS
    # gives the port the unit: gain 1, penalty 1/4.
    ins = reward([[1.0]], [[1.0]], [[1], [0], [1]], beta=[0.25])
    table = slot_table(run_policy(ins, Fairness))
    assert table["gain"].tolist() == [1.0, 0.0, 1.0]
    assert table["penalty"].tolist() == [0.25, 0.0, 0.25]
    np.testing.assert_allclose(table["average"], [0.75, 0.375, 0.5])


def test_curves_end_in_the_objective(quick: Frames) -> None:
    frame = quick("reward-2")
    assert set(frame["policy"]) == set(NAMES)
    last = frame[frame["slot"] == frame["slots"]]
    np.testing.assert_allclose(last["average"] * last["slots"], last["reward"])
    row = last[(last["policy"] == "ogasched") & (last["seed"] == 0)].iloc[0]
    settings: dict[str, Any] = {name: row[name] for name in (*SETTINGS, "seed")}
    numbers = {"ports", "servers", "slots", "seed"}
    instance = draw(**{k: int(v) if k in numbers else v for k, v in settings.items()})
    assert run_policy(instance, OGASched).score.objective == pytest.approx(row["reward"])


def test_generous_readings() -> None:
    assert GENEROUS_OF["spreading"] == GENEROUS_OF["binpacking"] == "binpacking-per-server"
    instance = draw(**table_1(ports=4, servers=8, slots=20), seed=0)
    built = {
        scheme.name: build_policy(policy_of("reward", scheme.policy), instance, **scheme.parameters)
        for scheme in SCHEMES
    }
    rewards = [
        run_policy(instance, policy).score.objective
        for policy in (built["binpacking-per-server"], Spreading(per_server=True))
    ]
    assert rewards[0] == pytest.approx(rewards[1])
    for name, generous in GENEROUS_OF.items():
        policy = built[generous]
        assert generous.startswith(policy.name)
        assert name in (policy.name, "spreading")


def test_captions() -> None:
    """Figures 2 and 5 have the sizes and ranges of their captions, at paper size."""
    (first,) = find_study("reward-2").grids["paper"]
    assert (first["slots"], first["contention"]) == (8000, 11.0)
    assert (first["beta_low"], first["beta_high"]) == (0.4, 0.6)
    (first,) = find_study("reward-5").grids["paper"]
    assert (first["ports"], first["servers"], first["slots"]) == (100, 1024, 10000)
    assert (first["beta_low"], first["beta_high"], first["contention"]) == (0.01, 0.015, 5.0)


def test_table_2_has_the_settings_of_the_paper() -> None:
    points = pd.DataFrame(find_study("reward-table-2").grids["paper"])
    assert sorted(points["slots"].unique()) == [1000, 2000, 5000, 10000]
    assert sorted(points["probability"].unique()) == [0.3, 0.5, 0.7, 0.9]
    assert sorted(points["density"].unique()) == [2.0, 2.5, 3.0]
    # Nine settings beside the base, which the three columns share.
    assert len(points) == 1 + 3 + 3 + 2


def test_figure_3_varies_one_setting_at_a_time(quick: Frames) -> None:
    frame = quick("reward-3")
    for column in ("servers", "ports", "contention"):
        part = along(frame, SETTINGS, (column,))
        assert part[column].nunique() == 3
        assert list(dict.fromkeys(part["policy"])) == NAMES
    # Every row is in one of them, and the base in all.
    assert len(frame) == (3 * 3 - 2) * len(NAMES)


def test_figure_6_is_the_contention_of_figure_3(quick: Frames) -> None:
    frame = quick("reward-6")
    np.testing.assert_allclose(frame["gain"] - frame["penalty"], frame["average"])
    other = along(quick("reward-3"), SETTINGS, ("contention",))
    keys = ["contention", "seed", "policy"]
    pd.testing.assert_frame_equal(
        frame.sort_values(keys, ignore_index=True), other.sort_values(keys, ignore_index=True)
    )


def test_figure_4_holds_table_1_and_its_references(quick: Frames) -> None:
    frame = quick("reward-4")
    swept = frame.dropna(subset=["initial"])
    assert set(swept["policy"]) == {"ogasched"}
    assert set(frame[frame["initial"].isna()]["policy"]) == {
        "ogasched-constant",
        "ogasched-literal",
        "fairness",
    }
    row = swept[(swept["initial"] == 100.0) & (swept["seed"] == 0)].iloc[0]
    instance = draw(**table_1(ports=4, servers=16, slots=60), seed=0)
    run = run_policy(instance, OGASched(100.0, 0.9999))
    assert run.score.objective == pytest.approx(row["reward"])
    assert row["negative"] == (slot_table(run)["reward"] < 0).mean()


def test_regret(quick: Frames) -> None:
    frame = quick("reward-regret")
    assert (frame["regret_lower"] <= frame["regret_upper"]).all()
    np.testing.assert_allclose(frame["reward"] + frame["regret_lower"], frame["fixed_lower"])
    for axis, varied in REGRET_AXES.items():
        part = along(frame, SETTINGS, varied)
        assert part[axis].nunique() == 3
        # Along the ports, each has the same number of servers in the mean.
        servers = part["density"] * part["servers"] / part["ports"]
        assert axis == "servers" or servers.nunique() == 1


def test_gradients_are_those_of_the_run(quick: Frames) -> None:
    frame = quick("reward-gradients")
    assert list(frame["seed"]) == [0]
    instance = draw(**table_1(ports=4, servers=16, slots=60), seed=0)
    rows = run_policy(instance, OGASchedLiteral).trace.decisions
    steps = [row["step"] for row in rows if "step" in row]
    # A tenth of 60 slots.
    assert sum(steps[-6:]) / sum(steps[:6]) - 1 == pytest.approx(frame.at[0, "growth"])


def test_cells_that_time_are_alone_and_never_looked_up() -> None:
    study = find_study("reward-times")
    cells = [cell for trial in study.trials("default") for cell in study.measure.cells(trial)]
    assert len(cells) == 2
    for cell in cells:
        assert cell.needs.alone and not cell.kept
    kept = find_study("reward-3")
    assert all(cell.kept for cell in kept.measure.cells(kept.trials("quick")[0]))


def test_cases_by_hand(quick: Frames) -> None:
    # Sums 2 <= 10: nothing to do. z - 6 = (4, 3), of which the second is cut to its request 1.
    frame = quick("reward-projections")
    assert frame["z"].tolist() == [[1.0, 1.0], [10.0, 9.0]]
    assert frame["exact"].tolist() == [[1.0, 1.0], [4.0, 1.0]]
    assert frame["printed"].tolist() == [[5.0, 5.0], [3.0, 2.0]]
    # Three servers with both ports each.
    assert quick("reward-edges")["edges"].tolist() == [6]
    assert quick("reward-concavity").at[0, "least"] > 0


def test_algorithm_1_where_it_is_right() -> None:
    # Capacity 3: (4, 1, 0) - 1 = (3, 0, -1) drops the third, then (3, 0) needs no more.
    found = algorithm_1(np.array([4.0, 1.0, 0.0]), np.full(3, 9.0), 3.0)
    np.testing.assert_allclose(found, [3.0, 0.0, 0.0])
    # The first is full at 2; the others share what is left: 2 + 1 = 3.
    found = algorithm_1(np.array([9.0, 3.0, 1.0]), np.array([2.0, 9.0, 9.0]), 4.0)
    np.testing.assert_allclose(found, [2.0, 2.0, 0.0])
