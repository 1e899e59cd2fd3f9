"""Whether the ratio 4 alpha of Theorem 5 is proven for a run of the literal A_online."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from models.completion.cluster import Cluster
from models.completion.instance import CompletionInstance
from online.completion.max_weight import Block, MaxWeight, Round
from online.policy import Guarantee
from solvers.completion.modes import DURATION, modes_of
from solvers.completion.oracle import best_schedule

__all__ = ["check_guarantee", "evidence_of_run"]

_RELATIVE = 1e-9


def evidence_of_run(
    instance: CompletionInstance, alpha: int, algorithm: MaxWeight, rounds: Sequence[Round]
) -> dict[str, Any]:
    """What :func:`check_guarantee` needs to know of a run, in JSON's types.

    ``least_ratio`` is the least weight over what a chosen schedule holds; ``largest_demand`` the
    largest ``f / C`` of one times ``log2 lambda``; ``dual_violation`` tells by how much (9a) fails
    at most, ``violating_job`` where; ``left_out`` how many jobs would have fitted into a block of
    their round and did not get into any.
    """
    cluster, scale = instance.cluster, algorithm.log_lambda / math.log(2.0)
    ratios, demands, violations, left_out = [1.0], [0.0], [(0.0, "")], 0
    for slots, jobs, blocks in rounds:
        left = {job.index: job for job in jobs}
        for block in blocks:
            violations += _violations(cluster, slots, block)
            for column in block.columns:
                amounts = column.amounts(cluster)
                used = amounts > 0.0
                ratios.append(left.pop(column.job).weight / (column.duration * amounts.sum()))
                demands.append(
                    scale * (amounts[used] / cluster.servers[column.servers][used]).max()
                )
        left_out += sum(modes_of(job, cluster)[0, DURATION] <= slots for job in left.values())
    worst, job_id = max(violations, key=itemgetter(0))
    return {
        "alpha": int(alpha),
        "least_ratio": float(min(ratios)),
        "largest_demand": float(max(demands)),
        "dual_violation": float(worst),
        "violating_job": job_id,
        "left_out": int(left_out),
    }


def check_guarantee(evidence: Mapping[str, Any]) -> Guarantee:
    """Check what the proof of Theorem 5 supposes of one run.

    1. ``w_j`` is at least what the chosen schedule holds, over its slots, servers and resources:
       the first assumption of Sec. 5.1, as far as the proof of Theorem 3 uses it. (That it is at
       most F times as much only serves (9a).)
    2. ``f / C <= 1 / log2 lambda`` of the chosen schedules: the second.
    3. (9a) at the final prices of every block, over all schedules that fit in *full* capacities.
       The assumptions do not imply it: a resource of which schedules need little may be
       exhausted and still price nobody out.
    4. A round leaves nobody out who fits into a block. The proof of Lemma 2 overlooks that
       after alpha blocks up to ``w_min`` may be lacking.
    """
    fails = []
    if (ratio := evidence["least_ratio"]) < 1.0 - _RELATIVE:
        fails.append(f"w >= sum f (w is {ratio:.4g} of it)")
    if (demand := evidence["largest_demand"]) > 1.0 + _RELATIVE:
        fails.append(f"f/C <= 1/log lambda ({demand:.4g} times as much)")
    if (worst := evidence["dual_violation"]) > 0.0:
        job_id = evidence["violating_job"]
        fails.append(f"(9a) at final prices (job '{job_id}' would gain {worst:.4g} more)")
    if left_out := evidence["left_out"]:
        fails.append(f"Lemma 2 ({left_out} jobs are left out that fit into a block)")
    return Guarantee(4.0 * evidence["alpha"], not fails, "; ".join(fails))


def _violations(cluster: Cluster, slots: int, block: Block) -> Iterator[tuple[float, str]]:
    """By how much payoffs at the final prices exceed u_j, and the ids of the jobs.

    Over all schedules that the scorer accepts, since the optimum may use its tolerance.
    """
    full = np.repeat(cluster.tolerant.servers[None], slots, axis=0)
    payoffs = {column.job: column.payoff for column in block.columns}
    for job in block.jobs:
        worth = np.full(slots + 1, job.weight)
        column = best_schedule(job, cluster.tolerant, block.prices, full, worth, first=0)
        excess = column.payoff - payoffs.get(job.index, 0.0) if column else 0.0
        if excess > _RELATIVE * job.weight:
            yield excess, job.id
