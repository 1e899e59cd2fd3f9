"""What the gap command compares on `colocated`: intervals that hold the optimum, bounds above."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.colocated import WORKLOAD
from benchmarks.colocated.gap import GAP
from models.colocated import score
from models.errors import InputError
from tests.models.colocated.small import random_instance


@pytest.mark.parametrize("seed", range(3))
def test_methods_agree(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed))
    found = {
        name: method.solve(ins, time_limit=20.0, threads=1) for name, method in GAP.methods.items()
    }
    exact, toolkit, bound = (found[name] for name in ("exact", "toolkit", "bound"))
    assert exact.status == toolkit.status == "optimal"
    assert exact.objective == pytest.approx(toolkit.objective, rel=1e-6)
    assert toolkit.objective == score(ins, toolkit.schedule).objective
    assert bound.bound >= exact.objective * (1 - 1e-9)
    assert (bound.status, bound.bound_source) == ("bounded", "prices")


def test_a_large_program_is_not_built() -> None:
    ins, _ = WORKLOAD.draw(jobs=50, slots=20, servers=30, seed=0)
    with pytest.raises(InputError, match="30000 jobs x slots x machines are more than"):
        GAP.methods["exact"].solve(ins, time_limit=1.0, threads=1)


def test_default_methods_are_known() -> None:
    assert set(GAP.default) <= set(GAP.methods)
