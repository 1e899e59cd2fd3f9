"""Figures of `jct`: what their data says, by hand and against the runs they come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from benchmarks.evaluate import run_policy
from benchmarks.figure import CellStore, compute, find_figure
from benchmarks.jct.figures_common import (
    BASELINES,
    OWN,
    READINGS,
    SCHEMES,
    draw,
    in_every_reading,
    rates,
    run_scheme,
)
from benchmarks.jct.figures_ratio import EPSILONS, fractional_flow
from models.jct import JctSchedule
from online.jct.a_online import AOnline
from online.jct.speed import augmented
from tests.models.jct.small import instance, job, server

NAMES = tuple(f"jct-{n}" for n in (4, 5, 7, 8, 9, 10, 11, 12, 13))
RUNS = (1 - len(READINGS)) * len(OWN) + len(READINGS) * len(SCHEMES)  # of one instance


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Data of a figure at quick size, computed once."""
    store = CellStore(tmp_path_factory.mktemp("cells"))
    return lambda name: compute(find_figure(name), "quick", store=store)


def test_fractional_flow_by_hand() -> None:
    """Two chunks of 2 slots: one in slots 1 and 2, one in slots 1 and 4.

    (3) with n / (E D B) = 1 / (2 * 2): ((1 + 2) + (1 + 4)) / 4 = 2.
    """
    ins = instance([job("a", upload=[1], chunks=2, chunk_slots=2)], [server(2)])
    rows = [(0, 0, 0, 1, 3), (0, 0, 1, 1, 2), (0, 0, 1, 4, 5)]
    assert fractional_flow(ins, JctSchedule.build(ins, [False], rows, [])) == pytest.approx(2.0)


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
    found = rates(frame, "jobs").set_index(["reading", "policy"])["jct_rate"]
    assert found["gpus", "a-online"] == 0.5
    assert found["edge", "a-online"] == 0.8
    assert found["edge", "batchsche"] == 2.0
    assert np.isnan(found["chunks", "a-online"])  # there is no SRTF to divide by


def test_readings_differ_in_the_workers_asked_for() -> None:
    cell = {"jobs": 12, "servers": 8, "slots": 100, "scale": "testbed", "seed": 0}
    asked = {}
    for reading in READINGS:
        ins, _ = run_scheme(policy="a-online", reading=reading, **cell)
        asked[reading] = [(item.requested_workers, item.chunks) for item in ins.jobs]
    assert asked["chunks"] == asked["edge"] == [(d, d) for _, d in asked["chunks"]]
    assert asked["gpus"] != asked["uniform"] != asked["chunks"]
    _, there = run_scheme(policy="srtf", reading="edge", **cell)
    assert not there.trace.schedule.together.any()
    _, gone = run_scheme(policy="srtf", reading="chunks", **cell)
    assert gone.trace.schedule.together.all()  # 8 GPUs and 16 CPUs are fewer than any D


@pytest.mark.parametrize(("figure", "schemes"), [("jct-4", 4), ("jct-7", 5), ("jct-8", 5)])
def test_every_scheme_in_every_reading(figure: str, schemes: int, quick: Any) -> None:
    frame = in_every_reading(quick(figure))
    setting = "servers" if figure == "jct-8" else "jobs"
    counts = frame.groupby([setting, "reading", "seed"])["policy"].nunique()
    assert (counts == schemes).all()
    assert (frame["mean_jct"] * frame["jobs"] - frame["total_jct"]).abs().max() < 1e-6
    assert set(frame.loc[frame["policy"].isin(BASELINES), "reading"]) == set(READINGS)


def test_figure_7_is_made_of_runs(quick: Any) -> None:
    frame = quick("jct-7")
    assert len(frame) == RUNS * 2 * 2
    row = frame[(frame["policy"] == "a-online") & (frame["seed"] == 1)].iloc[0]
    ins = draw(**{key: int(row[key]) for key in ("jobs", "servers", "slots", "seed")})
    assert run_policy(ins, AOnline).score.objective == row["total_jct"]


