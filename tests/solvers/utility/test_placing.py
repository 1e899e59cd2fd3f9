"""Placing loads on servers, and repairing schedules, against brute force."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest

from models.tolerance import tolerant
from models.utility import score
from solvers.highs import HighsOptions, MatrixResult
from solvers.packing_groups import packing_groups
from solvers.utility import placing
from solvers.utility.occupancy import Occupancy, repaired
from solvers.utility.oracle import zero_prices
from solvers.utility.placing import Placer
from solvers.utility.separation import Mixture, PackingSeparator
from tests.seeds import seeds
from tests.solvers.utility.test_exact import SEEDS, contended


def can_hold(servers: np.ndarray, demand: np.ndarray, load: tuple[int, ...]) -> bool:
    """Try every way to split the load over two servers."""
    first = np.array(list(product(*(range(n + 1) for n in load))))
    fits = (first @ demand <= servers[0]) & ((load - first) @ demand <= servers[1])
    return bool(fits.all(axis=1).any())


def is_placed(placer: Placer, servers: np.ndarray, demand: np.ndarray, load: np.ndarray) -> bool:
    """Whether all of a load is placed; what is placed fits, and is no more than the load."""
    placing = placer.place(load)
    assert (placing.counts @ demand <= servers).all()
    assert (placing.counts.sum(axis=0) <= load).all()
    assert placing.complete == (placing.counts.sum(axis=0) == load).all()
    return placing.complete


@pytest.mark.parametrize("seed", seeds(30, quick=5))
def test_a_load_is_placed_if_and_only_if_it_can_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    servers = rng.integers(3, 9, (2, 2)).astype(float)
    demand = rng.integers(0, 4, (3, 2)) + np.array([0.0, 1.0])
    placer = Placer(servers, demand)
    for load in product(range(4), repeat=3):
        assert is_placed(placer, servers, demand, np.array(load)) == can_hold(servers, demand, load)


@pytest.mark.parametrize("seed", seeds(30, quick=5))
def test_packings_of_a_mixture_change_no_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    servers = rng.integers(3, 9, (2, 2)).astype(float)[rng.integers(0, 2, 2)]
    demand = rng.integers(0, 4, (3, 2)) + np.array([0.0, 1.0])
    separator = PackingSeparator(packing_groups(tolerant(servers)), demand, np.full(3, 9))
    placer = Placer(servers, demand, separator)
    for load in product(range(4), repeat=3):
        assert is_placed(placer, servers, demand, np.array(load)) == can_hold(servers, demand, load)


def test_packings_hold_what_server_after_server_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Placer, "_exactly", lambda *_: None)
    rng, placed = np.random.default_rng(0), 0
    for _ in range(100):
        servers = np.repeat(rng.integers(6, 12, (1, 2)), 6, axis=0).astype(float)
        demand = rng.integers(1, 6, (6, 2)).astype(float)
        separator = PackingSeparator(packing_groups(tolerant(servers)), demand, np.full(6, 99))
        load = np.zeros(6, dtype=np.int64)
        for free in servers.copy():  # full of jobs in random order: so it can be placed
            for i in rng.permutation(6).tolist():
                count = int((free // demand[i]).min())
                load[i] += count
                free -= count * demand[i]
        greedy = Placer(servers, demand).place(load)
        placing = Placer(servers, demand, separator).place(load)
        assert (placing.counts @ demand <= servers).all()
        assert (placing.counts.sum(axis=0) <= load).all()
        size = Placer(servers, demand).size
        assert placing.counts.sum(axis=0) @ size >= greedy.counts.sum(axis=0) @ size
        placed += placing.complete and not greedy.complete
    assert placed > 0


def test_what_a_cut_shows_not_to_fit_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    # Three workers of two thirds of a server each, on two servers.
    monkeypatch.setattr(Placer, "_exactly", lambda *_: pytest.fail("looked for"))
    servers, demand = np.array([[3.0], [3.0]]), np.array([[2.0]])
    separator = PackingSeparator(packing_groups(tolerant(servers)), demand, np.array([9]))
    placing = Placer(servers, demand, separator).place(np.array([3]))
    assert placing.counts.tolist() == [[1], [1]]
    assert not placing.complete
    assert placing.cut is not None
    assert 3 * placing.cut.weight[0] > placing.cut.capacity


def test_nothing_but_greedy_placing_is_tried_after_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The separator uses up the time: neither its packings nor an integer program are tried.
    servers, demand = np.array([[3.0], [3.0]]), np.array([[2.0]])
    separator = PackingSeparator(packing_groups(tolerant(servers)), demand, np.array([9]))
    placer, deadline, asked = Placer(servers, demand, separator), time.monotonic() + 60, list[str]()

    def slow(load: np.ndarray, until: float) -> Mixture:
        assert until == deadline
        asked.append("mixture")
        monkeypatch.setattr(time, "monotonic", lambda: deadline)
        return Mixture(None, np.array([0]), np.array([[1]]))

    monkeypatch.setattr(separator, "mixture", slow)
    for name in ("_from_packings", "_exactly"):
        monkeypatch.setattr(Placer, name, lambda *_, name=name: asked.append(name))
    placing = placer.place(np.array([3]), HighsOptions(), deadline)
    assert asked == ["mixture"]
    assert placing.counts.sum() == 2
    assert placer.place(np.array([4]), HighsOptions(), deadline).counts.sum() == 2
    assert asked == ["mixture"]


def test_programs_that_fail_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    # 3 of 4 workers are placed one by one; that is all if nothing else can be tried.
    failed = MatrixResult(
        sense="max", status="failed", x=None, objective=None, bound=None, seconds=0.0, options={},
        message="no memory", _duals="",
    )  # fmt: skip
    monkeypatch.setattr(placing, "solve", lambda *_, **__: failed)
    placer = Placer(np.array([[4.0], [2.0]]), np.array([[2.0]]))
    assert placer.place(np.array([3])).complete and placer.failure == ""
    assert placer.place(np.array([4])).counts.sum() == 3
    assert placer.failure == "no memory"


def test_nothing_fits_on_a_server_without_capacity() -> None:
    placer = Placer(np.array([[0.0, 4.0], [2.0, 4.0]]), np.array([[1.0, 1.0]]))
    assert placer.place(np.array([3])).counts.tolist() == [[0], [2]]


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_is_repaired_is_feasible(seed: int) -> None:
    ins = contended(seed)
    rng = np.random.default_rng(seed)
    workers = rng.integers(0, 3, (ins.cluster.slots, len(ins.jobs)))
    for job in ins.jobs:
        workers[: job.arrival, job.index] = 0
        over = np.maximum(workers[:, job.index].cumsum() - job.work, 0)  # none idle
        workers[:, job.index] = np.maximum(workers[:, job.index] - over, 0)
        workers[:, job.index] = np.minimum(workers[:, job.index], job.chunks)
    demand = np.array([job.worker for job in ins.jobs]), np.array([job.ps for job in ins.jobs])
    placers = (
        Placer(ins.cluster.worker_servers, demand[0]),
        Placer(ins.cluster.ps_servers, demand[1]),
    )

    def place(side: int, slot: int) -> np.ndarray:
        need = [job.ps_needed(int(workers[slot, job.index])) for job in ins.jobs]
        return placers[side].place(np.array(need) if side else workers[slot]).counts

    found = repaired(ins, workers, place, zero_prices(ins.cluster))
    judged = score(ins, found.schedule())
    assert judged.feasible
    assert judged.objective == pytest.approx(found.value)


def test_what_is_removed_is_free_again() -> None:
    ins = contended(0)
    empty, found = Occupancy(ins), Occupancy(ins)
    inserted = found.insert(range(len(ins.jobs)), zero_prices(ins.cluster))
    assert inserted
    for i in inserted:
        found.remove(i)
    assert found.value == 0
    np.testing.assert_allclose(found.free.worker, empty.free.worker, atol=1e-12)
    np.testing.assert_allclose(found.free.ps, empty.free.ps, atol=1e-12)


def test_only_the_last_loads_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing, "_REMEMBERED", 2)
    placer = Placer(np.array([[3.0]]), np.array([[1.0]]))
    first = placer.place(np.array([1]))
    assert placer.place(np.array([1])) is first
    for load in 2, 3:
        placer.place(np.array([load]))
    assert placer.place(np.array([1])) is not first
    assert len(placer._known) == 2
