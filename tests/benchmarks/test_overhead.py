"""The overhead of engines is measured; what it comes to depends on the machine."""

from __future__ import annotations

import re

import numpy as np
import pytest

from benchmarks import overhead
from benchmarks.study.engine import InProcess


def test_each_engine_has_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(overhead, "_FEW", 2)
    monkeypatch.setattr(overhead, "_MANY", 20)
    monkeypatch.setattr(overhead, "_SECONDS", 0.01)
    monkeypatch.setattr(overhead, "_RUNS", 1)
    assert overhead.main(["--cells", "10", "--workers", "2"]) == 0
    about, heads, *lines, isolated = capsys.readouterr().out.splitlines()
    assert "cores, Python 3." in about
    assert heads.split() == ["engine", "workers", "start", "a", "cell", "overhead", "growth"]
    assert isolated.startswith("a policy with a process of its own: ")
    assert float(isolated.split()[8]) > 0.0  # an interpreter starts
    assert [line[:20].split() for line in lines] == [["in", "process", "1"], ["processes", "2"]]
    for line in lines:  # seconds, ms, %, MB; any may be negative where a short run was disturbed
        numbers = [float(word) for word in re.findall(r"-?[0-9]+\.[0-9]+", line[20:])]
        assert len(numbers) in (3, 4) and np.isfinite(numbers).all()


def test_a_line_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two workers need 0.3 s for a cell each, and 0.03 s for each of 10 cells more. Two workers
    # would ideally take 0.025 s for a cell of 0.05 s: 20 % above. 100 cells leave 2 MB, 5,000 9 MB.
    two = InProcess()
    two.workers = 2
    seconds = {2: 0.3, 12: 0.6, 100: 9.0, 5000: 9.0}
    grown = {2: 0, 12: 0, 100: 2_000_000, 5000: 9_000_000}
    monkeypatch.setattr(overhead, "_run", lambda _, count, __: (seconds[count], grown[count]))
    line = overhead._measure("processes", two, 10)
    assert (line["engine"], line["workers"]) == ("processes", 2)
    values = [line[name] for name in ("start", "a cell", "overhead", "growth")]
    assert values == pytest.approx([0.25, 30.0, 20.0, 7.0])
