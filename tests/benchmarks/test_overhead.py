"""The overhead of engines is measured; what it comes to depends on the machine."""

from __future__ import annotations

import pytest

from benchmarks import overhead


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
    for line in lines:
        each, percent = line[29:40].split()[0], line[40:50].split()[0]
        assert float(each) > 0.0 and float(percent) > -50.0
