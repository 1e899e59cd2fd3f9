"""Damaged files of all problems, and instances at the edges of their ranges."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from typing import Any

import jsonschema
import msgspec
import numpy as np
import pytest

from models.errors import InputError
from models.problem import problem, problem_names
from models.schema import json_schema
from models.wire import LEAST, MOST
from solvers.branching_tree import Deadlines
from solvers.utility import certificate
from tests.contract_cases import MAY_FAIL, TINY
from tests.fuzz.__main__ import main
from tests.fuzz.cases import damaged_files, examine
from tests.fuzz.edges import at_the_edges, numbers

pytestmark = pytest.mark.usefixtures("highs_here", "short_local_search")

DAMAGED = damaged_files(problem_names())
_QUICK, _ALL, _EDGES = 25, 200, 4


@pytest.mark.parametrize(("name", "kind"), DAMAGED)
def test_damaged_files_are_refused_or_what_they_say(name: str, kind: str) -> None:
    assert sum(examine(name, kind, seed) for seed in range(_QUICK)) < _QUICK


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), DAMAGED)
def test_many_damaged_files(name: str, kind: str) -> None:
    assert 0 < sum(examine(name, kind, seed) for seed in range(_QUICK, _ALL)) < _ALL - _QUICK


@pytest.mark.slow
@pytest.mark.parametrize("name", problem_names())
def test_everything_works_at_the_edges_of_the_ranges(name: str) -> None:
    assert all(examine(name, "edges", seed) for seed in range(_EDGES))


@pytest.mark.slow
def test_cases_in_several_processes() -> None:
    argv = ["-m", "tests.fuzz", "--problem", "jct", "--kind", "instances", "--cases", "60"]
    done = subprocess.run(
        [sys.executable, *argv, "--workers", "2"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("60 cases: 0 tracebacks, 0 warnings, 0 falsehoods\n")


def test_a_false_bound_that_is_accepted_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--problem", "colocated", "--kind", "certificates", "--cases"]
    assert main([*options, "300"]) == 0
    assert capsys.readouterr().out.endswith("300 cases: 0 tracebacks, 0 warnings, 0 falsehoods\n")
    monkeypatch.setattr("solvers.certificate._ROUND_OFF", 1e9)
    assert main([*options, "1500"]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("falsehood: --problem colocated --kind certificates --seed ")
    assert "0 warnings, 0 falsehoods" not in last
    seed = first.split("--seed ")[1].split()[0]
    assert main([*options, "1", "--seed", seed]) == 1


def test_a_checker_of_trees_that_proves_too_little_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # No file states half of the bound, so that none is accepted.
    real = certificate.pool_bound
    monkeypatch.setattr(
        certificate, "pool_bound", lambda *given: real(*given) / (2 if given[1].tree else 1)
    )
    assert main(["--problem", "utility", "--kind", "certificates", "--cases", "100"]) == 1
    assert "is taken for proven, but" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["utility", "completion", "colocated"])
def test_a_checker_that_forgets_a_case_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--problem", name, "--kind", "trees", "--cases", "100"]
    assert main(options) == 0
    tried, last = capsys.readouterr().out.splitlines()
    readable = int(tried.removeprefix(f"{name} trees: 100 tried, ").removesuffix(" accepted"))
    assert 20 <= readable <= 100
    assert last == "100 cases: 0 tracebacks, 0 warnings, 0 falsehoods"
    real = Deadlines.split

    def first_case_twice(self: Deadlines, branch: Any) -> tuple[Deadlines, Deadlines]:
        return (real(self, branch)[0],) * 2

    monkeypatch.setattr(Deadlines, "split", first_case_twice)
    assert main(options) == 1
    assert "is taken for proven, but" in capsys.readouterr().out


# ---- ranges --------------------------------------------------------------------------------------


def tiny(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(
        msgspec.json.encode(TINY[name](np.random.default_rng(1)).file)
    )
    return data


def test_every_problem_brings_tiny_instances() -> None:
    assert set(MAY_FAIL) <= set(TINY) == set(problem_names())


@pytest.mark.parametrize("name", TINY)
def test_every_real_number_has_a_range_in_file_and_schema(name: str) -> None:
    kind, data = problem(name), tiny(name)
    schema = jsonschema.Draft202012Validator(json_schema(kind.instance_file, name))
    # Neither a sum, a product of two, nor a quotient of them is infinite, or 0 without reason.
    assert 0.0 < LEAST**3 and MOST**3 < float("inf")
    assert schema.is_valid(data)
    seen: set[str] = set()
    for path, holder, key, what in numbers(data, msgspec.inspect.type_info(kind.instance_file)):
        field = re.sub(r"\d+", "", path)
        if field in seen or not isinstance(what, msgspec.inspect.FloatType):
            continue
        seen.add(field)
        for number in (1e-320, LEAST / 2, 2 * MOST, -2 * MOST):
            before, holder[key] = holder[key], number
            with pytest.raises(InputError) as refused:
                kind.decode_instance(json.dumps(data).encode(), "bad.json")
            assert str(refused.value).startswith("bad.json: ")
            assert str(refused.value).endswith(f"- at `{path}`")
            assert not schema.is_valid(data)
            holder[key] = before
    assert len(seen) > 3


@pytest.mark.parametrize("name", TINY)
def test_instances_at_the_edges_are_there(name: str) -> None:
    kind, rng = problem(name), random.Random(0)
    ends = 0
    for _ in range(10):
        ins = at_the_edges(tiny(name), kind.instance_file, kind.decode_instance, rng)
        plain = json.loads(msgspec.json.encode(ins.file))
        there = numbers(plain, msgspec.inspect.type_info(kind.instance_file))
        ends += sum(holder[key] in (LEAST, what.le) for _, holder, key, what in there)
    assert ends > 10
