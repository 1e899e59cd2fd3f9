"""The store: what makes a cell, when it is found again, damage, two writers, no room."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.study import store as store_module
from benchmarks.study.cell import Cell, Effort, Outcome, Result
from benchmarks.study.compute import compute
from benchmarks.study.store import Store
from models.errors import InputError
from tests.benchmarks.study.cells import cell

DONE = Outcome("done", Result({"y": [1, 2.5, float("inf")]}, {"a.bin": b"\x00\x01"}))


def found(store: Store, one: Cell) -> Result | None:
    outcome, enough = store.find(one)
    assert enough == (outcome is not None) or one.effort is not None
    return None if outcome is None else outcome.result


def test_a_finished_cell_is_found_again_as_it_was(tmp_path: Path) -> None:
    store, one = Store(tmp_path), cell("double", x=1)
    assert found(store, one) is None
    store.save(one, DONE)
    assert found(Store(tmp_path), one) == DONE.result
    assert store.file(one, "a.bin").read_bytes() == b"\x00\x01"


def test_function_parameters_and_data_make_another_cell(tmp_path: Path) -> None:
    store, one = Store(tmp_path), cell("double", x=1)
    store.save(one, DONE)
    for other in (
        cell("double", x=2),
        replace(one, function=one.function.replace("double", "slowly")),
        replace(one, data={"file": b"1"}),
        replace(one, roots=("models.jct",)),
    ):
        assert found(store, other) is None
    # What it needs and is called makes no difference.
    same = replace(one, label="other", needs=replace(one.needs, threads=2, limit=1.0))
    assert found(store, same) == DONE.result


def test_changed_code_makes_another_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = cell("double", x=1)
    Store(tmp_path).save(one, DONE)
    monkeypatch.setattr(store_module, "code_hash", lambda roots: "other")
    assert found(Store(tmp_path), one) is None


def test_what_is_not_kept_is_never_found(tmp_path: Path) -> None:
    store, one = Store(tmp_path), replace(cell("double", x=1), kept=False)
    store.save(one, DONE)
    assert found(store, one) is None
    assert list(tmp_path.iterdir()) == []


def test_a_failed_cell_is_not_kept(tmp_path: Path) -> None:
    store, one = Store(tmp_path), cell("fail")
    for _ in range(2):
        (outcome,) = compute([one], store=store)
        assert (outcome.status, outcome.ran) == ("failed", True)
    assert list(tmp_path.iterdir()) == []


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def not_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe")


def another_type(path: Path) -> None:
    path.write_text("[3]")


def without_a_key(path: Path) -> None:
    stored = json.loads(path.read_text())
    del stored["files"]
    path.write_text(json.dumps(stored))


@pytest.mark.parametrize("harm", [cut, empty, not_text, another_type, without_a_key, Path.unlink])
def test_a_damaged_marker_counts_as_absent(harm: Callable[[Path], Any], tmp_path: Path) -> None:
    store, one = Store(tmp_path), cell("double", x=1)
    store.save(one, DONE)
    (marker,) = tmp_path.glob("*.json")
    harm(marker)
    assert found(store, one) is None
    compute([one], store=store)
    assert found(store, one) == Result(2, {"x.txt": b"1"})


@pytest.mark.parametrize("harm", [cut, empty, Path.unlink, lambda path: path.write_bytes(b"22")])
def test_a_damaged_file_counts_as_absent(
    harm: Callable[[Path], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, one = Store(tmp_path), cell("double", x=1)
    compute([one], store=store)
    harm(store.file(one, "x.txt"))
    assert capsys.readouterr().err == ""
    assert found(store, one) is None
    (line,) = capsys.readouterr().err.splitlines()  # said once
    assert line.endswith(f".json: damaged, so {one} is computed again")
    compute([one], store=store)
    assert capsys.readouterr().err == ""
    assert found(store, one) == Result(2, {"x.txt": b"1"})


def test_two_writers_do_no_harm(tmp_path: Path) -> None:
    one = cell("double", x=1)
    seen: list[Result | None] = []
    store = Store(tmp_path)
    store.save(one, DONE)

    def write() -> None:
        own = Store(tmp_path)
        for _ in range(50):
            own.save(one, DONE)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        seen.append(found(store, one))
    for writer in writers:
        writer.join()
    # Between two writes a cell may be absent, but never half there.
    assert all(result in (None, DONE.result) for result in seen)
    assert found(store, one) == DONE.result
    assert {path.name for path in tmp_path.iterdir()} == {
        store.file(one, "").name,
        f"{store.file(one, '').name}.json",
    }


def test_what_was_known_stays_until_more_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    short, long = (cell("climb", effort=Effort(seconds), top=9) for seconds in (2.0, 5.0))
    store.save(short, Outcome("done", Result({"reached": 2}, {"x.txt": b"2"}, proven=False)))

    def full(path: Path, data: bytes) -> None:
        raise InputError(f"{path}: cannot be written: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("benchmarks.study.store.write_whole", full)
        with pytest.raises(InputError, match="No space left"):
            store.save(long, Outcome("done", Result({"reached": 5}, {"x.txt": b"5"}, proven=False)))
    known = found(store, short)
    assert known is not None and (known.value, dict(known.files)) == (
        {"reached": 2},
        {"x.txt": b"2"},
    )


def test_less_effort_does_not_replace_more(tmp_path: Path) -> None:
    store = Store(tmp_path)
    long, short = (cell("climb", effort=Effort(seconds), top=9) for seconds in (5.0, 2.0))
    store.save(long, Outcome("done", Result({"reached": 5}, proven=False)))
    store.save(short, Outcome("done", Result({"reached": 2}, proven=False)))
    outcome, enough = store.find(short)
    assert outcome is not None and outcome.result is not None
    assert (outcome.result.value, enough) == ({"reached": 5}, True)
    more = cell("climb", effort=Effort(7.0), top=9)
    assert store.find(more)[1] is False


@pytest.mark.parametrize(
    ("asked", "known", "enough"),
    [
        (Effort(10.0), Effort(10.0), True),
        (Effort(10.0), Effort(20.0), True),
        (Effort(10.0), Effort(5.0), False),
        (Effort(10.0, 2), Effort(20.0, 1), True),
        (Effort(20.0, 1), Effort(10.0, 2), False),
        (Effort(10.0, 2), Effort(10.0, 1), False),
        (Effort(10.0, 1), Effort(20.0, 2), True),
        (Effort(None), Effort(1e9), False),
        (Effort(10.0, 8), Effort(None), True),
    ],
)
def test_effort_that_covers_another(asked: Effort, known: Effort, enough: bool) -> None:
    assert known.covers(asked) is enough


def test_two_efforts_by_turns_settle(tmp_path: Path) -> None:
    # More seconds and more threads: the one with more time answers both, from then on.
    store = Store(tmp_path)
    efforts = [Effort(3.0, 1), Effort(2.0, 4)]
    ran = [
        compute([cell("climb", effort=effort, top=99)], store=store)[0].ran
        for effort in (*reversed(efforts), *efforts, *efforts)
    ]
    assert ran == [True, True, False, False, False, False]


def test_what_is_proven_replaces_more_effort(tmp_path: Path) -> None:
    store = Store(tmp_path)
    long, short = (cell("climb", effort=Effort(seconds), top=9) for seconds in (5.0, 2.0))
    store.save(long, Outcome("done", Result({"reached": 5}, proven=False)))
    store.save(short, Outcome("done", Result({"reached": 9}, proven=True)))
    store.save(long, Outcome("done", Result({"reached": 5}, proven=False)))
    assert found(store, long) == Result({"reached": 9}, proven=True)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/cells: cannot be made: Not a directory"):
        Store(tmp_path / "file" / "cells")


def refuse(kind: int) -> Callable[..., Any]:
    def refused(*args: Any, **options: Any) -> Any:
        raise OSError(kind, os.strerror(kind))

    return refused


@pytest.mark.parametrize("kind", [errno.ENOSPC, errno.EROFS])
def test_no_room_or_no_right_to_write_is_one_line_and_loses_nothing(
    kind: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    one, two = cell("double", x=1), cell("double", x=2)
    compute([one], store=store)
    monkeypatch.setattr("tempfile.mkstemp", refuse(kind))
    with pytest.raises(InputError, match=f"cannot be written: {os.strerror(kind)}$"):
        compute([one, two], store=store)
    monkeypatch.undo()
    assert found(store, one) == Result(2, {"x.txt": b"1"})
    assert found(store, two) is None


def test_a_disk_that_fills_up_while_a_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, one = Store(tmp_path), cell("double", x=1)
    monkeypatch.setattr("os.replace", refuse(errno.ENOSPC))
    with pytest.raises(InputError, match="No space left on device"):
        compute([one], store=store)
    monkeypatch.undo()
    assert found(store, one) is None
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_empty_folders_are_removed_after_an_early_error(tmp_path: Path) -> None:
    store = Store(tmp_path / "a" / "b")
    store.discard_empty()
    assert list(tmp_path.iterdir()) == []
    kept = Store(tmp_path / "a" / "b")
    kept.save(cell("double", x=1), DONE)
    kept.discard_empty()
    assert found(kept, cell("double", x=1)) == DONE.result
