"""The load of an instance: small ones worked by hand, and what the workloads report."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.jct import WORKLOAD as JCT
from benchmarks.reward import WORKLOAD as REWARD
from benchmarks.utility import WORKLOAD as UTILITY
from models.jct.files import ServerRecord
from models.problem import problem
from models.utility import UtilityInstance
from tests.models.jct.small import instance as jct_instance
from tests.models.jct.small import job as jct_job
from tests.models.jct.small import server as jct_server
from tests.models.reward.small import reward
from tests.models.utility.small import instance, job


def utility(jobs: list[Any], **changes: Any) -> UtilityInstance:
    """Of all worker servers and 5 slots: 20 GPUs, 40 Gbps; of parameter servers: 5 and 50."""
    fields: dict[str, Any] = {
        "slots": 5,
        "resources": ["gpu", "bandwidth_gbps"],
        "worker_servers": [[2.0, 4.0], [2.0, 4.0]],
        "ps_servers": [[1.0, 10.0]],
    }
    return instance(jobs, **{**fields, **changes})


def test_utility_by_hand() -> None:
    jobs = [
        # GPUs: 6 of 20. Bandwidth: 6 of 40; 3 slots of parameter servers, 6 of 50.
        job("a", work=6, worker=[1.0, 1.0], ps=[0.0, 2.0]),
        # Bandwidth: 12 of 40, and 12 of 50.
        job("b", work=4, arrival=3, worker=[0.0, 3.0], ps=[0.0, 3.0]),
        # 2 slots of parameter servers: GPUs 2 of 5.
        job("c", work=4, worker=[0.0, 1.0], ps=[1.0, 2.0]),
    ]
    for count, load in enumerate((0.0, 0.3, 0.6, 1.0)):
        assert problem("utility").load(utility(jobs[:count])) == pytest.approx(load)
    assert problem("utility").load(utility(jobs, slots=10)) == pytest.approx(0.5)
    assert problem("utility").load(utility(jobs, worker_servers=[[0.0, 4.0]])) == float("inf")


def test_jct_by_hand() -> None:
    servers = [jct_server(workers=2), ServerRecord(workers=["a", "b"], ps=["a", "a"])]
    first = {"chunks": 3, "chunk_slots": 2}
    jobs = [
        jct_job("j", upload=[0, 0], **first),
        jct_job("k", 3, upload=[0, 0], chunks=2, chunk_slots=4, worker_type="b"),
    ]
    # In 4 slots: of type a 6 of 12 worker-slots, of type b 8 of 4.
    assert problem("jct").load(jct_instance(jobs, servers)) == pytest.approx((0.5 + 2.0) / 2)
    # The horizon is of no account; one type, in 1 slot: 6 of 3.
    assert (
        problem("jct").load(
            jct_instance([jct_job("j", upload=[0], **first)], [jct_server(workers=3)], slots=90)
        )
        == 2.0
    )
    # epsilon = 2/3 cuts each of the 4 slots into 5, and leaves the load as it is.
    fine = jct_instance(jobs, servers, epsilon=(2, 3))
    assert problem("jct").load(fine) == problem("jct").load(fine.online) == (0.5 + 2.0) / 2
    # Type b is in the cloud alone, and then nothing is at the edge.
    far = [
        jct_job(str(n), upload=[1], cloud_upload_slots=1, worker_type=kind)
        for n, kind in enumerate("ab")
    ]
    assert problem("jct").load(jct_instance(far, [jct_server(workers=2)], cloud=True)) == 0.5
    assert problem("jct").load(jct_instance(far, [jct_server(workers=0)], cloud=True)) == 0.0
    assert problem("jct").load(jct_instance([], [jct_server()])) == 0.0


def test_reward_by_hand() -> None:
    requests, capacities = [[5.0, 0.0], [1.0, 4.0]], [[4.0, 5.0], [4.0, 5.0]]
    # Of 8 and 10 devices: 6 and 4 in the first slot, 1 and 4 in the second, none in the third.
    ins = reward(requests, capacities, [[1, 1], [0, 1], [0, 0]])
    assert problem("reward").load(ins) == pytest.approx((6 / 8 + 4 / 10) / 3)
    # Two jobs of a port request twice as much; what no server has counts for nothing.
    ins = reward(requests, [[4.0, 0.0]], [[0, 2]])
    assert problem("reward").load(ins) == pytest.approx(2 / 4)
    assert problem("reward").load(reward(requests, [[0.0, 0.0]], [[1, 1]])) == 0.0


@pytest.mark.parametrize("workload", [UTILITY, REWARD, JCT], ids=lambda item: item.problem)
def test_reports_say_the_load(workload: Any) -> None:
    size = workload.quick
    ins, report = workload.draw(jobs=size.jobs, slots=size.slots, servers=size.servers, seed=0)
    assert report.load == problem(workload.problem).load(ins) > 0
    assert f"load {report.load:.3g}\n" in str(report)


def test_the_default_of_utility_is_overloaded() -> None:
    # As measured independently: 2.5 in the mean of the default table.
    size = UTILITY.default
    loads = [
        UTILITY.draw(jobs=size.jobs, slots=size.slots, servers=size.servers, seed=seed)[1].load
        for seed in range(size.seeds)
    ]
    assert sum(loads) / len(loads) == pytest.approx(2.5, abs=0.2)
