"""The generators of `utility`: bounds, rejection rule, determinism, traces, the command."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import generate as generate_command
from benchmarks.utility import WORKLOAD
from benchmarks.utility.draw import Jobs, draw_jobs
from benchmarks.utility.rejection import REASONS, Rule, collect, most_workers
from benchmarks.utility.servers import C4, P2_G3, RESOURCES, cluster_of, draw_servers
from benchmarks.utility.settings import Settings
from benchmarks.utility.testbed import testbed as draw_testbed  # pytest would collect the name
from benchmarks.utility.workload import UtilityReport, draw_utilities, generate
from benchmarks.workload.arrivals import google2011_fit
from models.errors import InputError
from models.problem import read_instance
from models.rounding import ceil_tolerant
from models.utility import UtilityInstance

SIZES = [(10, 10, 5, 5, 6), (40, 60, 20, 10, 20), (20, 300, 50, 50, 20)]


def draw(seed: int, arrivals: str = "google2011-fit", **changes: Any) -> UtilityInstance:
    size = {"jobs": 10, "slots": 10, "servers": (5, 5), "arrivals": arrivals, **changes}
    return generate(Settings(**size, seed=seed), np.random.default_rng(seed))[0]


def check_rule(instance: UtilityInstance, max_duration: int) -> None:
    """The rule of the specification, recomputed from the instance alone."""
    for job in instance.jobs:
        n_max = job.max_workers(instance.cluster)
        assert job.worker_gbps <= job.ps_gbps
        shortest = -(-job.work // n_max)
        assert 1 <= shortest <= min(max_duration, instance.cluster.slots - job.arrival)
        assert job.requested_workers is not None
        assert 1 <= job.requested_workers <= min(30, n_max)


@pytest.mark.parametrize(("jobs", "slots", "h", "k", "max_duration"), SIZES)
def test_rule_and_bounds_hold(jobs: int, slots: int, h: int, k: int, max_duration: int) -> None:
    chosen = Settings(jobs=jobs, slots=slots, servers=(h, k), seed=3)
    instance, report = generate(chosen, np.random.default_rng(3))
    check_rule(instance, max_duration)
    assert len(instance.jobs) == jobs == report.kept.accepted
    assert instance.cluster.resources == RESOURCES
    assert [job.arrival for job in instance.jobs] == sorted(job.arrival for job in instance.jobs)
    worker = np.array([job.worker for job in instance.jobs])
    ps = np.array([job.ps for job in instance.jobs])
    assert (worker >= [0, 1, 2, 5, 0.1]).all()
    assert (worker <= [4, 10, 32, 10, 5]).all()
    assert (ps >= [0, 1, 2, 5, 5]).all()
    assert (ps <= [0, 10, 32, 10, 20]).all()
    ranges = {
        "epochs": (50, 200),
        "chunks": (5, 100),
        "minibatches": (10, 100),
        "minibatch_slots": (0.001, 0.1),
        "gradient_mb": (30, 575),
    }
    for record in instance.file.jobs:
        for key, (low, high) in ranges.items():
            assert low <= getattr(record, key) <= high
        assert 1 <= record.utility.priority <= 100
        assert 1 <= record.utility.target <= 15
    for servers, sizes in (
        (instance.cluster.worker_servers, P2_G3),
        (instance.cluster.ps_servers, C4),
    ):
        assert {tuple(row[:3]) for row in servers} <= {*sizes.values()}
        assert ((servers[:, 4] >= 20) & (servers[:, 4] <= 50)).all()
        assert (servers[:, 3] == 1000).all()


def test_report_accounts_for_every_draw() -> None:
    _, report = WORKLOAD.draw(jobs=10, slots=10, servers=(5, 5), seed=0)
    assert isinstance(report, UtilityReport)
    assert set(report.kept.rejected) <= set(REASONS)
    assert report.kept.accepted == 10
    assert report.kept.draws > 1000  # most of the paper's draws are impossible here
    assert report.distribution["shortest duration ceil(W/n_max)"]["q100"] <= 6
    assert f"accepted 10 of {report.kept.draws:,} draws" in str(report)


@pytest.mark.parametrize("sources", [None, 40])
def test_kept_are_the_first_that_are_possible(sources: int | None) -> None:
    rng = np.random.default_rng(0)
    servers = draw_servers(rng, 5, P2_G3), draw_servers(rng, 5, C4)
    rule = Rule(cluster_of(10, 3600.0, *servers), 6)
    batches = []

    def draw_batch(count: int) -> Jobs:
        jobs = draw_jobs(rng, rng.integers(10, size=count), 3600.0)
        if sources is not None:
            jobs = {**jobs, "source": rng.integers(sources, size=count)}
        batches.append(jobs)
        return jobs

    kept = collect(draw_batch, rule, 30)
    drawn = {name: np.concatenate([part[name] for part in batches]) for name in batches[0]}
    assert len(batches) > 1  # a source that is taken in one batch is taken in the next
    reason, n_max = rule.judge(drawn)
    seen: set[int] = set()
    rows = []
    for row in np.flatnonzero(reason == 0).tolist():
        source = int(drawn["source"][row]) if sources else row
        if source not in seen:
            rows.append(row)
        seen.add(source)
    rows = rows[:30]
    assert kept.jobs["work"].tolist() == drawn["work"][rows].tolist()
    assert kept.jobs["n_max"].tolist() == n_max[rows].tolist()
    assert (kept.accepted, kept.draws) == (30, rows[-1] + 1)
    for code, why in enumerate(REASONS, 1):
        taken = "already taken" in why
        refused = np.count_nonzero(reason[: rows[-1] + 1] == (0 if taken else code))
        assert kept.rejected.get(why, 0) == refused - (30 if taken else 0)


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        draw(7).write(tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert len({draw(seed).hash for seed in range(5)}) == 5


def test_largest_instance_of_the_paper_is_quick() -> None:
    start = time.perf_counter()
    instance = draw(1, jobs=300, slots=300, servers=(50, 50))
    assert time.perf_counter() - start < 1.0
    check_rule(instance, 20)


def test_settings_reach_the_jobs() -> None:
    instance = draw(
        2, jobs=40, slots=40, max_duration=3, priority=(7.0, 8.0), mix=(0, 0.5, 0.5),
        arrivals="uniform", slot_seconds=1200.0,
    )  # fmt: skip
    check_rule(instance, 3)
    assert instance.cluster.slot_seconds == 1200.0
    utilities = [job.utility for job in instance.jobs]
    assert all(7 <= u.priority <= 8 for u in utilities)
    assert sum(0.01 <= u.decay <= 1 for u in utilities) == 20
    assert sum(4 <= u.decay <= 6 for u in utilities) == 20
    assert "max_duration 3" in instance.origin
    assert "arrivals uniform" in instance.origin


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"jobs": 0}, "jobs is 0"),
        ({"slots": -1}, "slots is -1"),
        ({"max_duration": 11}, "max_duration 11 is not in 1..10"),
        ({"priority": (3.0, 1.0)}, "priority"),
        ({"mix": (0.5, 0.5, 0.5)}, "mix"),
        ({"slot_seconds": 0.0}, "slot_seconds"),
        ({"arrivals": "borg"}, "unknown arrivals 'borg': choose from google2011-fit, uniform"),
    ],
)
def test_bad_settings(changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw(0, **changes)


def test_mix_is_kept_up_to_rounding() -> None:
    def decays(count: int) -> list[float]:
        rng = np.random.default_rng(0)
        return [u.decay for u in draw_utilities(rng, count, (1.0, 100.0), (0.10, 0.55, 0.35))]

    # 10 jobs: 1 + 5.5 + 3.5; the odd one goes to the first of the two.
    assert sum(d == 0 for d in decays(10)) == 1
    assert sum(0 < d <= 1 for d in decays(10)) == 6
    assert sum(d >= 4 for d in decays(10)) == 3
    assert sum(d == 0 for d in decays(200)) == 20
    assert sum(d >= 4 for d in decays(200)) == 70


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), h=st.integers(1, 6), k=st.integers(1, 3))
def test_batch_rule_equals_that_of_one_job(seed: int, h: int, k: int) -> None:
    """n_max of a batch is what the model computes job by job."""
    rng = np.random.default_rng(seed)
    jobs = draw_jobs(rng, np.zeros(8, dtype=np.int64), 3600.0)
    # Demands for which n b / B hits whole numbers.
    jobs["worker"][::2, 4], jobs["ps"][::2, 4] = 0.1, 0.3
    servers = draw_servers(rng, h, P2_G3), draw_servers(rng, k, C4)
    cluster = cluster_of(10, 3600.0, *servers)
    found = most_workers(jobs, cluster)
    (job,) = draw(0, jobs=1, slots=20).jobs
    for i in range(8):
        one = dataclasses.replace(
            job,
            chunks=int(jobs["chunks"][i]),
            worker=jobs["worker"][i],
            ps=jobs["ps"][i],
            worker_gbps=float(jobs["worker"][i, 4]),
            ps_gbps=float(jobs["ps"][i, 4]),
        )
        assert found[i] == one.max_workers(cluster)


def test_work_is_that_of_the_model() -> None:
    instance = draw(5, jobs=30, slots=30)
    for record, job in zip(instance.file.jobs, instance.jobs, strict=True):
        assert record.epochs and record.minibatches and record.minibatch_slots
        assert record.gradient_mb is not None
        transfer = 16 * record.gradient_mb / (1000 * job.worker_gbps * 3600)
        total = record.epochs * record.chunks * record.minibatches
        assert job.work == ceil_tolerant(total * (record.minibatch_slots + transfer))


def test_arrival_pattern_has_the_published_quantiles() -> None:
    rates = google2011_fit(100_000, 3600.0, np.random.default_rng(0))
    assert rates.sum() == pytest.approx(1)
    quantiles = np.quantile(rates / np.median(rates) * 883, [0.1, 0.9])
    assert quantiles == pytest.approx([644, 1316], rel=0.02)
    hours = np.log(rates)
    assert np.corrcoef(hours[1:], hours[:-1])[0, 1] == pytest.approx(0.62, abs=0.05)


def test_short_and_long_slots_share_the_rates() -> None:
    quarter = google2011_fit(40, 900.0, np.random.default_rng(4))
    whole = google2011_fit(10, 3600.0, np.random.default_rng(4))
    assert quarter.reshape(10, 4).sum(axis=1) == pytest.approx(whole)


def test_testbed() -> None:
    instance = draw_testbed(0)
    cluster = instance.cluster
    assert (cluster.slots, cluster.slot_seconds) == (10, 1200.0)
    assert cluster.worker_servers.shape == (7, 5)
    assert cluster.worker_servers[:, 0].sum() == 4  # GPUs
    assert cluster.ps_servers[:, 1].tolist() == [8, 8]
    check_rule(instance, 10)
    assert sorted(record.gradient_mb or 0 for record in instance.file.jobs) == sorted(
        2 * [244.4, 102.2, 178.2, 240.8, 531.5, 45.0]
    )
    for record, job in zip(instance.file.jobs, instance.jobs, strict=True):
        assert (record.chunks, record.minibatches) in {(10, 2), (7, 3)}
        assert record.epochs is not None
        assert 4 <= record.epochs <= 30
        assert job.arrival <= 8
        assert job.requested_workers is not None
        # 40 minutes to 2 hours with the requested workers, rounded up to worker-slots.
        assert 2 <= job.work / job.requested_workers < 6 + 1 / job.requested_workers + 1e-9
    assert draw_testbed(0).hash == instance.hash
    assert draw_testbed(1).hash != instance.hash


@pytest.mark.parametrize("text", ["5", "5+", "+5", "0+5", "5+0", "-1+5", "5+5+5", "a+b", ""])
def test_bad_servers(text: str) -> None:
    with pytest.raises(InputError) as caught:
        WORKLOAD.parse_servers(text)
    assert str(caught.value) == (
        f"servers '{text}': want numbers above 0 joined by +, e.g. 5+5: "
        "worker servers + parameter servers"
    )


@pytest.mark.parametrize("numbers", [5, "5+5", (5,), (5, 5, 5), (0, 5), (5, -1), (5.0, 5), None])
def test_bad_numbers_of_servers(numbers: Any) -> None:
    with pytest.raises(
        InputError, match=r"^servers .*: want \(5, 5\), for example: positive whole"
    ):
        WORKLOAD.draw(jobs=1, slots=1, servers=numbers, seed=0)


def test_numbers_of_servers_are_read_and_written() -> None:
    assert WORKLOAD.parse_servers("7+2") == (7, 2)
    assert WORKLOAD.show_servers((7, 2)) == "7+2"
    # As JSON has them.
    pair, listed = (
        WORKLOAD.draw(jobs=2, slots=5, servers=servers, seed=0)[0] for servers in ((7, 2), [7, 2])
    )
    assert pair.hash == listed.hash


def test_an_unknown_setting_is_refused_from_python_too() -> None:
    with pytest.raises(InputError) as caught:
        WORKLOAD.draw(jobs=2, slots=5, servers=(7, 2), seed=0, maxduration=3)
    assert str(caught.value).startswith(
        "unknown setting 'maxduration' of the workload of 'utility': choose from preset, max_dur"
    )
    with pytest.raises(InputError, match="unknown setting 'worker_servers'"):
        WORKLOAD.draw(jobs=2, slots=5, servers=(7, 2), seed=0, worker_servers=3)


def test_settings_from_the_command_line() -> None:
    texts = ["max_duration=3", "priority=1:1000", "mix=0.2:0.5:0.3", "arrivals=uniform"]
    assert WORKLOAD.parse_set(texts) == {
        "max_duration": 3,
        "priority": (1.0, 1000.0),
        "mix": (0.2, 0.5, 0.3),
        "arrivals": "uniform",
    }
    for bad in ("mix=0.5:0.5", "mix=1", "priority=1:2:3", "max_duration=soon"):
        with pytest.raises(InputError, match=r"^setting .*: want e\.g\. "):
            WORKLOAD.parse_set([bad])
    for name, example in WORKLOAD.examples.items():
        WORKLOAD.parse_set([f"{name}={example.split('|')[0]}"])


def test_generate_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "one.json.gz"
    options = ["--jobs", "4", "--slots", "12", "--servers", "6+4", "--seed", "5"]
    assert generate_command.main([*options, "--out", str(out)]) == 0
    instance = read_instance(out, expect="utility")
    assert (len(instance.jobs), instance.cluster.slots, instance.seed) == (4, 12, 5)
    assert instance.cluster.worker_servers.shape == (6, 5)
    assert instance.cluster.ps_servers.shape == (4, 5)
    text = capsys.readouterr().out
    assert instance.hash in text
    assert "accepted 4 of" in text
