"""The plain NumPy version of OGASched, and the commands that set it beside the policies."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.ratio import main as ratio
from benchmarks.reward.plain_ogasched import PlainOga, project_padded
from benchmarks.speed import main as speed
from benchmarks.study.memory import PeakMemory
from benchmarks.study.run import run_policy
from models.errors import InputError
from online.reward.oga import OGASched
from solvers.reward.projection import project
from tests.models.reward.cases import random_reward
from tests.models.reward.small import reward


@pytest.mark.parametrize("seed", range(20))
def test_the_padded_projection_is_the_projection(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cluster = random_reward(rng, zeros=seed % 2 == 1, density=3.0).cluster
    degree = np.diff(cluster.server_start)
    place = np.arange(len(cluster.server)) - cluster.server_start[cluster.server]
    shape = (len(degree), int(degree.max()), len(cluster.devices))
    padded, upper = np.full(shape, -np.inf), np.zeros(shape)
    z = np.round(rng.normal(3.0, 6.0, cluster.shape))  # whole numbers: ties
    padded[cluster.server, place], upper[cluster.server, place] = z, cluster.upper
    found = project_padded(padded, upper, cluster.capacities)[cluster.server, place]
    wanted = project(z, cluster.upper, cluster.capacities, cluster.server_start)
    assert np.abs(found - wanted).max() < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_plain_version_earns_what_the_policy_earns(seed: int) -> None:
    ins = random_reward(np.random.default_rng(seed), slots=40, most=1 + seed % 2)
    compiled = run_policy(ins, OGASched()).trace.schedule
    plain = run_policy(ins, PlainOga()).trace.schedule
    assert np.abs(compiled.allocations - plain.allocations).max() < 1e-7


def test_gangs_have_no_plain_version() -> None:
    gang = reward([[2.0]], [[2.0]], [[1]], components=[[[1.0], [1.0]]], minimum_running=[2])
    with pytest.raises(InputError, match="gang scheduling has no plain version"):
        run_policy(gang, PlainOga())


def test_peak_memory_counts_what_comes_and_goes() -> None:
    if PeakMemory().risen is None:
        pytest.skip("the system does not tell")
    memory = PeakMemory()
    table = np.ones(10_000_000)
    del table
    assert 75e6 < memory.risen < 120e6
    assert PeakMemory().risen < 20e6


def test_speed_of_reward(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--problem", "reward", "--slots", "20", "--servers", "6", "--jobs", "3"]
    argv += ["--seeds", "1", "--policy", "ogasched", "--policy", "drf", "--format", "csv"]
    assert speed(argv) == 0
    frame = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert frame["policy"].tolist() == ["ogasched", "drf", "numpy-ogasched"]
    assert frame["commits"].tolist() == frame["reveals"].tolist() == [20, 20, 20]
    assert (frame["reveal_median_ms"] > 0).all()
    assert "peak_mb" in frame


def test_ratio_of_reward(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--problem", "reward", "--slots", "20", "--servers", "6", "--jobs", "3"]
    argv += ["--seeds", "2", "--set", "utilities=reciprocal", "--out", str(tmp_path)]
    argv += ["--columns", "all"]
    assert ratio(argv) == 0
    printed = capsys.readouterr().out
    text = " ".join(printed.split())
    assert "jobs served" in text
    assert "reciprocal utilities" in text
    rows = pd.read_csv(tmp_path / "rows.csv")
    assert (rows["ratio_lower"] >= 1.0 - 1e-9).all()
    assert (rows["objective"] < 0).any()  # overhead above a bounded gain
    assert np.isinf(rows.loc[rows["objective"] <= 0, "ratio_upper"]).all()
    assert "an objective of 0 or less makes it inf" in text
    kept = (tmp_path / "rows.jsonl").read_bytes()
    assert ratio(argv) == 0  # taken up again
    assert "18 of 18 cells were finished before" in capsys.readouterr().err
    assert (tmp_path / "rows.jsonl").read_bytes() == kept
