"""The workloads of `reward`: what is drawn, what is taken from traces, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generate import main as generate_command
from benchmarks.instances import parse_set
from benchmarks.reward import WORKLOAD
from benchmarks.reward.arrivals import PATTERNS, draw_arrivals, take_arrivals
from benchmarks.reward.graph import draw_edges
from benchmarks.reward.machines import take_machines
from benchmarks.reward.requests import take_requests
from benchmarks.reward.settings import OPTIONS, Settings
from benchmarks.reward.workload import generate
from benchmarks.trace import main as trace_command
from benchmarks.traces import Table, Trace, read_trace
from models.errors import InputError
from models.reward import RewardInstance


def small(**changes: Any) -> Settings:
    return Settings(**{"ports": 4, "servers": 6, "slots": 12, "seed": 0, **changes})


def draw(**changes: Any) -> RewardInstance:
    settings = small(**changes)
    return generate(settings, np.random.default_rng(settings.seed))[0]


def table_of(name: str, frame: pd.DataFrame, key: str) -> Table:
    return Table(name, ("made",), frame, len(frame), {}, key)


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
    assert report.density == 2.5
    assert "density 2.5" in str(report)


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
    size = {"ports": ports, "servers": servers, "slots": 1, "seed": seed, "most_ports": room}
    if most * servers < max(ports, servers):
        with pytest.raises(InputError, match="most_ports"):
            Settings(**size)
        return
    density = least + share * (most - least)
    edges = draw_edges(Settings(**size, density=density), np.random.default_rng(seed))
    assert len(edges) == round(density * servers)
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert set(edges[:, 0]) == set(range(ports))
    assert set(edges[:, 1]) == set(range(servers))
    assert np.bincount(edges[:, 1]).max() <= most


def test_a_density_not_given_gives_way() -> None:
    assert small(ports=2).edges == 12  # 2 x 6: there are no more pairs
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
        ({"ports": 0}, "ports is 0, but has to be at least 1"),
        ({"ports": 10**5, "servers": 10**5}, "100000 ports x 100000 servers are more than"),
        ({"density": 4.5}, r"density 4.5 is not in 1\.\.4"),
        ({"density": 0.5}, r"density 0.5 is not in 1\.\.4"),
        ({"density": float("nan")}, "density nan"),
        ({"most_ports": 0}, "most_ports is 0"),
        ({"ports": 20, "most_ports": 3}, "6 servers cannot hold 20 ports"),
        ({"contention": 0.0}, "contention 0.0 is not a positive number"),
        ({"utilities": "cubic"}, "utilities 'cubic': choose from mixed, linear"),
        ({"alpha": (0.0, 1.0)}, r"alpha \[0, 1\] is not a range of positive numbers"),
        ({"beta": (0.5, 1.5)}, r"beta \[0.5, 1.5\] is not a range within \[0, 1\]"),
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
    given_texts = [f"{name}={text}" for name, text in OPTIONS.items()]
    given_texts[3], given_texts[7] = "utilities=log", "arrivals=coin"
    found = parse_set(WORKLOAD, "reward", given_texts)
    assert found["alpha"] == (1.0, 1.5)
    assert Settings(30, 2, 1, 0, **{**found, "density": 15.0}).most_ports == 25
    assert parse_set(WORKLOAD, "reward", ["beta=0.4"]) == {"beta": (0.4, 0.4)}


# ---- traces ------------------------------------------------------------------------------------


def jobs_trace(rows: list[tuple[float, float]]) -> Table:
    return table_of("jobs", pd.DataFrame(rows, columns=["submit_s", "core_seconds"]), "job")


def test_arrivals_of_a_trace_by_hand() -> None:
    # Slots of 2 s, four of them. Two small jobs are port 0, two large ones port 1.
    table = jobs_trace([(0.0, 5.0), (1.9, 70.0), (3.0, 1.0), (7.5, 90.0)])
    whole = np.array([[1, 1], [1, 0], [0, 0], [0, 1]])
    settings = small(ports=2, slots=4, probability=1.0, trace_slot_seconds=2.0)
    for seed in range(4):
        found, note = take_arrivals(table, settings, np.random.default_rng(seed), "made")
        start = int(note.rsplit("slot ", 1)[1].split()[0])
        assert found.tolist() == np.roll(whole, -start, axis=0).tolist()
    longer = small(ports=2, slots=9, probability=1.0, trace_slot_seconds=2.0)
    found, _ = take_arrivals(table, longer, np.random.default_rng(0), "made")
    assert np.array_equal(found[:4], found[4:8])  # round again


def test_arrivals_of_a_trace_are_capped_and_thinned() -> None:
    table = jobs_trace([(0.001 * i, float(i)) for i in range(4000)])
    rng = np.random.default_rng(0)
    settings = small(ports=2, slots=1000, trace_slot_seconds=4.0, most_arrivals=3)
    found, _ = take_arrivals(table, settings, rng, "made")
    assert found.max() == 3
    assert abs(found.mean() - 2.1) < 0.08  # 3 x 0.7; four standard deviations are 0.07
    with pytest.raises(InputError, match="4000 jobs, fewer than the 4001 ports"):
        take_arrivals(table, small(ports=4001, servers=1), rng, "made")
    with pytest.raises(InputError, match=r"less than one slot of 100 s"):
        take_arrivals(table, small(trace_slot_seconds=100.0), rng, "made")


def test_machines_of_a_list() -> None:
    columns = ["machine", "cpu", "memory_gib", "gpus", "gpu_model"]
    rows = [
        ("a", 96.0, 512.0, 2, "T4"),
        ("b", 64.0, 256.0, 8, "V100M32"),
        ("c", 32.0, 64.0, 0, "CPU"),
    ]
    table = table_of("machines", pd.DataFrame(rows, columns=columns), "machine")
    machines = take_machines(table, 3, np.random.default_rng(0), "made")
    assert machines.devices == ("cpu", "memory", "p100", "t4", "v100", "misc-gpu")
    assert machines.capacities.tolist() == [
        [96, 64, 0, 2, 0, 0],
        [64, 32, 0, 0, 8, 0],
        [32, 8, 0, 0, 0, 0],
    ]
    with pytest.raises(InputError, match="3 machines, fewer than the 4 asked for"):
        take_machines(table, 4, np.random.default_rng(0), "made")
    table.frame.loc[0, "gpu_model"] = "X1"
    with pytest.raises(InputError, match="GPU model 'X1' is not one of P100"):
        take_machines(table, 3, np.random.default_rng(0), "made")
    pods = pd.DataFrame(
        [(8.0, 16.0, 0.5), (8.0, 16.0, 0.5), (2.0, 8.0, 0.0), (0.0, 0.0, 0.0)],
        columns=["cpu", "memory_gib", "gpus"],
    )
    table = table_of("pods", pods, "pod")
    requests, _ = take_requests(table, 2, machines, np.random.default_rng(0), "made")
    assert requests.tolist() == [[2, 1, 0, 0, 0, 0], [8, 2, 0.5, 0.5, 0.5, 0.5]]
    with pytest.raises(InputError, match="2 distinct demands, fewer than the 3 ports"):
        take_requests(table, 3, machines, np.random.default_rng(0), "made")


def test_a_trace_gives_what_it_has() -> None:
    trace = Trace("alibaba-2018", "made", {"jobs": lambda: jobs_trace([(0.0, 1.0), (100.0, 2.0)])})
    settings = small(ports=2, slots=5)
    taken, _ = generate(settings, np.random.default_rng(0), trace)
    drawn = draw(ports=2, slots=5)
    assert taken.name == "alibaba-2018-2x5-6-seed0"
    assert taken.file.capacities == drawn.file.capacities
    assert taken.file.arrivals != drawn.file.arrivals
    # A pattern asked for takes the place of the trace's arrivals.
    coin, _ = generate(small(ports=2, slots=5, arrivals="coin"), np.random.default_rng(0), trace)
    assert coin.file.arrivals == draw(ports=2, slots=5, arrivals="coin").file.arrivals
    other = Trace("google", "made", {})
    with pytest.raises(InputError, match="no mapping to `reward`; those with one are pai-machines"):
        generate(settings, np.random.default_rng(0), other)


def test_reader_of_jobs(tmp_path: Path) -> None:
    rows = ["0,j1,M1,10,100,0.5,2", "0,j1,R2_1,5,50,0.5,4", "7,j2,task_x,1,100,0.1,1"]
    path = tmp_path / "tasks.csv"
    path.write_text("\n".join(rows))
    table = read_trace(f"alibaba-2018:{path}").table("jobs")
    assert table.rows == 3 == len(table.frame) + sum(table.dropped.values())
    assert table.frame["core_seconds"].tolist() == [2 * 10 + 0.5 * 4 * 5, 1.0]
    assert table.frame["tasks"].tolist() == [2, 1]
    path.write_text("0,j1,M1,10,x,0.5,2\n")
    with pytest.raises(InputError, match="line 1: plan_cpu 'x' is not a number"):
        read_trace(f"alibaba-2018:{path}").table("jobs")
    with pytest.raises(InputError, match="no folder 'alibaba-gpu-v2020' in it"):
        read_trace(f"alibaba:{tmp_path}")


def test_real_lists(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = read_trace(f"alibaba:{shared_data}")
    jobs = trace.table("jobs")
    assert jobs.rows == 67_634 == len(jobs.frame) + sum(jobs.dropped.values())
    assert len(jobs.frame) == 16_749
    ins, _ = WORKLOAD.draw(jobs=10, slots=2000, servers="128", seed=0, trace=trace)
    again, _ = WORKLOAD.draw(jobs=10, slots=2000, servers="128", seed=0, trace=trace)
    assert ins.hash == again.hash
    assert (ins.cluster.capacities[:, 2:] > 0).sum(axis=1).max() == 1  # GPUs of one model each
    assert 0.2 < ins.arrivals.mean() < 0.7
    assert trace_command(["audit", "--problem", "reward", f"alibaba:{shared_data}"]) == 0
    assert "`jobs` give the arrivals" in capsys.readouterr().out


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
        (["--problem", "reward", "--servers", "5+5"], "servers '5\\+5': want a number, e.g. 128"),
        (["--problem", "reward", "--set", "density"], "--set density: want NAME=VALUE"),
        (["--problem", "reward", "--set", "speed=1"], "unknown setting 'speed': choose from dens"),
        (["--problem", "reward", "--set", "density=x"], "setting density=x: want e.g. density=2.5"),
        (["--problem", "reward", "--set", "beta=0.1", "--set", "beta=0.2"], "'beta' is set twice"),
        (["--set", "density=3"], "the workload of 'utility' has no settings"),
    ],
)
def test_bad_options(argv: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        generate_command([*argv, "--out", str(tmp_path / "x.json")])
    assert not list(tmp_path.iterdir())
