"""Bad `completion` input at the commands, and extreme sizes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.errors import InputError
from online.completion.a_online import AOnline
from online.completion.fifo import FIFO
from online.run import run
from solvers.completion.elastic_bound import elastic_bound
from solvers.completion.offline import solve
from solvers.completion.pool_bound import pool_bound
from tests.conftest import Refuses
from tests.models.completion.small import instance, job, random_instance, ring_job
from tests.online.promises import promise

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
    jobs = [ring_job("a", weight=1e-12), ring_job("b", weight=1e12)]
    ins = instance(jobs, architecture="allreduce")
    found = solve(ins, time_limit=5.0)
    assert found.objective == 1e12 == pytest.approx(found.bound)
    policy = AOnline.for_instance(ins, literal=True)
    trace = run(ins, policy, np.random.default_rng(0))
    promised = promise(policy, ins, trace, 0.0)
    assert promised is not None and not promised.applies
    assert "w >= sum f" in promised.fails
