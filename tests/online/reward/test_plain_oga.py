"""The plain NumPy version of OGASched: the same allocations as the compiled policy."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.study.run import run_policy
from models.errors import InputError
from online.reward.oga import OGASched
from online.reward.plain_oga import PlainOga, project_padded
from solvers.reward.projection import project
from tests.models.reward.cases import random_reward
from tests.models.reward.small import reward


@pytest.mark.parametrize("seed", range(20))
def test_the_padded_projection_is_the_projection(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cluster = random_reward(rng, zeros=seed % 2 == 1, density=3.0).cluster
    degree = np.diff(cluster.server_start)
    place = np.arange(len(cluster.server)) - cluster.server_start[cluster.server]
    shape = (len(degree), int(degree.max()), len(cluster.devices))
    padded, upper = np.full(shape, -np.inf), np.zeros(shape)
    z = np.round(rng.normal(3.0, 6.0, cluster.shape))  # whole numbers: ties
    padded[cluster.server, place], upper[cluster.server, place] = z, cluster.upper
    found = project_padded(padded, upper, cluster.capacities)[cluster.server, place]
    wanted = project(z, cluster.upper, cluster.capacities, cluster.server_start)
    assert np.abs(found - wanted).max() < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_plain_version_earns_what_the_policy_earns(seed: int) -> None:
    ins = random_reward(np.random.default_rng(seed), slots=40, most=1 + seed % 2)
    compiled = run_policy(ins, OGASched()).trace.schedule
    plain = run_policy(ins, PlainOga()).trace.schedule
    assert np.abs(compiled.allocations - plain.allocations).max() < 1e-7


def test_gangs_have_no_plain_version() -> None:
    gang = reward([[2.0]], [[2.0]], [[1]], components=[[[1.0], [1.0]]], minimum_running=[2])
    with pytest.raises(InputError, match="gang scheduling has no plain version"):
        run_policy(gang, PlainOga())
