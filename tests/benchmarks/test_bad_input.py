"""Bad input at every command: one line on stderr, exit code 2, nothing written."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.errors import InputError
from models.problem import read_instance
from online.registry import find_policy
from online.run import run
from tests.conftest import Refuses
from tests.models.utility.small import random_instance

ROOT = Path(__file__).resolve().parents[2]

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two instances, a schedule of each, and the start of some traces."""
    monkeypatch.chdir(tmp_path)
    for name, seed in (("one", 1), ("two", 2)):
        ins = random_instance(np.random.default_rng(seed), jobs=4, slots=4)
        ins.write(f"{name}.json")
        policy = find_policy("utility", "zero-price")()
        run(ins, policy, np.random.default_rng(0)).schedule.write(f"{name}-schedule.json")
    good = "".join(f"600000000,,{i},0,u,1,n,l\n" for i in range(50))
    for name, row in (
        ("job_events", "soon,,1,0,u,1,n,l"),
        ("nan", "600000000,nan,1,0,u,1,n,l"),
        ("short", "600000000,,1,0,u,1,n"),
    ):
        Path(f"{name}.csv").write_text(f"{good}{row}\n")
    Path("cut.csv.gz").write_bytes(gzip.compress(good.encode())[:-9])
    header = "timestamp,duration,num_gpus,gpu_time,cluster"
    Path("philly.csv").write_text(f"{header}\n2017-10-09 07:30:00,60.0,2,NaN,a\n")
    Path("column.csv").write_text(f"{header}\n".replace("num_gpus,", ""))
    Path("log.json").write_text('[{"status": "Pass", "vc": "a", "jobid": "b"}]')
    Path("file").write_text("")
    Path("broken_policy.py").write_text("raise RuntimeError('no\\nway')")
    return tmp_path


# ---- instance files ------------------------------------------------------------------------

BAD_INSTANCES: dict[str, tuple[Change, str]] = {
    "missing key": (lambda d: d.pop("slots"), "Object missing required field `slots`"),
    "negative capacity": (
        lambda d: d["worker_servers"][0].__setitem__(1, -2.0),
        "Expected `float` >= 0.0 - at `$.worker_servers[0][1]`",
    ),
    "NaN": (
        lambda d: d["jobs"][1]["worker"].__setitem__(0, float("nan")),
        "number is not finite - at `$.jobs[1].worker[0]`",
    ),
    "late job": (
        lambda d: d["jobs"][2].update(arrival=4),
        "arrival 4 is not before the horizon of 4 slots - at `$.jobs[2].arrival`",
    ),
    "b > B": (
        lambda d: d["jobs"][0]["worker"].__setitem__(1, 99.0),
        "bandwidth of a worker 99.0 exceeds that of a parameter server",
    ),
    "other problem": (lambda d: d.update(problem="knapsack"), "unknown problem 'knapsack'"),
    "other format": (lambda d: d.update(format="7"), "format '7' is not known"),
}
READERS: dict[str, list[str]] = {
    "ratio": ["--instance", "one.json", "bad.json", "--out", "results"],
    "speed": ["--instance", "bad.json"],
    "export": ["bad.json", "--out", "out.mps"],
    "verify": ["bad.json", "one-schedule.json"],
}


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", BAD_INSTANCES)
def test_bad_instance(
    refuses: Refuses,
    command: str,
    name: str,
) -> None:
    change, fault = BAD_INSTANCES[name]
    data = json.loads(Path("one.json").read_bytes())
    change(data)
    Path("bad.json").write_text(json.dumps(data))
    refuses(command, READERS[command], f"bad.json: {fault}")


# ---- traces --------------------------------------------------------------------------------

BAD_TRACES = [
    ("google:job_events.csv", "job_events.csv: line 51: time 'soon' is not an integer"),
    ("google:nan.csv", "nan.csv: line 51: missing_info 'nan' is not a number"),
    ("google:short.csv", "short.csv: line 51: 7 fields where 8 are expected"),
    ("google:cut.csv.gz", "cut.csv.gz: cannot be read: Compressed file ended"),
    ("philly:philly.csv", "philly.csv: line 2: gpu_time 'NaN' is not a number"),
    ("philly:column.csv", "column.csv: line 1: no column num_gpus in the header"),
    ("philly:log.json", "log.json: Object missing required field `submitted_time` - at `$[0]`"),
    ("borg:one.json", "want KIND:PATH, with KIND one of google"),
    ("google:absent", "no file or folder 'absent'"),
]


@pytest.mark.parametrize(("spec", "fault"), BAD_TRACES)
@pytest.mark.parametrize("command", ["trace", "generate", "ratio"])
def test_bad_trace(
    refuses: Refuses,
    command: str,
    spec: str,
    fault: str,
) -> None:
    arguments = ["audit", spec] if command == "trace" else ["--out", "new.json", "--trace", spec]
    refuses(command, arguments, fault)


