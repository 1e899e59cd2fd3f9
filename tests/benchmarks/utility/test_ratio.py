"""The ratio of `utility` where nothing can be won: 1, and no crash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.ratio import main
from models.utility import UtilityInstance
from tests.models.utility.small import NOTHING


def ratio(tmp_path: Path, ins: UtilityInstance, capsys: pytest.CaptureFixture[str]) -> list[dict]:
    path = tmp_path / "one.json"
    ins.write(path)
    out = ["--instance", str(path), "--out", str(tmp_path / "out")]
    assert main(out) == 0
    assert "oasis" in capsys.readouterr().out
    assert main([*out, "--format", "json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("name", NOTHING)
def test_ratio_of_nothing_to_nothing_is_1(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ratio(tmp_path, NOTHING[name], capsys)
    assert len(rows) == 6
    for row in rows:
        assert (row["objective"], row["offline_status"]) == (0.0, "optimal")
        assert (row["ratio_lower"], row["ratio_upper"]) == (1.0, 1.0)
