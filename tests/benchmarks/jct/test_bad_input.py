"""Bad `jct` input at every command: one line on stderr, exit code 2, nothing written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from benchmarks.ratio import main as ratio
from models.jct import JctInstance
from online.registry import find_policy
from online.run import run
from tests.conftest import Refuses
from tests.models.jct.small import instance, job, random_instance, server, worked_example

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with instances with and without a cloud, schedules and a few traces."""
    monkeypatch.chdir(tmp_path)
    for name, ins in (
        ("one", worked_example()),
        ("two", random_instance(np.random.default_rng(2))),
    ):
        ins.write(f"{name}.json")
        policy = find_policy("jct", "a-online")()
        run(ins, policy, np.random.default_rng(0)).schedule.write(f"{name}-schedule.json")
    edge().write("edge.json")
    header = "timestamp,duration,num_gpus,gpu_time,cluster"
    row = "2017-10-09 07:30:00,60.0,1,60.0,a"
    Path("philly.csv").write_text(f"{header}\n{row}\n{row}\n")
    later = row.replace("07:30", "08:30")
    Path("late.csv").write_text(f"{header}\n{row}\n{later}\n")
    Path("none.csv").write_text(f"{header}\n")
    Path("broken.csv").write_text(f"{header}\n{row}\nnow,60.0,1,60.0,a\n")
    Path("hour.csv").write_text("0.0,j_1,M1,5.0,100.0,0.5,1\n")
    Path("nodes.csv").write_text("sn,cpu_milli,memory_mib,gpu,model\na,8000,1024,2,T4\n")
    Path("pai.csv").write_text("")
    Path("openb").mkdir()
    return tmp_path


def edge() -> JctInstance:
    """Two servers and no cloud; with product formulas."""
    times: dict[str, Any] = {
        "chunk_slots": None,
        "cloud_chunk_slots": None,
        "epochs": 2,
        "minibatches": 3,
        "minibatch_slots": 0.5,
        "update_slots": 0.0,
        "gradient_mb": 10.0,
        "bandwidth_gbps": 1.0,
        "chunk_gb": 1.0,
    }
    jobs = [job("a", upload=[1, 2], chunks=2, **times), job("b", 3, upload=[1, 1], **times)]
    return instance(jobs, [server(2, storage_gb=4.0), server(1, storage_gb=4.0)])


