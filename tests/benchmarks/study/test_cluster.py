"""Cells on the workers of a Dask scheduler: the same as anywhere, or refused before the first."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed.comm import CommClosedError

from benchmarks.study import cluster
from benchmarks.study import engine as engine_module
from benchmarks.study.cell import Cell, Needs, Outcome
from benchmarks.study.cluster import Cluster
from benchmarks.study.engine import Task
from models.errors import InputError
from tests.benchmarks.study.dask_cluster import Loopback, loopback

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loopback]:
    with loopback(tmp_path_factory.mktemp("dask")) as running:
        running.add_worker()
        yield running


def cell(name: str, needs: Needs = Needs(), **parameters: Any) -> Cell:
    return Cell(f"tests.benchmarks.study.cells:{name}", parameters, needs=needs)


def outcomes(engine: Cluster, cells: list[Cell]) -> dict[int, Outcome]:
    tasks = [Task(index, one) for index, one in enumerate(cells)]
    return {task.index: outcome for task, outcome in engine.map(tasks)}


def test_cells_run_there_behind_guards(scheduler: Loopback) -> None:
    cells = [
        cell("double", x=1),
        cell("die"),
        cell("hang", Needs(limit=1.0), marks=os.devnull),
        cell("slowly", prepare=0.0, measure=30.0),
        cell("fail", words="no"),
        cell("process", Needs(alone=True)),
        cell("double", x=2),
    ]
    with Cluster(scheduler.address, Needs(limit=2.0)) as engine:
        assert engine.workers == 1
        found = outcomes(engine, cells)
        again = outcomes(engine, [cell("process")])
    assert [found[i].status for i in range(len(cells))] == [
        "done",
        "killed",
        "out of time",
        "out of time",
        "failed",
        "done",
        "done",
    ]
    assert found[3].message == "still running after 2 s"
    first, double, later = found[5].result, found[6].result, again[0].result
    assert double is not None and double.value == 4
    assert first is not None and later is not None
    assert first.value != later.value, "a run has children of its own, since code may change"


def test_two_clients_at_once_do_not_end_each_others_children(scheduler: Loopback) -> None:
    many = [cell("slowly", prepare=0.0, measure=0.5 + 0.01 * x) for x in range(6)]
    with Cluster(scheduler.address) as one, Cluster(scheduler.address) as other:
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(outcomes, one, many)
            found = [outcomes(other, [cell("double", x=x)])[0] for x in range(3)]
            found += running.result().values()
    assert [outcome.status for outcome in found] == 9 * ["done"]


def test_a_scheduler_without_workers(tmp_path: Path) -> None:
    with (
        loopback(tmp_path) as empty,
        pytest.raises(InputError, match=f"scheduler at {empty.address} has no workers"),
    ):
        Cluster(empty.address)


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE", 0.2)
    with pytest.raises(InputError, match=r"scheduler at tcp://127\.0\.0\.1:9: "):
        Cluster("tcp://127.0.0.1:9")
    with pytest.raises(InputError, match="scheduler at nonsense"):
        Cluster("nonsense://1")


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_an_address_without_a_port() -> None:
    with pytest.raises(InputError, match="scheduler at nonsense: missing port number in address"):
        Cluster("nonsense")
    gc.collect()


@pytest.mark.parametrize("lost", ["scheduler", "worker"])
def test_a_run_ends_when_nothing_can_end_it(
    lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "_NO_WORKERS", 1.0)
    monkeypatch.setattr(engine_module, "_LOOK", 0.5)
    with loopback(tmp_path) as doomed, ThreadPoolExecutor(1) as pool:
        worker = doomed.add_worker()
        with Cluster(doomed.address) as engine:
            many = [cell("slowly", prepare=0.0, measure=20.0 + x) for x in range(3)]
            running = pool.submit(outcomes, engine, many)
            time.sleep(3.0)
            if lost == "scheduler":
                doomed.lose_scheduler()
            else:
                worker.kill()
            words = f"{doomed.address} (was|were) lost: what is finished is kept"
            with pytest.raises(InputError, match=words):
                running.result(60.0)
    said = capsys.readouterr().err
    assert (f"no workers at {doomed.address} now; waiting 1 s for one" in said) == (
        lost == "worker"
    )


def test_a_scheduler_lost_a_moment_ago_is_told_as_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "_LOOK", 0.5)

    def closed(*given: object, **named: object) -> None:
        raise CommClosedError("Connection reset by peer")

    with loopback(tmp_path) as doomed:
        doomed.add_worker()
        with Cluster(doomed.address) as engine:
            client = engine._client
            monkeypatch.setattr(client, "nthreads", closed)
            monkeypatch.setattr(client, "run", closed)
            assert client.status == "running"
            with pytest.raises(InputError, match=f"scheduler at {doomed.address} was lost"):
                outcomes(engine, [cell("slowly", prepare=0.0, measure=20.0)])


@pytest.mark.parametrize(
    ("what", "name", "words"),
    [
        ("source_hashes", "online/run.py", "has different code: online/run.py$"),
        ("versions", "numpy", f"has a different library: numpy {np.__version__} there, 0.1 here"),
        ("processor", "cpu", "there, 0.1 here: start all with NUMBA_CPU_NAME=generic"),
    ],
)
def test_workers_that_differ_are_refused(
    what: str, name: str, words: str, scheduler: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = getattr(cluster, what)
    monkeypatch.setattr(cluster, what, lambda *given: {**theirs(*given), name: "0.1"})
    with pytest.raises(InputError, match=words):
        Cluster(scheduler.address)


def test_how_many_files_differ_is_told(
    scheduler: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = dict.fromkeys(("online/gone.py", "online/run.py", "solvers/result.py"), "0.1")
    hashes = {**cluster.source_hashes(), **theirs}
    monkeypatch.setattr(cluster, "source_hashes", lambda: hashes)
    with pytest.raises(InputError, match=r"different code: online/gone.py and 2 more$"):
        Cluster(scheduler.address)


def test_a_worker_with_another_processor_is_refused(tmp_path: Path) -> None:
    with loopback(tmp_path) as mixed:
        mixed.add_worker(NUMBA_CPU_NAME="generic")
        with pytest.raises(InputError, match="a different processor: cpu generic there, "):
            Cluster(mixed.address)
