"""The synthetic workload of `colocated`: what is drawn, the load, and what stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmarks.colocated import WORKLOAD
from benchmarks.generate import main as generate_command
from models.colocated import PROBLEM, ColocatedInstance
from models.errors import InputError
from solvers.colocated.pool_bound import PoolOracle

PAPER: dict[str, Any] = {"jobs": 50, "slots": 20, "servers": 100}


def draw(seed: int = 0, **changes: Any) -> ColocatedInstance:
    size: dict[str, Any] = {"jobs": 6, "slots": 10, "servers": 3}
    found: ColocatedInstance = WORKLOAD.draw(**{**size, **changes}, seed=seed)[0]
    return found


def test_the_ranges_are_those_of_the_notes() -> None:
    ins, report = WORKLOAD.draw(**PAPER, seed=0, preset="paper")
    records = ins.file.jobs
    for key, low, high in (
        ("epochs", 50, 200),
        ("samples", 20_000, 500_000),
        ("gradient_mb", 30, 575),
        ("sample_slots", 1e-5, 1e-4),
        ("gamma", 1, 10),
        ("max_workers", 1, 200),
        ("external_gbps", 1, 5),
    ):
        values = np.array([getattr(record, key) for record in records])
        assert low * (1 - 1e-9) <= values.min() and values.max() <= high * (1 + 1e-9), key
    for key, low, high in (("priority", 1, 100), ("decay", 0.01, 1), ("target", 1, 15)):
        values = np.array([getattr(record.utility, key) for record in records])
        assert low <= values.min() < low + 0.3 * (high - low), key
        assert high - 0.3 * (high - low) < values.max() <= high, key
    workers, ps = (np.array([getattr(r, side) for r in records]) for side in ("worker", "ps"))
    assert (workers >= (0, 1, 2, 5)).all() and (workers <= (4, 10, 32, 10)).all()
    assert (ps >= (0, 1, 2, 5)).all() and (ps <= (0, 10, 32, 10)).all()
    for job in ins.jobs:
        assert job.internal_gbps == pytest.approx(10.0 * job.external_gbps)
    assert (ins.cluster.servers[:, 0] == 8).all() and ins.cluster.slot_seconds == 3600.0
    # 5 to 6 is what the ranges give there, with 70 to 84 % of the draws refused.
    assert 4.0 <= report.load <= 10.0
    again = int(report.counts[-1].split()[0])
    assert 0.6 < again / (again + 50) < 0.9


@pytest.mark.parametrize("seed", range(3))
def test_the_same_jobs_at_both_loads(seed: int) -> None:
    much, little = (WORKLOAD.draw(**PAPER, seed=seed, preset=p) for p in ("paper", "moderate"))
    factor = float(little[1].counts[0].split()[-1])
    assert 0.08 <= factor <= 0.25
    for one, two in zip(much[0].file.jobs, little[0].file.jobs, strict=True):
        assert two.samples == pytest.approx(one.samples * factor, rel=5e-3)
        assert (one.arrival, one.worker, one.gamma) == (two.arrival, two.worker, two.gamma)


@pytest.mark.parametrize("seed", range(4))
def test_every_job_can_complete(seed: int) -> None:
    for changes in ({}, {"load": 2.0}, {"preset": "paper", "servers": 8, "slots": 30}):
        ins = draw(seed, **changes)
        for job in ins.jobs:
            assert PoolOracle(job, ins.cluster).feasible


@pytest.mark.parametrize("seed", range(3))
def test_the_load_is_the_one_asked_for(seed: int) -> None:
    assert PROBLEM.load(draw(seed, load=0.7)) == pytest.approx(0.7, rel=1e-2)
    assert 0.9 - 1e-2 <= PROBLEM.load(draw(seed)) <= 1.1 + 1e-2


def test_the_same_jobs_on_fewer_machines() -> None:
    few, many = (draw(servers=n, judged_on=6, scale=0.5, slots=20) for n in (2, 6))
    for one, two in zip(few.file.jobs, many.file.jobs, strict=True):
        assert (one.requested_workers or 0) <= (two.requested_workers or 0)  # cut to what can run
        assert replace(one, requested_workers=None) == replace(two, requested_workers=None)
    assert many.file.servers[:2] == few.file.servers
    assert PROBLEM.load(few) > 2 * PROBLEM.load(many)


def test_the_jobs_do_not_depend_on_the_bandwidth_of_a_machine() -> None:
    one, ten = (draw(internal_times=times).file.jobs for times in (1.0, 10.0))
    for a, b in zip(one, ten, strict=True):
        assert a.internal_gbps == a.external_gbps
        assert replace(b, internal_gbps=a.internal_gbps) == a


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for seed, name in ((3, "a"), (3, "b"), (4, "c")):
        draw(seed).write(tmp_path / name)
    first, again, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == again != other


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"preset": "large"}, "preset 'large': choose from moderate, paper"),
        ({"epochs": (0, 4)}, "epochs .* is not a range of numbers >= 1"),
        ({"sample_slots": (0.0, 1.0)}, "sample_slots .* is not a range of numbers > 0"),
        ({"internal_times": 0.5}, r"internal_times 0.5 is not from 1 to 1e\+09"),
        ({"load": -1.0}, "load -1.0 is not a positive number"),
        ({"judged_on": 2}, "judged_on 2 is below the 3 machines"),
        ({"arrivals": "peaks"}, "unknown arrivals 'peaks'"),
        ({"load": 1e3}, "hardly any can complete within 10 slots on 3 machines"),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        draw(**changes)


@given(
    seed=st.integers(0, 10**6),
    jobs=st.integers(1, 8),
    slots=st.integers(2, 12),
    servers=st.integers(1, 6),
)
@hypothesis_settings(max_examples=25, deadline=None)
def test_whatever_is_asked_for_is_valid(seed: int, jobs: int, slots: int, servers: int) -> None:
    ins = draw(seed, jobs=jobs, slots=slots, servers=servers)
    assert len(ins.jobs) == jobs
    assert [job.arrival for job in ins.jobs] == sorted(job.arrival for job in ins.jobs)
    for job in ins.jobs:
        assert 1 <= (job.requested_workers or 0) <= job.max_workers


def test_the_command_writes_an_instance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "instance.json.gz"
    argv = ["--problem", "colocated", "--jobs", "5", "--slots", "10", "--servers", "2"]
    assert generate_command([*argv, "--set", "internal_times=5", "--out", str(path)]) == 0
    assert "samples times" in capsys.readouterr().out
    assert len(ColocatedInstance.read(path).jobs) == 5
