"""Instances of `jct` drawn to a load: how near it is, and what else of them changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import main as generate_command
from benchmarks.jct import WORKLOAD
from models.errors import InputError
from models.jct import PROBLEM, JctInstance
from models.jct.files import JobRecord
from tests.benchmarks.jct.test_traces import philly

TIMES = ("minibatch_slots", "update_slots", "gradient_mb")
FEW = {"jobs": 8, "servers": 3}  # a type has one worker or two, so the load moves in large steps


def draw(seed: int = 0, **changes: Any) -> JctInstance:
    size = {"jobs": 10, "slots": 100, "servers": 20}
    found: JctInstance = WORKLOAD.draw(**{**size, **changes}, seed=seed)[0]
    return found


def factor(one: JobRecord, other: JobRecord) -> float:
    """By which the times of two records differ, if all do by the same."""
    factors = [getattr(other, key) / getattr(one, key) for key in TIMES]
    assert factors == pytest.approx([factors[0]] * 3, rel=1e-4)
    return factors[0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("preset", "load"), [("moderate", 1.0), ("overload", 2.0)])
@pytest.mark.parametrize(
    ("size", "off"),
    [
        ({}, 0.03),
        ({"epsilon": 0.5}, 0.03),
        ({"scale": "testbed"}, 0.03),
        ({"minibatch_hours": (0.001, 0.005)}, 0.03),
        ({"cloud": False, "slots": 300}, 0.03),
        ({"worker_types": (1, 1), "jobs": 20, "servers": 6}, 0.03),
        ({**FEW, "slots": 20, "chunks": (1, 4)}, 0.1),
        pytest.param({"jobs": 60, "slots": 600, "servers": 100}, 0.001, marks=pytest.mark.slow),
        pytest.param({"jobs": 150, "slots": 1000, "servers": 10}, 0.01, marks=pytest.mark.slow),
    ],
)
def test_the_load_is_that_asked_for(
    preset: str, load: float, size: dict[str, Any], off: float, seed: int
) -> None:
    ins = draw(seed, preset=preset, **size)
    assert PROBLEM.load(ins) == pytest.approx(load, abs=off)
    assert draw(seed, load=load, **size).hash == ins.hash


def test_nothing_but_the_times_changes() -> None:
    plain, scaled = draw(3), draw(3, load=1.0)
    factors = []
    for one, other in zip(plain.file.jobs, scaled.file.jobs, strict=True):
        factors.append(factor(one, other))
        for key in (*one.__struct_fields__,):
            assert key in TIMES or getattr(one, key) == getattr(other, key), key
    # One factor for all, so that short chunks stay shorter than long ones.
    assert factors == pytest.approx([factors[0]] * len(factors), rel=1e-4)
    assert 1 / PROBLEM.load(plain) > factors[0] > 0.5 / PROBLEM.load(plain)  # p is rounded up
    assert plain.file.servers == scaled.file.servers
    assert scaled.name == "google2011-fit-10x100-20-load1-seed3"
    assert "chunks scaled to load 1" in scaled.file.origin
    assert "scaled" not in plain.file.origin + plain.name


def test_a_load_beside_ranges() -> None:
    ranges: dict[str, Any] = {"preset": "short-chunks", "epsilon": 0.2}
    plain, scaled = draw(**ranges), draw(**ranges, load=0.5)
    assert PROBLEM.load(scaled) == pytest.approx(0.5, abs=0.03)
    assert factor(plain.file.jobs[0], scaled.file.jobs[0]) < 1
    assert scaled.name == "google2011-fit-10x100-20-short-chunks-load0.5-epsilon0.2-seed0"
    assert draw(**{**ranges, "epsilon": 0.0}, load=0.5).file.jobs == scaled.file.jobs


def test_run_times_of_a_trace_are_scaled() -> None:
    size: dict[str, Any] = {"jobs": 3, "slots": 3, "servers": 200, "trace": philly()}
    plain = draw(**size)
    scaled = draw(**size, load=0.5 * PROBLEM.load(plain))
    assert PROBLEM.load(scaled) == pytest.approx(0.5 * PROBLEM.load(plain), abs=0.03)
    for one, other in zip(plain.file.jobs, scaled.file.jobs, strict=True):
        assert factor(one, other) == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        # Some 500 chunks of a slot each on 12 workers in 20 slots.
        (
            {**FEW, "slots": 20, "load": 1.0},
            "^load 1: with the jobs .* between 2.37 and .* chunks$",
        ),
        ({**FEW, "seed": 3, "scale": "testbed", "load": 1.0}, r"be 1\.1, as near as whole slots "),
        ({"jobs": 3, "servers": 1, "seed": 18, "load": 1.0}, "between 0 and 0"),  # of no GPU
        ({"load": 1e9}, r"between 0.0854 and 2.69e\+07;"),
        ({"load": 0.0}, "^load 0.0 is not a positive number$"),
        ({"load": float("nan")}, "^load nan is not a positive number$"),
    ],
)
def test_loads_out_of_reach(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw(**changes)


def test_the_least_that_can_be_had_can_be_had() -> None:
    size = {**FEW, "slots": 20}
    with pytest.raises(InputError, match=r"between 2\.37 and"):
        draw(**size, load=1.0)
    least = draw(**size, load=2.37)
    assert PROBLEM.load(least) == pytest.approx(2.37, abs=0.005)
    assert {job.chunk_slots for job in least.jobs} == {1}


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "one.json"
    size = ["--problem", "jct", "--jobs", "10", "--slots", "100", "--servers", "20"]
    command = [*size, "--set", "preset=overload", "--seed", "4", "--out", str(out)]
    assert generate_command(command) == 0
    assert "\nload 2\n" in capsys.readouterr().out
    assert JctInstance.read(out).hash == draw(4, load=2.0, requested="chunks").hash
