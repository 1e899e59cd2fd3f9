"""Bounds from prices: no prices prove more than the optimum."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest

from models.completion import CompletionInstance
from models.completion.formulations.time_indexed import horizon
from models.errors import InputError
from models.files import canonical
from solvers.certificate import Certificate, seal
from solvers.column_generation import ColumnGeneration
from solvers.completion import piece_bound
from solvers.completion import pool_bound as pool_bound_module
from solvers.completion.certificate import certify, check
from solvers.completion.elastic_bound import elastic_bound
from solvers.completion.offline import solve
from solvers.completion.piece_bound import PieceOracle
from solvers.completion.pool_bound import PoolOracle, outward, pool_bound, rounded
from solvers.completion.pooled import PooledProblem
from solvers.price_certificate import OUTWARD, TreePrices
from tests.models.completion.brute_force import best_choice, columns
from tests.models.completion.small import instance, job, random_instance
from tests.seeds import seeds
from tests.solvers.completion.elastic import elastic_optimum

SEEDS = range(20)
PRICES = 500  # of each instance
TOLERANT = 1e-5  # bounds reckon with 1e-6 more of every capacity


@cache
def tiny(seed: int) -> tuple[CompletionInstance, float]:
    """An instance and its optimum."""
    ins = random_instance(np.random.default_rng(seed), allreduce=seed % 2 == 1, jobs=3)
    found = columns(ins, end=horizon(ins))
    return ins, -best_choice(ins, found, all_jobs=True)[0]


def random_prices(ins: CompletionInstance, rng: np.random.Generator) -> np.ndarray:
    shape = int(rng.integers(0, 7)), len(ins.cluster.resources)
    scale = 10.0 ** rng.uniform(-3, 1.5)
    return scale * rng.random(shape) * (rng.random(shape) < rng.choice([0.2, 0.6, 1.0]))


def generated_prices(ins: CompletionInstance, slots: int) -> np.ndarray:
    problem = PooledProblem(PoolOracle(ins), slots)
    return problem.prices(ColumnGeneration(problem, gap=0.0).run().duals)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_prices_prove_more_than_the_optimum(seed: int) -> None:
    ins, optimum = tiny(seed)
    rng, oracle = np.random.default_rng(seed), PoolOracle(ins)
    bounds = [oracle.bound(random_prices(ins, rng)) for _ in range(PRICES)]
    assert max(bounds) <= optimum
    best = pool_bound(ins, rounded(generated_prices(ins, horizon(ins))))
    assert max(bounds) * (1 - 1e-6) - 1e-6 <= best <= optimum


def test_generated_prices_prove_something() -> None:
    better = 0
    for seed in SEEDS:
        ins, _ = tiny(seed)
        trivial = PoolOracle(ins).bound(np.zeros((0, 2)))
        better += pool_bound(ins, generated_prices(ins, horizon(ins))) > trivial * (1 + 1e-6)
    assert better >= 3


def test_jobs_that_start_after_the_priced_slots_use_none_of_them() -> None:
    problem = PooledProblem(PoolOracle(instance([job("a", 3)], slots=6)), 2)
    (column,) = problem.price(np.zeros(2), math.inf)
    assert column.start == 3
    assert [part.size for part in problem.usage(column, 0)] == [0, 0]


def test_e1_a_job_may_straddle_the_last_priced_slot() -> None:
    # T = 2, a = 1, d = 2: one more column, "start at T", would say 4.
    ins = instance([job("a", 1, minibatches=2)], slots=2)
    assert pool_bound(ins, np.zeros((2, 1))) == pytest.approx(3.0, rel=2e-9)
    assert pool_bound(ins, np.zeros((0, 1))) == pytest.approx(3.0, rel=2e-9)
    # One slot, room for one of two jobs of a slot each: 1 + 2. A job takes 2 of 2 Gbps; price 1/2:
    # min(1 + 1, 2) twice, less 1.
    ins = instance([job("a"), job("b")], slots=1)
    for bound in (pool_bound, elastic_bound):
        assert bound(ins, np.array([[0.5]])) == pytest.approx(3.0, rel=TOLERANT)
        assert bound(ins, np.array([[0.5]])) < 3.0


@pytest.mark.parametrize("seed", seeds(30, quick=4))
def test_no_prices_prove_more_than_the_best_elastic_schedule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = {"jobs": 2, "slots": 2, "servers": int(rng.integers(1, 3)), "chunks": 2}
    ins = random_instance(rng, allreduce=seed % 2 == 1, **size)
    best = elastic_optimum(ins)
    found = columns(ins, end=horizon(ins))
    assert best <= -best_choice(ins, found, all_jobs=True)[0]
    bounds = [elastic_bound(ins, random_prices(ins, rng)) for _ in range(100)]
    bounds.append(elastic_bound(ins, generated_prices(ins, horizon(ins))))
    assert max(bounds) <= best


@pytest.mark.parametrize("shrink", [0.0, 9.9e-7, 1.02e-6])
def test_what_the_scorer_tolerates_is_within_the_bounds(shrink: float) -> None:
    # Two jobs fill the server in a slot, and overfill it by a hair: 1 + 1, unless that is too much.
    ins = instance([job("a"), job("b")], servers=[[4.0 * (1.0 - shrink)]])
    found = solve(ins, time_limit=None)
    assert found.objective == (2.0 if shrink < 1e-6 else 3.0)
    assert found.bound <= found.objective  # HiGHS may take 1e-6 more of everything
    for price in (0.0, 0.1, 0.25, 0.5, 1.0):
        prices = np.full((2, 1), price)
        assert max(pool_bound(ins, prices), elastic_bound(ins, prices)) <= found.objective


def test_pausing_beats_constant_placement() -> None:
    # a takes two of three workers' slots on a server for two; b, urgent, comes in slot 1. Constant
    # placement: a 0-2 alone, then b, or b first; an elastic a pauses.
    late = job("a", minibatches=3)
    ins = instance([late, job("b", 1, weight=9.0)], slots=2)
    constant = -best_choice(ins, columns(ins, end=horizon(ins)), all_jobs=True)[0]
    assert (constant, elastic_optimum(ins)) == (18 + 5, 18 + 4)
    prices = np.array([[1.0], [1.0], [1.0], [1.0]]) / 2.0
    assert elastic_bound(ins, prices) <= 22.0 < constant


def test_wrong_prices_are_refused() -> None:
    ins, _ = tiny(0)
    for bound in (pool_bound, elastic_bound):
        shapes = np.zeros(2), np.zeros((2, 3))
        for wrong in (*shapes, *(np.full((1, 2), price) for price in (-1.0, np.inf, 1e200))):
            with pytest.raises(ValueError, match="price"):
                bound(ins, wrong)


def test_the_margin_grows_with_what_is_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    ins, _ = tiny(0)
    pieces = PieceOracle(ins)
    tables = [np.full((3, len(ins.cluster.resources)), 0.1), np.full((3, pieces.columns), 0.1)]

    def bounds() -> list[float]:
        root = pieces.bound(tables[1], pieces.everything())
        return [PoolOracle(ins).bound(tables[0]), root]

    before = bounds()
    for module in (piece_bound, pool_bound_module):
        monkeypatch.setattr(module, "outward", lambda jobs, slots: 0.1)
    assert all(wide < narrow for wide, narrow in zip(bounds(), before, strict=True))
    monkeypatch.undo()
    assert outward(1000, 1000) == OUTWARD
    assert outward(1000, 10_000) == pytest.approx(4 * 10**7 * 2.0**-52)


# ---- certificates -------------------------------------------------------------------------


def test_rounded_prices_are_short_and_prove_nearly_the_same() -> None:
    prices = np.random.default_rng(0).random((9, 2)) * 1234.5
    short = rounded(prices)
    assert max(len(repr(x)) for x in short.ravel().tolist()) <= 10
    assert np.abs(short - prices).max() <= 1e-5
    assert (rounded(short) == short).all()
    assert (rounded(np.array([[-1e-9, 0.0]])) == 0.0).all()
    # Each resource in its own unit.
    units = np.array([1e-12, 1e9])
    assert rounded(prices * units) == pytest.approx(short * units, rel=1e-6)


def certificate(tmp_path: Path) -> tuple[CompletionInstance, Certificate, Path]:
    ins, _ = tiny(2)
    made, path = (
        certify(ins, TreePrices(generated_prices(ins, horizon(ins)))),
        tmp_path / "c.json.gz",
    )
    made.write(path)
    return ins, made, path


def test_a_certificate_is_checked_without_trust(tmp_path: Path) -> None:
    ins, made, path = certificate(tmp_path)
    assert made.bound == pool_bound(ins, np.array(made.file.prices))
    verdict = check(path, ins)
    assert verdict.accepted
    assert (verdict.stored, verdict.recomputed) == (made.bound, made.bound)
    for change in ({"bound": made.bound * 1.01}, {"prices": [[0.0, 0.0]]}):
        file = msgspec.structs.replace(made.file, **change)
        path.write_bytes(canonical(file))
        with pytest.raises(InputError):  # not gzip-ed
            check(path, ins)
        plain = tmp_path / "c.json"
        plain.write_bytes(canonical(file))
        assert not check(plain, ins).accepted
        plain.write_bytes(canonical(seal(file)))
        assert check(plain, ins).accepted == ("prices" in change and made.bound == 0.0)


def test_refusals(tmp_path: Path) -> None:
    ins, made, _ = certificate(tmp_path)
    path = tmp_path / "c.json"
    path.write_bytes(canonical(seal(msgspec.structs.replace(made.file, prices=[[1.0]]))))
    with pytest.raises(InputError, match=r"1 prices for 2 resources - at `\$.prices\[0\]`"):
        check(path, ins)
    path.write_bytes(canonical(made.file))
    with pytest.raises(InputError, match="instance"):
        check(path, tiny(3)[0])


def test_no_jobs(tmp_path: Path) -> None:
    ins = instance([])
    made = certify(ins, TreePrices(np.zeros((0, 1))))
    made.write(tmp_path / "c.json")
    assert made.bound == 0.0
    assert check(tmp_path / "c.json", ins).accepted
