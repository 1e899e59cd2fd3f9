"""Compile what is compiled before anything is timed."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.evaluate import run_policy
from benchmarks.workload.contract import Workload
from models.problem import sub_package
from online.policy import Policy
from online.registry import find_policy, policy_names

__all__ = ["warm_up"]


def warm_up(problem_name: str, others: Sequence[type[Policy]] = ()) -> None:
    """Run policies on a small instance, so that what they compile is compiled.

    The first call of a Numba kernel takes seconds, which are no part of a decision.

    Parameters
    ----------
    problem_name : str
        All its registered policies are run: between them they call every kernel.
    others : sequence of Policy subclasses
        More policies.
    """
    workload: Workload = sub_package("benchmarks", problem_name).WORKLOAD
    size = workload.quick
    instance, _ = workload.draw(
        jobs=size.jobs, slots=size.slots, servers=size.servers, seed=0, trace=None
    )
    registered = [find_policy(problem_name, name) for name in policy_names(problem_name)]
    for policy in dict.fromkeys((*registered, *others)):
        run_policy(instance, policy)
