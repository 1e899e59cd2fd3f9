"""A user's own policy at the command line: its faults named, its randomness, its time."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest import approx

from benchmarks.cli import run_command
from benchmarks.door import evaluate
from benchmarks.ratio import main
from benchmarks.study import run as run_module
from benchmarks.study.run import policy_rng, run_policy, warm_policy
from models.utility import UtilityInstance
from online.policy import Decision, Event, Policy
from tests.models.utility.small import instance, job

HEAD = """
from online.policy import Arrival, Decision, Policy
from online.segments import Segment
import numpy as np

class Base(Policy):
    name = "mine"
    def reset(self, public, rng): pass
    def step(self, event): return Decision()

"""


def small(**changes: Any) -> UtilityInstance:
    return instance([job("a", work=2)], **{"name": "two-slots", **changes})


AT_ONCE = [
    (
        "class Mine(Policy):\n    name = 'mine'",
        "policy 'mine.py:Mine': is abstract: it does not define reset, step",
    ),
    (
        "class Mine(Base):\n    def __init__(self, share): pass",
        "policy 'mine.py:Mine': override for_instance, since its constructor is missing a "
        "required argument: 'share'",
    ),
    (
        "class Mine(Base):\n    name = '../mine'",
        "policy 'mine.py:Mine': its name '../mine' is not made of a-z",
    ),
    ("Other = Base", "policy 'mine.py:Mine': module 'mine.py' has no 'Mine'"),
]
IN_THE_RUN = [
    (
        "class Mine(Base):\n    def step(self, event): pass",
        "policy 'mine' on 'two-slots', slot 0 (arrival of job 'a'): "
        "step returned NoneType, not a Decision",
    ),
    (
        "class Mine(Base):\n"
        "    def step(self, event):\n"
        "        rows = np.array([[0, 2]])\n"
        "        return Decision({0: (Segment(event.slot, None, rows, rows),)})",
        "policy 'mine' on 'two-slots', slot 0 (arrival of job 'a'): job 'a', segment 0: "
        "(3) 2 workers, more than N = 1",
    ),
    (
        "class Mine(Base):\n    @classmethod\n    def for_instance(cls, instance): pass",
        "policy 'mine' on 'two-slots', for_instance: returned NoneType, not a Policy",
    ),
    (
        # The toolkit refuses what the policy asks of it: the place is named.
        "from models.errors import InputError\n"
        "class Mine(Base):\n    def step(self, event): raise InputError('bad share')",
        "bad share (raised by policy 'mine' on 'two-slots', slot 0 (arrival of job 'a'))",
    ),
    (
        "class Mine(Base):\n    def step(self, event): return Decision({0: 1 // 0})",
        "ZeroDivisionError: integer division or modulo by zero "
        "(raised by policy 'mine' on 'two-slots', slot 0 (arrival of job 'a'))",
    ),
    (
        "import sys\nclass Mine(Base):\n    def step(self, event): sys.exit('enough')",
        "SystemExit: enough",
    ),
]


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options of `ratio` for an instance and the policy of ``mine.py`` in the current folder."""
    monkeypatch.chdir(tmp_path)
    small().write("i.json")
    return ["--instance", "i.json", "--policy", "fifo,mine.py:Mine", "--out", "out"]


