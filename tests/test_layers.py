"""The tree's rules: layers import one way, modules stay small, no machine's paths are named.

And what is shown of results (pictures, claims, commands) is nothing that results depend on.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from benchmarks.contract import experiments_of
from benchmarks.study.closure import import_closure
from models.problem import has_sub_package, own_problem_names
from tests.benchmarks.study.all_cells import all_cells

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("models", "solvers", "online", "benchmarks")
MAX_LINES = 400
MEASURED = [name for name in own_problem_names() if has_sub_package("benchmarks", name)]

# Where a library may be imported, as patterns over paths; the rest of the layers may not.
FORMULATIONS = (
    "models/*/formulations/*",
    "models/pyomo_components.py",
    "models/schedule_lp.py",
)
HOMES = {
    "cvxpy": (*FORMULATIONS, "solvers/*"),
    "highspy": ("solvers/*",),
    "matplotlib": ("benchmarks/*",),
    "pyomo": (*FORMULATIONS, "solvers/*"),
    # Never beside highspy in a process: each brings a library of HiGHS under the same name.
    "ortools": ("solvers/cp_sat_child.py",),
    "pyscipopt": ("solvers/reference.py",),
}
DATA_LIBRARIES = {"msgspec", "numpy"}

# An absolute path of a Unix or Windows machine; not `a/home/b`, not `https://host/home/b`.
MACHINE_PATH = re.compile(
    r"(?:(?<![\w.~/*})\]-])|(?<=file://))/(?:home|root|Users|work|tmp|opt|mnt|var|private)/[\w.]"
    r"|\b[A-Z]:\\\w"
)


@cache
def read_modules(root: Path) -> dict[str, tuple[Path, ast.Module]]:
    """Every module of the layers by its dotted name, with its path and syntax tree."""
    modules = {}
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            modules[name] = (path, ast.parse(path.read_text(encoding="utf-8"), str(path)))
    return modules


def imports(
    name: str, path: Path, tree: ast.Module, known: Iterable[str]
) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every import, also those inside functions.

    ``from package import x`` counts as an import of ``package.x`` where that is a module.
    """
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                module = f"{source}.{alias.name}"
                yield node.lineno, module if module in known else source


def import_faults(root: Path) -> list[str]:
    """Imports that break the layering, one sentence each."""
    modules = read_modules(root)
    faults = []
    for name, (path, tree) in modules.items():
        file = path.relative_to(root).as_posix()
        layer = name.split(".")[0]
        above = LAYERS[LAYERS.index(layer) + 1 :]
        is_data = layer == "models" and not is_formulation(file)
        for line, target in imports(name, path, tree, modules):
            top, place = target.split(".")[0], target.replace(".", "/")
            if top in above:
                faults.append(f"{file}:{line}: {layer} imports {target}, a layer above it")
            elif top in HOMES and not any(fnmatch(file, home) for home in HOMES[top]):
                faults.append(f"{file}:{line}: {top} is not for this module")
            elif is_data and not (
                top == "models" or top in DATA_LIBRARIES or top in sys.stdlib_module_names
            ):
                faults.append(f"{file}:{line}: a data module imports {top}")
            elif is_data and any(is_formulation(f"{place}{end}") for end in (".py", "/")):
                faults.append(f"{file}:{line}: a data module imports the formulation {target}")
    return faults


def is_formulation(file: str) -> bool:
    """Whether a module, by its path, is none of data but of what solvers are given."""
    return any(fnmatch(file, home) for home in FORMULATIONS)


def row_faults(root: Path) -> list[str]:
    """Imports of a problem's modules by another problem, or by the root of a layer.

    A problem is a row: it imports itself and the roots of the layers, which import no problem. So
    nothing of another problem is in the closure of its imports either.
    """
    modules = read_modules(root)
    rows = {
        path.parent.name
        for name, (path, _) in modules.items()
        if path.name == "__init__.py" and name.startswith("models.") and name.count(".") == 1
    }

    def row(name: str) -> str | None:
        parts = name.split(".")
        return parts[1] if len(parts) > 1 and parts[0] in LAYERS and parts[1] in rows else None

    faults = []
    for name, (path, tree) in modules.items():
        for line, target in imports(name, path, tree, modules):
            if row(target) not in (None, row(name)):
                file = path.relative_to(root).as_posix()
                who = f"problem '{row(name)}'" if row(name) else "the root of a layer"
                faults.append(f"{file}:{line}: {who} imports {target}")
    return faults


def import_cycle(root: Path) -> list[str]:
    """The modules of one import cycle, or an empty list."""
    modules = read_modules(root)
    graph: dict[str, set[str]] = {}
    for name, (path, tree) in modules.items():
        targets = {target for _, target in imports(name, path, tree, modules)}
        graph[name] = targets & modules.keys() - {name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def long_modules(files: Iterable[Path]) -> list[str]:
    """Python files over the limit of lines."""
    sizes = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in files if p.suffix == ".py"}
    return [f"{p}: {size} lines, over {MAX_LINES}" for p, size in sizes.items() if size > MAX_LINES]