@pytest.mark.parametrize(("one", "two"), [("jct-4", "jct-5"), ("jct-7", "jct-9")])
def test_figures_of_the_same_runs(one: str, two: str, quick: Any) -> None:
    pd.testing.assert_frame_equal(quick(one), quick(two))


def test_utilisation(quick: Any) -> None:
    frame = quick("jct-11")
    assert frame["utilisation"].between(0, 1).all()
    assert (frame["utilisation"] <= frame["peak"] + 1e-12).all()
    within = frame[frame["slot"] < frame["slots"]]
    keys = ["policy", "reading", "seed"]
    # One slot is one span at this size, so the busy share is the mean over the arrival slots.
    mean = within.groupby(keys)["utilisation"].sum() / frame["slots"].iat[0]
    pd.testing.assert_series_equal(mean, frame.groupby(keys)["busy"].first(), check_names=False)
    assert (within.groupby(keys)["submissions"].sum() == frame["jobs"].iat[0]).all()
    axes = find_figure("jct-11").plot(frame, None).axes
    assert axes[0].get_ylabel() == "jobs submitted in a slot"
    assert {panel.get_xlabel() for panel in axes} == {"slot of one hour"}


@pytest.mark.parametrize("figure", ["jct-12", "jct-13"])
def test_ratios(figure: str, quick: Any) -> None:
    frame = quick(figure)
    assert (frame["offline_status"] == "optimal").all()  # so small that nothing stays open
    assert (frame["ratio_lower"] <= frame["ratio_upper"]).all()
    np.testing.assert_allclose(frame["ratio_lower"] * frame["offline_upper"], frame["total_jct"])
    assert (frame["paper_bound"] <= frame["offline_lower"] * (1 + 1e-9)).all()
    slow = frame[frame["epsilon"] == 0.0]
    assert (slow["ratio_upper"] >= 1 - 1e-9).all()
    assert slow["guarantee"].isna().all()
    assert (slow["posterior_bound"] <= slow["offline_upper"] * (1 + 1e-9)).all()
    assert sorted(frame["epsilon"].unique()) == [a / b for a, b in EPSILONS]


def test_ratio_at_half_more_speed(quick: Any) -> None:
    row = quick("jct-12").query("epsilon == 0.5 and seed == 1").iloc[0]
    size = {key: int(row[key]) for key in ("jobs", "servers", "slots", "seed")}
    fast = augmented(draw(chunks=(1, 3), epochs=(1, 3), **size), 1, 2)
    run = run_policy(fast, AOnline(0.5))
    assert run.score.objective / 3 == pytest.approx(row["total_jct"])
    assert row["guarantee"] == 3 * max(item.chunks for item in fast.jobs)


def test_sizes_of_the_paper() -> None:
    cells = pd.DataFrame(find_figure("jct-7").cells("paper", [0]))
    assert (cells["jobs"].max(), cells["servers"].max()) == (300, 100)
    assert len(cells) == RUNS * cells["jobs"].nunique()
    cells = pd.DataFrame(find_figure("jct-4").cells("paper", [0]))
    assert (cells["jobs"].max(), cells["servers"].max()) == (30, 8)
    assert "a-online-e" not in set(cells["policy"])  # Fig. 4 has four algorithms
    for name, setting, least, most in (("jct-12", "jobs", 5, 25), ("jct-13", "servers", 5, 45)):
        values = [cell[setting] for cell in find_figure(name).cells("paper", [0])]
        assert (min(values), max(values)) == (least, most)


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_states_its_size(name: str, quick: Any) -> None:
    picture = find_figure(name).plot(quick(name), None)
    texts = [axes.get_title(loc="left") for axes in picture.axes if isinstance(axes, Axes)]
    words = " ".join([picture.get_suptitle(), *texts])
    assert "and the cloud" in words
    assert "seed" in words or "instances" in words
