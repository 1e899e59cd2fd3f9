"""What problems bring to the tests that hold for all: crowded and tiny instances, other futures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from benchmarks.utility import WORKLOAD
from models.colocated import ColocatedInstance
from models.completion import CompletionInstance
from models.jct import JctInstance
from models.reward import RewardInstance
from models.utility import UtilityInstance
from online.run import Trace
from solvers.branching_tree import Branch, Deadlines
from solvers.colocated.pool_bound import PoolBounds
from solvers.completion.piece_bound import PieceOracle
from solvers.price_certificate import LeafOracle, TreePrices
from solvers.utility.deadline_tree import Allowed
from solvers.utility.deadline_tree import Branch as WorkersBranch
from solvers.utility.pool_bound import PoolPrices, PricedCut
from tests.models.colocated.small import random_instance as random_colocated
from tests.models.completion.small import random_instance as random_completion
from tests.models.jct.small import random_instance as random_jct
from tests.models.reward.cases import random_reward
from tests.models.utility.small import random_instance

__all__ = [
    "CERTIFIED",
    "CROWDED",
    "EXECUTED",
    "MAY_FAIL",
    "MOST_EVENTS",
    "OTHER_FUTURE",
    "PRICED",
    "TINY",
]


def crowded_utility(seed: int, *, slots: int = 12) -> UtilityInstance:
    """More jobs than fit, of all kinds, several a slot and out of order in the file."""
    ins = random_instance(np.random.default_rng(seed), jobs=9, slots=12, servers=3, ps_servers=3)
    return UtilityInstance.from_file(msgspec.structs.replace(ins.file, slots=slots))


def other_future_utility(ins: UtilityInstance, slot: int, seed: int) -> UtilityInstance:
    """The same until the end of a slot; then other jobs, more of them, and first in the file."""
    past = [record for record in ins.file.jobs if record.arrival <= slot]
    other = crowded_utility(seed).file.jobs
    future = [
        msgspec.structs.replace(record, id=f"x{n}{copy}", arrival=slot + 1 + n % 3)
        for n, record in enumerate(other)
        for copy in "ab"
        if slot + 1 + n % 3 < ins.cluster.slots
    ]
    return UtilityInstance.from_file(msgspec.structs.replace(ins.file, jobs=[*future, *past]))


def priced_utility(
    ins: UtilityInstance, prices: PoolPrices, rng: np.random.Generator
) -> PoolPrices:
    """A tree of random branchings, in whose leaves the prices and a cut are changed."""
    jobs, slots = len(ins.jobs), ins.cluster.slots

    def part(left: Allowed, more: int) -> list[WorkersBranch | PoolPrices]:
        i = int(rng.integers(jobs))
        branch = WorkersBranch(i, int(rng.integers(slots + 1)))
        if rng.random() < 0.5:
            branch = WorkersBranch(i, int(rng.integers(slots)), int(rng.integers(1, 4)))
        try:
            yes, no = left.split(branch)
        except ValueError:  # there is nothing to part
            more = 0
        if not more:
            factor, cut = rng.exponential(size=2)
            weight = rng.integers(0, 3, jobs).astype(float)
            side, slot = int(rng.integers(2)), int(rng.integers(slots))
            cuts = (*prices.cuts, PricedCut(side, slot, cut, weight))
            return [PoolPrices(prices.worker * factor, prices.ps, cuts)]
        return [branch, *part(yes, more - 1), *part(no, more - 1)]

    return replace(prices, tree=tuple(part(Allowed.all(jobs, slots), 3)))


def priced_tree(ins: Any, prices: TreePrices, oracle: LeafOracle, rng: np.random.Generator) -> Any:
    """A tree of random branchings on completions; in its leaves, prices of no meaning."""
    slots = ins.cluster.slots

    def part(left: Deadlines, more: int) -> list[Branch | np.ndarray]:
        chosen = Branch(int(rng.integers(len(ins.jobs))), int(rng.integers(2 * slots)))
        try:
            by, after = left.split(chosen)
        except ValueError:  # there is nothing to part
            more = 0
        if not more:
            shape = slots, oracle.columns
            dear = 10.0 ** rng.uniform(-3.0, 1.0)
            return [dear * rng.exponential(size=shape) * (rng.random(shape) < 0.4)]
        return [chosen, *part(by, more - 1), *part(after, more - 1)]

    return replace(prices, tree=tuple(part(oracle.everything(), 3)))


def priced_completion(
    ins: CompletionInstance, prices: TreePrices, rng: np.random.Generator
) -> TreePrices:
    """With prices of pieces."""
    return priced_tree(ins, prices, PieceOracle(ins), rng)


def priced_colocated(
    ins: ColocatedInstance, prices: TreePrices, rng: np.random.Generator
) -> TreePrices:
    """With prices of resources."""
    return priced_tree(ins, prices, PoolBounds(ins), rng)


def executed_rows(ins: Any, trace: Trace, slot: int) -> set[tuple]:
    """(kind, job id, slot, server, count) of everything run up to a slot."""
    return {
        (kind, ins.jobs[i].id, t, server, count)
        for kind in ("workers", "ps")
        for i, t, server, count in getattr(trace.schedule, kind).tolist()
        if t <= slot
    }


def crowded_reward(seed: int, *, slots: int = 12) -> RewardInstance:
    """Up to two jobs a port, as many as may come in the first slot; some arrays of zeros."""
    rng = np.random.default_rng(seed)
    file = random_reward(rng, ports=5, slots=slots, most=2, beta=(0.0, 0.3), zeros=True).file
    arrivals = [[2] * len(file.requests), *file.arrivals[1:]]
    return RewardInstance.from_file(msgspec.structs.replace(file, arrivals=arrivals))


def other_future_reward(ins: RewardInstance, slot: int, seed: int) -> RewardInstance:
    """The same until the end of a slot, then other arrivals; as many may come as before."""
    other = np.random.default_rng(seed).integers(0, 3, ins.arrivals.shape)
    arrivals = np.vstack([ins.arrivals[: slot + 1], other[slot + 1 :]]).tolist()
    return RewardInstance.from_file(msgspec.structs.replace(ins.file, arrivals=arrivals))


def executed_reward(ins: RewardInstance, trace: Trace, slot: int) -> set[tuple]:
    """(first slot, allocation) of everything allocated up to a slot."""
    schedule = trace.schedule
    return {
        (t, y.tobytes())
        for t, y in zip(schedule.starts.tolist(), schedule.allocations, strict=True)
        if t <= slot
    }


def crowded_jct(seed: int, *, slots: int = 12) -> JctInstance:
    """More jobs than workers, the cloud far away; for odd seeds, storage is scarce."""
    rng = np.random.default_rng(seed)
    return random_jct(
        rng,
        jobs=9,
        servers=3,
        most_workers=2,
        chunks=3,
        types=2,
        storage=seed % 2 == 1,
        slots=slots + 200,  # every job has to complete
    )


def other_future_jct(ins: JctInstance, slot: int, seed: int) -> JctInstance:
    """The same until the end of a slot; then other jobs, more of them, and first in the file."""
    past = [record for record in ins.file.jobs if record.arrival <= slot]
    future = [
        msgspec.structs.replace(record, id=f"x{n}{copy}", arrival=slot + 1 + n % 3)
        for n, record in enumerate(crowded_jct(seed).file.jobs)
        for copy in "ab"
    ]
    return JctInstance.from_file(msgspec.structs.replace(ins.file, jobs=[*future, *past]))


def executed_jct(ins: JctInstance, trace: Trace, slot: int) -> set[tuple]:
    """(kind, job id, slot, server, number) of everything run up to a slot."""
    return {
        (kind, ins.jobs[j].id, t, server, number)
        for kind in ("workers", "ps")
        for j, server, number, start, stop in getattr(trace.schedule, kind).tolist()
        for t in range(start, min(stop, slot + 1))
    }


def crowded_completion(seed: int, *, slots: int = 12) -> CompletionInstance:
    """More jobs than fit, out of order in the file; all-reduce for odd seeds."""
    rng = np.random.default_rng(seed)
    ins = random_completion(rng, allreduce=seed % 2 == 1, jobs=9, slots=12, servers=3, chunks=4)
    jobs = [msgspec.structs.replace(record, epochs=3) for record in ins.file.jobs]
    return CompletionInstance.from_file(msgspec.structs.replace(ins.file, jobs=jobs, slots=slots))


def other_future_completion(ins: CompletionInstance, slot: int, seed: int) -> CompletionInstance:
    """The same until the end of a slot; then other jobs, more of them, and first in the file."""
    past = [record for record in ins.file.jobs if record.arrival <= slot]
    parity = int(ins.cluster.allreduce)
    other = crowded_completion(2 * seed + parity).file.jobs
    future = [
        msgspec.structs.replace(record, id=f"x{n}{copy}", arrival=slot + 1 + n % 3)
        for n, record in enumerate(other)
        for copy in "ab"
        if slot + 1 + n % 3 < ins.cluster.slots
    ]
    return CompletionInstance.from_file(msgspec.structs.replace(ins.file, jobs=[*future, *past]))


def executed_completion(ins: CompletionInstance, trace: Trace, slot: int) -> set[tuple]:
    """(job id, types, slot, server, workers, PSs) of everything run up to a slot."""
    schedule = trace.schedule
    return {
        (ins.jobs[j].id, schedule.worker_type[j], schedule.ps_type[j], t, server, workers, ps)
        for j, begin, end, server, workers, ps in schedule.rows.tolist()
        for t in range(begin, min(end, slot + 1))
    }


def crowded_colocated(seed: int, *, slots: int = 12) -> ColocatedInstance:
    """More jobs than fit, out of order in the file."""
    rng = np.random.default_rng(seed)
    ins = random_colocated(rng, jobs=8, slots=10, servers=3, samples=9)
    return ColocatedInstance.from_file(msgspec.structs.replace(ins.file, slots=slots))


def other_future_colocated(ins: ColocatedInstance, slot: int, seed: int) -> ColocatedInstance:
    """The same until the end of a slot; then other jobs, more of them, and first in the file."""
    past = [record for record in ins.file.jobs if record.arrival <= slot]
    future = [
        msgspec.structs.replace(record, id=f"x{n}{copy}", arrival=slot + 1 + n % 3)
        for n, record in enumerate(crowded_colocated(seed).file.jobs)
        for copy in "ab"
        if slot + 1 + n % 3 < ins.cluster.slots
    ]
    return ColocatedInstance.from_file(msgspec.structs.replace(ins.file, jobs=[*future, *past]))


def tiny_utility(rng: np.random.Generator) -> UtilityInstance:
    """The work of some jobs is given, that of others by epochs, mini-batches and gradients."""
    ins = random_instance(rng)
    product = {"epochs": 1, "minibatches": 2, "minibatch_slots": 0.3, "gradient_mb": 50.0}
    jobs = [
        msgspec.structs.replace(job, **({"work": None, **product} if n % 2 else {}))
        for n, job in enumerate(ins.file.jobs)
    ]
    return UtilityInstance.from_file(msgspec.structs.replace(ins.file, jobs=jobs))


def certified_completion(seed: int) -> CompletionInstance:
    """Of either architecture."""
    rng = np.random.default_rng(seed)
    return random_completion(rng, allreduce=bool(rng.random() < 0.5), jobs=7, slots=4)


def certified_utility(seed: int) -> UtilityInstance:
    """Six jobs. The seeds replaced here take up to fourteen seconds to solve, most others one."""
    seed = {5: 20, 9: 21, 13: 22}.get(seed, seed)
    return WORKLOAD.draw(jobs=6, slots=6, servers=(3, 3), seed=seed, load=None)[0]


def tiny_jct(rng: np.random.Generator) -> JctInstance:
    """With a cloud; the times of some jobs are given by epochs, mini-batches and gradients."""
    ins = random_jct(rng, storage=bool(rng.random() < 0.3), slots=10**4)
    product = {"epochs": 2, "minibatches": 3, "minibatch_slots": 0.25, "update_slots": 0.125}
    product |= {"gradient_mb": 50.0, "bandwidth_gbps": 1.0}
    none = {"chunk_slots": None, "cloud_chunk_slots": None}
    jobs = [
        msgspec.structs.replace(job, **({**none, **product} if n % 2 else {}))
        for n, job in enumerate(ins.file.jobs)
    ]
    return JctInstance.from_file(msgspec.structs.replace(ins.file, jobs=jobs))


def tiny_reward(rng: np.random.Generator) -> RewardInstance:
    """Up to two jobs a port; some arrays of zeros, some jobs of two components."""
    gangs = bool(rng.random() < 0.3)
    size = {"ports": 2, "servers": 3, "devices": 2, "slots": 3}
    return random_reward(rng, **size, most=2, zeros=True, gangs=gangs)


def may_fail_jct(ins: JctInstance) -> bool:
    """Storage is limited; or all jobs, one after the other, take longer than the horizon.

    The paper supposes a horizon in which all jobs complete. Policies that do not plan ahead run out
    of storage.
    """
    longest = [max(*job.upload_slots.tolist(), job.cloud_upload_slots or 0) for job in ins.jobs]
    alone = sum(job.chunks * job.chunk_slots for job in ins.jobs) + sum(longest)
    last = max((job.arrival for job in ins.jobs), default=0)
    return bool(np.isfinite(ins.cluster.storage_gb).any()) or last + 2 * alone > ins.cluster.slots


TINY: dict[str, Callable[[np.random.Generator], Any]] = {
    "colocated": random_colocated,
    "completion": lambda rng: random_completion(rng, allreduce=bool(rng.random() < 0.5)),
    "jct": tiny_jct,
    "reward": tiny_reward,
    "utility": tiny_utility,
}
"""Instances whose optimum is soon found, of all that the files may say."""
PRICED: dict[str, Callable[[Any, Any, np.random.Generator], Any]] = {
    "colocated": priced_colocated,
    "completion": priced_completion,
    "utility": priced_utility,
}
"""Other prices for a certificate than those of the solver: with all that its file may hold."""
CERTIFIED: dict[str, Callable[[int], Any]] = {
    "colocated": lambda seed: random_colocated(np.random.default_rng(seed), jobs=8, slots=4),
    "completion": certified_completion,
    "utility": certified_utility,
}
"""Instances whose certificates are larger than those of the tiny ones, most with trees."""
MAY_FAIL: dict[str, Callable[[Any], bool]] = {"jct": may_fail_jct}
"""Whether a policy may find no schedule of a valid instance; where nothing is said, none may."""
CROWDED: dict[str, Callable[..., Any]] = {
    "colocated": crowded_colocated,
    "completion": crowded_completion,
    "jct": crowded_jct,
    "reward": crowded_reward,
    "utility": crowded_utility,
}
OTHER_FUTURE: dict[str, Callable[[Any, int, int], Any]] = {
    "colocated": other_future_colocated,
    "completion": other_future_completion,
    "jct": other_future_jct,
    "reward": other_future_reward,
    "utility": other_future_utility,
}
EXECUTED: dict[str, Callable[[Any, Trace, int], set[tuple]]] = {
    "colocated": executed_rows,
    "completion": executed_completion,
    "jct": executed_jct,
    "reward": executed_reward,
    "utility": executed_rows,
}
MOST_EVENTS: dict[str, Callable[[Any], int]] = {
    # As utility.
    "colocated": lambda ins: 3 * len(ins.jobs),
    # Arrival, its slot, completion, one turn of every job; rounds at times that double.
    "completion": lambda ins: 4 * len(ins.jobs) + 10,
    # One per arrival and per slot with arrivals; the start, the end and one turn of every chunk.
    "jct": lambda ins: sum(2 + 3 * job.chunks for job in ins.jobs),
    # Before and after the arrivals of every slot: those that learn learn from idle slots, too.
    "reward": lambda ins: 2 * ins.cluster.slots,
    # One event per arrival, and one per slot in which a job arrives or after one completes.
    "utility": lambda ins: 3 * len(ins.jobs),
}
"""How many events a run may have; elsewhere, idle time costs nothing."""
