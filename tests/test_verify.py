"""Checking a schedule: how a user comes by one, and what the command says of it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.ratio import main as ratio
from benchmarks.verify import main as verify
from tests.small import constant, instance, job


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with an instance of two jobs for one server, and results of a run."""
    monkeypatch.chdir(tmp_path)
    jobs = [job("a", work=2, utility=constant(3.0)), job("b", arrival=1, work=2)]
    instance(jobs, slots=4).write("one.json")
    assert ratio(["--instance", "one.json", "--policy", "fifo", "--out", "one"]) == 0
    return tmp_path


def test_schedules_of_a_run_are_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # As `--help` says. a in slots 0 and 1, b in slots 2 and 3: 3 + 1.
    capsys.readouterr()
    for place in ("schedules/fifo.json.gz", "offline.json.gz"):
        (schedule,) = folder.glob(f"one/cells/*/{place}")
        assert verify(["one.json", str(schedule)]) == 0
        found = capsys.readouterr().out
        assert found == "objective 4.0\njobs completed 2 of 2\nviolations 0\n"


def test_violations_are_counted_by_constraint(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Every allocation doubled, on a server for one: (3) and (4) in the 4 slots of workers, (5)
    # in those of parameter servers.
    (path,) = folder.glob("one/cells/*/schedules/fifo.json.gz")
    file = json.loads(gzip.decompress(path.read_bytes()))
    for one in file["jobs"]:
        for row in one["allocations"]:
            row[3] = 2
    Path("bad.json.gz").write_bytes(gzip.compress(json.dumps(file).encode()))
    capsys.readouterr()
    assert verify(["one.json", "bad.json.gz"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:6] == [
        "violations 12",
        "  constraint (3): 4",
        "  constraint (4): 4",
        "  constraint (5): 4",
    ]
    assert len(lines) == 6 + 12
    assert lines[6] == "  (3) job 'a' runs 2 workers in slot 0, more than N = 1"