BAD_INSTANCES: dict[str, tuple[Change, str]] = {
    "a job that no worker can serve": (
        lambda d: d["jobs"][1].update(worker_type="z"),
        "no worker of type 'z' and no cloud, so nothing can serve the job - at "
        "`$.jobs[1].worker_type`",
    ),
    "a job that no parameter server can serve": (
        lambda d: d["jobs"][0].update(ps_type="z"),
        "no parameter server of type 'z' and no cloud, so (2e) cannot hold - at "
        "`$.jobs[0].ps_type`",
    ),
    "no worker at all": (
        lambda d: [s.update(workers=[]) for s in d["servers"]],
        "no worker of type 'a' and no cloud",
    ),
    "zero bandwidth": (
        lambda d: d["jobs"][1].update(bandwidth_gbps=0.0),
        "Expected `float` >= 1e-12 - at `$.jobs[1].bandwidth_gbps`",
    ),
    "bandwidth so small that no slot count holds it": (
        lambda d: d["jobs"][1].update(bandwidth_gbps=1e-12, gradient_mb=1e3),
        "slots for a chunk are more than 1e9 - at `$.jobs[1]`",
    ),
    "storage too small everywhere": (
        lambda d: [s.update(storage_gb=0.5) for s in d["servers"]],
        "can store 0 of 2 chunks of 1 GB, and there is no cloud - at `$.jobs[0].chunk_gb`",
    ),
    "chunks too large for all storage": (
        lambda d: d["jobs"][1].update(chunk_gb=4.5),
        "can store 0 of 1 chunks of 4.5 GB, and there is no cloud - at `$.jobs[1].chunk_gb`",
    ),
    "negative storage": (
        lambda d: d["servers"][1].update(storage_gb=-1.0),
        "Expected `float` >= 0.0 - at `$.servers[1].storage_gb`",
    ),
    "too long": (
        lambda d: d["jobs"][1].update(epochs=40),
        "cannot complete before the horizon of 20 slots, even alone - at `$.jobs[1]`",
    ),
    "late job": (
        lambda d: d["jobs"][1].update(arrival=20),
        "arrival 20 is not before the horizon of 20 slots - at `$.jobs[1].arrival`",
    ),
    "missing key": (lambda d: d.pop("cloud"), "Object missing required field `cloud`"),
    "missing number": (
        lambda d: d["jobs"][0].pop("update_slots"),
        "there is no `chunk_slots` to replace it - at `$.jobs[0].update_slots`",
    ),
    "unknown key": (
        lambda d: d["jobs"][0].update(uplaod_slots=[]),
        "Object contains unknown field `uplaod_slots` - at `$.jobs[0]`",
    ),
    "NaN": (
        lambda d: d["jobs"][1].update(gradient_mb=float("nan")),
        "number is not finite - at `$.jobs[1].gradient_mb`",
    ),
    "a delay missing": (
        lambda d: d["jobs"][1].update(upload_slots=[1]),
        "1 numbers for 2 servers - at `$.jobs[1].upload_slots`",
    ),
    "no delay of the cloud": (
        lambda d: d.update(cloud=True),
        "missing, and there is a cloud - at `$.jobs[0].cloud_upload_slots`",
    ),
    "too many workers requested": (
        lambda d: d["jobs"][0].update(requested_workers=3),
        "3 workers requested for 2 chunks, more than (2c) allows - at "
        "`$.jobs[0].requested_workers`",
    ),
    "nothing there": (
        lambda d: d.update(servers=[]),
        "neither a server nor the cloud - at `$.servers`",
    ),
    "an id twice": (lambda d: d["jobs"][1].update(id="a"), "id 'a' used twice"),
}
READERS: dict[str, list[str]] = {
    "ratio": ["--problem", "jct", "--instance", "one.json", "bad.json", "--out", "results"],
    "speed": ["--problem", "jct", "--instance", "bad.json"],
    "export": ["bad.json", "--out", "out.mps"],
    "verify": ["bad.json", "one-schedule.json"],
}


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", BAD_INSTANCES)
def test_bad_instance(refuses: Refuses, command: str, name: str) -> None:
    change, fault = BAD_INSTANCES[name]
    data = json.loads(Path("edge.json").read_bytes())
    change(data)
    Path("bad.json").write_text(json.dumps(data))
    refuses(command, READERS[command], "bad.json: ")
    refuses(command, READERS[command], fault)


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("philly:broken.csv", "broken.csv: line 3: timestamp 'now' is not YYYY-MM-DD HH:MM:SS"),
        ("philly:philly.csv", "philly.csv: spans 1 slots of 3600 s, fewer than the 600 asked for"),
        ("alibaba-2018:hour.csv", "hour.csv: 1 arrivals, fewer than the 60 asked for"),
        ("openb-nodes:nodes.csv", "nodes.csv: 1 nodes, fewer than the 100 asked for"),
        ("edge-cloud:openb", "openb: no 'philly/philly.csv.gz' in it"),
        ("google:philly.csv", "philly.csv: line 1: "),
    ],
)
@pytest.mark.parametrize("command", ["generate", "ratio"])
def test_bad_trace(refuses: Refuses, command: str, spec: str, fault: str) -> None:
    refuses(command, ["--problem", "jct", "--out", "new.json", "--trace", spec], fault)


def test_no_window_of_a_trace_is_full_enough(refuses: Refuses) -> None:
    options = [
        "--problem",
        "jct",
        "--slots",
        "1",
        "--trace",
        "philly:philly.csv",
        "--out",
        "x.json",
    ]
    fault = "no window of 1 slots holds 3 arrivals; the fullest holds 2"
    refuses("generate", [*options, "--jobs", "3"], fault)


