"""Figures of `reward`: what their data hold, by hand and against single runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from benchmarks.evaluate import run_policy
from benchmarks.figure import CellStore, compute, find_figure
from benchmarks.reward.figures_common import (
    GENEROUS_OF,
    SCHEMES,
    along,
    base_cell,
    build,
    draw,
    ratios_to_baselines,
)
from benchmarks.reward.figures_regret import AXES, regret_along
from benchmarks.reward.views import slot_table
from online.policy import Policy
from online.reward.fairness import Fairness
from online.reward.oga import OGASched
from online.reward.spreading import Spreading
from tests.models.reward.small import reward


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Data of a figure at quick size, computed once."""
    store = CellStore(tmp_path_factory.mktemp("cells"))
    return lambda name: compute(find_figure(name), "quick", store=store)


def test_slot_table_by_hand() -> None:
    # One port with a job in slots 0 and 2, one unit of one device, f(y) = y, beta 1/4. FAIRNESS
    # gives the port the unit: gain 1, penalty 1/4.
    ins = reward([[1.0]], [[1.0]], [[1], [0], [1]], beta=[0.25])
    table = slot_table(run_policy(ins, Fairness))
    assert table["gain"].tolist() == [1.0, 0.0, 1.0]
    assert table["penalty"].tolist() == [0.25, 0.0, 0.25]
    np.testing.assert_allclose(table["average"], [0.75, 0.375, 0.5])


def test_curves_end_in_the_objective(quick: Any) -> None:
    frame = quick("reward-2")
    assert set(frame["policy"]) == set(SCHEMES)
    last = frame[frame["slot"] == frame["slots"]]
    np.testing.assert_allclose(last["average"] * last["slots"], last["reward"])
    row = last[(last["policy"] == "ogasched") & (last["seed"] == 1)].iloc[0]
    settings = {name: row[name] for name in [*base_cell(), "seed"]}
    numbers = {"ports", "servers", "slots", "seed"}
    instance = draw(**{k: int(v) if k in numbers else v for k, v in settings.items()})
    assert run_policy(instance, OGASched).score.objective == pytest.approx(row["reward"])


def test_generous_readings() -> None:
    assert GENEROUS_OF["spreading"] == GENEROUS_OF["binpacking"] == "binpacking-per-server"
    instance = draw(**base_cell(ports=4, servers=8, slots=20), seed=0)
    rewards = [
        run_policy(instance, policy).score.objective
        for policy in (build("binpacking-per-server"), Spreading(per_server=True))
    ]
    assert rewards[0] == pytest.approx(rewards[1])
    for name, generous in GENEROUS_OF.items():
        policy = build(generous)
        assert isinstance(policy, Policy) and generous.startswith(policy.name)
        assert name in (policy.name, "spreading")


def test_captions() -> None:
    """Figures 2 and 5 have the sizes and ranges of their captions, at paper size."""
    (first,) = find_figure("reward-2").cells("paper", [0])[:1]
    assert (first["slots"], first["contention"]) == (8000, 11.0)
    assert (first["beta_low"], first["beta_high"]) == (0.4, 0.6)
    (first,) = find_figure("reward-5").cells("paper", [0])[:1]
    assert (first["ports"], first["servers"], first["slots"]) == (100, 1024, 10000)
    assert (first["beta_low"], first["beta_high"], first["contention"]) == (0.01, 0.015, 5.0)


def test_table_2_has_the_settings_of_the_paper() -> None:
    cells = pd.DataFrame(find_figure("reward-table-2").cells("paper", [0]))
    assert sorted(cells["slots"].unique()) == [1000, 2000, 5000, 10000]
    assert sorted(cells["probability"].unique()) == [0.3, 0.5, 0.7, 0.9]
    assert sorted(cells["density"].unique()) == [2.0, 2.5, 3.0]
    # Nine settings beside the base, which the three columns share.
    assert len(cells) == len(SCHEMES) * (1 + 3 + 3 + 2)


def test_along_takes_what_differs_from_the_base_in_one_setting(quick: Any) -> None:
    frame = quick("reward-3")
    for column in ("servers", "ports", "contention"):
        part = along(frame, column)
        assert part[column].nunique() == 3
        assert part[column].is_monotonic_increasing
        others = [name for name in base_cell() if name != column]
        assert (part[others] == frame[others].iloc[0]).all(axis=None)
        assert list(dict.fromkeys(part["policy"])) == list(SCHEMES)
    # Every row is in one of them, and the base in all.
    assert len(frame) == (3 * 3 - 2) * len(SCHEMES) * 2


def test_ratios_by_hand() -> None:
    frame = pd.DataFrame(
        {
            "x": 1,
            "seed": [0, 0, 0, 1, 1, 1],
            "policy": ["ogasched", "drf", "fairness-arrived"] * 2,
            "reward": [6.0, 3.0, -1.0, 8.0, 2.0, 16.0],
        }
    )
    found = ratios_to_baselines(frame, "ogasched", x="x", y="reward")
    assert found["policy"].tolist() == ["drf", "fairness-arrived"] * 2
    np.testing.assert_allclose(found["ratio"], [2.0, np.nan, 4.0, 0.5])


def test_figure_6_is_the_contention_of_figure_3(quick: Any) -> None:
    frame = quick("reward-6")
    np.testing.assert_allclose(frame["gain"] - frame["penalty"], frame["average"])
    other = along(quick("reward-3"), "contention")
    keys = ["contention", "seed", "policy"]
    pd.testing.assert_frame_equal(
        frame.sort_values(keys, ignore_index=True), other.sort_values(keys, ignore_index=True)
    )


def test_figure_4_holds_table_1_and_its_references(quick: Any) -> None:
    frame = quick("reward-4")
    swept = frame.dropna(subset=["initial"])
    assert set(swept["policy"]) == {"ogasched"}
    assert set(frame[frame["initial"].isna()]["policy"]) == {
        "ogasched-constant",
        "ogasched-literal",
        "fairness",
    }
    row = swept[(swept["initial"] == 100.0) & (swept["seed"] == 0)].iloc[0]
    instance = draw(**base_cell(ports=4, servers=16, slots=60), seed=0)
    run = run_policy(instance, OGASched(100.0, 0.9999))
    assert run.score.objective == pytest.approx(row["reward"])
    assert row["negative"] == (slot_table(run)["reward"] < 0).mean()


def test_regret_figure(quick: Any) -> None:
    frame = quick("reward-regret")
    assert (frame["regret_lower"] <= frame["regret_upper"]).all()
    np.testing.assert_allclose(frame["reward"] + frame["regret_lower"], frame["fixed_lower"])
    for axis in AXES:
        part = regret_along(frame, axis)
        assert part[axis].nunique() == 3
        # Along the ports, each has the same number of servers in the mean.
        servers = part["density"] * part["servers"] / part["ports"]
        assert axis == "servers" or servers.nunique() == 1


@pytest.mark.parametrize("name", [f"reward-{n}" for n in (2, 3, 4, 5, 6, 7, "table-2", "regret")])
def test_every_figure_states_its_density(name: str, quick: Any) -> None:
    picture = find_figure(name).plot(quick(name), None)
    titles = " ".join(axes.get_title(loc="left") for axes in picture.axes if isinstance(axes, Axes))
    assert "density 2.5" in titles