# ---- schedules and options -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "arguments", "fault"),
    [
        ("verify", ["one.json", "two-schedule.json"], "made for another instance"),
        ("verify", ["one.json", "two.json"], "two.json: "),
        ("verify", ["one-schedule.json", "one.json"], "one-schedule.json: "),
        ("verify", ["one.json", "absent.json"], "absent.json: cannot be read"),
        ("verify", ["one.json"], "nothing to verify: give SCHEDULE"),
        ("ratio", ["--policy", "nonesuch"], "unknown policy 'nonesuch' for 'utility'"),
        ("speed", ["--policy", "nonesuch"], "unknown policy 'nonesuch' for 'utility'"),
        ("ratio", ["--policy", "no_module:Thing"], "module 'no_module' cannot be imported"),
        ("ratio", ["--policy", "broken_policy:Thing"], "cannot be imported: RuntimeError: no way"),
        ("ratio", ["--policy", "json:JSONDecoder"], "not a subclass of online.policy.Policy"),
        ("ratio", ["--policy", "oasis", "--policy", "oasis"], "two policies are named 'oasis'"),
        ("ratio", ["--policy", "fifo,oasis", "--policy", "fifo"], "two policies are named 'fifo'"),
        ("ratio", ["--policy", "oasis,nonesuch"], "unknown policy 'nonesuch' for 'utility'"),
        ("regret", ["--policy", "drf,"], "unknown policy '' for 'reward'"),
        ("ratio", ["--problem", "tetris"], "unknown problem 'tetris'"),
        ("generate", ["--problem", "tetris", "--out", "x.json"], "unknown problem 'tetris'"),
        ("speed", ["--problem", "tetris"], "unknown problem 'tetris'"),
        ("claims", ["tetris"], "unknown problem 'tetris'"),
        ("trace", ["audit", "google:file", "--problem", "tetris"], "unknown problem 'tetris'"),
        ("ratio", ["--set", "arrivals="], "setting arrivals is '': want e.g. arrivals=google2011"),
        ("ratio", ["--seeds", "none"], "argument --seeds: 'none' is not N or FIRST:LAST"),
        ("ratio", ["--seeds", "5:5"], "argument --seeds: '5:5' has no seed: N is at least 1"),
        ("ratio", ["--seeds", "5:3"], "'5:3' has no seed: N is at least 1, FIRST below LAST"),
        ("ratio", ["--seeds", "0"], "argument --seeds: '0' has no seed: N is at least 1"),
        ("gap", ["--seeds", 20 * "9"], f"argument --seeds: '{20 * '9'}': want 1 to 1000000 seeds"),
        ("ratio", ["--seeds", f"{2**63}:{2**63 + 1}"], "': want 1 to 1000000 seeds in 0..2**63-1"),
        ("ratio", ["--jobs", "0"], "argument --jobs: '0' is not a positive whole number"),
        ("ratio", ["--servers", "5"], "servers '5': want numbers above 0 joined by +, e.g. 5+5"),
        ("ratio", ["--time-limit", "nan"], "argument --time-limit: 'nan' is not a positive number"),
        ("ratio", ["--jobs", "3", "--instance", "one.json"], "--jobs does not go with --instance"),
        ("ratio", ["--quick", "--out", "file/x"], "cannot be made"),
        (
            "generate",
            ["--servers", "0+5", "--out", "x.json"],
            "servers '0+5': want numbers above 0 joined by +, e.g. 5+5",
        ),
        ("generate", ["--out", "absent/x.json"], "absent/x.json: cannot be written"),
        ("generate", [], "arguments are required: --out"),
        ("export", ["one.json", "--out", "x.mps", "--formulation", "z"], "unknown formulation 'z'"),
        ("export", ["one.json", "--out", "x.txt"], "x.txt"),
        ("ratio", ["--policy", "oasis,fifo,oasis"], "two policies are named 'oasis'"),
        ("ratio", ["--run", "../up"], "run '../up': want a name of letters"),
        ("ratio", ["--workers", "0"], "argument --workers: '0' is not a positive whole number"),
        ("ratio", ["--memory", "-1"], "argument --memory: '-1' is not a positive number"),
        ("figures", ["utility-7"], "unknown figure 'utility-7': 'utility' has"),
        ("figures", ["nothing-3"], "unknown figure 'nothing-3': names begin with a problem"),
        ("figures", [], "name one or more figures, or give --all"),
        ("figures", ["utility-3", "--all"], "name one or more figures, or give --all"),
        ("claims", ["utility", "--limit", "0"], "argument --limit: '0' is not a positive number"),
        ("figures", ["utility-3", "--seeds", "x"], "argument --seeds: 'x' is not N or FIRST:LAST"),
        ("figures", ["utility-3", "--quick", "--paper"], "not allowed with argument"),
        ("figures", ["utility-6", "--quick", "--out", "file/x"], "cannot be made"),
    ],
)
def test_bad_schedule_or_option(
    refuses: Refuses,
    command: str,
    arguments: list[str],
    fault: str,
) -> None:
    refuses(command, arguments, fault)


def test_in_a_process_of_its_own(here: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.verify", "one.json", "two-schedule.json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b'{"format": "1", "problem": "utility", "more": ' + b"[" * 10**5, "not JSON"),
        (b'{"format": "1", "problem": "utility", "more": ' + b"9" * 5000 + b"}", "field `more`"),
        (b'{"format": "1", "problem": "utility", "m\xe9": 1}', "not JSON"),
        (b'{"format": "1", "problem": "utility", "m\\n": 1, "m\\n": 2}', "unknown field `m `"),
    ],
)
def test_text_that_only_looks_like_json(text: bytes, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(text)
    with pytest.raises(InputError) as error:
        read_instance(path)
    assert str(error.value).startswith(f"{path}: ")
    assert fault in str(error.value)
    assert "\n" not in str(error.value)
