"""Tables of runs on `completion`, on a schedule made by hand."""

from __future__ import annotations

import numpy as np

from benchmarks.completion.tables import blocks, losses, metrics
from benchmarks.study.run import run_policy
from models.completion import CompletionSchedule
from online.completion.a_online import AOnline
from tests.models.completion.small import instance, job


def two_jobs() -> CompletionSchedule:
    # Each worker with its PS takes the server's 2 Gbps: b waits for a. b could do with 1 slot.
    ins = instance([job("a", weight=3.0), job("b", 1, weight=2.0)])
    rows = [(0, 0, 1, 0, 1, 1), (1, 2, 4, 0, 1, 1)]
    return CompletionSchedule.build(ins, [0, 0], [0, 0], rows)


def test_losses_add_up() -> None:
    ins = instance([job("a", weight=3.0), job("b", 1, weight=2.0)])
    table = losses(ins, two_jobs())
    assert table["waits"].tolist() == [0.0, 2.0]
    assert table["slow"].tolist() == [0.0, 2.0]
    assert table["least"].tolist() == [3.0, 2.0]
    lost = table[["waits", "slow", "least"]].to_numpy().sum()
    done = np.array([3.0, 2.0]) @ [1, 4 - 1]
    assert lost == done


def test_blocks_are_what_a_gantt_chart_needs() -> None:
    ins = instance([job("a", weight=3.0), job("b", 1, weight=2.0)])
    table = blocks(ins, two_jobs())
    assert table.values.tolist() == [
        ["a", 0, 0, 1, 2, 1.0, "type 0"],
        ["b", 0, 2, 4, 2, 1.0, "type 0"],
    ]


def test_metrics_of_a_run() -> None:
    ins = instance([job("a", weight=3.0), job("b", 1, weight=2.0)])
    found = metrics(ins, run_policy(ins, AOnline))
    assert found["total"] - found["weighted_jct"] == 2.0  # sum of w a
    assert found["blocks"] >= 1 and found["alpha"] >= 1
    assert found["makespan"] >= 2
