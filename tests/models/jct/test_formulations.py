"""Formulations of `jct`: solved by hand, and in the order that the arguments claim."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pytest

from benchmarks.export import main
from models.errors import InputError
from models.export import write_model
from models.jct import JctInstance
from models.jct.formulations import (
    FORMULATIONS,
    chunk,
    flow_dual,
    flow_lp,
    fractional,
    literal,
)
from solvers.highs import HighsOptions
from solvers.pyomo_bridge import solve_model
from tests.models.jct.small import instance, job, random_instance, server, worked_example
from tests.solvers.jct.search import contended, exhaustive

EXACT = HighsOptions(mip_rel_gap=0.0)


def optimum(model: Any) -> float:
    result = solve_model(model, EXACT).result
    assert result.status == "optimal"
    assert result.objective is not None
    return result.objective


def test_worked_example() -> None:
    # Every job at its least: long 1 + 4 = 5 alone, short 1 + 1 = 2, wide 2 + 2 = 4 in the cloud,
    # 11 in all. Both of long's chunks cannot be done by 5 with short served by 2: each worker
    # would train in all of 1..4, but short needs server 0 in slot 3 (server 1 stores 2 GB < 3).
    # So long or short waits for one slot: 12.
    assert optimum(chunk(worked_example())) == pytest.approx(12.0)


def test_worked_example_with_too_little_storage() -> None:
    # 4.5 GB do not hold chunks of long (2) and short (3). Long in the cloud: 10 + 3 = 13, with
    # short at 2 and wide at 4: 19. Short in the cloud: 10 + 1 = 11, long 5, wide 4: 20.
    assert optimum(chunk(worked_example(storage_gb=4.5))) == pytest.approx(19.0)
    # (2) knows of no storage.
    assert optimum(literal(worked_example(storage_gb=4.5))) == pytest.approx(12.0)


def test_literal_shares_the_work_of_chunks() -> None:
    # Two chunks of E B / n = 1.5 slots, one worker: (2b) asks for 3 slots in all, and whole
    # slots for every chunk are 2 + 2 = 4.
    times = {
        "chunk_slots": None,
        "cloud_chunk_slots": None,
        "epochs": 1,
        "minibatches": 1,
        "minibatch_slots": 1.5,
        "update_slots": 0.0,
        "gradient_mb": 0.0,
        "bandwidth_gbps": 1.0,
    }
    example = instance([job("i", upload=[0], chunks=2, **times)], [server()])
    assert optimum(literal(example)) == pytest.approx(3.0)
    assert optimum(chunk(example)) == pytest.approx(4.0)


def test_literal_lets_chunks_migrate() -> None:
    # Three chunks of 2 slots on two workers. (2): 6 worker-slots, 2 a slot, are done in 3 slots;
    # the third chunk moves from one worker to the other. Without moving, one worker has two: 4.
    record = job("i", upload=[0], chunks=3, chunk_slots=2)
    example = instance([record], [server(workers=2)])
    assert optimum(literal(example)) == pytest.approx(3.0)
    assert optimum(chunk(example)) == pytest.approx(4.0)


def test_fractional_flow_time_by_hand() -> None:
    # One job, two chunks of 2 slots, one worker: slots 0, 1, 2, 3. (3): each slot counts
    # t / (p D) = t / 4: 0 + 1/4 + 2/4 + 3/4 = 1.5. The dual: alpha_j / 2 <= t / 4 + beta(t), with
    # beta(t) = (a - t) / 4 up to t = a: 2 alpha - sum beta is 2 * 2 a / 4 - a (a + 1) / 8,
    # largest at a = 3 or 4: 3 - 1.5 = 1.5.
    example = instance([job("i", upload=[0], chunks=2, chunk_slots=2)], [server()])
    for model in (fractional(example), flow_lp(example), flow_dual(example)):
        assert optimum(model) == pytest.approx(1.5)


def test_cloud_in_the_linear_program() -> None:
    # The job alone in the cloud: Delta_c / D for each of D = 2 chunks, 4 in all; at the edge the
    # slots 9..12: (9 + 10 + 11 + 12) / 4 = 10.5. ILP (4) adds (p_c - 1) / 2 = 1 for p_c = 3.
    record = job(
        "i", upload=[9], chunks=2, chunk_slots=3, cloud_chunk_slots=3, cloud_upload_slots=4
    )
    example = instance([record], [server()], cloud=True)
    assert optimum(flow_lp(example)) == pytest.approx(4.0)
    assert optimum(flow_dual(example)) == pytest.approx(4.0)
    assert optimum(fractional(example)) == pytest.approx(5.0)


def test_storage_in_the_dual() -> None:
    # Two workers but 1 GB: chunks of 1 GB run one at a time in the LP. Two jobs of one chunk of
    # 1 slot: flow times 0 and 1 instead of 0 and 0.
    jobs = [job(name, upload=[0], chunk_gb=1.0) for name in "ik"]
    example = instance(jobs, [server(workers=2, storage_gb=1.0)])
    assert optimum(flow_lp(example)) == pytest.approx(0.0)
    assert optimum(flow_lp(example, capacitated=True)) == pytest.approx(1.0)
    assert optimum(flow_dual(example, capacitated=True)) == pytest.approx(1.0)
    # By (7c) both hold their storage from their arrivals on, which does not fit.
    ilp = fractional(example, capacitated=True)
    assert solve_model(ilp, EXACT).result.status == "infeasible"


@pytest.mark.parametrize("seed", range(12))
def test_chunk_model_equals_exhaustive_search(seed: int) -> None:
    example = contended(seed, slots=24)
    assert optimum(chunk(example)) == pytest.approx(exhaustive(example))


@pytest.mark.parametrize("seed", range(6))
def test_strengthening_keeps_the_optimum(seed: int) -> None:
    example = random_instance(
        np.random.default_rng(seed), most_workers=2, storage=seed % 2 == 0, slots=20
    )
    plain = optimum(chunk(example, strengthen=False))
    assert optimum(chunk(example)) == pytest.approx(plain)
    weak = optimum(chunk(example, strengthen=False, relaxed=True))
    assert weak <= optimum(chunk(example, relaxed=True)) + 1e-6 <= plain + 2e-6


def small(seed: int) -> JctInstance:
    return random_instance(
        np.random.default_rng(seed),
        most_workers=1 + seed % 2,
        types=1 + seed % 3 // 2,
        storage=seed % 2 == 0,
        slots=14,
    )


@pytest.mark.parametrize("seed", [1, 3, 5, 8, 10])
def test_chain_of_bounds(seed: int) -> None:
    example = small(seed)
    total = optimum(chunk(example))
    assert optimum(literal(example)) <= total + 1e-6
    for capacitated in (False, True):
        lp, dual = (
            optimum(build(example, capacitated=capacitated)) for build in (flow_lp, flow_dual)
        )
        assert lp == pytest.approx(dual, abs=1e-6)  # strong duality
        ilp = optimum(fractional(example, capacitated=capacitated))
        assert lp <= ilp + 1e-6  # relaxed
        assert ilp <= total + 1e-6  # Lemma 1


def test_one_parameter_server_for_two_jobs() -> None:
    # Two workers, one parameter server and no cloud: two jobs of one chunk of 2 slots run one
    # after the other, 2 + 4; with two parameter servers 2 + 2.
    jobs = [job(name, upload=[0], chunk_slots=2) for name in "ik"]
    for count, total in ((1, 6.0), (2, 4.0)):
        example = instance(jobs, [server(workers=2, ps=count)])
        assert optimum(chunk(example)) == pytest.approx(total)
        assert optimum(literal(example)) == pytest.approx(total)


@pytest.mark.parametrize("name", FORMULATIONS)
def test_a_model_too_large_for_memory_is_refused(name: str) -> None:
    example = instance([job("i", upload=[0], chunks=2)], [server()], slots=10**9)
    with pytest.raises(InputError, match=r"^small: about \d+ variables .* are more than 1000000"):
        FORMULATIONS[name](example)


@pytest.mark.parametrize("name", FORMULATIONS)
def test_every_formulation_is_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.lp"
    write_model(FORMULATIONS[name](worked_example()), path)
    assert path.stat().st_size > 0


def test_command_writes_the_chunk_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worked_example().write(tmp_path / "one.json")
    assert main([str(tmp_path / "one.json"), "--out", str(tmp_path / "one.mps")]) == 0
    assert "chunk of worked example" in capsys.readouterr().out
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(tmp_path / "one.mps")) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getInfo().objective_function_value == pytest.approx(12.0)
