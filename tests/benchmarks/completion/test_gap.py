"""What the gap command compares on `completion`: intervals that hold the optimum, bounds below."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.completion import gap
from benchmarks.completion.gap import GAP
from models.completion import score
from models.completion.formulations.time_indexed import horizon, modes
from models.errors import InputError
from tests.models.completion.small import random_instance


@pytest.mark.parametrize("seed", range(4))
def test_methods_agree(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed), allreduce=seed % 2 == 1)
    found = {
        name: method.solve(ins, time_limit=20.0, threads=1) for name, method in GAP.methods.items()
    }
    exact, toolkit, bound = (found[name] for name in ("exact", "toolkit", "bound"))
    assert exact.status == toolkit.status == "optimal"
    assert exact.objective == pytest.approx(toolkit.objective, rel=1e-6)
    assert toolkit.objective == score(ins, toolkit.schedule).objective
    assert bound.bound <= exact.objective * (1 + 1e-9)
    assert (bound.status, bound.bound_source) == ("bounded", "prices")


def test_a_large_program_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    ins = random_instance(np.random.default_rng(0))
    size = sum(len(modes(job, ins.cluster)) for job in ins.jobs)
    size *= len(ins.cluster.servers) * horizon(ins)
    monkeypatch.setattr(gap, "_LARGEST", size)
    assert GAP.methods["exact"].solve(ins, time_limit=20.0, threads=1).is_optimal
    monkeypatch.setattr(gap, "_LARGEST", size - 1)
    monkeypatch.setattr(gap, "time_indexed", lambda _: pytest.fail("built"))
    with pytest.raises(InputError, match=f"{size} modes x servers x slots are more than"):
        GAP.methods["exact"].solve(ins, time_limit=1.0, threads=1)


def test_default_methods_are_known() -> None:
    assert set(GAP.default) <= set(GAP.methods)
