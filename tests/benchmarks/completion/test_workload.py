"""The synthetic workload of `completion`: what is drawn, the capacity, and what stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from benchmarks import draw as drawn
from benchmarks.completion import WORKLOAD
from benchmarks.completion.servers import RESOURCES, SHAPES
from benchmarks.generate import main as generate_command
from models.completion import PROBLEM, CompletionInstance
from models.completion.load import ideal_demand
from models.errors import InputError
from solvers.completion.modes import DURATION, modes_of

SMALL = {"worker_types": 2, "ps_types": 2, "chunks": (1, 4), "max_duration": 6}


def draw(seed: int = 0, **changes: Any) -> CompletionInstance:
    size: dict[str, Any] = {"jobs": 6, "slots": 12, "servers": 3, **SMALL}
    found: CompletionInstance = WORKLOAD.draw(**{**size, **changes}, seed=seed)[0]
    return found


@pytest.mark.parametrize("architecture", ["ps", "allreduce"])
def test_the_ranges_are_those_of_section_7(architecture: str) -> None:
    ins, report = WORKLOAD.draw(
        jobs=60, slots=150, servers=40, seed=0, preset="paper", architecture=architecture
    )
    cluster, records = ins.cluster, ins.file.jobs
    assert cluster.worker_types.shape == (8, 3)
    assert cluster.ps_types.shape == ((10, 3) if architecture == "ps" else (0, 3))
    assert ((cluster.worker_types >= (1, 1, 0.1)) & (cluster.worker_types <= (4, 16, 5))).all()
    if architecture == "ps":
        assert ((cluster.ps_types >= (0, 1, 5)) & (cluster.ps_types <= (0, 16, 20))).all()
    for key, low, high in (
        ("weight", 200, 5000),
        ("epochs", 50, 100),
        ("chunks", 5, 50),
        ("minibatches", 10, 50),
        ("minibatch_slots", 0.001, 0.05),
        ("update_slots", 0.01 / 3600, 0.1 / 3600),
        ("gradient_mb", 30, 575),
        ("requested_workers", 1, 30),
    ):
        values = np.array([getattr(record, key) for record in records])
        assert low - 1e-9 <= values.min() < low + 0.3 * (high - low), key
        assert high - 0.3 * (high - low) < values.max() <= high + 1e-9, key
    # C is 0.2 to 0.5 of the summed ideal demand, and the load 0.2 to 0.65.
    ideal = np.sum([ideal_demand(job, cluster)[0] for job in ins.jobs], axis=0)
    share = cluster.servers.sum(axis=0) / ideal
    assert np.ptp(share) < 1e-3 and 0.2 <= share[0] <= 0.5
    assert 0.2 <= report.load <= 0.65
    # "w < sum f for 70 to 78 % of the jobs": these are kept, and counted.
    broken = int(report.counts[-1].split()[0])
    assert 0.5 < broken / 60 < 0.95


def test_every_job_can_complete_in_time() -> None:
    for seed in range(4):
        ins = draw(seed)
        for job in ins.jobs:
            shortest = modes_of(job, ins.cluster)[:, DURATION].min()
            assert shortest <= min(6, ins.cluster.slots - job.arrival)


@pytest.mark.parametrize("seed", range(3))
def test_the_load_is_the_one_asked_for(seed: int) -> None:
    assert PROBLEM.load(draw(seed, load=0.7)) == pytest.approx(0.7, rel=1e-3)
    assert 0.9 - 1e-3 <= PROBLEM.load(draw(seed)) <= 1.1 + 1e-3


def test_the_capacity_is_split_over_the_servers() -> None:
    size: dict[str, Any] = {"jobs": 20, "slots": 60, "chunks": (20, 30), "max_duration": None}
    one, many = draw(**size, servers=1), draw(**size, servers=9)
    assert one.file.jobs == many.file.jobs  # they can complete on either
    totals = [ins.cluster.servers.sum(axis=0) for ins in (one, many)]
    np.testing.assert_allclose(*totals, rtol=1e-3)
    sizes = np.array(list(SHAPES.values()), dtype=float)
    ratio = many.cluster.servers[:, 0] / many.cluster.servers[0, 0]
    known = {round(a / b, 6) for a in sizes[:, 0] for b in sizes[:, 0]}
    assert all(min(abs(r - k) for k in known) < 1e-2 * r for r in ratio)
    assert one.cluster.resources == RESOURCES


def test_both_architectures_have_the_same_jobs() -> None:
    ps, ring = draw(load=0.3), draw(load=0.3, architecture="allreduce")
    for one, two in zip(ps.file.jobs, ring.file.jobs, strict=True):
        if one.arrival == two.arrival and one.weight == two.weight:
            assert one.minibatch_slots == two.minibatch_slots
            assert one.update_slots[0] == two.update_slots
    assert ring.cluster.allreduce and ring.file.ps_types == []


def test_one_type_alone() -> None:
    whole, only = draw(types="ec2"), draw(types="ec2", only_type=3)
    assert whole.file.worker_types == [[2, 16, 5], [2, 8, 2.5], [1, 8, 2.5], [1, 4, 1.25]]
    assert only.file.worker_types == whole.file.worker_types[3:]
    assert only.file.servers == whole.file.servers
    for one, two in zip(only.file.jobs, whole.file.jobs, strict=True):
        assert one.minibatch_slots == two.minibatch_slots[3:]
        v100, k80 = two.minibatch_slots[0], two.minibatch_slots[1]
        assert 2.0 <= k80 / v100 <= 8.0
        assert two.minibatch_slots[2] == pytest.approx(2 * v100, rel=1e-4)
        assert two.minibatch_slots[3] == pytest.approx(2 * k80, rel=1e-4)


def test_fewer_workers_with_the_same_work() -> None:
    whole, few = draw(), draw(most_workers=2)
    for one, two in zip(few.file.jobs, whole.file.jobs, strict=True):
        assert one.chunks == min(two.chunks, 2) >= (one.requested_workers or 0)
        more = one.chunks * one.minibatches - two.chunks * two.minibatches
        assert 0 <= more < one.chunks


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for seed, name in ((3, "a"), (3, "b"), (4, "c")):
        draw(seed).write(tmp_path / name)
    first, again, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == again != other


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"preset": "large"}, "preset 'large': choose from moderate, paper"),
        ({"architecture": "ring"}, "architecture 'ring': choose from"),
        ({"only_type": 2}, r"only_type 2 is not in 0\.\.1"),
        ({"weight": (0.0, 1.0)}, "weight .* is not a range of numbers > 0"),
        ({"chunks": (0, 4)}, "chunks .* is not a range of numbers >= 1"),
        ({"load": -1.0}, "load -1.0 is not a positive number"),
        ({"arrivals": "peaks"}, "unknown arrivals 'peaks'"),
        ({"max_duration": 1, "minibatch_slots": (0.9, 1.0)}, "only 0 of 6 jobs: hardly any"),
        ({"load": 1e6}, "hardly any can complete|no room for one worker"),
        (
            {"load": 30.0, "servers": 40},
            "no room for one worker .*: 40 servers share what 6 jobs",
        ),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        draw(**changes)


@given(
    seed=st.integers(0, 10**6),
    architecture=st.sampled_from(["ps", "allreduce"]),
    servers=st.integers(1, 6),
    preset=st.sampled_from(["moderate", "paper"]),
)
@hypothesis_settings(max_examples=15, deadline=None)
def test_whatever_is_asked_for_is_valid(
    seed: int, architecture: str, servers: int, preset: str
) -> None:
    ins = draw(seed, architecture=architecture, servers=servers, preset=preset)
    assert len(ins.jobs) == 6
    assert [job.arrival for job in ins.jobs] == sorted(job.arrival for job in ins.jobs)
    assert np.isfinite(PROBLEM.load(ins))


def test_the_command_writes_an_instance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "instance.json.gz"
    argv = ["--problem", "completion", "--jobs", "5", "--slots", "10", "--servers", "2"]
    assert generate_command([*argv, "--set", "architecture=allreduce", "--out", str(path)]) == 0
    assert "capacity" in capsys.readouterr().out
    assert len(CompletionInstance.read(path).jobs) == 5


def test_the_preset_of_the_paper_has_all_its_settings_from_a_command_and_from_python(
    tmp_path: Path,
) -> None:
    # Not the types and workers of the default table, which the other preset goes with.
    path = tmp_path / "paper.json"
    size = ["--jobs", "30", "--slots", "100", "--servers", "20", "--set", "preset=paper"]
    assert generate_command(["--problem", "completion", *size, "--out", str(path)]) == 0
    written = CompletionInstance.read(path)
    assert (len(written.file.worker_types), len(written.file.ps_types)) == (8, 10)
    assert 30 < max(job.chunks for job in written.jobs) <= 50
    assert drawn("completion", jobs=30, slots=100, servers=20, preset="paper").hash == written.hash
    assert drawn("completion", preset="moderate").hash == drawn("completion").hash
    assert len(drawn("completion", preset="paper", worker_types=3).file.worker_types) == 3
