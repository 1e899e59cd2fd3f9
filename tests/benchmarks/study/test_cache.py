"""What is computed again, and what is not, when something changes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.contract import experiments_of, with_part
from benchmarks.ratio import main as ratio
from benchmarks.study import closure as closure_module
from benchmarks.study.cell import Cell, Effort
from benchmarks.study.closure import import_closure
from benchmarks.study.instances import drawn
from benchmarks.study.offline import offline_cell
from benchmarks.study.run import run_cell
from benchmarks.study.scheme import Scheme, policy_of, schemes_of
from benchmarks.study.store import Store
from models.problem import sub_package
from models.reference import resolve
from online.registry import policy_names
from solvers.contract import OfflineSolver, offline_solver
from tests.test_layers import ROOT

MINE = """
from online.policy import Decision, Policy
from helper import answer

class Mine(Policy):
    name = "mine"
    def reset(self, public, rng): pass
    def step(self, event): return answer()
"""
_QUICK = ("utility", "run")  # the others take longer
HELPER = "from online.policy import Decision\n\ndef answer():\n    return Decision()\n"


def small(problem_name: str) -> dict[str, Any]:
    size = sub_package("benchmarks", problem_name).WORKLOAD.quick
    return drawn(problem_name, jobs=size.jobs, slots=size.slots, servers=size.servers, seed=0)


def cells_of(problem_name: str) -> dict[str, Cell]:
    """A run cell of every policy, the offline cell, and the first cells of every study."""
    source = small(problem_name)
    schemes = schemes_of(problem_name, list(policy_names(problem_name)))
    cells = {scheme.name: run_cell(source, scheme) for scheme in schemes}
    cells["offline"] = offline_cell(source, Effort(5.0))
    reference = experiments_of(problem_name).studies
    for study in resolve(reference) if reference else ():
        for number, one in enumerate(study.measure.cells(study.trials("quick")[0])):
            cells[f"{study.name} {number}"] = one
    return cells


def keys(path: Path, *names: str) -> dict[str, str]:
    """Keys of all cells of some problems, in a store that has read no source yet."""
    store = Store(path)
    return {
        f"{name} {what}": store.key(cell)
        for name in names or with_part("workload")
        for what, cell in cells_of(name).items()
    }


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return keys(tmp_path_factory.mktemp("unchanged"))


def change(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    """As if a source file of the toolkit had other content."""
    target, read = ROOT / file, closure_module._read
    assert target.is_file()

    def changed(name: str, path: Path) -> Any:
        found = read(name, path)
        return found._replace(sha="changed") if path == target else found

    monkeypatch.setattr(closure_module, "_read", changed)


@pytest.mark.parametrize(
    ("file", "problems"),
    [
        ("solvers/jct/offline.py", {"jct"}),
        ("models/reward/score.py", {"reward"}),
        ("solvers/highs/adapter.py", {"colocated", "completion", "jct", "utility"}),
        ("benchmarks/study/run.py", {"colocated", "completion", "jct", "reward", "utility"}),
        ("benchmarks/pictures/lines.py", set()),
        ("benchmarks/study/claim.py", set()),
        ("benchmarks/study/tests.py", set()),
        ("benchmarks/table.py", set()),
        ("benchmarks/ratio.py", set()),
    ],
)
def test_a_change_reaches_only_what_depends_on_it(
    file: str,
    problems: set[str],
    unchanged: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(monkeypatch, file)
    after = keys(tmp_path)
    touched = {name for name in unchanged if unchanged[name] != after[name]}
    assert {name.partition(" ")[0] for name in touched} == problems


def test_a_change_of_one_policy_is_one_of_its_runs_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = keys(tmp_path, "utility")
    change(monkeypatch, "online/utility/zero_price.py")
    after = keys(tmp_path, "utility")
    touched = {name for name in before if before[name] != after[name]}
    # The offline cell starts from it, too.
    assert "zero-price" in offline_solver("utility").starts
    assert touched == {"utility zero-price", "utility offline"}


def test_a_change_of_a_users_file_is_one_of_its_cells_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    Path("helper.py").write_text(HELPER)
    source = small("utility")
    mine = run_cell(source, Scheme("mine", "mine.py:Mine"))
    fifo, offline = run_cell(source, Scheme("fifo", "fifo")), offline_cell(source, Effort(5.0))

    def found() -> list[str]:
        store = Store("cells")
        return [store.key(cell) for cell in (mine, fifo, offline)]

    first = found()
    for name in ("mine", "helper"):
        Path(f"{name}.py").write_text(Path(f"{name}.py").read_text() + "\n# another thought\n")
        other = found()
        assert other[0] != first[0]
        assert other[1:] == first[1:]
        first = other
    Path("unrelated.py").write_text("")
    assert found() == first


def test_adding_a_policy_solves_nothing_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(tmp_path / "helper.py").write_text(HELPER)
    Path(tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    options = ["--quick", "--seeds", "2", "--out", "out"]
    assert ratio([*options, "--policy", "oasis"]) == 0

    def refused(self: OfflineSolver, *args: Any, **more: Any) -> Any:
        raise AssertionError("solved again")

    monkeypatch.setattr(OfflineSolver, "solve", refused)
    capsys.readouterr()
    assert ratio([*options, "--policy", "oasis,drf,mine.py:Mine", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["seed"], row["policy"]) for row in rows] == [
        (seed, policy) for seed in (0, 1) for policy in ("oasis", "drf", "mine")
    ]
    assert "4 of 8 cells were finished before" in err
    # What was looked up has no times.
    assert [row["policy_seconds"] is None for row in rows] == [True, False, False] * 2
    assert all(row["offline_seconds"] is None for row in rows)


def on_the_way(closure: set[str]) -> set[str]:
    """Packages that are loaded since a module of theirs is, and what they list loads.

    Nothing of them is imported by name: how ``solvers.utility`` names its solver, say, is nothing
    to a policy that takes a kernel out of ``solvers.utility.oracle``.
    """
    packages = {
        ".".join(parts[:count])
        for parts in (module.split(".") for module in closure)
        for count in range(1, len(parts))
    }
    return set(import_closure(packages))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        pytest.param(name, what, marks=[] if (name, what) == _QUICK else [pytest.mark.slow])
        for name in with_part("workload")
        for what in ("run", "offline")
    ],
)
def test_what_is_imported_while_a_cell_runs_is_in_its_closure(name: str, what: str) -> None:
    source = small(name)
    policy = policy_names(name)[0]
    cell = run_cell(source, Scheme(policy, policy))
    if what == "offline":
        cell = offline_cell(source, Effort(5.0))
    given = {"function": cell.function, "parameters": dict(cell.parameters)}
    script = (
        "import json, sys\n"
        "from tests.benchmarks.study.cells import imported\n"
        "print(json.dumps(imported(**json.loads(sys.argv[1]))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(given)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert {f"models.{name}", "benchmarks.study.run"} <= loaded
    closure = set(import_closure([cell.function.partition(":")[0], *cell.roots]))
    assert loaded - closure - on_the_way(closure) == set()


def test_a_file_that_changes_while_a_process_lives_is_loaded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In a notebook, say: a row of the new file is not made by the old one.
    monkeypatch.chdir(tmp_path)
    names = []
    for name in ("first", "second"):
        Path("mine.py").write_text(
            MINE.replace("from helper import answer\n", "").replace('"mine"', f'"{name}"')
        )
        names.append(policy_of("utility", "mine.py:Mine").name)
        assert policy_of("utility", "mine.py:Mine") is policy_of("utility", "mine.py:Mine")
    assert names == ["first", "second"]