@pytest.mark.parametrize(("body", "fault"), AT_ONCE)
def test_faults_that_are_seen_at_once_run_nothing(
    body: str, fault: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.py").write_text(HEAD + body)
    with pytest.raises(SystemExit) as end:
        run_command(lambda _: main(options))
    error = capsys.readouterr().err
    assert end.value.code == 2
    assert error.startswith("error: ") and error.count("\n") == 1
    assert fault in error
    assert not Path("out").exists()


@pytest.mark.parametrize(("body", "fault"), IN_THE_RUN)
def test_faults_in_the_run_are_a_row_and_a_line(
    body: str, fault: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.py").write_text(HEAD + body)
    assert main([*options, "--format", "json"]) == 1
    out, err = capsys.readouterr()
    fifo, mine = (json.loads(line) for line in out.splitlines())
    assert (fifo["policy"], fifo["error"], fifo["ratio_upper"]) == ("fifo", "", approx(1.0))
    assert (mine["policy"], mine["objective"], mine["ratio_upper"]) == ("mine", None, None)
    assert mine["error"].startswith("run: failed: ") and fault in mine["error"]
    (line,) = err.splitlines()
    assert line.startswith("failed: mine on utility 'two-slots': ") and fault in line
    assert Path("out/rows.csv").read_text().count("\n") == 3


def test_the_table_counts_failures_and_averages_no_survivors(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    # It breaks down on the second of two instances.
    body = (
        "class Mine(Base):\n    def step(self, event):\n"
        "        return Decision({} if event.slot < 2 else {0: 1 // 0})"
    )
    Path("mine.py").write_text(HEAD + body)
    instance([job("a", work=2), job("b", arrival=2)], name="late", slots=4).write("late.json")
    options[1:2] = ["i.json", "late.json"]
    assert main([*options, "--columns", "all"]) == 1
    lines = capsys.readouterr().out.splitlines()
    (mine,) = (line.split() for line in lines if line.startswith("mine"))
    assert mine[:4] == ["mine", "-", "failed", "1/2"]
    assert mine[4:-1] == ["-"] * 7
    (fifo,) = (line for line in lines if line.startswith("fifo"))
    assert "failed" not in fifo
    assert "1 of 4 rows failed" in " ".join(lines)


def test_a_policy_that_hangs_where_it_is_tried_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So that the limit of the run that is measured can stop it.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_module, "_WARM_UP", 0.3)
    body = (
        "class Endless(Base):\n    def step(self, event):\n        while True:\n"
        "            try: sum(range(10))\n            except Exception: pass\n"
    )
    Path("endless.py").write_text(HEAD + body)
    began = time.monotonic()
    warm_policy("utility", "endless.py:Endless")
    assert 0.2 < time.monotonic() - began < 20.0
    time.sleep(0.3)  # the clock is stopped


class Drawing(Policy):
    """Draws a number at the reset."""

    name = "drawing"
    drawn: float

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        self.drawn = rng.random()

    def step(self, event: Event) -> Decision:
        return Decision()


def draw(seed: int | None, policy_seed: int | None = None) -> float:
    policy = run_policy(small(seed=seed), Drawing, seed=policy_seed).policy
    assert isinstance(policy, Drawing)
    return policy.drawn


def test_a_policy_does_not_draw_what_the_generator_drew() -> None:
    # "POL" = 0x50 0x4F 0x4C
    assert draw(7) == np.random.default_rng([7, 0x504F4C]).random() == policy_rng(7).random()
    assert draw(7) == draw(7) != draw(8)
    assert draw(7) != np.random.default_rng(7).random()
    assert draw(7, 8) == draw(8)
    assert draw(None) == draw(0)
    assert draw(-1) == draw(2**64 - 1)  # a file may hold any whole number


def test_the_time_of_decisions_is_without_reset_and_construction() -> None:
    class Slow(Drawing):
        name = "slow"

        def __init__(self) -> None:
            time.sleep(0.2)

        def reset(self, public: Any, rng: np.random.Generator) -> None:
            time.sleep(0.2)

    (timing,) = evaluate(small(), [Slow], time_limit=5.0).timings
    assert timing.decisions == 2
    assert 0 < timing.policy_seconds < 0.1


def test_guarantee_that_raises_is_an_error_of_its_row() -> None:
    class Promising(Drawing):
        name = "promising"

        def evidence(self, instance: Any, trace: Any) -> dict[str, Any]:
            if instance.seed is None:
                raise LookupError
            return {}

        @classmethod
        def applies(cls, evidence: Mapping[str, Any], best_known: float) -> None:
            raise LookupError

    for seed, error in ((None, "run: failed: LookupError"), (0, "guarantee: failed: LookupError")):
        promising, fifo = evaluate(small(seed=seed), [Promising, "fifo"], time_limit=5.0).rows
        assert promising.error.startswith(error)
        assert (promising.ratio_upper, fifo.ratio_upper, fifo.error) == (None, approx(1.0), "")


@pytest.mark.slow
def test_policies_that_die_or_hang_are_lost_alone(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    # Not on the instance of 6 slots on which a policy is tried before.
    Path("mine.py").write_text(
        HEAD + "import os, time\n"
        "class Hangs(Base):\n    name = 'hangs'\n"
        "    def reset(self, public, rng):\n        time.sleep(60 if public.slots != 6 else 0)\n"
        "class Dies(Base):\n    name = 'dies'\n"
        "    def step(self, event): os.kill(os.getpid(), 9)\n"
    )
    options[3] = "fifo,mine.py:Hangs,mine.py:Dies"
    more = ["--workers", "2", "--limit", "1", "--format", "json", "--no-isolate"]
    assert main([*options, *more]) == 1
    out, err = capsys.readouterr()
    rows = {row["policy"]: row for row in map(json.loads, out.splitlines())}
    assert rows["fifo"]["error"] == ""
    assert rows["hangs"]["error"] == "run: out of time: still running after 1 s"
    assert rows["dies"]["error"] == "run: killed: its process was killed by SIGKILL"
    assert "out of time: hangs on utility 'two-slots': still running after 1 s" in err
