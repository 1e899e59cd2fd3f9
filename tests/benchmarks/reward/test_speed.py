"""The commands on `reward` that time policies, the plain NumPy version of OGASched among them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.ratio import main as ratio
from benchmarks.speed import main as speed
from online.process_tree import PeakMemory


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
