"""The results folder: what makes a cell, when one is taken up again, and what it holds."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

from benchmarks import evaluate as evaluate_module
from benchmarks import fingerprint as fingerprint_module
from benchmarks import ratio as ratio_module
from benchmarks import results as results_module
from benchmarks.evaluate import Cell, evaluate
from benchmarks.fingerprint import fingerprint, is_covered
from benchmarks.ratio import measure
from benchmarks.results import ResultsFolder
from benchmarks.study.rows import Row, Timing, from_json_lines, to_json_lines
from models.errors import InputError
from models.problem import problem
from models.utility import UtilityInstance
from online.policy import Decision, Event, Policy
from online.utility.fifo import FIFO
from online.utility.zero_price import ZeroPriceGreedy
from solvers.contract import offline_solver
from tests.models.utility.small import random_instance
from tests.test_layers import ROOT, imports, read_modules

POLICIES = [FIFO, ZeroPriceGreedy]
SETTINGS = {"time_limit": 10.0}


def named_instance(seed: int) -> UtilityInstance:
    drawn = random_instance(np.random.default_rng(seed), jobs=4, slots=4)
    return UtilityInstance.from_file(msgspec.structs.replace(drawn.file, name=f"i{seed}"))


ONE, TWO = named_instance(1), named_instance(2)


@pytest.fixture(scope="module")
def cell() -> Cell:
    return evaluate(ONE, POLICIES, time_limit=10.0)


def folder(path: Path, policies: list[Any] = POLICIES, **settings: Any) -> ResultsFolder:
    return ResultsFolder(path, {**SETTINGS, **settings}, policies)


class Outside(Policy):
    """Runs nothing; the toolkit does not know its code."""

    name = "offline"  # as a file of the cell is called

    def reset(self, public: Any, rng: np.random.Generator) -> None:
        pass

    def step(self, event: Event) -> Decision:
        return Decision()


# ---- rows as text --------------------------------------------------------------------------


def test_rows_come_back_as_they_were(cell: Cell) -> None:
    odd = replace(cell.rows[0], instance="inf", policy="-inf", guarantee_fails="inf", seed=None)
    odd = replace(odd, ratio_upper=float("inf"), offline_lower=float("-inf"), guarantee=None)
    rows = [odd, cell.rows[1]]
    assert from_json_lines(to_json_lines(rows), Row) == rows
    assert from_json_lines(to_json_lines(cell.timings), Timing) == list(cell.timings)


@pytest.mark.parametrize("text", ["{", "3", '{"problem": "utility"}', "null", "\n", '{"a": NaN}'])
def test_lines_that_are_no_rows(text: str) -> None:
    with pytest.raises(InputError, match=r"^line 1: no Row"):
        from_json_lines(text, Row)


# ---- what makes a cell ---------------------------------------------------------------------


def test_a_finished_cell_is_taken_up_again(cell: Cell, tmp_path: Path) -> None:
    assert folder(tmp_path).load(ONE) is None
    folder(tmp_path).save(ONE, cell)
    assert folder(tmp_path).load(ONE) == (list(cell.rows), list(cell.timings))
    assert folder(tmp_path).load(TWO) is None


def test_settings_policies_and_their_order_make_another_cell(cell: Cell, tmp_path: Path) -> None:
    folder(tmp_path).save(ONE, cell)
    assert folder(tmp_path, time_limit=11.0).load(ONE) is None
    assert folder(tmp_path, [FIFO]).load(ONE) is None
    assert folder(tmp_path, POLICIES[::-1]).load(ONE) is None
    # Another class of the same name.
    twin = type("FIFO", (FIFO,), {"__module__": "online.utility.elsewhere"})
    assert folder(tmp_path, [twin, ZeroPriceGreedy]).load(ONE) is None


def test_changed_code_makes_another_cell(
    cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder(tmp_path).save(ONE, cell)
    monkeypatch.setattr(results_module, "fingerprint", lambda counts: "other")
    assert folder(tmp_path).load(ONE) is None


def every(name: str) -> bool:
    return True


def fake_layer(path: Path, files: dict[str, str]) -> SimpleNamespace:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return SimpleNamespace(__name__="models", __path__=[str(path)])


def test_fingerprint_of_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of(place: str, files: dict[str, str], counts: Callable[[str], bool] = every) -> str:
        monkeypatch.setattr(fingerprint_module, "_LAYERS", (fake_layer(tmp_path / place, files),))
        fingerprint.cache_clear()
        return fingerprint(counts)

    files = {"a.py": "x = 1\n", "sub/b.py": "y = 2\n"}
    first = of("here", files)
    assert of("there", files) == first  # a moved checkout
    assert of("changed", {**files, "a.py": "x = 3\n"}) != first
    assert of("renamed", {"c.py": "x = 1\n", "sub/b.py": "y = 2\n"}) != first
    assert of("added", {**files, "c.py": ""}) != first
    # The same text, divided otherwise.
    assert of("divided", {"a.py": "x = 1\ny = 2\n", "sub/b.py": ""}) != first
    only = of("here", files, lambda name: name == "models/a.py")
    assert of("other", {**files, "sub/b.py": "y = 9\n"}, lambda name: name == "models/a.py") == only
    fingerprint.cache_clear()


def test_fingerprint_of_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    known = fingerprint_module.versions()
    assert set(known) == {"python", "highspy", "numba", "numpy", "pyomo", "scipy"}
    found = {fingerprint(every)}
    for name in known:
        other = {**known, name: "0"}
        monkeypatch.setattr(fingerprint_module, "versions", lambda other=other: other)
        fingerprint.cache_clear()
        found.add(fingerprint(every))
    fingerprint.cache_clear()
    assert len(found) == 1 + len(known)


def test_rows_depend_on_no_module_that_does_not_count() -> None:
    modules = read_modules(ROOT)
    counted = {
        name
        for name, (path, _) in modules.items()
        if results_module._counts(path.relative_to(ROOT).as_posix())
    }
    assert {"benchmarks.evaluate", "models.utility.score", "online.utility.oasis"} <= counted
    for name in counted:
        targets = {target for _, target in imports(name, *modules[name], modules)}
        assert targets & modules.keys() <= counted, name


# ---- policies from outside -----------------------------------------------------------------


def test_classes_whose_code_is_known() -> None:
    assert is_covered(FIFO)
    assert not is_covered(Outside)

    def make(base: type, module: str) -> type:
        return type("Made", (base,), {"__module__": module})

    assert is_covered(make(FIFO, "online.utility.made"))
    assert not is_covered(make(FIFO, "my_file"))
    assert not is_covered(make(Outside, "online.utility.made"))

    class Local(FIFO):
        __module__ = "online.utility.made"

    assert not is_covered(Local)


def test_a_policy_from_outside_is_always_run(tmp_path: Path) -> None:
    policies: list[Any] = [FIFO, Outside]
    cell = evaluate(ONE, policies, time_limit=10.0)
    kept = folder(tmp_path, policies)
    kept.save(ONE, cell)
    assert kept.load(ONE) is None
    # Its name clashes with no file of the cell.
    (place,) = (tmp_path / "cells").iterdir()
    kind = problem("utility")
    values = [
        kind.score(ONE, kind.read_schedule(place / name, ONE)).objective
        for name in ("schedules/offline.json.gz", "offline.json.gz")
    ]
    assert values == [0.0, cell.interval.lower]
    assert values[1] > 0


@pytest.mark.parametrize("name", ["../../up", "a/b", "", "Upper", "a b", ".hidden"])
def test_names_that_are_no_file_names(name: str, tmp_path: Path) -> None:
    policy = type("Named", (Outside,), {"name": name})
    with pytest.raises(InputError, match=r"^policy 'Named': its name .* is not made of a-z"):
        folder(tmp_path / "results", [policy])
    assert not (tmp_path / "results").exists()


# ---- damage and interruption ---------------------------------------------------------------


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def drop_a_line(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def retype(path: Path) -> None:
    path.write_text(path.read_text().replace('"problem": "utility"', '"problem": 3'))


def of_another(path: Path) -> None:
    path.write_text(path.read_text().replace(ONE.hash, TWO.hash))


@pytest.mark.parametrize(
    ("file", "harm"),
    [
        *(
            (file, harm)
            for file in ("rows.jsonl", "timings.jsonl")
            for harm in (
                cut,
                drop_a_line,
                of_another,
                Path.unlink,
                lambda path: path.write_bytes(b"\xff\xfe"),
                lambda path: path.write_bytes(b""),
            )
        ),
        ("rows.jsonl", retype),
        ("schedules/fifo.json.gz", Path.unlink),
        ("instance.json.gz", Path.unlink),
        ("certificate.json.gz", Path.unlink),
    ],
)
def test_a_damaged_cell_is_computed_again(
    file: str, harm: Callable[[Path], Any], cell: Cell, tmp_path: Path
) -> None:
    kept = folder(tmp_path)
    kept.save(ONE, cell)
    (place,) = (tmp_path / "cells").iterdir()
    harm(place / file)
    assert kept.load(ONE) is None
    rows, _ = measure([ONE], POLICIES, kept, 10.0)
    assert rows == list(cell.rows)
    assert kept.load(ONE) is not None


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file() and file.name != "timings.jsonl"
    }


def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure([ONE, TWO], POLICIES, folder(tmp_path / "whole"), 10.0)
    calls: list[str] = []
    warmed: list[str] = []

    def interrupted(instance: Any, *args: Any, **options: Any) -> Cell:
        calls.append(instance.name)
        if calls == ["i1", "i2"]:
            raise KeyboardInterrupt
        return evaluate(instance, *args, **options)

    monkeypatch.setattr(ratio_module, "evaluate", interrupted)
    monkeypatch.setattr(ratio_module, "warm_up", warmed.append)
    with pytest.raises(KeyboardInterrupt):
        measure([ONE, TWO], POLICIES, folder(tmp_path / "parts"), 10.0)
    assert not (tmp_path / "parts" / "rows.jsonl").exists()
    for _ in range(2):
        measure([ONE, TWO], POLICIES, folder(tmp_path / "parts"), 10.0)
    assert calls == ["i1", "i2", "i2"]
    assert warmed == ["utility", "utility"]  # once before the first cell of a run, if any
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")
    # Packed files carry no time.
    first = next((tmp_path / "whole").rglob("instance.json.gz")).read_bytes()
    assert first == gzip.compress(gzip.decompress(first), mtime=0)


def test_a_problem_without_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare_solver = replace(offline_solver("utility"), certifier="", checker="")
    monkeypatch.setattr(evaluate_module, "offline_solver", lambda name: bare_solver)
    bare = evaluate(ONE, POLICIES, time_limit=10.0)
    assert bare.certificate is None
    assert [row.offline_certified for row in bare.rows] == [None, None]
    folder(tmp_path).save(ONE, bare)
    assert not list(tmp_path.rglob("certificate.json.gz"))
    assert folder(tmp_path).load(ONE) == (list(bare.rows), list(bare.timings))
