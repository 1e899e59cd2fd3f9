"""What the gap command compares on `jct`: intervals that hold the optimum, bounds below it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gap import main
from benchmarks.jct import WORKLOAD
from benchmarks.jct.gap import GAP
from models.errors import InputError
from models.jct import score
from tests.models.jct.small import random_instance
from tests.solvers.jct.search import exhaustive

LIMIT = 20.0  # seconds


@pytest.mark.parametrize("seed", range(6))
def test_methods_agree_with_exhaustive_search(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed), jobs=3, slots=30)
    optimum = exhaustive(ins)
    for name in ("exact", "toolkit"):
        result = GAP.methods[name].solve(ins, time_limit=LIMIT, threads=1)
        assert result.status == "optimal"
        assert result.objective == score(ins, result.schedule).objective == optimum
        assert result.bound <= optimum
    bound, paper = (
        GAP.methods[name].solve(ins, time_limit=LIMIT, threads=1) for name in ("bound", "paper")
    )
    assert paper.bound <= bound.bound <= optimum
    assert (bound.status, paper.status) == ("bounded", "bounded")
    assert (bound.bound_source, paper.bound_source) == ("prices", "milp")


def test_a_bound_out_of_time_is_none_or_weaker() -> None:
    ins, _ = WORKLOAD.draw(jobs=20, slots=50, servers=20, seed=0)
    late = GAP.methods["paper"].solve(ins, time_limit=0.0, threads=1)
    assert (late.status, late.bound) == ("interrupted", None)
    early = GAP.methods["bound"].solve(ins, time_limit=0.0, threads=1)
    assert early.message == "the linear program was not solved in time"
    assert 0 < early.bound <= GAP.methods["bound"].solve(ins, time_limit=LIMIT, threads=1).bound


@pytest.mark.usefixtures("guarded_here")
def test_the_command_on_jct(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--problem", "jct", "--sizes", "3x10x3", "--times", "10", "--seeds", "1"]
    argv += ["--set", "chunks=2:4", "--set", "cloud=no", "--set", "worker_types=1:1"]
    assert main([*argv, "--methods", "toolkit,bound", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("jct chunks=2:4 cloud=no worker_types=1:1, ")
    assert "3x10x3" in printed
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    toolkit, bound = rows
    assert toolkit["objective"] >= toolkit["bound"] >= bound["bound"] > 0
    assert toolkit["gap"] == (toolkit["objective"] - toolkit["bound"]) / toolkit["bound"]
    assert (bound["objective"], bound["gap"]) == (None, None)
    with pytest.raises(InputError, match="unknown setting 'chunk'"):
        main([*argv, "--set", "chunk=2:4"])


def test_default_methods_are_known() -> None:
    assert set(GAP.default) <= set(GAP.methods)
