"""The Python door: the frames that commands print, and classes that only this process has."""

from __future__ import annotations

import doctest
import importlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import benchmarks
from benchmarks import door, ratio, table
from benchmarks.study.scheme import Reading, Scheme
from models.errors import InputError
from models.utility.instance import Cluster
from online.policy import Decision, Policy

SMALL: dict[str, Any] = {"jobs": 4, "slots": 6, "servers": (3, 3)}


@pytest.mark.parametrize("module", ["benchmarks", "benchmarks.door", "benchmarks.pairs"])
def test_examples_in_docstrings(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert (failed, tried > 0) == (0, True)


def test_the_door_is_open_and_loads_nothing_before_it_is_used() -> None:
    assert set(benchmarks.__all__) <= set(dir(benchmarks))
    for name in benchmarks.__all__:
        assert getattr(benchmarks, name) is getattr(door, name)
    with pytest.raises(AttributeError, match="has no attribute 'nonesuch'"):
        _ = benchmarks.nonesuch


@pytest.mark.parametrize(
    ("problem", "settings", "options"),
    [
        (
            "utility",
            {**SMALL, "priority": (1.0, 50.0)},
            "--jobs 4 --slots 6 --servers 3+3 --set priority=1:50",
        ),
        pytest.param(
            "jct",
            {"jobs": 2, "slots": 10, "servers": 3},
            "--jobs 2 --slots 10 --servers 3",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_compare_gives_the_rows_of_ratio(
    problem: str,
    settings: dict[str, Any],
    options: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = f"--problem {problem} --seeds 3 {options} --workers 1 --format csv --out {tmp_path}"
    assert ratio.main(words.split()) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    frame = door.compare(problem, seeds=3, store=tmp_path / "cells", **settings)
    timed = {"decisions", "policy_seconds", "offline_seconds"}
    columns = [name for name in printed if name not in timed]
    assert (list(frame), len(printed.columns)) == (columns, len(columns) + 3)
    ours = pd.read_csv(io.StringIO(frame.to_csv(index=False)))
    pd.testing.assert_frame_equal(ours, printed[columns])
    assert len(ours) >= 3 * 5
    summary = table.summarise(frame)
    assert summary["ms"].isna().all()
    means = printed.groupby("policy", sort=False)["ratio_upper"].mean()
    assert dict(summary["mean_upper"]) == pytest.approx(dict(means))


class Refuser(Policy):
    """Refuses every job; only this test has it."""

    name = "refuser"

    def reset(self, public: Cluster, rng: np.random.Generator) -> None:
        pass

    def step(self, event: object) -> Decision:
        return Decision()


def test_a_class_at_hand_runs_here_and_is_not_kept(tmp_path: Path) -> None:
    frame = door.compare("utility", seeds=1, policies=["fifo", Refuser], store=tmp_path, **SMALL)
    rows = frame.set_index("policy")
    assert rows.loc["refuser", "objective"] == 0.0
    assert rows.loc["fifo", "offline_upper"] > 0.0
    kept = sorted(path.name.partition("-")[0] for path in tmp_path.glob("*.json"))
    assert kept == ["offline", "run"]
    with pytest.raises(InputError, match="a policy given as a class runs with workers=1 alone"):
        door.compare("utility", seeds=1, policies=[Refuser], workers=2, **SMALL)


def test_a_variant_runs_by_its_name() -> None:
    instance = door.draw("utility", seed=4, **SMALL)
    named = door.run(instance, "oasis-target")
    told = door.run(instance, "oasis", eta=False, smallest="target")
    assert (
        named.score.objective == told.score.objective != door.run(instance, "oasis").score.objective
    )


def test_readings_and_schemes() -> None:
    readings = (
        Reading("as printed", "priorities of the paper", {"priority": (1.0, 100.0)}),
        Reading("equal", "all the same", {"priority": (1.0, 1.0)}),
    )
    schemes = ["oasis", Scheme("first", "fifo", {})]
    frame = door.compare("utility", seeds=[4], policies=schemes, readings=readings, **SMALL)
    assert frame[["reading", "policy"]].to_numpy().tolist() == [
        ["as printed", "oasis"],
        ["as printed", "first"],
        ["equal", "oasis"],
        ["equal", "first"],
    ]
    drawn = door.draw("utility", seed=4, reading=readings[1], **SMALL)
    assert set(frame["instance_hash"][2:]) == {drawn.hash} != set(frame["instance_hash"][:2])


def test_one_instance(tmp_path: Path) -> None:
    instance = door.draw("utility", seed=1, **SMALL)
    instance.write(tmp_path / "one.json")
    assert door.read(tmp_path / "one.json").hash == instance.hash
    optimum = door.solve(instance)
    found = door.run(instance, "fifo")
    same = door.run(instance, type(found.policy))
    assert found.score.objective == same.score.objective <= optimum.bound + 1e-9
    evaluation = door.evaluate(instance, ["fifo", Refuser])
    assert list(evaluation.frame["policy"]) == ["fifo", "refuser"]
    assert evaluation.frame["objective"][0] == found.score.objective
    for text in map(str, (optimum, found, found.trace, found.score, evaluation)):
        assert 1 <= len(text.splitlines()) <= 8
        assert max(map(len, text.splitlines())) <= 100
    assert str(found).startswith(f"fifo: {len(found.trace.decisions)} decisions in ")


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"problem": "util"}, "unknown problem 'util'"),
        ({"jobs": 0}, "jobs is 0, but has to be at least 1"),
        ({"jobs": 2.5}, "setting jobs is 2.5: expected `int`, got `float`"),
        ({"servers": 5}, "servers 5: want"),
        ({"servers": "5+5"}, "servers '5+5': want"),
        ({"speed": 1}, "unknown setting 'speed'"),
        ({"policies": ["oasys"]}, "unknown policy 'oasys'"),
        ({"policies": ["fifo", "fifo"]}, "two policies are named 'fifo'"),
        ({"policies": [int]}, "is not a subclass of online.policy.Policy"),
        ({"policies": [Scheme("a", "fifo", {"b": 1})]}, "unexpected keyword argument 'b'"),
        ({"seeds": 0}, "seeds"),
        ({"seeds": [-1]}, "seeds in 0..2**63-1"),
        ({"seeds": [0, 0]}, "none twice"),
        ({"seeds": [0, None]}, "seeds in 0..2**63-1"),
        ({"policies": []}, "no policy is named"),
        ({"policies": "oasis"}, "policies 'oasis': want a list"),
        ({"policies": Refuser}, "want a list"),
        ({"workers": 0}, "workers is 0, but has to be at least 1"),
        ({"threads": 0}, "threads 0: want at least 1"),
        ({"time_limit": -1}, "time limit -1: want positive seconds"),
        ({"readings": [{"priority": 1}]}, "reading {'priority': 1}: want e.g. "),
    ],
)
def test_errors_are_one_line(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError) as caught:
        door.compare(**{"problem": "utility", "seeds": 1, **SMALL, **given})
    assert fault in str(caught.value) and "\n" not in str(caught.value)


def test_errors_on_one_instance() -> None:
    instance = door.draw("utility", seed=1, **SMALL)
    asked: list[tuple[Callable[[], Any], str]] = [
        (lambda: door.draw("utility", seed=-1, **SMALL), "seed -1: want a whole number"),
        (lambda: door.draw("utility", seed=None, **SMALL), "seed None: want a whole number"),  # type: ignore[arg-type]
        (lambda: door.draw("utility", reading={"a": 1}, **SMALL), "reading {'a': 1}: want"),  # type: ignore[arg-type]
        (lambda: door.solve(instance, time_limit=-1), "time limit -1: want positive seconds"),
        (lambda: door.solve(instance, time_limit=float("nan")), "time limit nan: want positive"),
        (lambda: door.solve(instance, threads=0), "threads 0: want at least 1"),
        (lambda: door.evaluate(instance, []), "no policy is named"),
        (lambda: door.evaluate(instance, ["fifo"], time_limit=0), "time limit 0: want positive"),
    ]
    for ask, fault in asked:
        with pytest.raises(InputError) as caught:
            ask()
        assert fault in str(caught.value) and "\n" not in str(caught.value)
