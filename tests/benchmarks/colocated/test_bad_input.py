"""Bad `colocated` input at the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from online.colocated.fifo import FIFO
from online.run import run
from tests.conftest import Refuses
from tests.models.colocated.small import random_instance

# ---- at the commands -----------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with an instance and a schedule of it."""
    monkeypatch.chdir(tmp_path)
    ins = random_instance(np.random.default_rng(2))
    ins.write("one.json")
    run(ins, FIFO(), np.random.default_rng(0)).schedule.write("one-schedule.json")
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"gamma": 0.0}, "Expected `float` >= 1e-12 - at `$.jobs[0].gamma`"),
        ({"max_workers": 0}, "Expected `int` >= 1 - at `$.jobs[0].max_workers`"),
        ({"internal_gbps": 0.5}, "against Fact 1 - at `$.jobs[0].internal_gbps`"),
        ({"sample_slots": float("nan")}, "number is not finite - at `$.jobs[0].sample_slots`"),
    ],
)
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("ratio", ["--problem", "colocated", "--instance", "bad.json", "--out", "results"]),
        ("verify", ["bad.json", "one-schedule.json"]),
    ],
)
def test_a_bad_job(
    refuses: Refuses, changes: dict[str, Any], fault: str, command: str, arguments: list[str]
) -> None:
    data = json.loads(Path("one.json").read_bytes())
    data["jobs"][0] |= changes
    Path("bad.json").write_text(json.dumps(data))
    refuses(command, arguments, "bad.json: ")
    refuses(command, arguments, fault)
