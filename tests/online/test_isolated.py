"""Policies in a process of their own: the same runs, no future, faults that are theirs alone."""

from __future__ import annotations

import inspect
import os
import signal
import socket
import time
from ast import literal_eval
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.errors import InputError
from models.problem import problem
from online import forked_child
from online import isolated as isolated_module
from online.isolated import Isolated, PolicyFailure, isolated
from online.messages import pickled
from online.parameters import check_parameters, knows_future
from online.policy import Policy
from online.registry import build_policy, find_policy, policy_names
from online.run import run
from tests.contract_cases import CROWDED, OTHER_FUTURE
from tests.models.utility.small import instance, job

CHEAP = {
    "colocated": "fifo",
    "completion": "tiresias",
    "jct": "srtf",
    "reward": "drf",
    "utility": "oasis",
}
HEAD = """
import os, sys, time
import numpy as np
from online.policy import Decision, Policy

class Base(Policy):
    name = "mine"
    def reset(self, public, rng): pass
    def step(self, event): return Decision()

"""
EVERY = [(name, policy) for name in CHEAP for policy in policy_names(name)]


def assert_same_run(problem_name: str, policy_name: str, folder: Path) -> None:
    ins, kind = CROWDED[problem_name](1), problem(problem_name)
    here = find_policy(problem_name, policy_name)
    there = isolated(problem_name, f"{inspect.getfile(here)}:{here.__name__}")
    assert issubclass(there, Isolated) and not isinstance(there, here)
    assert (there.name, there.wider) == (here.name, here.wider)
    assert knows_future(there) == knows_future(here)
    found = []
    for policy in (here, there):
        built = build_policy(policy, ins)
        trace = run(ins, built, np.random.default_rng(5))
        trace.schedule.write(folder / "schedule")
        score = kind.score(ins, trace.schedule).objective
        evidence = built.evidence(ins, trace)
        content = (folder / "schedule").read_bytes()
        found.append((trace.decisions, content, score, evidence))
        promised = None if evidence is None else policy.applies(evidence, score)
        assert promised is None or promised == here.applies(evidence, score)  # type: ignore[arg-type]
    assert found[0] == found[1]


@pytest.mark.parametrize(("problem_name", "policy_name"), CHEAP.items())
def test_a_run_is_the_same_in_a_process_of_its_own(
    problem_name: str, policy_name: str, tmp_path: Path
) -> None:
    assert_same_run(problem_name, policy_name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("problem_name", "policy_name"), EVERY)
def test_every_run_is_the_same_in_a_process_of_its_own(
    problem_name: str, policy_name: str, tmp_path: Path
) -> None:
    assert_same_run(problem_name, policy_name, tmp_path)


@pytest.mark.parametrize(("problem_name", "policy_name"), CHEAP.items())
def test_what_is_sent_is_the_same_whatever_the_future(problem_name: str, policy_name: str) -> None:
    slot, ins = 7, CROWDED[problem_name](1)
    seen: list[list[bytes]] = []
    for one in (ins, OTHER_FUTURE[problem_name](ins, slot, 7)):
        inner = build_policy(find_policy(problem_name, policy_name), ins)
        told: list[bytes] = []

        class Telling(Policy):
            name = "telling"

            def __init__(self, inner: Policy, told: list[bytes]) -> None:
                self._inner, self._told = inner, told

            def reset(self, public: Any, rng: Any) -> None:
                self._told.append(pickled(public))
                self._inner.reset(public, rng)

            def step(self, event: Any) -> Any:
                if event.slot <= slot:
                    self._told.append(pickled(event))
                return self._inner.step(event)

        run(one, Telling(inner, told), np.random.default_rng(0))
        seen.append(told)
    assert len(seen[0]) > 3 and seen[0] == seen[1]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return instance([job("a", work=2)], name="two-slots")


def ran(body: str, ins: Any, limit: float = 20.0, **parameters: Any) -> Any:
    Path("mine.py").write_text(HEAD + body)
    return ran_as_written(ins, limit, **parameters)


def ran_as_written(ins: Any, limit: float = 20.0, **parameters: Any) -> Any:
    policy = build_policy(isolated("utility", "mine.py:Mine", limit), ins, **parameters)
    run(ins, policy, np.random.default_rng(0))
    return policy


