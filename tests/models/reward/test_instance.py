"""Instances of `reward`: what is accepted, what is derived, and how bad input is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from models.errors import InputError
from models.problem import read_instance
from models.reward import RewardInstance, checks
from models.schema import kept_schemas
from tests.models.reward.cases import random_reward


def plain() -> dict[str, Any]:
    """A valid instance file: 2 ports, 2 servers, 2 device types, 3 slots."""
    return {
        "format": "1",
        "problem": "reward",
        "name": "plain",
        "slots": 3,
        "devices": ["cpu", "gpu"],
        "capacities": [[4, 2.0], [8, 1.0]],
        "requests": [[2, 1.0], [3, 3]],
        "edges": [[1, 1], [0, 0], [1, 0]],
        "utilities": {
            "kind": [["linear", "log"], ["poly", "reciprocal"]],
            "alpha": [[1, 1.5], [1.2, 1.1]],
        },
        "beta": [0.3, 1],
        "arrivals": [[2, 0], [1, 1], [0, 1]],
    }


def gangs() -> dict[str, Any]:
    """The same; a job of port 1 has two components, both of which have to run."""
    components = [[[2, 1.0]], [[1, 1], [2, 2]]]
    return {**plain(), "components": components, "minimum_running": [0, 2]}


def decoded(data: dict[str, Any]) -> RewardInstance:
    return RewardInstance.decode(json.dumps(data).encode(), "x")


def test_layout_of_a_decision() -> None:
    # Two jobs arrive at port 0 in slot 0, so it has two copies: lanes 0 and 1; port 1 has one
    # copy of two components: lanes 2 and 3. Edges: port 0 - server 0, port 1 - both servers.
    ins = decoded(gangs())
    cluster = ins.cluster
    assert cluster.copies.tolist() == [2, 1]
    assert list(zip(cluster.copy_port, cluster.copy_number, strict=True)) == [
        (0, 1),
        (0, 2),
        (1, 1),
    ]
    assert cluster.lane_port.tolist() == [0, 0, 1, 1]
    assert cluster.lane_copy.tolist() == [0, 1, 2, 2]
    assert cluster.lane_component.tolist() == [0, 0, 0, 1]
    assert cluster.lane_request.tolist() == [[2, 1], [2, 1], [1, 1], [2, 2]]
    assert cluster.lane.tolist() == [0, 1, 2, 3, 2, 3]
    assert cluster.server.tolist() == [0, 0, 0, 0, 1, 1]
    assert cluster.server_start.tolist() == [0, 4, 6]
    assert cluster.port_edges.tolist() == [[0, 0], [1, 0], [1, 1]]
    assert cluster.upper.tolist() == [[2, 1], [2, 1], [1, 1], [2, 2], [1, 1], [2, 2]]
    assert cluster.kind.tolist() == [[0, 1], [3, 2]]
    assert (cluster.shape, cluster.has_gangs) == ((6, 2), True)
    assert cluster.active(ins.arrivals[0]).tolist() == [True, True, False]
    # Port 0 has a job in slots 0 and 1, a second one in slot 0; port 1 in slots 1 and 2.
    assert ins.weights.tolist() == [2, 1, 2]


def test_an_ordinary_problem_has_one_lane_per_port() -> None:
    cluster = decoded({**plain(), "arrivals": [[0, 0]] * 3}).cluster
    # J_l is at least 1, also where nothing ever arrives.
    assert (cluster.copies.tolist(), cluster.lane_port.tolist()) == ([1, 1], [0, 1])
    assert cluster.lane_request.tolist() == cluster.requests.tolist()
    assert not cluster.has_gangs


@pytest.mark.parametrize("seed", range(20))
def test_layout_holds_on_random_instances(seed: int) -> None:
    ins = random_reward(np.random.default_rng(seed), most=3, gangs=seed % 2 == 1)
    cluster = ins.cluster
    order = list(zip(cluster.server.tolist(), cluster.lane.tolist(), strict=True))
    assert order == sorted(set(order))
    edges = {(int(cluster.lane_port[lane]), server) for server, lane in order}
    assert edges == {tuple(edge) for edge in cluster.port_edges.tolist()}
    per_lane = np.bincount(cluster.lane, minlength=len(cluster.lane_port))
    degree = np.bincount(cluster.port_edges[:, 0], minlength=len(cluster.copies))
    assert np.array_equal(per_lane, degree[cluster.lane_port])
    for server in range(len(cluster.capacities)):
        part = slice(*cluster.server_start[server : server + 2].tolist())
        assert (cluster.server[part] == server).all()
    assert np.array_equal(ins.weights, cluster.active(ins.arrivals).sum(axis=0))
    first = cluster.copy_number == 1
    total = np.zeros_like(cluster.requests)
    np.add.at(total, cluster.lane_port, cluster.lane_request * first[cluster.lane_copy][:, None])
    assert total == pytest.approx(cluster.requests)


def test_no_edges_at_all() -> None:
    ins = decoded({**plain(), "edges": []})
    assert ins.cluster.shape == (0, 2)
    assert ins.cluster.server_start.tolist() == [0, 0, 0]


Change = Callable[[dict[str, Any]], Any]
BAD: list[tuple[str, Change, list[str]]] = [
    ("missing key", lambda d: d.pop("beta"), ["beta", "missing"]),
    ("unknown key", lambda d: d.update(gamma=1), ["unknown", "gamma"]),
    ("other format", lambda d: d.update(format="2"), ["$.format"]),
    ("no slots", lambda d: d.update(slots=0, arrivals=[]), ["$.slots"]),
    ("no devices", lambda d: d.update(devices=[]), ["device type is needed", "$.devices"]),
    ("no servers", lambda d: d.update(capacities=[]), ["server is needed", "$.capacities"]),
    ("no ports", lambda d: d.update(requests=[]), ["port is needed", "$.requests"]),
    ("device twice", lambda d: d.update(devices=["cpu", "cpu"]), ["twice", "$.devices"]),
    ("beta over 1", lambda d: d["beta"].__setitem__(0, 1.5), ["$.beta[0]", "<= 1"]),
    ("beta below 0", lambda d: d["beta"].__setitem__(1, -0.1), ["$.beta[1]", ">= 0"]),
    ("short beta", lambda d: d["beta"].pop(), ["1 numbers for 2 device types", "$.beta"]),
    (
        "negative capacity",
        lambda d: d["capacities"][1].__setitem__(0, -1),
        ["$.capacities[1][0]", ">= 0"],
    ),
    ("negative request", lambda d: d["requests"][0].__setitem__(1, -1), ["$.requests[0][1]"]),
    ("short capacities", lambda d: d["capacities"][1].pop(), ["2 device types", "$.capacities[1]"]),
    ("long request", lambda d: d["requests"][0].append(1), ["3 numbers for 2", "$.requests[0]"]),
    (
        "NaN",
        lambda d: d["capacities"][0].__setitem__(0, float("nan")),
        ["not finite", "$.capacities[0][0]"],
    ),
    (
        "infinity",
        lambda d: d["utilities"]["alpha"][1].__setitem__(0, float("inf")),
        ["not finite", "$.utilities.alpha[1][0]"],
    ),
    ("huge capacity", lambda d: d["capacities"][0].__setitem__(0, 1e19), ["$.capacities[0][0]"]),
    ("no such port", lambda d: d["edges"].append([2, 0]), ["no port 2", "$.edges[3][0]"]),
    ("no such server", lambda d: d["edges"].append([0, 2]), ["no server 2", "$.edges[3][1]"]),
    ("negative port", lambda d: d["edges"].append([-1, 0]), ["$.edges[3]"]),
    ("edge twice", lambda d: d["edges"].append([0, 0]), ["[0, 0] stands twice", "$.edges[3]"]),
    ("edge of three", lambda d: d["edges"].append([0, 1, 2]), ["$.edges[3]"]),
    (
        "convex utility",
        lambda d: d["utilities"].update(kind="square"),
        ["'square'", "linear, log, reciprocal, poly", "concave and 0 at 0", "$.utilities.kind"],
    ),
    (
        "utility not 0 at 0",
        lambda d: d["utilities"]["kind"][1].__setitem__(0, "affine"),
        ["'affine'", "concave and 0 at 0", "$.utilities.kind[1][0]"],
    ),
    (
        "alpha 0",
        lambda d: d["utilities"]["alpha"][0].__setitem__(1, 0),
        ["Expected `float` >= 1e-09", "$.utilities.alpha[0][1]"],
    ),
    (
        "negative alpha",
        lambda d: d["utilities"]["alpha"][1].__setitem__(1, -1.5),
        ["Expected `float` >= 1e-09", "$.utilities.alpha[1][1]"],
    ),
    (
        "tiny alpha",
        lambda d: d["utilities"]["alpha"][0].__setitem__(0, 1e-200),
        ["Expected `float` >= 1e-09", "$.utilities.alpha[0][0]"],
    ),
    ("alpha rows", lambda d: d["utilities"]["alpha"].pop(), ["1 rows for 2 servers", "alpha`"]),
    (
        "kind rows",
        lambda d: d["utilities"]["kind"][0].pop(),
        ["1 entries for 2 device types", "$.utilities.kind[0]"],
    ),
    ("few slots", lambda d: d["arrivals"].pop(), ["2 rows for 3 slots", "$.arrivals`"]),
    ("few ports", lambda d: d["arrivals"][2].pop(), ["1 numbers for 2 ports", "$.arrivals[2]"]),
    ("half a job", lambda d: d["arrivals"][1].__setitem__(0, 0.5), ["$.arrivals[1][0]"]),
    ("negative arrival", lambda d: d["arrivals"][1].__setitem__(1, -1), ["$.arrivals[1][1]"]),
    (
        "too many jobs of a port",
        lambda d: d["arrivals"][1].__setitem__(1, 10**5 + 1),
        ["$.arrivals[1][1]"],
    ),
    (
        "lanes for gigabytes",
        lambda d: d.update(arrivals=[[10**5, 0]] * 3, devices=list("abcdefghijk"), **wide(11)),
        ["100001 lanes", "x 11 device types are more than 1000000", "$.arrivals"],
    ),
    (
        "jobs for gigabytes",
        lambda d: d.update(slots=201, arrivals=[[10**5, 0]] * 201),
        ["20100000 jobs in all are more than 20000000", "$.arrivals"],
    ),
    ("too many slots", lambda d: d.update(slots=10**6 + 1), ["$.slots"]),
    (
        "components without a rule",
        lambda d: d.update(components=[[[2, 1]], [[3, 3]]]),
        ["missing", "`components`", "$.minimum_running"],
    ),
    (
        "more running than there are",
        lambda d: d.update(minimum_running=[0, 2]),
        ["2 components have to run", "port 1 has 1", "$.minimum_running[1]"],
    ),
    (
        "short rule",
        lambda d: d.update(minimum_running=[1]),
        ["1 numbers for 2 ports", "$.minimum_running"],
    ),
]


def wide(devices: int) -> dict[str, Any]:
    """The keys of `plain` that have one entry per device type."""
    return {
        "capacities": [[1.0] * devices] * 2,
        "requests": [[1.0] * devices] * 2,
        "utilities": {"kind": "log", "alpha": [[1.0] * devices] * 2},
        "beta": [0.5] * devices,
    }


BAD_GANGS: list[tuple[str, Change, list[str]]] = [
    (
        "sum",
        lambda d: d["components"][1][0].__setitem__(0, 2),
        ["request 4 of device 0", "the port 3", "$.components[1]"],
    ),
    ("ports", lambda d: d["components"].pop(), ["1 lists for 2 ports", "$.components"]),
    ("none", lambda d: d["components"].__setitem__(0, []), ["$.components[0]"]),
    ("width", lambda d: d["components"][1][1].pop(), ["2 device types", "$.components[1][1]"]),
    (
        "nothing requested",
        lambda d: d["components"][0].append([0, 0]),
        ["would always run", "$.components[0][1]"],
    ),
    (
        "negative",
        lambda d: d["components"][1].__setitem__(0, [-1, 1]),
        ["$.components[1][0][0]", ">= 0"],
    ),
    (
        "too many",
        lambda d: d.update(minimum_running=[2, 2]),
        ["2 components have to run", "port 0 has 1", "$.minimum_running[0]"],
    ),
]
CASES = [(plain, *case[1:]) for case in BAD] + [(gangs, *case[1:]) for case in BAD_GANGS]
NAMES = [case[0] for case in BAD] + [f"gang: {case[0]}" for case in BAD_GANGS]


@pytest.mark.parametrize(("made", "change", "parts"), CASES, ids=NAMES)
def test_bad_input_is_named(
    tmp_path: Path, made: Callable[[], dict[str, Any]], change: Change, parts: list[str]
) -> None:
    data = made()
    change(data)
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError) as error:
        read_instance(path)
    message = str(error.value)
    assert "\n" not in message
    assert all(part in message for part in [str(path), *parts]), message


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("_MOST_ARRIVALS", 5, r"3 slots x 2 ports are more than 5 - at `\$.arrivals`"),
        ("_MOST_UTILITIES", 3, r"2 servers x 2 device types are more than 3"),
        ("_MOST_ALLOCATED", 7, r"4 channels \(.*\) x 2 device types are more than 7"),
    ],
)
def test_sizes_are_limited(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int, message: str
) -> None:
    # Two lanes of port 0 with one edge each, one lane of port 1 with two: 4 channels.
    monkeypatch.setattr(checks, limit, value)
    with pytest.raises(InputError, match=message):
        decoded(plain())


def test_round_trip_keeps_the_hash(tmp_path: Path) -> None:
    for data in (plain(), gangs()):
        original = decoded(data)
        for name in ("a.json", "a.json.gz"):
            original.write(tmp_path / name)
            assert read_instance(tmp_path / name).hash == original.hash
    assert decoded(plain()).hash == decoded(dict(reversed(plain().items()))).hash
    assert decoded(plain()).hash != decoded({**plain(), "beta": [0.3, 0.9]}).hash
    assert decoded(plain()).hash != decoded(gangs()).hash


def test_a_struct_made_in_python_is_checked_too() -> None:
    file = decoded(plain()).file
    file.capacities[0][0] = float("nan")
    with pytest.raises(InputError, match="not finite"):
        RewardInstance.from_file(file)


def test_arrays_are_read_only() -> None:
    ins = decoded(gangs())
    arrays = [ins.arrivals, ins.weights, ins.cluster.upper]
    arrays += [a for a in vars(ins.cluster).values() if isinstance(a, np.ndarray)]
    for array in arrays:
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            array.setflags(write=True)


def test_schema_agrees_with_the_reader() -> None:
    (schema,) = (json.loads(t) for p, t in kept_schemas().items() if "reward-ins" in p.name)
    for data in (plain(), gangs(), {**plain(), "utilities": wide(2)["utilities"]}):
        jsonschema.validate(data, schema)
    refused: list[dict[str, Any]] = [
        {"beta": [0.3, 1.5]},
        {"utilities": {"kind": "square", "alpha": [[1.0]]}},
        {"utilities": {"kind": "log", "alpha": [[0.0]]}},
        {"arrivals": [[0.5, 1]]},
        {"edges": [[0, 1, 2]]},
    ]
    for change in refused:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**plain(), **change}, schema)
