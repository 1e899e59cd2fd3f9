"""Regimes by name: what a preset sets, and that what is given by name stands above it."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.contract import experiments_of
from benchmarks.workload.contract import Workload
from models.errors import InputError
from models.problem import own_problem_names, problem

WORKLOADS = [experiments_of(name).workload for name in own_problem_names()]
CASES = [
    pytest.param(workload, preset, id=f"{workload.problem}-{preset}")
    for workload in WORKLOADS
    for preset in workload.settings.presets
]


def size(workload: Workload) -> dict[str, Any]:
    """Large enough that the ranges of the papers are possible."""
    servers = (6, 6) if len(workload.servers.kinds) == 2 else 3
    slots = 100 if workload.problem == "jct" else 20  # each of 27 chunks or more takes a slot
    return {"jobs": 8, "slots": slots, "servers": servers, "seed": 0}


@pytest.mark.parametrize(("workload", "preset"), CASES)
def test_a_preset_draws(workload: Workload, preset: str) -> None:
    settings = workload.with_usual(workload.parse_set([f"preset={preset}"]))
    instance, _ = workload.draw(**size(workload), **settings)
    load = problem(workload.problem).load(instance)
    if preset == "moderate":
        assert 0.8 < load < 1.2
    if preset == "overload":
        assert load > 1.5


@pytest.mark.parametrize("workload", [w for w in WORKLOADS if "overload" in w.settings.presets])
def test_what_is_given_stands_above_a_preset(workload: Workload) -> None:
    told = size(workload)
    both, _ = workload.draw(**told, **workload.with_usual({"preset": "overload", "load": 0.8}))
    alone, _ = workload.draw(**told, **workload.with_usual({"preset": "moderate", "load": 0.8}))
    assert both.hash == alone.hash
    with pytest.raises(InputError, match="preset 'none': choose from"):
        workload.draw(**told, preset="none")
