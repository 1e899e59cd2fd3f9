"""What every problem's offline solver offers: the references are right, and load no solver."""

from __future__ import annotations

import subprocess
import sys
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

import pytest

from models.errors import InputError
from models.problem import has_sub_package, problem, problem_names
from models.reference import resolve
from online.registry import policy_names
from solvers.contract import OfflineSolver, offline_solver

ROOT = Path(__file__).resolve().parents[2]
SOLVED = [name for name in problem_names() if has_sub_package("solvers", name)]


@pytest.mark.parametrize("name", SOLVED)
def test_references_are_called_as_the_contract_says(name: str) -> None:
    offline = offline_solver(name)
    solve = signature(resolve(offline.solver))
    solve.bind(object(), time_limit=None)
    solve.bind(object(), time_limit=1.0, threads=2, start=None)
    assert offline.certifies == (problem(name).certificate_file is not None)
    if offline.certifies:
        signature(resolve(offline.certifier)).bind(object(), object())
        signature(resolve(offline.checker)).bind("file", object())
    if offline.wider:
        assert problem(name).wider
        signature(resolve(offline.wider)).bind(object(), object())


@pytest.mark.parametrize("name", SOLVED)
def test_references_stay_within_the_problem(name: str) -> None:
    offline = offline_solver(name)
    for reference in (offline.solver, offline.certifier, offline.checker, offline.wider):
        assert reference.startswith(f"solvers.{name}.") or not reference


@pytest.mark.parametrize("name", SOLVED)
def test_starts_are_registered_policies(name: str) -> None:
    starts = offline_solver(name).starts
    assert starts and len(set(starts)) == len(starts)
    assert set(starts) <= set(policy_names(name))


def test_looking_a_solver_up_loads_none() -> None:
    probe = f"""
import sys
from solvers.contract import offline_solver
for name in {SOLVED}:
    offline_solver(name)
heavy = "highspy", "pyomo", "cvxpy", "scipy", "numba", "online"
print(sorted(set(heavy) & set(sys.modules)))
"""
    command = [sys.executable, "-c", probe]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_a_problem_without_certificates_says_so() -> None:
    bare = OfflineSolver("solvers.utility.offline:solve", ())
    assert not bare.certifies
    one = SimpleNamespace(problem="toy")
    with pytest.raises(InputError, match=r"^problem 'toy' has no certificates$"):
        bare.certify(one, None)
    with pytest.raises(InputError, match=r"^problem 'toy' has no certificates$"):
        bare.check("file", one)


def test_certificates_are_made_and_checked_or_neither() -> None:
    with pytest.raises(ValueError, match="a certifier and a checker, or neither"):
        OfflineSolver("a:solve", (), certifier="a:certify")