def machine_paths(files: Iterable[Path]) -> list[str]:
    """Lines of text files that name an absolute path of somebody's machine."""
    faults = []
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture or an archive
        for number, line in enumerate(text.splitlines(), 1):
            if found := MACHINE_PATH.search(line):
                faults.append(f"{path}:{number}: names the machine's path {found.group()}...")
    return faults


@cache
def shown_modules() -> frozenset[str]:
    """Modules of pictures, claims and commands, and of what they alone need."""
    found = {f"benchmarks.study.{part}" for part in ("picture", "claim", "tests", "statistics")}
    found |= {"benchmarks.table", "benchmarks.tables"}
    for problem in MEASURED:
        experiments = experiments_of(problem)
        references = (experiments.studies, experiments.pictures, experiments.claims)
        found |= {reference.partition(":")[0] for reference in references if reference}
    shown = re.compile(r"benchmarks\.(pictures\b|\w+\.(pictures|claims|theory))")
    for name, (path, _) in read_modules(ROOT).items():
        if shown.match(name) or "run_command(main)" in path.read_text(encoding="utf-8"):
            found.add(name)
    return frozenset(found)


def shown_faults(closure: Mapping[str, Path]) -> list[str]:
    """What is in an import closure and should not be, one sentence each."""
    faults = [f"depends on {name}" for name in sorted(shown_modules() & set(closure))]
    drawing = [name for name, path in closure.items() if imports_matplotlib(path)]
    return [*faults, *(f"depends on {name}, which imports matplotlib" for name in drawing)]


@cache
def imports_matplotlib(path: Path) -> bool:
    """Whether a source imports matplotlib, or a part of it."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return any(
        target.split(".")[0] == "matplotlib" for _, target in imports(path.stem, path, tree, ())
    )


@pytest.fixture(scope="module")
def tree_files() -> list[Path]:
    """Files of the checkout, whether committed yet or not."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in files if path.is_file()]


def test_layers_import_one_way() -> None:
    assert import_faults(ROOT) == []


def test_no_problem_imports_another() -> None:
    assert row_faults(ROOT) == []


def test_no_import_cycle() -> None:
    assert import_cycle(ROOT) == []


@pytest.mark.parametrize("problem", MEASURED)
def test_no_result_depends_on_how_it_is_shown(problem: str) -> None:
    asked = {cell.all_roots: str(cell) for cell in all_cells(problem)}
    faults = {cell: shown_faults(import_closure(roots)) for roots, cell in asked.items()}
    assert {cell: found for cell, found in faults.items() if found} == {}


def test_modules_are_small(tree_files: list[Path]) -> None:
    assert long_modules(tree_files) == []


def test_no_machine_path(tree_files: list[Path]) -> None:
    assert machine_paths(tree_files) == []


# The checks can fail: each is held against a small tree that breaks its rule.


