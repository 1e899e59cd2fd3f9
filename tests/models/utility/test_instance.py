"""Instance files: what is accepted, what is derived, and how bad input is named."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import files
from models.errors import InputError
from models.problem import read_instance
from models.sigmoid import Sigmoid
from models.utility import UtilityInstance, checks
from solvers.utility.kernels import shortest_work
from solvers.utility.oracle import best_schedule, full_capacity, zero_prices
from tests.models.utility.small import instance, job, random_instance


def plain() -> dict[str, Any]:
    """A valid instance file as Python objects."""
    return {
        "format": "1",
        "problem": "utility",
        "name": "plain",
        "slots": 4,
        "resources": ["gpu", "bandwidth_gbps"],
        "worker_servers": [[4, 10.0]],
        "ps_servers": [[0, 20.0]],
        "jobs": [
            {
                "id": "a",
                "arrival": 0,
                "chunks": 3,
                "worker": [1, 1.0],
                "ps": [0, 2.0],
                "epochs": 2,
                "minibatches": 5,
                "minibatch_slots": 0.1,
                "gradient_mb": 225.0,
                "utility": {"kind": "sigmoid", "priority": 2, "decay": 1, "target": 1},
            }
        ],
    }


def write(folder: Path, data: object) -> Path:
    path = folder / "instance.json"
    path.write_text(json.dumps(data))
    return path


def test_work_in_worker_slots() -> None:
    # E N M = 2*3*5 = 30 mini-batches; transfer 2 * 225 MB * 8 / 1000 / 1 Gbps = 3.6 s, that is
    # 0.001 slots of 3600 s; 30 * 0.101 = 3.03 -> 4 worker-slots.
    ins = UtilityInstance.decode(json.dumps(plain()).encode(), "x")
    assert ins.jobs[0].work == 4


def test_work_does_not_round_up_noise() -> None:
    # 10 * 10 * 1 * 0.07 is 7.000000000000001 in floating point: 7 worker-slots, not 8.
    data = plain()
    data["jobs"][0].update(epochs=10, chunks=10, minibatches=1)
    data["jobs"][0].update(minibatch_slots=0.07, gradient_mb=0.0)
    assert UtilityInstance.decode(json.dumps(data).encode(), "x").jobs[0].work == 7


def test_sigmoid_values() -> None:
    # 2 / (1 + e^(d - 1)) at d = 0, 1, 2: 2/(1+1/e), 1, 2/(1+e)
    values = Sigmoid(priority=2.0, decay=1.0, target=1.0)(np.arange(3))
    assert values == pytest.approx([2 / (1 + np.exp(-1)), 1.0, 2 / (1 + np.e)])
    assert Sigmoid(priority=1.0, decay=6.0, target=1.0)(300) == pytest.approx(0.0, abs=1e-300)


@given(st.floats(0, 10), st.floats(-5, 50), st.integers(0, 400))
def test_utility_never_increases_with_the_delay(decay: float, target: float, delay: int) -> None:
    utility = Sigmoid(priority=3.0, decay=decay, target=target)
    assert utility(delay + 1) <= utility(delay)


def test_max_workers_counts_places_and_parameter_servers() -> None:
    # Worker servers hold 2 and 1 workers (gpu); a worker needs 0.6 of a parameter server's
    # 1 Gbps, and the only parameter server holds 1: ceil(2 * 0.6) = 2 do not fit, so n = 1.
    ins = instance(
        [job("a", chunks=5, work=9, worker=[1.0, 0.6], ps=[0.0, 1.0])],
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[2.0, 9.0], [1.0, 9.0]],
        ps_servers=[[0.0, 1.5]],
    )
    assert ins.jobs[0].max_workers(ins.cluster) == 1


Change = Callable[[dict[str, Any]], Any]
BAD: list[tuple[str, Change, list[str]]] = [
    ("missing key", lambda d: d.pop("slots"), ["slots", "missing"]),
    ("unknown key", lambda d: d.update(speed=1), ["unknown", "speed"]),
    ("negative capacity", lambda d: d["ps_servers"][0].__setitem__(1, -2), ["$.ps_servers[0][1]"]),
    (
        "NaN",
        lambda d: d["worker_servers"][0].__setitem__(0, float("nan")),
        ["not finite", "$.worker_servers[0][0]"],
    ),
    (
        "infinity",
        lambda d: d["jobs"][0].update(gradient_mb=float("inf")),
        ["not finite", "$.jobs[0].gradient_mb"],
    ),
    ("late job", lambda d: d["jobs"][0].update(arrival=4), ["$.jobs[0].arrival", "horizon"]),
    ("b > B", lambda d: d["jobs"][0]["worker"].__setitem__(1, 5), ["$.jobs[0].worker[1]", "(6)"]),
    ("no bandwidth", lambda d: d["jobs"][0]["ps"].__setitem__(1, 0), ["$.jobs[0].ps[1]"]),
    ("short row", lambda d: d["jobs"][0]["ps"].pop(), ["$.jobs[0].ps", "2 resources"]),
    ("unknown utility", lambda d: d["jobs"][0]["utility"].update(kind="step"), ["kind", "step"]),
    ("rising utility", lambda d: d["jobs"][0]["utility"].update(decay=-1), ["decay"]),
    ("twice", lambda d: d["jobs"].append(dict(d["jobs"][0])), ["$.jobs[1].id", "twice"]),
    ("no work", lambda d: d["jobs"][0].pop("epochs"), ["$.jobs[0].epochs", "missing"]),
    ("no servers", lambda d: d.update(worker_servers=[]), ["$.worker_servers"]),
    ("no bandwidth resource", lambda d: d.update(resources=["gpu", "cpu"]), ["bandwidth_gbps"]),
    ("text for a number", lambda d: d.update(slots="four"), ["$.slots"]),
    ("other problem", lambda d: d.update(problem="tetris"), ["tetris", "$.problem"]),
    ("too many slots", lambda d: d.update(slots=10**6 + 1), ["$.slots"]),
    ("too many chunks", lambda d: d["jobs"][0].update(chunks=10**6 + 1), ["$.jobs[0].chunks"]),
    ("too much work", lambda d: d["jobs"][0].update(work=2**53 + 1), ["$.jobs[0].work"]),
    ("work beyond all integers", lambda d: d["jobs"][0].update(work=10**30), ["$.jobs[0].work"]),
    ("many epochs", lambda d: d["jobs"][0].update(epochs=2**53, chunks=9), ["$.jobs[0]", "range"]),
    ("huge request", lambda d: d["jobs"][0].update(requested_workers=10**7), ["requested_workers"]),
    ("huge capacity", lambda d: d["ps_servers"][0].__setitem__(1, 1e19), ["$.ps_servers[0][1]"]),
    ("huge priority", lambda d: d["jobs"][0]["utility"].update(priority=1e101), ["priority"]),
    (
        "many resources",
        lambda d: d.update(resources=[f"r{i}" for i in range(101)]),
        ["$.resources"],
    ),
    (
        "many servers",
        lambda d: d.update(worker_servers=[[1, 1.0]] * (10**5 + 1)),
        ["$.worker_servers"],
    ),
    (
        "too many prices",
        lambda d: d.update(slots=10**6, worker_servers=[[1, 1.0]] * 20),
        ["$.slots", "1000000 slots x 21 servers x 2 resources"],
    ),
    (
        "too many states",
        lambda d: d.update(slots=10**4, jobs=[{**d["jobs"][0], "chunks": 10**4, "work": 10**6}]),
        ["$.jobs[0].work", "1000000 worker-slots x 10000 slots"],
    ),
    ("other format", lambda d: d.update(format="2"), ["$.format"]),
]


@pytest.mark.parametrize(("change", "parts"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_named(tmp_path: Path, change: Change, parts: list[str]) -> None:
    data = plain()
    change(data)
    path = write(tmp_path, data)
    with pytest.raises(InputError) as error:
        read_instance(path)
    message = str(error.value)
    assert "\n" not in message
    assert all(part in message for part in [str(path), *parts]), message


def test_too_many_jobs_for_the_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_MOST_JOB_SLOTS", 7)
    with pytest.raises(InputError, match=r"2 jobs x 4 slots are more than 7 - at `\$.jobs`"):
        instance([job("a"), job("b")], slots=4)


def test_work_that_can_never_be_done_costs_no_memory() -> None:
    # 2^53 worker-slots, a million chunks: no table of that size is made to find out.
    ins = instance([job("a", chunks=10**6, work=2**53)], slots=300)
    (one,) = ins.jobs
    assert best_schedule(one, zero_prices(ins.cluster), full_capacity(ins.cluster)) is None
    reach = np.full(300, 10**6)
    none, cost, _ = shortest_work(np.zeros((300, 1)), reach, 2**53, np.ones(300))
    assert (none, cost) == (-1, np.inf)
    assert one.max_workers(ins.cluster) == 1
    assert len(one.ps_needed_table(5)) == 6


def test_a_file_is_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The look for keys that stand twice takes most of the time of reading.
    looks = []
    loads = json.loads
    monkeypatch.setattr(
        files.json, "loads", lambda *given, **more: looks.append(1) or loads(*given, **more)
    )
    read_instance(write(tmp_path, plain()))
    assert len(looks) == 1


def test_not_json_and_no_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"format": ')
    with pytest.raises(InputError, match="not JSON"):
        read_instance(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_instance(tmp_path / "absent.json")
    packed = gzip.compress(json.dumps(plain()).encode())
    for broken in (b"not gzip", packed[:-9], packed[:20] + b"zzzz" + packed[24:]):
        (tmp_path / "fake.json.gz").write_bytes(broken)
        with pytest.raises(InputError, match="cannot be read"):
            read_instance(tmp_path / "fake.json.gz")


def test_a_struct_made_in_python_is_checked_too() -> None:
    with pytest.raises(InputError, match="not finite"):
        instance([job("a", worker=[float("nan")])])
    with pytest.raises(InputError, match="chunks"):
        instance([job("a", chunks=0)])


def test_round_trip_keeps_the_hash(tmp_path: Path) -> None:
    original = random_instance(np.random.default_rng(1))
    for name in ("a.json", "a.json.gz"):
        original.write(tmp_path / name)
        again = read_instance(tmp_path / name)
        assert again.hash == original.hash
    first = (tmp_path / "a.json.gz").read_bytes()
    original.write(tmp_path / "a.json.gz")
    assert (tmp_path / "a.json.gz").read_bytes() == first


def test_hash_ignores_layout_but_not_content(tmp_path: Path) -> None:
    data = plain()
    reversed_keys = dict(reversed(list(data.items())))
    a = UtilityInstance.decode(json.dumps(data).encode(), "a")
    b = UtilityInstance.decode(json.dumps(reversed_keys, indent=2).encode(), "b")
    data["slots"] = 5
    c = UtilityInstance.decode(json.dumps(data).encode(), "c")
    assert a.hash == b.hash != c.hash


def test_arrays_are_read_only() -> None:
    ins = instance([job("a")])
    with pytest.raises(ValueError, match="read-only"):
        ins.cluster.worker_servers[0, 0] = 2.0
    with pytest.raises(ValueError, match="read-only"):
        ins.jobs[0].worker[0] = 2.0
