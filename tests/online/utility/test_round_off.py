"""Round-off of capacities: it costs no place, and it gives none, in any unit."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from models.tolerance import ROUND_OFF, usable
from models.utility import UtilityInstance, score
from online.fair_shares import FairShares
from online.placements import Free
from online.registry import find_policy, policy_names
from online.run import run
from online.utility.list_schedule import list_completions
from online.utility.pools import pools_of
from online.utility.round_robin import RoundRobin
from tests.models.utility.small import instance, job, random_instance

UNIT = 2.0**-30  # about 1e-9; a power of two, so that products are exact


def with_gpus_in(ins: UtilityInstance, unit: float) -> UtilityInstance:
    """The instance with its GPUs counted in another unit; constraint (6) is not touched."""

    def times(rows: list[list[float]]) -> list[list[float]]:
        return [[row[0] * unit, *row[1:]] for row in rows]

    return UtilityInstance.from_file(
        msgspec.structs.replace(
            ins.file,
            worker_servers=times(ins.file.worker_servers),
            ps_servers=times(ins.file.ps_servers),
            jobs=[
                msgspec.structs.replace(one, worker=times([one.worker])[0], ps=times([one.ps])[0])
                for one in ins.file.jobs
            ],
        )
    )


@pytest.mark.parametrize("name", policy_names("utility"))
@pytest.mark.parametrize("seed", range(8))
def test_policies_do_the_same_in_any_unit(name: str, seed: int) -> None:
    # With a slack of 1e-9 units, two workers of 1e-9 GPU would stand where there is one.
    ins = random_instance(np.random.default_rng(seed), jobs=8, slots=6, max_work=6)
    earned = []
    for case in (ins, with_gpus_in(ins, UNIT)):
        trace = run(case, find_policy("utility", name).for_instance(case), np.random.default_rng(0))
        earned.append(score(case, trace.schedule).objective)
        used = np.zeros((case.cluster.slots, *case.cluster.worker_servers.shape))
        for index, slot, server, count in trace.schedule.workers:
            used[slot, server] += count * case.jobs[index].worker
        assert (used <= usable(case.cluster.worker_servers)).all()
    assert earned[0] == pytest.approx(earned[1])


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_a_place_more_than_there_is_and_one_that_round_off_hides(unit: float) -> None:
    # 3 x 1.1 = 3.3000000000000003 fit in 3.3, as far as GPUs go; a fourth does not.
    ins = instance(
        [job("a", chunks=4, work=8, worker=[1.1 * unit, 1.0], ps=[0.0, 4.0])],
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[3.3 * unit, 9.0]],
        ps_servers=[[0.0, 4.0]],
    )
    record = ins.jobs[0]
    free, robin = Free(pools_of(ins.cluster)), RoundRobin()
    assert robin.place(record, 4, free) is None
    placement = robin.place(record, 3, free)
    assert placement is not None
    assert free.holds(record, placement)
    free.take(record, placement)
    assert robin.place(record, 1, free) is None
    assert FairShares(pools_of(ins.cluster)).fill(ins.jobs, [4], {})[0].size == 3


def test_a_share_above_1_is_refused() -> None:
    # It would wait for room that never comes.
    slots = np.array([1])
    assert list_completions(np.array([[1.0 + 2 * ROUND_OFF]]), slots, 0).tolist() == [0]
    for share in (1.001, np.inf, np.nan):
        with pytest.raises(ValueError, match="more than the whole cluster"):
            list_completions(np.array([[share]]), slots, 0)
