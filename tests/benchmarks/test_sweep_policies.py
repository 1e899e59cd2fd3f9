"""A sweep with policies that raise, exit, hang or eat all memory."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks import sweep

BAD = '''
"""Policies that a user would rather not have written."""

import sys
import time

from online.utility.fifo import FIFO


class Raises(FIFO):
    name = "raises"

    def step(self, event):
        raise ValueError("not\\nmy day")


class Exits(FIFO):
    name = "exits"

    def step(self, event):
        sys.exit(0)


class Loops(FIFO):
    name = "loops"

    def step(self, event):
        while True:
            time.sleep(0.01)


class Eats(FIFO):
    name = "eats"

    def step(self, event):
        self.eaten = bytearray(3_000_000_000)  # less than what ends its own process
        self.eaten[::4096] = b"x" * len(self.eaten[::4096])
        time.sleep(20.0)  # so that somebody looks
        return super().step(event)
'''


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_bad_policies_spoil_their_own_rows_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(BAD)
    bad = ["Raises", "Exits", "Loops", "Eats"]
    named = ", ".join(f'"bad.py:{name}"' for name in bad)
    # All limits are so long that on a busy machine, too, no clock decides but that of "loops".
    study = (
        'seeds = 1\ntime_limit = 600\n[[study]]\nproblem = "utility"\n'
        'base = { jobs = 4, slots = 6, servers = "3+3" }\npolicies = ["oasis", BAD"fifo"]\n'
    )
    Path("bad.toml").write_text(study.replace("BAD", f"{named}, "))
    Path("small.toml").write_text(study.replace("BAD", ""))
    arguments = ["bad.toml", "--workers", "2", "--limit", "20", "--memory", "2000", "--out", "bad"]
    assert sweep.main(arguments) == 1
    lines = capsys.readouterr().err.splitlines()
    assert sorted(
        line.split(":")[0] for line in lines if " on utility 4x6x3+3 load=1.0 seed 0: " in line
    ) == [
        "failed",
        "failed",
        "out of memory",
        "out of time",
    ]
    rows = Path("bad/rows.csv").read_text().splitlines()
    errors = pd.read_csv("bad/rows.csv").set_index("policy")["error"].dropna()
    for name, error in (("raises", "ValueError: not my day"), ("exits", "SystemExit: 0")):
        told = errors.pop(name)
        assert told.startswith(f"run: failed: {error} (raised by policy '{name}' on '")
        assert told.endswith("slot 0 (arrival of job 'job-0'))")
    assert dict(errors) == {
        "loops": "run: out of time: still running after 20 s",
        "eats": "run: out of memory: holds more than 2000 MB",
    }
    good = [row for row in rows if ",oasis," in row or ",fifo," in row]
    assert sweep.main(["small.toml", "--workers", "1", "--out", "small"]) == 0
    assert Path("small/rows.csv").read_text().splitlines()[1:3] == good
