"""Bounds from prices: no prices prove less than the optimum."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
import pytest

from models.colocated import ColocatedInstance
from models.errors import InputError
from models.files import canonical
from solvers.certificate import Certificate, seal
from solvers.colocated.certificate import certify, check
from solvers.colocated.offline import solve
from solvers.colocated.pool_bound import PoolOracle, pool_bound
from solvers.colocated.pooled import PooledProblem
from solvers.column_generation import ColumnGeneration
from solvers.price_certificate import TreePrices, rounded
from tests.models.colocated.brute_force import optimum
from tests.models.colocated.small import NOTHING, constant, instance, job, random_instance

pytestmark = pytest.mark.usefixtures("highs_here")

TOLERANT = 1e-5  # bounds reckon with 1e-6 more of every capacity


@cache
def tiny(seed: int) -> tuple[ColocatedInstance, float]:
    """An instance and its optimum."""
    ins = random_instance(np.random.default_rng(seed))
    return ins, optimum(ins)


def random_prices(ins: ColocatedInstance, rng: np.random.Generator) -> np.ndarray:
    shape = ins.cluster.slots, len(ins.cluster.resources)
    scale = 10.0 ** rng.uniform(-3, 1.5)
    return scale * rng.random(shape) * (rng.random(shape) < rng.choice([0.2, 0.6, 1.0]))


def generated_prices(ins: ColocatedInstance) -> np.ndarray:
    problem = PooledProblem(ins)
    return problem.prices(ColumnGeneration(problem, gap=0.0).run().duals)


def no_prices_prove_less(seeds: range, each: int) -> None:
    for seed in seeds:
        ins, best = tiny(seed)
        rng = np.random.default_rng(seed)
        bounds = [pool_bound(ins, random_prices(ins, rng)) for _ in range(each)]
        generated = pool_bound(ins, rounded(generated_prices(ins)))
        assert best <= generated <= min(bounds) * (1 + 1e-6) + 1e-9


def test_no_prices_prove_less_than_the_optimum() -> None:
    no_prices_prove_less(range(40), each=10)


@pytest.mark.slow
def test_ten_thousand_prices_prove_no_less_than_the_optimum() -> None:
    no_prices_prove_less(range(100, 120), each=500)


@pytest.mark.slow
def test_two_thousand_bounds_are_not_below_the_optimum() -> None:
    for seed in range(2000):
        ins = random_instance(np.random.default_rng(seed), jobs=2 + seed % 2, slots=2)
        best, problem = optimum(ins), PooledProblem(ins)
        found = ColumnGeneration(problem).run()
        assert certify(ins, TreePrices(problem.prices(found.duals))).bound >= best
        assert found.bound >= best * problem.factor * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_the_oracle_is_never_below_enumeration(seed: int) -> None:
    # Every combination of internal and external counts, at the least cost by completion slot.
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, jobs=1, servers=2)
    one, cluster = ins.jobs[0], ins.cluster.tolerant
    oracle = PoolOracle(one, cluster)
    prices = random_prices(ins, rng)
    a, b = prices @ one.worker, prices @ one.ps
    payoffs, values = oracle.payoffs(a, b), one.values(cluster.slots)
    ways = [(w, True) for w in range(oracle.internal + 1)]
    ways += [(w, False) for w in range(1, oracle.external + 1)]
    slots = range(one.arrival, cluster.slots)
    best = np.full(cluster.slots, -np.inf)
    for chosen in product(ways, repeat=len(slots)):
        done = sum(w * (one.speedup if inside else 1.0) for w, inside in chosen)
        if done >= one.work:
            cost = sum(
                w * a[t] + one.ps_needed(w) * b[t] for t, (w, _) in zip(slots, chosen, strict=True)
            )
            last = max(t for t, (w, _) in zip(slots, chosen, strict=True) if w)
            best[last:] = np.maximum(best[last:], values[last:] - cost)
    assert (payoffs >= best - 1e-6).all()
    column = oracle.best(a, b)
    if column is None:
        assert (best == -np.inf).all()
    else:
        assert column.payoff == payoffs.max()
        assert column.cost == pytest.approx(column.workers @ a + column.ps @ b)
        pace = np.where(column.inside, one.speedup, 1.0)
        mixed = (column.workers % 1 > 0) | (column.ps % 1 > 0)
        assert mixed.sum() <= 1
        if not mixed.any():
            assert column.workers @ pace >= one.tolerant_work * (1 - 1e-9)


def test_whole_counts_do_all_the_work_within_the_limits() -> None:
    whole = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        ins = random_instance(rng, jobs=1, slots=5, samples=9, max_workers=6)
        one = ins.jobs[0]
        oracle, prices = PoolOracle(one, ins.cluster), random_prices(ins, rng)
        limits = (
            rng.integers(0, oracle.internal + 1, 5),
            rng.integers(0, oracle.external + 1, 5),
        )
        column = oracle.best(prices @ one.worker, prices @ one.ps, limits)
        if column is None:
            continue
        whole += 1
        most = np.where(column.inside, *limits)
        assert (column.workers <= most).all() and (column.workers % 1 == 0).all()
        assert (column.ps == [one.ps_needed(int(w)) for w in column.workers]).all()
        assert column.workers @ np.where(column.inside, one.speedup, 1.0) >= one.work * (1 - 1e-11)
        assert not column.workers[: one.arrival].any()
        assert not column.workers[column.completion + 1 :].any()
        cost = column.workers @ prices @ one.worker + column.ps @ prices @ one.ps
        assert column.cost == pytest.approx(cost)
    assert whole >= 15


def test_by_hand_internal_first_then_mixed() -> None:
    # Two machines of 4 CPUs, a worker and a PS of 1 each, gamma = 1: two workers on one machine,
    # four on both. tau = 1, g = 1 MB, F = 4: external 1 + 1/4, internal 1 + 1/40 slots a sample.
    one = job("a", samples=4, gradient_mb=1.0, max_workers=4, utility=constant(100.0))
    ins = instance([one], slots=2, servers=[[4.0], [4.0]])
    oracle = PoolOracle(ins.jobs[0], ins.cluster.tolerant)
    assert (oracle.internal, oracle.external) == (2, 4)
    assert ins.jobs[0].work == pytest.approx(5.0)
    assert ins.jobs[0].speedup == pytest.approx(1.25 / 1.025)
    # A pair costs 2 in slot 0 and 20 in slot 1. In one slot there is room for 4 of 5 worker-slots.
    column = oracle.best(np.array([1.0, 10.0]), np.array([1.0, 10.0]))
    assert column is not None and column.completion == 1
    # Four external pairs in slot 0 for 8, then 1 of 2 x 1.2195 worker-slots inside, of 40.
    assert column.cost == pytest.approx(8.0 + 40.0 / (2 * ins.jobs[0].speedup))
    assert column.workers == pytest.approx([4.0, 2 / (2 * ins.jobs[0].speedup)])
    limits = np.full(2, 2), np.full(2, 4)
    whole = oracle.best(np.array([1.0, 10.0]), np.array([1.0, 10.0]), limits)
    assert whole is not None and whole.workers.tolist() == [4.0, 1.0]
    assert whole.inside.tolist() == [False, True] and whole.cost == 28.0


@pytest.mark.parametrize("shrink", [0.0, 9.9e-7, 1.02e-6])
def test_what_the_scorer_tolerates_is_within_the_bounds(shrink: float) -> None:
    # Two jobs of a worker and a PS overfill the machine in the only slot by a hair.
    jobs = [job(name, utility=constant(1.0)) for name in "ab"]
    ins = instance(jobs, slots=1, servers=[[4.0 * (1.0 - shrink)]])
    found = solve(ins, time_limit=None)
    assert found.objective == (2.0 if shrink < 1e-6 else 1.0)
    for price in (0.0, 0.1, 0.25, 0.5, 1.0):
        assert pool_bound(ins, np.full((1, 1), price)) >= found.objective


@pytest.mark.parametrize("name", NOTHING)
def test_where_there_is_nothing_to_win_the_bound_is_0(name: str) -> None:
    ins = NOTHING[name]
    zero = np.zeros((ins.cluster.slots, len(ins.cluster.resources)))
    assert pool_bound(ins, zero) == pytest.approx(0.0, abs=1e-300)


def test_prices_that_prove_nothing_are_refused() -> None:
    ins = instance([job("a")])
    for prices in (np.zeros((3, 1)), *(np.full((4, 1), bad) for bad in (-1.0, np.nan, 1e200))):
        with pytest.raises(ValueError, match="price"):
            pool_bound(ins, prices)


# ---- certificates -------------------------------------------------------------------------


def certificate(seed: int = 5) -> tuple[ColocatedInstance, Certificate]:
    ins, _ = tiny(seed)
    return ins, certify(ins, TreePrices(generated_prices(ins)))


def test_a_certificate_survives_its_file(tmp_path: Path) -> None:
    ins, made = certificate()
    for name in ("bound.json", "bound.json.gz"):
        made.write(tmp_path / name)
        verdict = check(tmp_path / name, ins)
        assert verdict.accepted and verdict.sense == "max"
        assert verdict.stored == verdict.recomputed == made.bound


def test_a_bound_that_is_too_low_is_refused(tmp_path: Path) -> None:
    ins, made = certificate()
    file = seal(msgspec.structs.replace(made.file, bound=0.9 * made.bound))
    (tmp_path / "forged.json").write_bytes(canonical(file))
    verdict = check(tmp_path / "forged.json", ins)
    assert verdict.sealed and not verdict.accepted
    (tmp_path / "edited.json").write_bytes(canonical(msgspec.structs.replace(made.file, bound=9e9)))
    assert not check(tmp_path / "edited.json", ins).accepted


def test_certificates_that_do_not_belong_are_refused(tmp_path: Path) -> None:
    ins, made = certificate()
    path = tmp_path / "bound.json"
    made.write(path)
    with pytest.raises(InputError, match="instance"):
        check(path, tiny(6)[0])
    for prices in (made.file.prices[1:], [[0.0]] * ins.cluster.slots):
        path.write_bytes(canonical(seal(msgspec.structs.replace(made.file, prices=prices))))
        with pytest.raises(InputError, match="prices"):
            check(path, ins)