def plant(root: Path, files: dict[str, str]) -> list[Path]:
    """Write a made tree and return its files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [root / name for name in files]


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("models/x.py", "import solvers.y", "models imports solvers.y"),
        ("models/x.py", "def f():\n    from online import run", ":2: models imports online"),
        ("solvers/x.py", "from online.run import run", "solvers imports online.run"),
        ("online/x.py", "import benchmarks.ratio as r", "online imports benchmarks.ratio"),
        ("online/x.py", "import highspy", "highspy is not for this module"),
        ("benchmarks/x.py", "import highspy", "highspy is not for this module"),
        ("models/x.py", "import pyomo.environ as pyo", "pyomo is not for this module"),
        ("online/x.py", "from pyomo import environ", "pyomo is not for this module"),
        ("models/u/formulations/x.py", "import highspy", "highspy is not for this module"),
        ("benchmarks/x.py", "import cvxpy", "cvxpy is not for this module"),
        ("solvers/x.py", "import matplotlib.pyplot", "matplotlib is not for this module"),
        ("solvers/x.py", "import pyscipopt", "pyscipopt is not for this module"),
        ("models/u/x.py", "import numba", "a data module imports numba"),
        ("models/u/x.py", "import pandas", "a data module imports pandas"),
        ("models/u/x.py", "from models.u.formulations import ilp", "imports the formulation"),
        ("models/u/x.py", "from .formulations import ilp", "imports the formulation"),
        ("models/x.py", "from models.pyomo_components import rows", "imports the formulation"),
    ],
)
def test_wrong_import_is_found(tmp_path: Path, file: str, text: str, fault: str) -> None:
    plant(tmp_path, {file: text})
    (found,) = import_faults(tmp_path)
    assert fault in found


def test_right_imports_pass(tmp_path: Path) -> None:
    files = {
        "models/a.py": "import json\nimport msgspec\nimport numpy as np\nfrom models import b\n",
        "models/b.py": "",
        "models/u/formulations/ilp.py": "import pyomo.environ\nfrom models.a import x\n",
        "solvers/highs.py": "import highspy\nimport numba\nimport models.u.formulations.ilp\n",
        "online/run.py": "import numba\nfrom solvers.highs import x\n",
        "benchmarks/plots.py": "import matplotlib.pyplot\nimport pandas\nimport online.run\n",
    }
    paths = plant(tmp_path, files)
    assert import_faults(tmp_path) == []
    assert import_cycle(tmp_path) == []
    assert long_modules(paths) == []
    assert machine_paths(paths) == []


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("models/u/x.py", "from models.v.y import z", ":1: problem 'u' imports models.v.y"),
        ("models/u/x.py", "from models import v", ":1: problem 'u' imports models.v"),
        ("models/u/x.py", "from ..v import y", ":1: problem 'u' imports models.v"),
        ("solvers/u/x.py", "import models.v", ":1: problem 'u' imports models.v"),
        ("online/u/x.py", "\nfrom solvers.v.y import z", ":2: problem 'u' imports solvers.v.y"),
        ("benchmarks/u/x.py", "def f():\n    import online.v", ":2: problem 'u' imports online.v"),
        (
            "benchmarks/x.py",
            "import benchmarks.u.y",
            "the root of a layer imports benchmarks.u",
        ),
        ("solvers/highs/x.py", "import models.u", "the root of a layer imports models.u"),
    ],
)
def test_import_of_another_problem_is_found(
    tmp_path: Path, file: str, text: str, fault: str
) -> None:
    plant(tmp_path, {"models/u/__init__.py": "", "models/v/__init__.py": "", file: text})
    (found,) = row_faults(tmp_path)
    assert fault in found


def test_a_problem_may_import_itself_and_the_roots(tmp_path: Path) -> None:
    files = {
        "models/u/__init__.py": "from models.errors import InputError",
        "models/u/x.py": "from . import y\nimport models.u.y",
        "solvers/u/x.py": "import models.u.x\nimport solvers.highs.adapter\nimport utility",
        "benchmarks/x.py": "from models import problem",
    }
    plant(tmp_path, files)
    assert row_faults(tmp_path) == []


def test_a_result_that_depends_on_how_it_is_shown_is_found(tmp_path: Path) -> None:
    known = {"benchmarks.ratio", "benchmarks.figures", "benchmarks.claims", "benchmarks.regret"}
    known |= {"benchmarks.pictures.lines", "benchmarks.jct.claims", "benchmarks.reward.pictures"}
    assert known <= shown_modules()
    files = {
        "plain.py": "from online.policy import Policy",
        "draws.py": "def draw():\n    import matplotlib.pyplot",
        "judges.py": "from benchmarks.study import claim",
        "far.py": "import near",
        "near.py": "from benchmarks.pictures.lines import plot_lines",
    }
    plain, draws, judges, far, _ = plant(tmp_path, files)
    assert shown_faults(import_closure([str(plain)])) == []
    found = shown_faults(import_closure([str(draws)]))
    assert found == ["depends on draws.py, which imports matplotlib"]
    assert "depends on benchmarks.study.claim" in shown_faults(import_closure([str(judges)]))
    assert "depends on benchmarks.pictures.lines" in shown_faults(import_closure([str(far)]))


@pytest.mark.parametrize("back", ["import models.a", "from models import a", "from . import a"])
def test_cycle_is_found(tmp_path: Path, back: str) -> None:
    files = {
        "models/__init__.py": "",
        "models/a.py": "from models.b import x",
        "models/b.py": "import models.c",
        "models/c.py": back,
    }
    plant(tmp_path, files)
    assert set(import_cycle(tmp_path)) == {"models.a", "models.b", "models.c"}


def test_long_module_is_found(tmp_path: Path) -> None:
    paths = plant(tmp_path, {"a.py": "x = 1\n" * MAX_LINES, "b.py": "x = 1\n" * (MAX_LINES + 1)})
    (found,) = long_modules(paths)
    assert "b.py: 401 lines" in found


@pytest.mark.parametrize("before", ["", "see ", "'", "(", "file://", "--out="])
@pytest.mark.parametrize("folder", ["home", "root", "Users", "work", "tmp"])
def test_machine_path_is_found(tmp_path: Path, before: str, folder: str) -> None:
    paths = plant(tmp_path, {"notes.md": f"fine\n{before}/{folder}/somebody\n"})
    (found,) = machine_paths(paths)
    assert "notes.md:2" in found


@pytest.mark.parametrize("text", ["models/work/a.py", "../home/b", "https://host/home/b", "w/tmp"])
def test_ordinary_path_passes(tmp_path: Path, text: str) -> None:
    assert machine_paths(plant(tmp_path, {"notes.md": text})) == []
