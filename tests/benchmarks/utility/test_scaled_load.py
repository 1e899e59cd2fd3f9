"""Instances of `utility` drawn to a load: how near it is, and what else of them changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generate import main as generate_command
from benchmarks.utility import WORKLOAD
from benchmarks.utility.draw import draw_jobs, most_epochs, work_of
from models.errors import InputError
from models.utility import PROBLEM, UtilityInstance
from tests.benchmarks.utility.test_traces import philly_trace
from tests.benchmarks.utility.test_workload import check_rule


def draw(seed: int = 0, **changes: Any) -> UtilityInstance:
    size = {"jobs": 10, "slots": 10, "servers": (5, 5)}
    found: UtilityInstance = WORKLOAD.draw(**{**size, **changes}, seed=seed)[0]
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("load", "size"),
    [
        (0.3, {}),
        (1.0, {}),
        (2.0, {}),
        (1.0, {"jobs": 5, "slots": 6, "servers": (3, 3)}),
        (1.0, {"max_duration": 2}),
        (1.0, {"jobs": 80, "slots": 100, "servers": (20, 20)}),
        (7.0, {"jobs": 80, "slots": 100, "servers": (20, 20)}),  # 5.6 as drawn
    ],
)
def test_the_load_is_that_asked_for(load: float, size: dict[str, Any], seed: int) -> None:
    ins = draw(seed, load=load, **size)
    assert PROBLEM.load(ins) == pytest.approx(load, abs=0.03)
    check_rule(ins, size.get("max_duration", min(20, -(-6 * ins.cluster.slots // 10))))
    assert draw(seed, load=load, **size).hash == ins.hash


def test_nothing_but_the_work_changes() -> None:
    plain, scaled = draw(3), draw(3, load=1.0)
    for one, other in zip(plain.file.jobs, scaled.file.jobs, strict=True):
        assert one.epochs is not None and other.epochs is not None
        # One factor for all, up to whole epochs; these are 50 and more as drawn.
        assert other.epochs / one.epochs == pytest.approx(1 / PROBLEM.load(plain), rel=0.1)
        for key in (*one.__struct_fields__,):
            if key != "epochs":
                assert getattr(one, key) == getattr(other, key), key
    assert plain.file.worker_servers == scaled.file.worker_servers
    assert scaled.name == "google2011-fit-10x10-5+5-load1-seed3"
    assert "work scaled to load 1" in scaled.origin
    assert "scaled" not in plain.origin


def test_rows_of_a_trace_are_scaled_by_their_work() -> None:
    trace = philly_trace([(3600.0 * n, 8, 3600.0 * 20) for n in (0, 1, 2, 3, 4, 5, 9)])
    size: dict[str, Any] = {"jobs": 5, "slots": 10, "servers": (30, 30), "trace": trace}
    plain = draw(**size)
    load = 1.5 * PROBLEM.load(plain)
    scaled = draw(**size, load=load)
    assert PROBLEM.load(scaled) == pytest.approx(load, rel=0.05)
    assert {job.work for job in plain.jobs} == {20}
    assert {job.work for job in scaled.jobs} == {30}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"load": 9.0}, r"^load 9: with the jobs drawn on .* can be between 0.0\d+ and \d\.\d+; "),
        ({"load": 0.0}, "^load 0.0 is not a positive number$"),
        ({"load": float("nan")}, "^load nan is not a positive number$"),
    ],
)
def test_loads_out_of_reach(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw(**changes)


def test_the_ends_of_what_can_be_had_can_be_had() -> None:
    with pytest.raises(InputError) as caught:
        draw(load=50.0)
    least, most = str(caught.value).split("between ")[1].split(";")[0].split(" and ")
    for end in (float(least), float(most)):
        assert PROBLEM.load(draw(load=end)) == pytest.approx(end, rel=0.02)
    with pytest.raises(InputError, match="between"):
        draw(load=float(most) + 0.2)


@given(seed=st.integers(0, 1000), most=st.integers(1, 3000))
def test_most_epochs_are_the_most(seed: int, most: int) -> None:
    jobs = draw_jobs(np.random.default_rng(seed), np.zeros(20, dtype=np.int64), 3600.0)
    epochs = most_epochs(jobs, 3600.0, np.full(20, most))
    for count, fits in ((epochs, True), (epochs + 1, False)):
        assert ((work_of({**jobs, "epochs": count}, 3600.0) <= most) == fits).all()


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "one.json"
    assert generate_command(["--set", "load=1.2", "--seed", "4", "--out", str(out)]) == 0
    assert "\nload 1.2\n" in capsys.readouterr().out
    assert UtilityInstance.read(out).hash == draw(4, load=1.2).hash
