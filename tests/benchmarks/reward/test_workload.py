"""The synthetic workload of `reward`: what is drawn, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generate import main as generate_command
from benchmarks.reward import WORKLOAD
from benchmarks.reward.parts import draw_arrivals
from benchmarks.reward.settings import Settings
from benchmarks.reward.workload import generate
from benchmarks.workload.ports import PATTERNS, draw_edges
from models.errors import InputError
from models.reward import RewardInstance


def small(**changes: Any) -> Settings:
    return Settings(**{"jobs": 4, "servers": 6, "slots": 12, "seed": 0, **changes})


def draw(**changes: Any) -> RewardInstance:
    settings = small(**changes)
    return generate(settings, np.random.default_rng(settings.seed))[0]


def test_the_default_is_table_1() -> None:
    size = WORKLOAD.default
    ins, report = WORKLOAD.draw(
        jobs=size.jobs, slots=size.slots, servers=size.servers, seed=0, trace=None
    )
    cluster = ins.cluster
    assert cluster.capacities.shape == (128, 6)
    assert ins.arrivals.shape == (2000, 10)
    assert len(cluster.port_edges) == 320  # density 2.5
    assert 0.3 <= cluster.beta.min() <= cluster.beta.max() <= 0.5
    assert 1.0 <= cluster.alpha.min() <= cluster.alpha.max() <= 1.5
    assert set(np.unique(cluster.kind)) == {0, 1, 2, 3}
    # 20,000 draws with probability 0.7: four standard deviations are 0.013.
    assert abs(ins.arrivals.mean() - 0.7) < 0.013
    assert ins.arrivals.max() == 1
    assert "density 2.5, contention 10, mixed utilities" in ins.origin
    assert "density 2.5, " in str(report)


def test_presets_say_how_much_is_requested() -> None:
    size: dict[str, Any] = {"jobs": 4, "slots": 12, "servers": 6, "seed": 0}
    for preset, load in (("moderate", 1.0), ("overload", 2.0)):
        ins, report = WORKLOAD.draw(**size, preset=preset)
        assert report.load == pytest.approx(load, abs=1e-5)
        assert f"load {load:g}, mixed utilities" in ins.origin
    drawn, paper = WORKLOAD.draw(**size), WORKLOAD.draw(**size, preset="paper-ranges")
    assert drawn[0].hash == paper[0].hash and "contention 10, mixed" in drawn[0].origin
    tenth = WORKLOAD.draw(**size, requests=0.1)
    assert tenth[1].load == pytest.approx(0.1 * drawn[1].load)
    half = WORKLOAD.draw(**size, preset="moderate", load=0.5)
    assert half[1].load == pytest.approx(0.5, abs=1e-5)


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for seed, name in ((3, "a"), (3, "b"), (4, "c")):
        draw(seed=seed).write(tmp_path / name)
    first, again, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == again != other


def test_what_is_not_changed_stays_as_it_is() -> None:
    one, ten = draw(contention=1.0), draw(contention=10.0)
    assert np.allclose(10 * one.cluster.requests, ten.cluster.requests)
    longer = draw(slots=30, contention=1.0)
    for other in (ten, longer, draw(utilities="log", beta=(0.0, 0.1), contention=1.0)):
        assert np.array_equal(one.cluster.capacities, other.cluster.capacities)
        assert np.array_equal(one.cluster.port_edges, other.cluster.port_edges)
        assert np.array_equal(one.arrivals, other.arrivals[:12])
    denser = draw(density=4.0, contention=1.0)
    assert np.array_equal(one.cluster.requests, denser.cluster.requests)
    # Edges of a sparser graph are edges of a denser one.
    edges = {tuple(edge) for edge in one.cluster.port_edges.tolist()}
    assert edges < {tuple(edge) for edge in denser.cluster.port_edges.tolist()}


@given(
    ports=st.integers(1, 12),
    servers=st.integers(1, 12),
    share=st.floats(0, 1),
    room=st.none() | st.integers(1, 12),
    seed=st.integers(0, 100),
)
def test_graphs_have_the_density_asked_for(
    ports: int, servers: int, share: float, room: int | None, seed: int
) -> None:
    most = min(ports, room or ports)
    least = max(ports, servers) / servers
    size = {"jobs": ports, "servers": servers, "slots": 1, "seed": seed, "most_ports": room}
    if most * servers < max(ports, servers):
        with pytest.raises(InputError, match="most_ports"):
            Settings(**size)
        return
    density = least + share * (most - least)
    chosen = Settings(**size, density=density)
    rng = np.random.default_rng(seed)
    edges = draw_edges(ports, servers, rng, edges=chosen.edges, most=chosen.room)
    assert len(edges) == round(density * servers)
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert set(edges[:, 0]) == set(range(ports))
    assert set(edges[:, 1]) == set(range(servers))
    assert np.bincount(edges[:, 1]).max() <= most


def test_a_density_not_given_gives_way() -> None:
    assert small(jobs=2).edges == 12  # 2 x 6: there are no more pairs
    assert small(servers=2).edges == 5  # 2.5 x 2
    assert small(servers=1).edges == 4  # every port has an edge


def test_patterns_by_hand() -> None:
    rng = np.random.default_rng(0)
    found = {
        name: draw_arrivals(small(slots=4, arrivals=name), rng)[0].tolist()
        for name in ("alternating", "switching", "drifting")
    }
    even, odd = [1, 0, 1, 0], [0, 1, 0, 1]
    assert found["alternating"] == [even, odd, even, odd]
    assert found["switching"] == [even, even, odd, odd]  # every ceil(sqrt 4) = 2 slots
    assert found["drifting"] == np.eye(4, dtype=int).tolist()  # a quarter of 4 ports, going round
    coin, _ = draw_arrivals(small(slots=200, arrivals="coin", most_arrivals=2), rng)
    sides = coin[:, 0]
    assert set(sides.tolist()) == {0, 2}
    assert np.array_equal(coin, np.column_stack([sides, 2 - sides, sides, 2 - sides]))
    assert 70 < (sides == 2).sum() < 130  # four standard deviations of 100


def test_random_patterns_have_their_rates() -> None:
    rng = np.random.default_rng(0)
    settings = small(slots=5000, most_arrivals=3, probability=0.5)
    found, _ = draw_arrivals(settings, rng)
    assert found.max() == 3
    assert abs(found.mean() - 1.5) < 0.03  # four standard deviations are 0.025
    bursty, _ = draw_arrivals(small(slots=5000, probability=1.0, arrivals="bursty"), rng)
    changes = (np.diff(bursty, axis=0) != 0).mean()
    assert abs(changes - 0.05) < 0.01
    assert abs(bursty.mean() - 0.5) < 0.15


@pytest.mark.parametrize("name", PATTERNS)
def test_every_pattern_makes_an_instance(name: str) -> None:
    ins = draw(arrivals=name)
    assert ins.name == f"{name}-4x12-6-seed0"
    assert ins.arrivals.sum() > 0


def test_utilities_of_one_kind() -> None:
    assert draw(utilities="poly").file.utilities.kind == "poly"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"jobs": 0}, "jobs is 0, but has to be at least 1"),
        ({"jobs": 10**5, "servers": 10**5}, "100000 ports x 100000 servers are more than"),
        ({"slots": 10**11}, "100000000000 slots x 4 ports x 1 jobs of a port in a slot are more"),
        ({"most_arrivals": 10**9}, "x 1000000000 jobs of a port in a slot are more than"),
        ({"density": 4.5}, r"density 4.5 is not in 1\.\.4"),
        ({"density": 0.5}, r"density 0.5 is not in 1\.\.4"),
        ({"density": float("nan")}, "density nan"),
        ({"most_ports": 0}, "most_ports is 0"),
        ({"jobs": 20, "most_ports": 3}, "6 servers cannot hold 20 ports"),
        ({"contention": 0.0}, "contention 0.0 is not a positive number"),
        ({"requests": -1.0}, "requests -1.0 is not a positive number"),
        ({"load": 0.0}, "load 0.0 is not a positive number"),
        ({"preset": "hard"}, "preset 'hard': choose from paper-ranges, moderate, overload"),
        ({"utilities": "cubic"}, "utilities 'cubic': choose from mixed, linear"),
        ({"alpha": (0.0, 1.0)}, r"alpha \[0, 1\] is not a range of numbers > 0"),
        ({"beta": (0.5, 1.5)}, r"beta \[0.5, 1.5\] is not a range of numbers >= 0 and <= 1"),
        ({"probability": 1.5}, r"probability 1.5 is not in \(0, 1\]"),
        ({"most_arrivals": 0}, "most_arrivals is 0"),
        ({"trace_slot_seconds": float("inf")}, "trace_slot_seconds inf is not a positive"),
        ({"arrivals": "never"}, "unknown arrivals 'never': choose from bernoulli"),
    ],
)
def test_bad_settings(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw(**changes)


def test_settings_from_the_command_line() -> None:
    assert WORKLOAD.examples["arrivals"].split("|") == list(PATTERNS)
    chosen = {"preset": "overload", "utilities": "log", "arrivals": "coin"}
    texts = {**WORKLOAD.examples, **chosen}.items()
    found = WORKLOAD.parse_set([f"{name}={text}" for name, text in texts])
    assert found["alpha"] == (1.0, 1.5)
    assert (
        Settings(jobs=30, servers=2, slots=1, seed=0, **{**found, "density": 15.0}).most_ports == 25
    )
    assert WORKLOAD.parse_set(["beta=0.4"]) == {"beta": (0.4, 0.4)}


# ---- commands ----------------------------------------------------------------------------------


def test_generate_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "one.json"
    argv = ["--problem", "reward", "--jobs", "3", "--slots", "5", "--servers", "4"]
    argv += ["--set", "density=2", "--set", "beta=0.1:0.2", "--seed", "7", "--out", str(out)]
    assert generate_command(argv) == 0
    ins = RewardInstance.read(out)
    assert (len(ins.cluster.port_edges), ins.seed, ins.cluster.slots) == (8, 7, 5)
    assert ins.cluster.beta.max() <= 0.2
    assert ins.hash in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["--problem", "reward", "--servers", "5+5"],
            "servers '5\\+5': want a number above 0, e.g. 128",
        ),
        (["--problem", "reward", "--set", "density"], "--set density: want NAME=VALUE"),
        (["--problem", "reward", "--set", "speed=1"], "unknown setting 'speed': choose from pre"),
        (["--problem", "reward", "--set", "density=x"], "setting density=x: want e.g. density=2.5"),
        (["--problem", "reward", "--set", "beta=0.1", "--set", "beta=0.2"], "'beta' is set twice"),
        (["--set", "density=3"], "unknown setting 'density': choose from preset, max_dur"),
    ],
)
def test_bad_options(argv: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        generate_command([*argv, "--out", str(tmp_path / "x.json")])
    assert not list(tmp_path.iterdir())
