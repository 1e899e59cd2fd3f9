"""How many optima of the default workload are proven in a minute."""

from __future__ import annotations

import pytest

from benchmarks.utility import WORKLOAD
from solvers.utility.offline import solve

SECONDS = 60.0


@pytest.mark.sweep
def test_58_of_60_instances_are_proven_in_a_minute_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # 10 jobs, 10 slots. All are, on a quiet machine: docs/formulations.md. Others may need more.
    late = []
    for servers in ((5, 5), (10, 10), (20, 20)):
        for seed in range(20):
            ins = WORKLOAD.draw(jobs=10, slots=10, servers=servers, seed=seed)[0]
            result = solve(ins, time_limit=SECONDS, threads=2)
            with capsys.disabled():
                print(
                    f"\n{servers} seed {seed}: {result.status} {result.objective:.4f} "
                    f"<= {result.bound:.4f} in {result.seconds:.1f} s",
                    end="",
                )
            if result.status != "optimal" or result.gap is None or result.gap > 1e-4:
                late.append((servers, seed))
    assert len(late) <= 2, late