@pytest.mark.parametrize(
    ("command", "arguments", "fault"),
    [
        ("ratio", ["--servers", "5+5"], "servers '5+5': want a number above 0, e.g. 20"),
        ("ratio", ["--servers", "0"], "servers '0': want a number above 0"),
        ("ratio", ["--jobs", "0"], "argument --jobs: '0' is not a positive whole number"),
        ("ratio", ["--instance", "one.json", "one.json"], "the same instance as in one.json"),
        ("ratio", ["--policy", "oasis"], "unknown policy 'oasis' for 'jct': choose from a-online"),
        ("ratio", ["--policy", "no_module:Thing"], "module 'no_module' cannot be imported"),
        ("speed", ["--policy", "nonesuch"], "unknown policy 'nonesuch' for 'jct'"),
        ("ratio", ["--set", "scale=huge"], "scale 'huge': choose from simulation, testbed"),
        ("ratio", ["--set", "requested=all"], "requested 'all': choose from gpus, uniform, chunks"),
        ("ratio", ["--set", "preset=paper"], "preset 'paper': choose from paper-ranges, short-"),
        ("ratio", ["--set", "epsilon=0.123456"], "epsilon 0.123456 is no fraction a/b of whole"),
        ("ratio", ["--set", "epsilon=nan"], "epsilon nan is no fraction"),
        ("ratio", ["--set", "epsilon=-1"], "epsilon -1.0 is no fraction"),
        (
            "ratio",
            ["--set", "scale=testbed", "--set", "preset=one-type"],
            "worker_types does not go with scale testbed",
        ),
        ("ratio", ["--set", "upload=slow"], "upload 'slow': choose from job, server"),
        ("ratio", ["--set", "arrivals=never"], "unknown arrivals 'never': choose from google2011"),
        ("ratio", ["--set", "cloud=maybe"], "setting cloud=maybe: want e.g. cloud=yes|no"),
        ("ratio", ["--set", "epochs=2.5"], "setting epochs=2.5: want e.g. epochs=20:60"),
        ("ratio", ["--set", "epochs=0"], "epochs [0, 0] is not a range of numbers >= 1"),
        ("ratio", ["--set", "chunks=5:2"], "chunks [5, 2] is not a range of numbers >= 1"),
        (
            "ratio",
            ["--set", "bandwidth_mbps=0"],
            "bandwidth_mbps [0, 0] is not a range of numbers >",
        ),
        ("ratio", ["--set", "minibatch_hours=0:1"], "minibatch_hours [0, 1] is not a range"),
        ("ratio", ["--set", "gradient_mb=nan"], "gradient_mb [nan, nan] is not a range"),
        ("ratio", ["--set", "edge_upload=-1:2"], "edge_upload [-1, 2] is not a range"),
        (
            "ratio",
            ["--set", "edge_upload=0:99999999999999999999"],
            "edge_upload [0, 1e+20] is not a range of numbers >= 0 and <= 1e+09",
        ),
        (
            "ratio",
            ["--set", "worker_types=10000000000"],
            "worker_types [1e+10, 1e+10] is not a range of numbers >= 1 and <= 100000",
        ),
        ("ratio", ["--slots", "99999999999"], "slots is 99999999999, but may be at most 10000000"),
        ("ratio", ["--set", "slot_seconds=0"], "slot_seconds 0.0 is not a positive number"),
        ("ratio", ["--set", "density=2"], "unknown setting 'density': choose from scale"),
        ("ratio", ["--set", "cloud"], "--set cloud: want NAME=VALUE"),
        (
            "ratio",
            ["--set", "scale=testbed", "--set", "worker_types=3"],
            "worker_types does not go with scale testbed",
        ),
        (
            "ratio",
            ["--set", "cloud=no", "--set", "storage_gb=1", "--set", "chunk_gb=2"],
            "chunks of 2 GB, and there is no cloud - at `$.jobs[0].chunk_gb`",
        ),
        (
            "generate",
            ["--trace", "openb-nodes:nodes.csv", "--set", "scale=testbed", "--out", "x.json"],
            "gives servers, but those of scale testbed are fixed",
        ),
        (
            "generate",
            ["--trace", "alibaba-2018:hour.csv", "--set", "arrivals=uniform", "--out", "x.json"],
            "gives arrivals, but arrivals=uniform takes their place",
        ),
        (
            "generate",
            ["--jobs", "200000", "--servers", "200000", "--out", "x.json"],
            "200000 jobs x 200000 servers are more than 20000000 pairs",
        ),
        (
            "generate",
            ["--trace", "philly:late.csv", "--set", "slot_seconds=1e-6", "--out", "x.json"],
            "late.csv: spans 5400 s, more than 100000000 slots of 1e-06 s",
        ),
        (
            "generate",
            ["--trace", "philly:none.csv", "--out", "x.json"],
            "none.csv: spans 0 slots, as it has no usable arrival",
        ),
        ("generate", ["--out", "absent/x.json"], "absent/x.json: cannot be written"),
        ("generate", ["--trace", "pai-machines:.", "--out", "x.json"], "no mapping to `jct`"),
    ],
)
def test_bad_option(refuses: Refuses, command: str, arguments: list[str], fault: str) -> None:
    refuses(command, ["--problem", "jct", *arguments], fault)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["one.json", "two-schedule.json"], "made for another instance"),
        (["one.json", "two.json"], "two.json: "),
        (["one-schedule.json", "one.json"], "one-schedule.json: "),
        (["one.json", "absent.json"], "absent.json: cannot be read"),
        (["one.json", "--certificate", "one-schedule.json"], "one-schedule.json: "),
        (["one.json"], "nothing to verify: give SCHEDULE"),
    ],
)
def test_bad_schedule(refuses: Refuses, arguments: list[str], fault: str) -> None:
    refuses("verify", arguments, fault)


