"""Damaged `colocated` files: each is refused in one line or still valid, and no bound is false."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from models.colocated import ColocatedInstance, ColocatedSchedule, score
from models.colocated.files import CertificateFile
from models.colocated.load import load
from online.colocated.fifo import FIFO
from online.run import run
from solvers.certificate import seal
from solvers.colocated.certificate import certify, check
from solvers.colocated.pool_bound import pool_bound
from tests.benchmarks.damage import damaged, read
from tests.conftest import Refuses
from tests.models.colocated.small import random_instance


def examples() -> list[ColocatedInstance]:
    return [random_instance(np.random.default_rng(seed)) for seed in range(4)]


@pytest.mark.filterwarnings("error")
def test_damaged_instances() -> None:
    rng, texts = random.Random(0), [msgspec.json.encode(ins.file) for ins in examples()]
    valid = 0
    for _ in range(1000):
        ins = read(ColocatedInstance.decode, damaged(rng.choice(texts), rng), "bad.json")
        if ins is not None:
            valid += 1
            assert load(ins) >= 0.0
            prices = np.ones((ins.cluster.slots, len(ins.cluster.resources)))
            if prices.size < 10**5:
                assert 0.0 <= pool_bound(ins, prices) < np.inf
    assert 50 < valid < 600


@pytest.mark.filterwarnings("error")
def test_damaged_schedules(tmp_path: Path) -> None:
    rng, path, valid = random.Random(0), tmp_path / "bad.json", 0
    for ins in examples():
        run(ins, FIFO(), np.random.default_rng(0)).schedule.write(path)
        text = path.read_bytes()
        for _ in range(100):
            path.write_bytes(damaged(text, rng))
            schedule = read(ColocatedSchedule.read, path, ins)
            if schedule is not None:
                valid += 1
                assert np.isfinite(score(ins, schedule).objective)
    assert valid > 10


@pytest.mark.filterwarnings("error")
def test_damaged_certificates_prove_nothing_false(tmp_path: Path) -> None:
    rng, path, accepted = random.Random(0), tmp_path / "bad.json", 0
    for ins in examples():
        objective = score(ins, run(ins, FIFO(), np.random.default_rng(0)).schedule).objective
        shape = ins.cluster.slots, len(ins.cluster.resources)
        text = msgspec.json.encode(certify(ins, np.random.default_rng(0).random(shape)).file)
        for _ in range(100):
            path.write_bytes(damaged(text, rng))
            try:  # whoever forges a bound can seal it, too
                forged = seal(msgspec.json.decode(path.read_bytes(), type=CertificateFile))
                path.write_bytes(msgspec.json.encode(forged))
            except (msgspec.DecodeError, UnicodeDecodeError):
                pass
            verdict = read(check, path, ins)
            if verdict is not None and verdict.accepted:
                accepted += 1
                assert verdict.stored >= objective * (1 - 1e-9)
    assert accepted > 5


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
        ({"gamma": 0.0}, "Expected `float` > 0.0 - at `$.jobs[0].gamma`"),
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
