"""Optima slot by slot, and the certificates of their bounds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from models.errors import InputError
from models.files import canonical, decode, read_bytes, write_atomic
from models.reward import PROBLEM
from models.reward.certificates import RewardCertificateFile
from models.reward.instance import RewardInstance
from models.reward.schedule import RewardSchedule
from models.reward.score import score
from solvers.certificate import seal
from solvers.reward import offline
from solvers.reward.certificate import certify, check
from solvers.reward.hindsight import best_fixed
from tests.models.reward.cases import random_reward
from tests.models.reward.small import WORTHLESS, reward, worthless


@pytest.fixture
def instance() -> RewardInstance:
    return random_reward(np.random.default_rng(0), slots=30, most=2)


def test_two_ports_that_take_turns() -> None:
    # One unit, f = y, the ports take turns for 8 slots: fixed, y0 + y1 <= 1 earns 4 of 8 slots;
    # slot by slot all 8.
    ins = reward([[1.0], [1.0]], [[1.0]], [[1, 0], [0, 1]] * 4)
    assert best_fixed(ins.cluster, ins.weights).value == pytest.approx(4.0, rel=1e-6)
    found = offline.solve(ins, time_limit=None)
    assert found.objective == pytest.approx(8.0, rel=1e-6)
    assert found.bound == pytest.approx(8.0, rel=1e-6)
    assert found.is_optimal


def test_sum_of_the_optima_of_the_slots(instance: RewardInstance) -> None:
    found = offline.solve(instance, time_limit=None)
    cluster = instance.cluster
    optima = [
        best_fixed(cluster, cluster.active(arrived).astype(float)).value
        for arrived in instance.arrivals
    ]
    assert found.objective == pytest.approx(sum(optima), rel=1e-6)
    assert found.objective <= found.bound <= found.objective * (1 + 1e-6)
    result = score(instance, found.schedule)
    assert result.violations == ()
    assert result.objective == pytest.approx(found.objective, rel=1e-12)
    fixed = best_fixed(cluster, instance.weights)
    assert fixed.value <= found.bound


@pytest.mark.parametrize("share", [0.0, 1e-9])
def test_no_time_leaves_a_valid_interval(instance: RewardInstance, share: float) -> None:
    best = offline.solve(instance, time_limit=None)
    start = RewardSchedule.constant(instance, np.zeros(instance.cluster.shape))
    found = offline.solve(instance, time_limit=share, start=start)
    assert found.status == "feasible"
    assert found.objective <= best.bound and found.bound >= best.objective
    assert score(instance, found.schedule).violations == ()


def test_the_better_of_the_start_and_the_fixed_decision_is_taken() -> None:
    # The start serves whoever comes; the fixed decision half of that. No time for more.
    ins = reward([[1.0], [1.0]], [[1.0]], [[1, 0], [0, 1]] * 4)
    alternating = np.array([[[1.0], [0.0]], [[0.0], [1.0]]] * 4)
    start = RewardSchedule.build(ins, np.arange(8), alternating)
    found = offline.solve(ins, time_limit=0.0, start=start)
    assert found.objective == pytest.approx(8.0)


def test_priced_slots_are_bounded_and_decided(instance: RewardInstance) -> None:
    class Pricing(offline._Slots):
        def _decision(self, slot: int, pattern: int) -> np.ndarray:
            self._solving = np.inf  # never time for a solution, always for a price
            return super()._decision(slot, pattern)

    slots = Pricing(instance, None, 0.0, None)
    slots._end = 1e300
    schedule, objective = slots.schedule()
    assert slots.message.startswith("0 of")
    bound = certify(instance, slots.duals).bound
    best = offline.solve(instance, time_limit=None)
    assert best.objective <= bound <= 1.05 * best.objective
    assert 0.8 * best.objective <= objective <= best.bound
    assert score(instance, schedule).violations == ()


def test_gangs_leave_an_interval() -> None:
    ins = random_reward(np.random.default_rng(1), gangs=True, contention=1.5)
    found = offline.solve(ins, time_limit=None)
    assert 0.0 < found.objective <= found.bound
    assert score(ins, found.schedule).violations == ()


def test_a_certificate_is_accepted(instance: RewardInstance, tmp_path: Path) -> None:
    found = offline.solve(instance, time_limit=None)
    certificate = certify(instance, found.duals)
    assert certificate.bound == found.bound
    path = tmp_path / "certificate.json.gz"
    certificate.write(path)
    verdict = check(path, instance)
    assert verdict.accepted and verdict.sense == "max"
    assert verdict.recomputed == pytest.approx(found.bound, rel=1e-12)


def test_a_certificate_is_checked_where_no_solver_is_loaded(
    instance: RewardInstance, tmp_path: Path
) -> None:
    instance.write(tmp_path / "one.json")
    certify(instance, offline.solve(instance, time_limit=None).duals).write(tmp_path / "c.json")
    probe = """
