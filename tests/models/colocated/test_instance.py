"""Instances of `colocated`: what is refused and where, what is not, load, and damaged files."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from models.colocated import PROBLEM, ColocatedInstance, ColocatedSchedule, score
from models.colocated.formulations import FORMULATIONS
from models.errors import InputError
from models.export import write_model
from models.problem import read_instance
from models.slot_column import Column
from tests.fuzz.cases import accepted
from tests.fuzz.damage import damaged
from tests.models.colocated.small import NOTHING, constant, instance, job, random_instance


def test_file_round_trip(tmp_path: Path) -> None:
    ins = random_instance(np.random.default_rng(0))
    ins.write(tmp_path / "one.json.gz")
    again = read_instance(tmp_path / "one.json.gz", expect="colocated")
    assert isinstance(again, ColocatedInstance)
    assert again.hash == ins.hash
    for one, other in zip(again.jobs, ins.jobs, strict=True):
        assert (one.work, one.speedup, one.utility) == (other.work, other.speedup, other.utility)
    with pytest.raises(ValueError, match="WRITEABLE"):
        again.cluster.servers.setflags(write=True)


BAD_JOBS: list[tuple[dict[str, Any], str]] = [
    ({"gamma": 0.0}, "Expected `float` >= 1e-12 - at `$.jobs[0].gamma`"),
    ({"gamma": -1.0}, "Expected `float` >= 1e-12 - at `$.jobs[0].gamma`"),
    ({"gamma": 1e-7}, "F workers need more than 1000000 parameter servers - at `$.jobs[0].gamma`"),
    ({"max_workers": 0}, "Expected `int` >= 1 - at `$.jobs[0].max_workers`"),
    ({"sample_slots": 0.0}, "Expected `float` >= 1e-12 - at `$.jobs[0].sample_slots`"),
    ({"gradient_mb": -1.0}, "Expected `float` >= 0.0 - at `$.jobs[0].gradient_mb`"),
    ({"external_gbps": 0.0}, "Expected `float` >= 1e-12 - at `$.jobs[0].external_gbps`"),
    (
        {"external_gbps": 20.0},
        "less than 20.0 Gbps between servers, against Fact 1 - at `$.jobs[0].internal_gbps`",
    ),
    ({"arrival": 4}, "arrival 4 is not before the end of the 4 slots - at `$.jobs[0].arrival`"),
    ({"requested_workers": 2}, "more than F = 1 workers, against (4)"),
    ({"worker": [1.0, 1.0]}, "2 numbers for 1 resources - at `$.jobs[0].worker`"),
    ({"ps": []}, "0 numbers for 1 resources - at `$.jobs[0].ps`"),
    ({"epochs": 10**12, "samples": 10**12}, "worker-slots, which is out of range"),
    (
        {"gradient_mb": 1e9, "internal_gbps": 1e12},
        "external workers are more than 1e+06 times slower - at `$.jobs[0].external_gbps`",
    ),
    ({"max_workers": 10**6, "samples": 2 * 10**6}, "worker-slots x 4 slots are more than 5000000"),
    ({"max_workers": 10**5, "samples": 10**5}, "are more than 500000000 - at `$.jobs[0].max_w"),
    ({"utility": {"kind": "linear"}}, "Invalid value 'linear' - at `$.jobs[0].utility.kind`"),
]


@pytest.mark.parametrize(("changes", "message"), BAD_JOBS)
def test_bad_jobs_are_refused(changes: dict[str, Any], message: str) -> None:
    data = json.loads(msgspec.json.encode(instance([job("a")]).file))
    data["jobs"][0] |= changes
    with pytest.raises(InputError) as caught:
        ColocatedInstance.decode(json.dumps(data).encode(), "bad.json")
    assert str(caught.value).startswith("bad.json: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"servers": []}, "length >= 1 - at `$.servers`"),
        ({"servers": [[-1.0]]}, "Expected `float` >= 0.0 - at `$.servers[0][0]`"),
        ({"servers": [[1.0, 2.0]]}, "2 numbers for 1 resources - at `$.servers[0]`"),
        ({"resources": ["cpu", "cpu"]}, "a name stands twice - at `$.resources`"),
        ({"slots": 10**6, "servers": [[1.0]] * 21}, "prices of slots, servers, resources"),
        ({"slots": 10**6, "jobs": [job(str(i)) for i in range(51)]}, "pairs of jobs and slots"),
        ({"jobs": [job("a"), job("a")]}, "id 'a' used twice - at `$.jobs[1].id`"),
    ],
)
def test_bad_clusters_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        instance(**{"jobs": [job("a")], **changes})
    assert message in str(caught.value)


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_to_do_is_no_fault(name: str) -> None:
    assert PROBLEM.load(NOTHING[name]) >= 0.0


def test_load_by_hand() -> None:
    # Work 6 * 1.5 = 9: CPUs 9 (1 + 2 / 3) = 15 of 5 * 10, GPUs 9 of 5 * 3: 0.6.
    first = job("a", samples=6, gradient_mb=0.5 / 3, gamma=3.0, worker=[1.0, 1.0], ps=[2.0, 0.0])
    # Two samples of one slot: CPUs 2 (1 + 1 / 0.5) of 50.
    second = job("b", samples=2, gamma=0.5, worker=[1.0, 0.0], ps=[1.0, 0.0])
    sizes = {"slots": 5, "resources": ["cpu", "gpu"], "servers": [[4.0, 1.0], [6.0, 2.0]]}
    assert PROBLEM.load(instance([first], **sizes)) == pytest.approx(0.6)
    assert PROBLEM.load(instance([first, second], **sizes)) == pytest.approx(0.72)
    assert PROBLEM.load(instance([], **sizes)) == 0.0
    assert PROBLEM.load(instance([job("a")], servers=[[0.0]])) == np.inf


def test_schedule_files(tmp_path: Path) -> None:
    ins = instance([job("a"), job("b")], servers=[[2.0], [2.0]])
    both = [
        Column.build(ins.jobs[k], 1.0, [(0, k, 1), (2, k, 2), (2, k, -1)], [(0, k, 1), (2, k, 1)])
        for k in (0, 1)
    ]
    assert both[1].completion == 2
    assert both[1].workers.tolist() == [[0, 1, 1], [2, 1, 1]]
    written = ColocatedSchedule.of_columns(ins, both)
    path = tmp_path / "schedule.json"
    written.write(path)
    again = ColocatedSchedule.read(path, ins)
    assert again.workers.tolist() == written.workers.tolist()
    assert again.ps.tolist() == written.ps.tolist()
    assert again.admitted.tolist() == [True, True]
    assert score(ins, again).objective == 2.0
    with pytest.raises(ValueError, match="two columns of job 0"):
        ColocatedSchedule.of_columns(ins, [both[0], both[0]])
    for old, new, message in (
        ('"id":"b"', '"id":"z"', "no job 'z'"),
        ("[2,1,", "[9,1,", "past the horizon"),
        ("[2,1,", "[2,7,", "no worker server 7"),
        ('"worker",1', '"worker",0', "allocations"),
        ('"problem":"colocated"', '"problem":"utility"', "problem"),
    ):
        bad = tmp_path / "bad.json"
        bad.write_text(path.read_text().replace(old, new))
        with pytest.raises(InputError, match=message):
            ColocatedSchedule.read(bad, ins)


def examples() -> list[ColocatedInstance]:
    drawn = [random_instance(np.random.default_rng(seed)) for seed in range(3)]
    return [*drawn, instance([job("a", requested_workers=1, utility=constant(3.0))], seed=4)]


@pytest.mark.filterwarnings("error")
def test_damaged_instances_that_are_read_have_jobs_and_models(tmp_path: Path) -> None:
    rng, texts = random.Random(1), [msgspec.json.encode(ins.file) for ins in examples()]
    valid = 0
    for _ in range(300):
        ins = accepted(ColocatedInstance.decode, damaged(rng.choice(texts), rng), "bad.json")
        if ins is not None:
            valid += 1
            for one in ins.jobs:
                assert np.isfinite([one.work, one.speedup]).all() and one.speedup >= 1.0
                assert one.ps_needed_table(3)[0] == 0 < one.ps_needed(1)
                assert np.isfinite(one.values(ins.cluster.slots)).all()
            if ins.cluster.slots * len(ins.cluster.servers) <= 100:
                write_model(FORMULATIONS["compact"](ins), tmp_path / "model.mps")
    assert valid > 20
