"""Certificates: prices of any kind prove a bound, and the file is what a third party checks."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.files import canonical
from models.schema import kept_schemas
from models.utility import UtilityInstance
from models.utility.files import CertificateFile
from solvers.certificate import Verdict, is_sealed, seal
from solvers.utility.certificate import certify, check
from solvers.utility.offline import solve
from solvers.utility.pool_bound import PoolPrices, PricedCut, pool_bound, rounded
from tests.models.utility.small import constant, instance, job, random_instance
from tests.solvers.utility.brute_force import optimum
from tests.solvers.utility.slow_bound import slow_bound

#: Capacities are whole in `random_instance`; less by this share, what filled a server passes the
#: scorer still, or does no more.
SHRINK = [0.0, 5e-7, 9.99e-7, 1.02e-6, -5e-7]


def at_the_edge(ins: UtilityInstance, shrink: float, unit: float) -> UtilityInstance:
    """Demands times ``unit``, capacities times ``unit (1 - shrink)``."""

    def times(rows: list[list[float]], factor: float) -> list[list[float]]:
        return [[x * factor for x in row] for row in rows]

    capacity = unit * (1.0 - shrink)
    jobs = [
        msgspec.structs.replace(
            one, worker=times([one.worker], unit)[0], ps=times([one.ps], unit)[0]
        )
        for one in ins.file.jobs
    ]
    file = msgspec.structs.replace(
        ins.file,
        jobs=jobs,
        worker_servers=times(ins.file.worker_servers, capacity),
        ps_servers=times(ins.file.ps_servers, capacity),
    )
    return UtilityInstance.from_file(file)


@st.composite
def priced_instances(draw: st.DrawFn) -> tuple[UtilityInstance, PoolPrices]:
    """A tiny instance, often with servers filled up to the tolerance, and any prices."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    unit = draw(st.sampled_from([1.0, 1.0, 1e9, 1e-6]))
    ins = at_the_edge(
        random_instance(rng, jobs=3, slots=2, servers=2, ps_servers=1, max_work=3, chunks=2),
        draw(st.sampled_from(SHRINK)),
        unit,
    )
    price = st.one_of(st.just(0.0), st.floats(0, 1), st.floats(0, 50))
    row = st.lists(price, min_size=2, max_size=2)
    table = st.lists(row, min_size=2, max_size=2)
    weights = st.lists(
        st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(0, 3)), min_size=3, max_size=3
    )
    cut = st.builds(PricedCut, st.integers(0, 1), st.integers(0, 1), price, weights.map(np.array))
    return ins, PoolPrices(
        np.array(draw(table)) / unit,
        np.array(draw(table)) / unit,
        tuple(draw(st.lists(cut, max_size=4))),
    )


@settings(max_examples=150)
@given(priced_instances())
def test_no_prices_prove_less_than_the_optimum(case: tuple[UtilityInstance, PoolPrices]) -> None:
    ins, prices = case
    least = optimum(ins) * (1 - 1e-12)  # round-off of two ways to add up
    assert pool_bound(ins, prices) >= least
    assert certify(ins, prices).bound >= least


@settings(max_examples=150)
@given(priced_instances())
def test_the_bound_equals_a_slow_recomputation(case: tuple[UtilityInstance, PoolPrices]) -> None:
    ins, prices = case
    certificate = certify(ins, prices)
    assert certificate.bound == pytest.approx(slow_bound(ins, certificate.file), rel=1e-9)


@pytest.mark.usefixtures("short_local_search")
def test_stored_bounds_of_the_offline_solver_in_a_slow_recomputation(tmp_path: Path) -> None:
    path = tmp_path / "c.json.gz"
    priced = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        ins = random_instance(rng, jobs=6, slots=2, ps_servers=1, max_work=3, chunks=2)
        result = solve(ins, time_limit=None)
        certify(ins, result.duals).write(path)
        assert check(path, ins).accepted
        file = msgspec.json.decode(gzip.decompress(path.read_bytes()), type=CertificateFile)
        priced += bool(file.cuts) or np.any(file.worker) or np.any(file.ps)
        assert file.bound == pytest.approx(slow_bound(ins, file), rel=1e-9)
        assert optimum(ins) * (1 - 1e-12) <= file.bound
        assert result.bound <= file.bound
        assert result.bound_source == "milp" or result.bound == file.bound
    assert priced >= 5  # in the others no resource is scarce