import runpy, sys
try:
    runpy.run_module("benchmarks.verify", run_name="__main__", alter_sys=True)
except SystemExit as end:
    solvers = {"cvxpy", "clarabel", "highspy", "scipy.optimize"} & set(sys.modules)
    print("code", end.code, "solvers", sorted(solvers))
"""
    done = subprocess.run(
        [sys.executable, "-c", probe, "one.json", "--certificate", "c.json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
    )
    assert done.stdout.splitlines()[-2:] == ["certificate accepted", "code 0 solvers []"]


def test_a_certificate_that_claims_too_much_is_refused(
    instance: RewardInstance, tmp_path: Path
) -> None:
    file = certify(instance, offline.solve(instance, time_limit=None).duals).file
    path = tmp_path / "certificate.json"
    forged = seal(msgspec.structs.replace(file, bound=file.bound * 0.999))
    write_atomic(path, canonical(forged))
    assert not check(path, instance).accepted
    write_atomic(path, canonical(msgspec.structs.replace(file, bound=file.bound * 1.001)))
    assert not check(path, instance).accepted  # a valid bound, but not what was sealed


def test_any_multipliers_prove_a_bound(instance: RewardInstance, tmp_path: Path) -> None:
    found = offline.solve(instance, time_limit=None)
    file = certify(instance, found.duals).file
    rng = np.random.default_rng(0)
    slots = [
        msgspec.structs.replace(
            item, multipliers=rng.random((len(item.multipliers or []), 3)).tolist()
        )
        for item in file.slots
    ]
    path = tmp_path / "certificate.json"
    write_atomic(path, canonical(seal(msgspec.structs.replace(file, slots=slots))))
    verdict = check(path, instance)
    assert not verdict.accepted
    assert verdict.recomputed >= found.objective


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"instance": "0" * 64}, "made for another instance"),
        ({"reference": [[1.0, 0.0, 0.0]]}, r"1 rows for \d+ jobs - at `\$.reference`"),
        ({"reference": "narrow"}, r"1 multipliers for 3 device types - at `\$.reference\[0\]`"),
        ({"slots": [{"arrived": [1]}]}, r"1 numbers for 4 ports - at `\$.slots\[0\].arrived`"),
        (
            {"slots": [{"arrived": [1, 0, 0, 0], "multipliers": []}]},
            r"0 rows for 1 jobs - at `\$.slots\[0\].multipliers`",
        ),
        ({"reference": "negative"}, r"`float` >= 0"),
    ],
)
def test_malformed_certificates_are_named(
    instance: RewardInstance, tmp_path: Path, change: dict, message: str
) -> None:
    file = certify(instance, offline.solve(instance, time_limit=0.0).duals).file
    copies = len(instance.cluster.copy_port)
    rows = {"narrow": [[1.0]] * copies, "negative": [[-1.0, 1.0, 1.0]] * copies}
    if isinstance(change.get("reference"), str):
        change = {"reference": rows[change["reference"]]}
    path = tmp_path / "certificate.json"
    path.write_bytes(msgspec.json.encode(msgspec.to_builtins(file) | change))
    with pytest.raises(InputError, match=message):
        check(path, instance)


def test_the_file_survives_a_round_trip(instance: RewardInstance, tmp_path: Path) -> None:
    certificate = certify(instance, offline.solve(instance, time_limit=None).duals)
    path = tmp_path / "certificate.json.gz"
    certificate.write(path)
    assert decode(read_bytes(path), RewardCertificateFile, source="") == certificate.file


@pytest.mark.parametrize(("alpha", "beta"), WORTHLESS)
def test_an_optimum_of_nothing_is_proven(alpha: float, beta: list[float]) -> None:
    ins = worthless(alpha, beta)
    result = offline.solve(ins, time_limit=5.0)
    assert (result.status, result.objective, result.gap) == ("optimal", 0.0, 0.0)
    assert result.bound is not None and 0.0 < result.bound <= PROBLEM.negligible(ins)
    assert best_fixed(ins.cluster, ins.weights).gap == 0.0