def test_an_instance_of_another_problem(refuses: Refuses) -> None:
    options = ["--problem", "utility", "--instance", "one.json"]
    refuses("ratio", options, "an instance of 'jct', but 'utility' is asked for")


# ---- no schedule at all, and policies that find none ------------------------------------------


def crowded(upload: list[int]) -> JctInstance:
    """Two jobs whose data fill a server each, from their arrival on; no cloud."""
    jobs = [
        job(name, upload=upload, chunk_slots=2, cloud_chunk_slots=2, chunk_gb=1.0) for name in "ab"
    ]
    return instance(jobs, [server(2, storage_gb=1.0) for _ in upload])


def rows(text: str) -> dict[str, dict[str, Any]]:
    return {row["policy"]: row for row in map(json.loads, text.splitlines())}


def test_an_instance_without_a_schedule_is_the_error_of_all_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crowded([1]).write(tmp_path / "one.json")
    options = ["--problem", "jct", "--instance", str(tmp_path / "one.json"), "--format", "json"]
    assert ratio([*options, "--out", str(tmp_path / "out")]) == 1
    out, err = capsys.readouterr()
    fault = "offline: failed: instance 'small' is infeasible, says HiGHS"
    assert len(rows(out)) == 5
    assert all(fault in row["error"] for row in rows(out).values())
    assert "failed: optimum of jct 'small': instance 'small' is infeasible" in err
    # With a second server there is room for both.
    crowded([1, 3]).write(tmp_path / "one.json")
    assert ratio([*options, "--out", str(tmp_path / "out")]) == 0


def test_a_policy_that_finds_no_schedule_takes_nobody_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Drawn so that SRTF and Tiresias-L, which do not plan ahead, run out of storage, (7b), and
    # the others do not.
    drawn = random_instance(np.random.default_rng(257), most_workers=2, cloud=False, slots=60)
    servers = [msgspec.structs.replace(record, storage_gb=3.0) for record in drawn.file.servers]
    jobs = [msgspec.structs.replace(record, chunk_gb=1.0) for record in drawn.file.jobs]
    file = msgspec.structs.replace(drawn.file, servers=servers, jobs=jobs)
    JctInstance.from_file(file).write(tmp_path / "one.json")
    out = ["--out", str(tmp_path / "out"), "--format", "json"]
    options = ["--problem", "jct", "--instance", str(tmp_path / "one.json"), *out]
    every = "a-online,a-online-e,srtf,tiresias-l,batchsche"
    assert ratio([*options, "--policy", every]) == 1
    found = rows(capsys.readouterr().out)
    for name in ("srtf", "tiresias-l"):
        error = found[name]["error"]
        assert error.startswith(f"run: failed: policy '{name}' on 'small': 1 violation, ")
        assert "7b" in error
    others = ("a-online", "a-online-e", "batchsche")
    assert all(found[name]["error"] == "" for name in others)
    assert all(found[name]["ratio_upper"] >= 1.0 for name in others)
    assert ratio([*options, "--policy", ",".join(others)]) == 0


def test_a_policy_that_does_nothing_is_a_failed_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "idle_jct.py").write_text(
        "from online.policy import Decision, Policy\n\n\n"
        "class Idle(Policy):\n"
        "    name = 'idle'\n\n"
        "    def reset(self, public, rng):\n"
        "        pass\n\n"
        "    def step(self, event):\n"
        "        return Decision()\n"
    )
    monkeypatch.chdir(tmp_path)
    worked_example().write("one.json")
    options = ["--problem", "jct", "--instance", "one.json", "--policy", "idle_jct:Idle"]
    assert ratio([*options, "--format", "json"]) == 1
    error = rows(capsys.readouterr().out)["idle"]["error"]
    assert error.startswith("run: failed: policy 'idle' on 'worked example': ")
    assert "(2b)" in error


def test_no_jobs_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = msgspec.structs.replace(worked_example().file, jobs=[])
    JctInstance.from_file(file).write(tmp_path / "none.json")
    options = ["--problem", "jct", "--instance", str(tmp_path / "none.json"), "--format", "json"]
    assert ratio([*options, "--out", str(tmp_path / "out")]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 5
    assert {(row["objective"], row["ratio_upper"]) for row in rows} == {(0.0, 1.0)}