# ---- the file ------------------------------------------------------------------------------


def three() -> tuple[UtilityInstance, PoolPrices]:
    """Jobs worth 5, 4 and 3 of 2 Gbps for two servers of 3 Gbps: the cut at price 3 proves 9.

    Payoffs 5 - 3, 4 - 3 and 0, and 3 for each of the two places: 9.
    """
    ins = instance(
        [job(f"j{v}", worker=[2.0], ps=[2.0], utility=constant(v)) for v in (5.0, 4.0, 3.0)],
        slots=1,
        worker_servers=[[3.0], [3.0]],
        ps_servers=[[9.0]],
    )
    none = np.zeros((1, 1))
    return ins, PoolPrices(none, none, (PricedCut(0, 0, 3.0, np.ones(3)),))


def test_a_certificate_worked_by_hand(tmp_path: Path) -> None:
    ins, prices = three()
    path = tmp_path / "c.json"
    certify(ins, prices).write(path)
    file = json.loads(path.read_text())
    assert file["bound"] == pytest.approx(9.0, rel=2e-9)
    assert (file["worker"], file["ps"], file["source"]) == ([[0.0]], [[0.0]], "prices")
    weights = {"j3.0": 1.0, "j4.0": 1.0, "j5.0": 1.0}
    assert file["cuts"] == [{"side": "worker", "slot": 0, "price": 3.0, "weights": weights}]
    schema = next(
        text for name, text in kept_schemas().items() if name.stem == "utility-certificate"
    )
    jsonschema.validate(file, json.loads(schema))
    verdict = check(path, ins)
    assert verdict.accepted
    assert str(verdict) == "accepted"
    assert path.read_bytes() == canonical(certify(ins, prices).file)


def test_prices_are_short_and_lose_next_to_nothing() -> None:
    rng = np.random.default_rng(0)
    weight = np.array([1.0 / 3.0, 0.0])
    prices = PoolPrices(
        rng.exponential(size=(3, 2)), -np.ones((3, 2)), (PricedCut(0, 0, 2.0 / 3.0, weight),)
    )
    short = rounded(prices)
    assert short.worker == pytest.approx(prices.worker, rel=1e-6)
    assert max(len(repr(x)) for x in short.worker.ravel().tolist()) <= len("0.0") + 8
    assert (short.ps == 0.0).all()
    assert short.cuts[0].price == 0.6666667
    assert short.cuts[0].weight.tolist() == weight.tolist()
    again = rounded(short)
    assert (again.worker == short.worker).all()


def test_a_seal_is_broken_by_any_change() -> None:
    ins, prices = three()
    file = certify(ins, prices).file
    assert is_sealed(file)
    for change in ({"bound": file.bound * 1.1}, {"worker": [[1e-9]]}, {"cuts": []}):
        changed = msgspec.structs.replace(file, **change)
        assert not is_sealed(changed)
        assert is_sealed(seal(changed))


@pytest.mark.parametrize(
    ("sense", "stored", "sealed", "accepted", "says"),
    [
        ("max", 10.0, True, True, "accepted"),
        ("max", 10.0 * (1 - 1e-10), True, True, "accepted"),
        ("max", 10.0 * (1 - 1e-9), True, False, "refused: its prices prove 10.0, not 9.9"),
        ("max", 11.0, True, True, "accepted; its prices prove more than it states, 10.0"),
        ("max", 10.0, False, False, "refused: changed since it was made"),
        ("max", 9.0, False, False, "refused: its prices prove 10.0, not 9.0"),
        ("min", 11.0, True, False, "refused: its prices prove 10.0, not 11.0"),
        ("min", 9.0, True, True, "accepted; its prices prove more than it states, 10.0"),
        ("min", 10.0, True, True, "accepted"),
    ],
)
def test_verdicts(sense: str, stored: float, sealed: bool, accepted: bool, says: str) -> None:
    verdict = Verdict(sense, stored, 10.0, sealed)
    assert verdict.accepted == accepted
    assert str(verdict).startswith(says)
    assert (str(verdict) == "accepted") == (says == "accepted")


@pytest.mark.parametrize("sense", ["max", "min"])
@pytest.mark.parametrize("proven", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_proves_nothing(sense: str, proven: float) -> None:
    verdict = Verdict(sense, 5.0, proven, sealed=True)
    assert not verdict.accepted
    assert str(verdict) == f"refused: its prices prove {proven}, not 5.0"
