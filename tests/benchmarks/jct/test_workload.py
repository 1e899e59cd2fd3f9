"""The synthetic workload of `jct`: what is drawn, at both scales, and what stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from benchmarks.generate import main as generate_command
from benchmarks.jct import WORKLOAD
from benchmarks.jct.jobs import MODELS, draw_gpus
from benchmarks.jct.settings import PRESETS, Settings
from benchmarks.jct.traces import PATTERNS, submissions
from benchmarks.jct.workload import generate
from benchmarks.study.run import run_policy
from models.errors import InputError
from models.jct import JctInstance
from online.registry import find_policy, policy_names

POLICIES = {name: find_policy("jct", name) for name in policy_names("jct")}

SMALL = {"chunks": (1, 4), "epochs": (1, 3), "minibatch_hours": (0.01, 0.05)}


def small(**changes: Any) -> Settings:
    return Settings(**{"jobs": 6, "servers": 5, "slots": 30, "seed": 0, **changes})


def draw(**changes: Any) -> JctInstance:
    settings = small(**changes)
    return generate(settings, np.random.default_rng(settings.seed))[0]


def test_the_simulation_is_that_of_section_5() -> None:
    ins, report = WORKLOAD.draw(jobs=300, slots=3000, servers=100, seed=0, trace=None)
    cluster, records = ins.cluster, ins.file.jobs
    assert (cluster.servers, len(ins.jobs), cluster.cloud) == (100, 300, True)
    assert 8 <= len(cluster.worker_types) <= 10
    assert 8 <= len(cluster.ps_types) <= 10
    # As many workers as GPUs: 4.08 a node in the mean of the list, of standard deviation 3.3.
    assert abs(len(cluster.worker_server) / 100 - 4.08) < 4 * 0.33
    assert {(r.chunks, r.minibatches) for r in records} == {(27, 58), (115, 58), (60, 58)}
    for key, low, high in (
        ("epochs", 20, 60),
        ("minibatch_slots", 0.001, 0.05),  # hours, and a slot is one
        ("update_slots", 0.01 / 3600, 0.1 / 3600),
        ("gradient_mb", 30, 575),
        ("bandwidth_gbps", 0.1, 5.12),
        ("cloud_upload_slots", 10, 15),
    ):
        values = np.array([getattr(record, key) for record in records])
        assert low - 1e-9 <= values.min() < low + 0.2 * (high - low), key
        assert high - 0.2 * (high - low) < values.max() <= high + 1e-9, key
    uploads = np.array([record.upload_slots for record in records])
    assert np.unique(uploads).tolist() == [1, 2, 3, 4]
    # b belongs to the type of the workers.
    speeds = {(record.worker_type, record.bandwidth_gbps) for record in records}
    assert len(speeds) == len({kind for kind, _ in speeds})
    assert max(job.arrival for job in ins.jobs) < 3000 < cluster.slots
    # 300 jobs of 67 chunks of 60 slots in the mean, 450 workers for 3000 slots: about 0.9.
    assert 0.6 < report.load < 1.3
    assert "load" in str(report)
    assert "edge-cloud Sec. V-A, E [20, 60], m [0.001, 0.05] h" in ins.origin


def test_the_testbed_is_that_of_section_5() -> None:
    ins = draw(scale="testbed", jobs=30, servers=8)
    # 1 GPU and 3 GB; 2 x (3 cores, 2 GB); 3 x (2 cores, 3 GB): 1 GPU, 12 cores, 16 GB.
    assert 2 * 3 + 3 * 2 == 12
    assert 3 + 2 * 2 + 3 * 3 == 16
    assert all(
        (sorted(server.workers), server.ps) == (["cpu", "cpu", "gpu"], ["ps"] * 3)
        for server in ins.file.servers
    )
    sizes = {(m.chunks, m.minibatches, m.gradient_mb) for m in MODELS}
    assert {(r.chunks, r.minibatches, r.gradient_mb) for r in ins.file.jobs} == sizes
    assert {record.worker_type for record in ins.file.jobs} == {"gpu", "cpu"}
    assert all(0.1 <= record.bandwidth_gbps <= 1.0 for record in ins.file.jobs)
    assert ins.name == "testbed-google2011-fit-30x30-8-seed0"


def test_table_2() -> None:
    assert [(m.name, m.chunks) for m in MODELS] == [
        ("ResNet-50", 27),
        ("ResNet-101", 27),
        ("GoogLeNet", 115),
        ("LeNet", 115),
        ("AlexNet", 60),
        ("Inception-BN", 60),
    ]
    assert {model.minibatches for model in MODELS} == {58}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for seed, name in ((3, "a"), (3, "b"), (4, "c")):
        draw(seed=seed).write(tmp_path / name)
    first, again, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == again != other


def test_what_is_not_changed_stays_as_it_is() -> None:
    base, wider = draw(), draw(servers=9)
    assert wider.file.servers[:5] == base.file.servers
    for other in (draw(arrivals="peaks"), draw(requested="chunks"), draw(upload="server")):
        assert other.file.servers == base.file.servers
        assert [r.epochs for r in other.file.jobs] == [r.epochs for r in base.file.jobs]
        assert [r.minibatch_slots for r in other.file.jobs] == [
            r.minibatch_slots for r in base.file.jobs
        ]
    assert draw(storage_gb=(1.0, 2.0)).file.jobs == base.file.jobs


@pytest.mark.parametrize("rule", ["gpus", "uniform", "chunks"])
def test_requested_workers(rule: str) -> None:
    ins = draw(jobs=200, requested=rule)
    asked = np.array([job.requested_workers for job in ins.jobs])
    chunks = np.array([job.chunks for job in ins.jobs])
    assert (asked >= 1).all()
    assert (asked <= chunks).all()
    if rule == "gpus":  # 93.2 % of Philly's jobs have one; four standard deviations are 0.071
        assert abs((asked == 1).mean() - 0.932) < 0.071
    elif rule == "uniform":
        assert 0.4 < (asked / chunks).mean() < 0.6
    else:
        assert (asked == chunks).all()


def test_gpus_have_the_frequencies_of_the_list() -> None:
    gpus = draw_gpus(20_000, np.random.default_rng(0))
    # 8 GPUs: 1,643 of 82,247, 2 %; four standard deviations are 0.4 %.
    assert abs((gpus == 8).mean() - 0.02) < 0.004
    assert set(gpus.tolist()) <= {1, 2, 4, 8, 12, 16, 24, 32, 64, 128}


def test_upload_delays_by_server_alone() -> None:
    ins = draw(upload="server")
    delays = np.array([job.upload_slots for job in ins.jobs])
    assert (delays == delays[0]).all()
    assert len({job.cloud_upload_slots for job in ins.jobs}) == 1
    by_job = np.array([job.upload_slots for job in draw(jobs=40).jobs])
    assert (by_job != by_job[0]).any()


def test_presets_change_what_they_say_alone() -> None:
    def of(**settings: Any) -> JctInstance:
        return WORKLOAD.draw(jobs=6, slots=30, servers=5, seed=0, **settings)[0]

    base = of()
    for preset, ranges in PRESETS.items():
        ins, given = of(preset=preset), of(**ranges)
        assert ins.file.jobs == given.file.jobs and ins.file.servers == given.file.servers
        assert (ins.file.jobs == base.file.jobs) == (preset == "paper-ranges")
        told = {"paper-ranges": "", "moderate": "-load1", "overload": "-load2"}
        assert ins.name == f"google2011-fit-6x30-5{told.get(preset, f'-{preset}')}-seed0"
    assert max(job.chunk_slots for job in of(preset="short-chunks").jobs) <= 60 * 58 * 0.005 + 3
    assert of(preset="short-chunks", minibatch_hours=(0.001, 0.05)).file.jobs == base.file.jobs


def test_epsilon_changes_the_speed_alone() -> None:
    base, fast = draw(), draw(epsilon=0.2)
    assert fast.file.epsilon == (1, 5) and fast.epsilon == 0.2
    assert fast.file.jobs == base.file.jobs and fast.file.slots == base.file.slots
    assert [job.chunk_slots for job in fast.jobs] == [6 * job.chunk_slots for job in base.jobs]
    assert [job.chunk_slots for job in fast.online.jobs] == [5 * j.chunk_slots for j in base.jobs]
    assert fast.name == "google2011-fit-6x30-5-epsilon0.2-seed0"
    assert UNSET is base.file.epsilon is draw(epsilon=0.0).file.epsilon


def test_slots_of_another_length_keep_the_hours() -> None:
    hour, half = draw(), draw(slot_seconds=1800.0)
    for one, other in zip(hour.file.jobs, half.file.jobs, strict=True):
        assert other.minibatch_slots == pytest.approx(2 * one.minibatch_slots, abs=1e-8)
        assert other.update_slots == pytest.approx(2 * one.update_slots, abs=1e-8)
    for one, other in zip(hour.jobs, half.jobs, strict=True):
        assert other.chunk_time == pytest.approx(2 * one.chunk_time, rel=1e-4)


def test_the_horizon_is_one_that_a_file_may_have() -> None:
    ins = draw(jobs=50, slot_seconds=1.0, cloud=False)
    assert ins.cluster.slots == 10**9
    assert 2 * sum(job.chunks * job.chunk_slots for job in ins.jobs) > 10**9


def test_two_peaks() -> None:
    settings = small(jobs=20_000, slots=100, arrivals="peaks")
    found = submissions(settings, np.random.default_rng(0).spawn(2), None)[0].arrival
    assert (np.diff(found) >= 0).all()
    counts = np.bincount(found, minlength=100)
    near = [counts[at - 2 : at + 3].mean() for at in (25, 47, 70, 95)]
    # 35 % of the jobs in each bell of deviation 5: 14 a 1000 in its middle; 3 elsewhere.
    assert min(near[0], near[2]) > 3 * max(near[1], near[3])
    assert set(PATTERNS) == set(WORKLOAD.examples["arrivals"].split("|"))


@given(
    jobs=st.integers(1, 5),
    servers=st.integers(1, 4),
    slots=st.integers(1, 20),
    seed=st.integers(0, 50),
    scale=st.sampled_from(["simulation", "testbed"]),
    requested=st.sampled_from(["gpus", "uniform", "chunks"]),
    arrivals=st.sampled_from(sorted(PATTERNS)),
)
def test_every_policy_completes_whatever_is_drawn(**given: Any) -> None:
    ins = draw(**given, **SMALL)
    for policy in POLICIES.values():
        assert (run_policy(ins, policy).score.completion >= 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_without_a_cloud_the_edge_serves_every_job(seed: int) -> None:
    ins = draw(cloud=False, seed=seed, servers=6, **SMALL)
    assert not ins.cluster.cloud
    assert all(job.eligible(ins.cluster).size for job in ins.jobs)
    for policy in (policy for name, policy in POLICIES.items() if name != "all-cloud"):
        assert (run_policy(ins, policy).score.completion >= 0).all()


def test_an_edge_without_workers() -> None:
    # A fifth of the nodes have no GPU: some edge of one server has no worker.
    bare = next(seed for seed in range(50) if not draw(servers=1, seed=seed).cluster.worker_types)
    ins = draw(servers=1, seed=bare)
    assert run_policy(ins, POLICIES["a-online"]).trace.schedule.together.all()
    with pytest.raises(InputError, match=r"no worker of type .* and no cloud"):
        draw(servers=1, seed=bare, cloud=False)


def test_storage_is_drawn_if_asked_for() -> None:
    assert not draw().cluster.has_storage_limits
    ins = draw(storage_gb=(100.0, 200.0), chunk_gb=(0.5, 2.0), **SMALL)
    assert ((ins.cluster.storage_gb >= 100) & (ins.cluster.storage_gb <= 200)).all()
    assert all(0.5 <= job.chunk_gb <= 2.0 for job in ins.jobs)
    for policy in POLICIES.values():
        assert (run_policy(ins, policy).score.completion >= 0).all()


def test_settings_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["cloud=no", "epochs=3", "chunks=2:4", "storage_gb=5:6.5", "scale=testbed"]
    assert WORKLOAD.parse_set(texts) == {
        "cloud": False,
        "epochs": (3, 3),
        "chunks": (2, 4),
        "storage_gb": (5.0, 6.5),
        "scale": "testbed",
    }
    out = tmp_path / "one.json"
    options = [word for text in texts for word in ("--set", text)]
    size = ["--jobs", "3", "--slots", "9", "--servers", "2"]
    assert generate_command(["--problem", "jct", *size, *options, "--out", str(out)]) == 0
    assert "2 machines of the testbed" in capsys.readouterr().out
    ins = JctInstance.read(out)
    assert {record.epochs for record in ins.file.jobs} == {3}
    assert all(2 <= job.chunks <= 4 for job in ins.jobs)
    # Every option can be given as its example says, one of several words or a value.
    for name, example in WORKLOAD.examples.items():
        WORKLOAD.parse_set([f"{name}={example.split('|')[0]}"])
