"""A user's own policy at the command line: its faults named, its randomness, its time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.cli import run_command
from benchmarks.evaluate import evaluate, policy_rng, run_policy
from benchmarks.ratio import main
from models.utility import UtilityInstance
from online.policy import Decision, Event, Policy
from tests.models.utility.small import instance, job

ROOT = Path(__file__).resolve().parents[2]

HEAD = """
from online.policy import Arrival, Decision, Policy
from online.utility.plan import Segment
import numpy as np

class Base(Policy):
    name = "mine"
    def reset(self, public, rng): pass
    def step(self, event): return Decision()

"""


def small(**changes: Any) -> UtilityInstance:
    return instance([job("a", work=2)], **{"name": "two-slots", **changes})


@pytest.mark.parametrize(
    ("number", "body", "fault"),
    [
        (
            1,
            "class Mine(Base):\n    def step(self, event): pass",
            "policy 'mine' on 'two-slots', slot 0 (arrival of job 'a'): "
            "step returned NoneType, not a Decision",
        ),
        (
            2,
            "class Mine(Base):\n"
            "    def step(self, event):\n"
            "        rows = np.array([[0, 2]])\n"
            "        return Decision({0: (Segment(event.slot, None, rows, rows),)})",
            "policy 'mine' on 'two-slots', slot 0 (arrival of job 'a'): job 'a', segment 0: "
            "(3) 2 workers, more than N = 1",
        ),
        (
            3,
            "class Mine(Policy):\n    name = 'mine'",
            "policy 'mine_3:Mine': is abstract: it does not define reset, step",
        ),
        (
            4,
            "class Mine(Base):\n    def __init__(self, share): pass",
            "policy 'mine_4:Mine': override for_instance, since its constructor is missing a "
            "required argument: 'share'",
        ),
        (
            5,
            "class Mine(Base):\n    name = '../mine'",
            "policy 'mine_5:Mine': its name '../mine' is not made of a-z",
        ),
        (6, "Other = Base", "policy 'mine_6:Mine': module 'mine_6' has no 'Mine'"),
        (
            7,
            "class Mine(Base):\n    @classmethod\n    def for_instance(cls, instance): pass",
            "policy 'mine' on 'two-slots', for_instance: returned NoneType, not a Policy",
        ),
        (
            # The toolkit refuses what the policy asks of it: one line, with the place.
            8,
            "from models.errors import InputError\n"
            "class Mine(Base):\n    def step(self, event): raise InputError('bad share')",
            "bad share (raised by policy 'mine' on 'two-slots', slot 0 (arrival of job 'a'))",
        ),
    ],
)
def test_faults_of_a_policy_are_one_line(
    number: int,
    body: str,
    fault: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"mine_{number}.py").write_text(HEAD + body)
    small().write(tmp_path / "i.json")
    argv = ["--instance", str(tmp_path / "i.json"), "--policy", f"mine_{number}:Mine"]
    with pytest.raises(SystemExit) as end:
        run_command(lambda _: main([*argv, "--out", str(tmp_path / "out")]))
    error = capsys.readouterr().err
    assert end.value.code == 2
    assert error.startswith("error: ") and error.count("\n") == 1
    assert fault in error


def test_a_traceback_of_the_users_code_says_where_it_was(tmp_path: Path) -> None:
    body = "class Mine(Base):\n    def step(self, event): return Decision({0: 1 // 0})"
    (tmp_path / "mine.py").write_text(HEAD + body)
    small().write(tmp_path / "i.json")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.ratio", "--instance", "i.json", "--policy", "mine:Mine"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 1
    assert "return Decision({0: 1 // 0})" in done.stderr
    assert done.stderr.endswith(
        "ZeroDivisionError: integer division or modulo by zero\n"
        "raised by policy 'mine' on 'two-slots', slot 0 (arrival of job 'a')\n"
    )


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


def test_guarantee_that_raises_says_whose_it_is() -> None:
    class Promising(Drawing):
        name = "promising"

        def evidence(self, instance: Any, trace: Any) -> dict[str, Any]:
            if instance.seed is None:
                raise LookupError
            return {}

        @classmethod
        def applies(cls, evidence: Mapping[str, Any], best_known: float) -> None:
            raise LookupError

    for seed, method in ((None, "evidence"), (0, "applies")):
        with pytest.raises(LookupError) as caught:
            evaluate(small(seed=seed), [Promising], time_limit=5.0)
        assert caught.value.__notes__ == [f"raised by policy 'promising' on 'two-slots', {method}"]