FAULTS = {
    "dies": (
        "print('bye', file=sys.stderr)\n        os._exit(0)",
        "its process ended with code 0: bye",
    ),
    "hangs": ("while True: pass", "no answer after 0.5 s"),
    "hides its end": (
        "if os.fork() == 0: time.sleep(30)\n        os._exit(3)",
        "its process ended with code 3",
    ),
    "writes to the socket": (
        "import gc, socket\n"
        "        talk = next(one for one in gc.get_objects() if isinstance(one, socket.socket))\n"
        "        talk.sendall(bytes(7) + b'\\1' + b'x')\n        time.sleep(9)",
        "its process sent what is no answer",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_happens_there_is_an_error_here(fault: str, small: Any) -> None:
    body, words = FAULTS[fault]
    with pytest.raises(PolicyFailure) as error:
        ran(f"class Mine(Base):\n    def step(self, event):\n        {body}\n", small, limit=0.5)
    assert str(error.value) == words
    where = "raised by policy 'mine' on 'two-slots', slot 0 (arrival of job 'a')"
    assert error.value.__notes__ == [where]


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the kernel tells of no memory")
def test_memory_is_limited(small: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated_module, "_MEMORY", 5e8)
    body = "class Mine(Base):\n    def step(self, event):\n"
    body += "        self.held = np.ones(10**8)\n        time.sleep(9)\n"
    with pytest.raises(PolicyFailure, match=r"^its process holds more than 500 MB"):
        ran(body, small)


def test_the_traceback_there_is_the_cause_here(small: Any) -> None:
    body = "class Mine(Base):\n    def step(self, event): return 1 // 0\n"
    with pytest.raises(PolicyFailure, match=r"^ZeroDivisionError: ") as error:
        ran(body, small)
    assert "mine.py" in str(error.value.__cause__)
    assert "return 1 // 0" in str(error.value.__cause__)


def test_nothing_is_loaded_here_and_nothing_is_left_behind(
    small: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    body = (
        "print(f'{os.getpid()}', file=sys.stderr)\nclass Mine(Base):\n    def step(self, event):\n"
    )
    policy = ran(body + "        print('x', file=sys.stderr)\n        return Decision()\n", small)
    number, *lines = policy.said.splitlines()
    assert int(number) != os.getpid() and lines == ["x", "x"]
    assert Path(f"/proc/{number}").exists() or not Path("/proc").exists()
    del policy
    assert not Path(f"/proc/{number}").exists()
    assert capfd.readouterr() == ("", "")


def test_no_run_has_anything_of_another(small: Any) -> None:
    body = "import random\nSEEN = []\nclass Mine(Base):\n    def step(self, event):\n"
    body += "        SEEN.append(event)\n        random.seed(len(SEEN))\n"
    body += "        print(len(SEEN), os.getcwd(), file=sys.stderr)\n        return Decision()\n"
    here = os.getcwd()
    said = [ran(body, small).said.splitlines() for _ in range(2)]
    assert said == [[f"1 {here}", f"2 {here}"]] * 2


def test_global_generators_differ_from_run_to_run(small: Any) -> None:
    body = "import random\nclass Mine(Base):\n    def step(self, event):\n"
    body += "        print(random.random(), np.random.random(), file=sys.stderr)\n"
    body += "        return Decision()\n"
    one, two = (set(ran(body, small).said.split()) for _ in range(2))
    assert len(one) == len(two) == 4 and not one & two


def test_the_stream_is_the_same_and_the_seed_is_hidden(small: Any) -> None:
    body = "class Mine(Base):\n    def reset(self, public, rng):\n"
    body += "        bits, spawned = rng.bit_generator, rng.spawn(1)[0].random()\n"
    body += "        entropy, kind = bits.seed_seq.entropy, type(bits).__name__\n"
    body += "        raise ValueError((rng.random(), spawned, entropy, kind))\n"

    def told(seed: int) -> tuple[float, float, int, str]:
        with pytest.raises(PolicyFailure) as error:
            Path("mine.py").write_text(HEAD + body)
            policy = build_policy(isolated("utility", "mine.py:Mine"), small)
            run(small, policy, np.random.default_rng(seed))
        found: Any = literal_eval(str(error.value).partition(": ")[2])
        return found

    first, spawned, entropy, kind = told(123456789)
    assert first == np.random.default_rng(123456789).random() and kind == "PCG64"
    assert entropy > 2**128 and entropy % 2**64 != 123456789
    assert told(123456789) == (first, spawned, entropy, kind)
    other = told(5)
    assert other[1] != spawned and other[2] != entropy


def test_words_of_a_policy_are_printable_and_not_endless(small: Any) -> None:
    body = "class Mine(Base):\n    def step(self, event):\n"
    body += "        print('a\\x1b[2J' + 'x' * 5000, file=sys.stderr)\n"
    body += "        raise ValueError('b\\x1b[31m' + 'y' * 5000)\n"
    Path("mine.py").write_text(HEAD + body)
    policy = build_policy(isolated("utility", "mine.py:Mine"), small)
    with pytest.raises(PolicyFailure) as error:
        run(small, policy, np.random.default_rng(0))
    for shown, begins in ((str(error.value), "ValueError: b [31myy"), (policy.said, "a [2Jxx")):
        assert shown.startswith(begins) and shown.endswith("...") and len(shown) < 600
        assert shown.isprintable()


def test_threads_ask_one_after_the_other(small: Any) -> None:
    Path("mine.py").write_text(HEAD + "class Mine(Base): pass\n")
    with ThreadPoolExecutor(3) as pool:
        policies = [*pool.map(lambda _: ran_as_written(small), range(6))]
    assert len({policy._process._child.pid for policy in policies}) == 6


def test_after_an_interrupt_nobody_hears_an_old_answer(
    small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> bytes:
        raise KeyboardInterrupt

    ran("class Mine(Base): pass\n", small)
    with monkeypatch.context() as patch:
        patch.setattr(forked_child, "receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ran("class Mine(Base): pass\n", small)
    first = ran("class Mine(Base): pass\n", small)
    second = ran("class Mine(Base): pass\n", small)
    assert first._process._child.pid != second._process._child.pid


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_a_server_ends_what_is_too_busy_to_end_itself(small: Any) -> None:
    body = "class Mine(Base):\n    def step(self, event): sum(range(10**12))\n"
    Path("mine.py").write_text(HEAD + body)
    policy: Any = build_policy(isolated("utility", "mine.py:Mine", 0.5), small)
    pid = policy._process._child.pid
    policy._process._tell(("step", None))
    time.sleep(0.5)  # so that it is busy
    forked_child._servers[os.getpid(), "utility"][1].shutdown(socket.SHUT_RDWR)
    began = time.monotonic()
    while Path(f"/proc/{pid}").exists() and time.monotonic() - began < 20.0:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()


def test_a_server_that_was_killed_is_replaced(small: Any) -> None:
    body = "class Mine(Base): pass\n"
    ran(body, small)
    for server, _ in forked_child._servers.values():
        os.kill(server.pid, signal.SIGKILL)
        server.wait(None)
    ran(body, small)


def test_parameters_are_checked_before_anything_runs(small: Any) -> None:
    Path("mine.py").write_text(
        HEAD + "class Mine(Base):\n    def __init__(self, share=1): self.share = share\n"
        "    def reset(self, public, rng): print(self.share, file=sys.stderr)\n"
    )
    mine = isolated("utility", "mine.py:Mine")
    check_parameters(mine, {"share": 2})
    with pytest.raises(InputError, match=r"^policy 'mine': parameters: got an unexpected keyword"):
        check_parameters(mine, {"part": 2})
    policy: Any = build_policy(mine, small, share=3)
    policy.reset(None, np.random.default_rng(0))
    assert policy.said == "3"


def test_whoever_asks_for_the_instance_is_marked(small: Any) -> None:
    body = "class Mine(Base):\n    blind = True\n    @classmethod\n"
    body += (
        "    def for_instance(cls, instance): print(instance.name, file=sys.stderr); return cls()\n"
    )
    policy = ran(body, small)
    assert policy.said == "two-slots"
    assert knows_future(type(policy)) and not policy.blind


def test_a_changed_file_is_another_policy(small: Any) -> None:
    Path("mine.py").write_text(HEAD + "class Mine(Base): pass\n")
    first = isolated("utility", "mine.py:Mine")
    assert isolated("utility", "mine.py:Mine") is first
    Path("mine.py").write_text(HEAD + "class Mine(Base): name = 'other'\n")
    began = time.monotonic()
    assert isolated("utility", "mine.py:Mine").name == "other"
    assert time.monotonic() - began < 60.0
