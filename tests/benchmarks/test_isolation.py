"""Policies from outside that cheat, hang, leave, print and answer nonsense: rows that say so."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.door import evaluate, run
from benchmarks.ratio import main
from benchmarks.study.scheme import Isolation, policy_of, policy_roots, schemes_of
from models.errors import InputError
from online.isolated import Isolated
from online.policy import Decision, Policy
from tests.models.utility.small import instance, job

HOSTILE = """
import gc, sys
from online.policy import Decision, Policy

class Prints(Policy):
    name = "prints"
    def reset(self, public, rng): pass
    def step(self, event):
        print("policy,objective")
        return Decision()

class Says(Prints):
    name = "says"
    def step(self, event):
        print("policy,objective", file=sys.stderr)
        return Decision()

class Gc(Prints):
    name = "gc"
    def step(self, event):
        kinds = ("UtilityWorld", "UtilityInstance")
        found = [one for one in gc.get_objects() if type(one).__name__ in kinds]
        return Decision(info={"jobs": len(found[0].jobs)})

class Frames(Prints):
    name = "frames"
    def step(self, event):
        frame = sys._getframe()
        while "world" not in frame.f_locals and "instance" not in frame.f_locals:
            frame = frame.f_back
        return Decision()

class Loops(Prints):
    name = "loops"
    def step(self, event):
        while True:
            pass

class Exits(Prints):
    name = "exits"
    def step(self, event): sys.exit(0)

class Garbage(Prints):
    name = "garbage"
    def step(self, event): return Decision({0: float("nan")})
"""
ERRORS = {
    "prints": "RuntimeError: printed 'policy,objective': standard output is for tables, sys.",
    "gc": "IndexError: list index out of range",
    "frames": "AttributeError: 'NoneType' object has no attribute 'f_locals'",
    "loops": "no answer after 1 s",
    "exits": "SystemExit: 0",
    "garbage": "a plan is a tuple of Segment, not of type float",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(HOSTILE)
    small = instance([job("a", work=2)], name="two-slots")
    small.write("i.json")
    return small


def test_hostile_policies_are_rows_with_errors_and_change_no_other(
    here: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--instance", "i.json", "--format", "json", "--workers", "1", "--policy"]
    assert main([*options, "fifo", "--out", "alone"]) == 0
    alone, _ = capsys.readouterr()
    bad = ",".join(f"bad.py:{name.capitalize()}" for name in ["says", *ERRORS])
    assert main([*options, f"{bad},fifo", "--out", "all", "--decision-limit", "1"]) == 1
    out, err = capsys.readouterr()
    rows = {row["policy"]: row for row in map(json.loads, out.splitlines())}
    assert list(rows) == ["says", *ERRORS, "fifo"]
    for name, error in ERRORS.items():
        assert rows[name]["error"].startswith("run: failed: ") and error in rows[name]["error"]
        assert f"policy '{name}' on 'two-slots', slot 0 (arrival of job 'a')" in rows[name]["error"]
        assert rows[name]["objective"] is None
    times = {"policy_seconds": None, "offline_seconds": None}
    assert rows["fifo"] | times == json.loads(alone) | times
    assert (rows["says"]["error"], rows["says"]["objective"]) == ("", 0.0)
    printed = "printed by says on utility 'two-slots': policy,objective"
    assert err.splitlines().count(printed) == 2  # of the arrival, and of the slot
    loaded = [str(getattr(module, "__file__", "")) for module in sys.modules.values()]
    assert not any(file.endswith("bad.py") for file in loaded)
    schedules = [path.name for path in Path("all").glob("instances/*/schedules/*")]
    assert sorted(schedules) == ["fifo.json.gz", "says-bad.py-Says.json.gz"]


def test_by_default_those_from_outside_have_a_process(here: Any) -> None:
    def isolated(which: bool | None) -> list[bool]:
        schemes = schemes_of("utility", ["fifo", "bad.py:Prints"], Isolation(which, 5.0))
        found = [policy_of("utility", scheme.policy) for scheme in schemes]
        assert [one.name for one in found] == ["fifo", "prints"]
        return [issubclass(one, Isolated) for one in found]

    assert [isolated(which) for which in (None, True, False)] == [
        [False, True],
        [True, True],
        [False, False],
    ]
    # The sources are those of the policy, wherever it runs.
    assert policy_roots("utility", Isolation().of("bad.py:Prints")) == ("bad.py",)
    assert policy_roots("utility", Isolation().of("bad:Prints")) == ("bad",)
    assert policy_roots("utility", Isolation(True).of("fifo")) == policy_roots("utility", "fifo")


def test_a_policy_with_our_name_says_where_it_is_from(here: Any) -> None:
    Path("mine.py").write_text(HOSTILE + "class Mine(Prints):\n    name = 'oasis'\n")
    for which in (None, False):
        schemes = schemes_of("utility", ["oasis", "mine.py:Mine"], Isolation(which))
        assert [scheme.name for scheme in schemes] == ["oasis", "oasis (mine.py:Mine)"]


def test_from_python(here: Any) -> None:
    class Here(Policy):
        name = "here"

        def reset(self, public: Any, rng: Any) -> None: ...

        def step(self, event: Any) -> Decision:
            return Decision()

    found = run(here, "bad.py:Says")
    assert isinstance(found.policy, Isolated)
    assert found.said.splitlines() == ["policy,objective"] * 2
    assert not isinstance(run(here, "bad.py:Prints", isolate=False).policy, Isolated)
    with pytest.raises(InputError, match="SystemExit: 0"):
        run(here, "bad.py:Exits")
    with pytest.raises(InputError, match=r"only a policy that is named can be isolated"):
        run(here, Here, isolate=True)
    with pytest.raises(InputError, match=r"a policy given as a class cannot be isolated"):
        evaluate(here, [Here], isolate=True)
