"""The code part of a cell's key: which sources are in an import closure, and what else counts."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from benchmarks.contract import experiments_of
from benchmarks.study import closure as closure_module
from benchmarks.study.cell import Effort
from benchmarks.study.closure import code_hash, import_closure, versions
from benchmarks.study.instances import drawn
from benchmarks.study.offline import offline_cell
from benchmarks.study.run import run_cell
from benchmarks.study.scheme import Scheme
from models.errors import InputError
from online.registry import policy_names


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_imports_are_found_wherever_they_stand(tmp_path: Path) -> None:
    found = import_closure(["benchmarks.study.store"])
    assert "benchmarks.study.closure" in found  # at the top
    assert found["models.errors"] == Path(str(found["models.errors"])).resolve()
    assert "tests.conftest" not in found
    inside = "def f():\n    if True:\n        from models import files\n"
    (tmp_path / "mine.py").write_text(inside)
    assert "models.files" in import_closure([str(tmp_path / "mine.py")])


def test_a_name_from_a_package_is_a_module_or_the_package(tmp_path: Path) -> None:
    write(tmp_path, main="from box import a\nfrom box import VALUE\nfrom box.sub import b\n")
    write(tmp_path, box__a="", box__sub__b="from .. import c\nfrom . import d\n", box__sub__d="")
    write(tmp_path, box__c="import unused_elsewhere_\n", box__unused="")
    (tmp_path / "box" / "__init__.py").write_text("VALUE = 1\n")
    (tmp_path / "box" / "sub" / "__init__.py").write_text("")
    found = import_closure([str(tmp_path / "main.py")])
    expected = {"main.py", "box", "box.a", "box.c", "box.sub", "box.sub.b", "box.sub.d"}
    assert set(found) == expected


def test_a_users_file_and_what_lies_beside_it(tmp_path: Path) -> None:
    write(tmp_path, mine="import beside\nfrom online.utility.fifo import FIFO\n", beside="x = 1\n")
    write(tmp_path, other="")
    root = str(tmp_path / "mine.py")
    found = import_closure([root])
    assert {"mine.py", "beside", "online.utility.fifo"} <= set(found)
    assert "other" not in found
    hashes = [code_hash([root])]
    write(tmp_path, other="x = 2\n")
    hashes.append(code_hash([root]))
    assert hashes[0] == hashes[1]
    for name in ("beside", "mine"):
        write(tmp_path, **{name: (tmp_path / f"{name}.py").read_text() + "# more\n"})
        hashes.append(code_hash([root]))
    assert len(set(hashes)) == 3


def test_a_users_file_named_as_a_layer_is_the_users(tmp_path: Path) -> None:
    root = tmp_path / "models.py"
    hashes = set()
    for text in ("x = 1\n", "x = 23\n"):
        root.write_text(text)
        hashes.add(code_hash([str(root)]))
    assert len(hashes) == 2


def test_an_import_from_above_the_top_is_none(tmp_path: Path) -> None:
    write(tmp_path, mine="def f():\n    from ... import nothing\n")
    assert set(import_closure([str(tmp_path / "mine.py")])) == {"mine.py"}


def test_the_same_wherever_it_lies(tmp_path: Path) -> None:
    for place in ("here", "there"):
        write(tmp_path / place, mine="import beside\n", beside="x = 1\n")
    first, second = (code_hash([str(tmp_path / p / "mine.py")]) for p in ("here", "there"))
    assert first == second


def test_libraries_processor_and_compiler_count(monkeypatch: pytest.MonkeyPatch) -> None:
    known = versions()
    assert set(known) == {"python", "cvxpy", "highspy", "numba", "numpy", "pyomo", "scipy"}
    hashes = {code_hash(["models.errors"])}
    for name in known:
        with monkeypatch.context() as patch:
            patch.setattr(closure_module, "versions", lambda name=name: {**known, name: "0"})
            hashes.add(code_hash(["models.errors"]))
    for name, value in (("NUMBA_DISABLE_JIT", "1"), ("NUMBA_CPU_NAME", "generic")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            closure_module.processor.cache_clear()
            hashes.add(code_hash(["models.errors"]))
    with monkeypatch.context() as patch:
        patch.setattr(platform, "machine", lambda: "other")
        closure_module.processor.cache_clear()
        hashes.add(code_hash(["models.errors"]))
    closure_module.processor.cache_clear()
    assert len(hashes) == 1 + len(known) + 3
    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")  # where, not what
    assert code_hash(["models.errors"]) in hashes
    closure_module.processor.cache_clear()


def test_a_package_named_unlike_its_distribution_has_a_version() -> None:
    assert closure_module._version_of("yaml") == f"PyYAML {version('PyYAML')}"
    assert closure_module._version_of("no_such_package") is None


def test_installed_packages_do_not_count_wherever_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "user" / "site-packages", installed__core="", installed____init__="")
    write(tmp_path / "shared", own_helper="")
    write(tmp_path / "mine", policy="import installed.core\nimport own_helper\n")
    for folder in ("user/site-packages", "shared"):
        monkeypatch.syspath_prepend(tmp_path / folder)
    found = import_closure([str(tmp_path / "mine" / "policy.py")])
    assert set(found) == {"policy.py", "own_helper"}


def test_what_lies_beside_a_module_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", named="import beside\n", beside="x = 1\n")
    write(tmp_path / "b", beside="x = 2\n")
    monkeypatch.syspath_prepend(str(tmp_path / "a"))
    monkeypatch.syspath_prepend(str(tmp_path / "b"))  # found first by who does not know better
    assert import_closure(["named"])["beside"] == tmp_path / "a" / "beside.py"


def test_a_root_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"^module 'models.nothing' is not found$"):
        import_closure(["models.nothing"])


@pytest.mark.parametrize("problem", ["utility", "reward", "jct"])
def test_the_list_of_policies_is_in_no_closure(problem: str) -> None:
    # So registering one more policy leaves the results of the others as they are.
    workload = experiments_of(problem).workload
    size = workload.quick
    source = drawn(problem, jobs=size.jobs, slots=size.slots, servers=size.servers, seed=0)
    for name in policy_names(problem):
        found = import_closure(run_cell(source, Scheme(name, name)).all_roots)
        assert f"online.{problem}" not in found
        assert f"online.{problem}.world" in found
    assert f"online.{problem}" not in import_closure(offline_cell(source, Effort(1.0)).all_roots)
