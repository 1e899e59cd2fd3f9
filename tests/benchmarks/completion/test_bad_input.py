"""Damaged `completion` files: each is refused in one line or still valid, and no bound is false."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from models.completion import CompletionInstance, CompletionSchedule, score
from models.completion.files import CertificateFile
from models.completion.load import load
from models.errors import InputError
from online.completion.a_online import AOnline
from online.completion.fifo import FIFO
from online.run import run
from solvers.certificate import seal
from solvers.completion.certificate import certify, check
from solvers.completion.elastic_bound import elastic_bound
from solvers.completion.offline import solve
from solvers.completion.pool_bound import pool_bound
from tests.benchmarks.damage import damaged, read
from tests.conftest import Refuses
from tests.models.completion.small import instance, job, random_instance, ring_job
from tests.online.promises import promise


def examples() -> list[CompletionInstance]:
    drawn = [np.random.default_rng(seed) for seed in range(4)]
    return [random_instance(rng, allreduce=n % 2 == 1) for n, rng in enumerate(drawn)]


@pytest.mark.filterwarnings("error")
def test_damaged_instances() -> None:
    rng, texts = random.Random(0), [msgspec.json.encode(ins.file) for ins in examples()]
    valid = 0
    for _ in range(1000):
        ins = read(CompletionInstance.decode, damaged(rng.choice(texts), rng), "bad.json")
        if ins is not None:
            valid += 1
            assert load(ins) >= 0.0
            prices = np.ones((2, len(ins.cluster.resources)))
            assert not np.isnan([pool_bound(ins, prices), elastic_bound(ins, prices)]).any()
    assert 50 < valid < 500


@pytest.mark.filterwarnings("error")
def test_damaged_schedules(tmp_path: Path) -> None:
    rng, path, valid = random.Random(0), tmp_path / "bad.json", 0
    for ins in examples():
        run(ins, FIFO(), np.random.default_rng(0)).schedule.write(path)
        text = path.read_bytes()
        for _ in range(100):
            path.write_bytes(damaged(text, rng))
            schedule = read(CompletionSchedule.read, path, ins)
            if schedule is not None:
                valid += 1
                assert np.isfinite(score(ins, schedule).objective)
    assert valid > 10


@pytest.mark.filterwarnings("error")
def test_damaged_certificates_prove_nothing_false(tmp_path: Path) -> None:
    rng, path, accepted = random.Random(0), tmp_path / "bad.json", 0
    for ins in examples():
        trace = run(ins, FIFO(), np.random.default_rng(0))
        objective = score(ins, trace.schedule).objective
        prices = np.random.default_rng(0).random((4, len(ins.cluster.resources))) / 10
        text = msgspec.json.encode(certify(ins, prices).file)
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
                assert verdict.stored <= objective * (1 + 1e-9)
    assert accepted > 20


# ---- at the commands -----------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with an instance and a schedule of it."""
    monkeypatch.chdir(tmp_path)
    ins = random_instance(np.random.default_rng(2))
    ins.write("one.json")
    run(ins, FIFO(), np.random.default_rng(0)).schedule.write("one-schedule.json")
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"chunks": 0}, "Expected `int` >= 1 - at `$.jobs[0].chunks`"),
        ({"epochs": 10**9}, "slots for E D K - at `$.jobs[0].epochs`"),
        ({"weight": float("nan")}, "number is not finite - at `$.jobs[0].weight`"),
    ],
)
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("ratio", ["--problem", "completion", "--instance", "bad.json", "--out", "results"]),
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


# ---- sizes and extremes --------------------------------------------------------------------


def test_large_sizes_that_are_accepted_end_soon() -> None:
    one = np.ones((3, 1))
    for ins, most in (
        # At 3 workers of 1 slot for each mini-batch.
        (instance([job("a", chunks=10**6)], servers=[[6.0]]), 10**6 / 3 + 1),
        (instance([ring_job("a", chunks=10**6)], architecture="allreduce"), 10**6),
        (instance([job("a")], servers=[[2.0]] * 10**4), 1.0),
    ):
        assert 0.0 <= elastic_bound(ins, one) <= most
        assert pool_bound(ins, one) <= most


def test_numbers_of_workers_and_ps_that_would_take_hours_are_refused() -> None:
    with pytest.raises(InputError, match=r"numbers of workers, PSs, types .* - at `\$.jobs`"):
        instance([job("a", chunks=10**6)], servers=[[1e9]])
    # 10^6 of them took minutes for a single job, and none beats another.
    with pytest.raises(InputError, match="1000000 numbers of workers"):
        instance([job("a", chunks=1000)], servers=[[2000.0]])
    # The paper's ranges, up to 50 workers and 80 pairs of types, come to 30,000 to 60,000.
    assert len(instance([job("a", chunks=400)], servers=[[800.0]]).jobs) == 1


def test_weights_that_break_the_assumptions_are_reported() -> None:
    jobs = [ring_job("a", weight=5e-324), ring_job("b", weight=1e18)]
    ins = instance(jobs, architecture="allreduce")
    found = solve(ins, time_limit=5.0)
    assert found.objective == 1e18 == pytest.approx(found.bound)
    policy = AOnline.for_instance(ins, literal=True)
    trace = run(ins, policy, np.random.default_rng(0))
    promised = promise(policy, ins, trace, 0.0)
    assert promised is not None and not promised.applies
    assert "w >= sum f" in promised.fails
