"""Claims on `completion`: each says what its test says, on frames whose answer is known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmarks.catalogue import claims_of
from benchmarks.completion.readings import BASELINES, OWN, READINGS
from benchmarks.completion.studies import TYPES
from benchmarks.study.claim import Finding, judge
from tests.benchmarks.completion.frames import kept

SEEDS = range(5)
CLAIMS = {claim.name: claim for claim in claims_of("completion")}
KEPT = Path(__file__).parent / "verdicts-quick.jsonl"
EQUAL = dict.fromkeys(BASELINES, 10.0)
TIMES = ("fig7-2min", "fig7-rises")


def judged(name: str, **frames: pd.DataFrame) -> Finding:
    """Judge a claim by the frames of its studies, by name without the problem's."""
    return judge(
        CLAIMS[name], lambda study: frames[study.removeprefix("completion-").replace("-", "_")]
    )


def sweep(
    values: Mapping[str, float], *, at: int = 100, column: str = "jobs", **more: Any
) -> pd.DataFrame:
    """Totals that differ a little from seed to seed, the same in all readings."""
    return pd.DataFrame(
        [
            {column: at, "seed": seed, "reading": reading.name, "policy": policy, **more}
            | {"total": value * (1 + 0.01 * seed), "weighted_jct": value / 2}
            for seed in SEEDS
            for reading in READINGS
            for policy, value in values.items()
        ]
    )


@pytest.mark.parametrize(
    ("own", "best", "by_30"),
    [
        (6.9, "reproduced", "reproduced"),
        (7.1, "reproduced", "not reproduced"),
        (10.1, "not reproduced", "not reproduced"),
    ],
)
def test_by_30_percent(own: float, best: str, by_30: str) -> None:
    frame = sweep({OWN: own, **EQUAL})
    assert judged("fig2-best-fixed", jobs_ps=frame).verdict == best
    for name in ("fig2-30", "fig2-30-literal", "fig2-30-jct"):
        assert judged(name, jobs_ps=frame).verdict == by_30
    worst = sweep({OWN: 1.0, **EQUAL, "drf": 1.2})
    finding = judged("fig2-30", jobs_ps=worst)
    assert finding.verdict == "not reproduced"
    assert finding.measured.startswith("16.7 % (against drf at 100 jobs) to 90.0 %")


def test_two_are_far_from_the_others() -> None:
    far = {OWN: 5.0, "fifo": 6.0, "drf": 6.0, "antman": 12.0, "tiresias": 13.0}
    assert judged("fig2-far", jobs_ps=sweep(far)).verdict == "reproduced"
    near = {**far, "antman": 6.0}
    assert judged("fig2-far", jobs_ps=sweep(near)).verdict == "not reproduced"


def test_the_total_rises_with_servers() -> None:
    few, many = (sweep({OWN: v, **EQUAL}, at=at, column="servers") for v, at in ((5, 10), (6, 20)))
    frame = pd.concat([few, many])
    assert judged("fig3-rises", servers_ps=frame).verdict == "reproduced"
    flipped = frame.assign(servers=30 - frame["servers"])
    assert judged("fig3-rises-blocks", servers_ps=flipped).verdict == "not reproduced"
    assert "fig3-rises-fixed" not in CLAIMS  # the baselines do not concern it


def test_alpha() -> None:
    frame = sweep({OWN: 5.0, **EQUAL}, alpha=440, blocks=3.5)
    assert judged("alpha-4", jobs_ps=frame).verdict == "not reproduced"
    assert judged("alpha-blocks-moderate", jobs_ps=frame).verdict == "reproduced"


def test_both_architectures_rank_alike() -> None:
    one = sweep({OWN: 1, "fifo": 2, "drf": 3, "antman": 4, "tiresias": 5})
    other = sweep({OWN: 1, "fifo": 2, "drf": 3, "antman": 5, "tiresias": 4})
    turned = sweep({OWN: 5, "fifo": 4, "drf": 3, "antman": 2, "tiresias": 1})
    assert judged("fig5-similar", jobs_ps=one, jobs_allreduce=other).verdict == "reproduced"
    assert judged("fig5-similar", jobs_ps=one, jobs_allreduce=turned).verdict == "not reproduced"


def with_f(values: Mapping[float, float], value: str, policy: str) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"seed": seed, "policy": policy, "moves": moves, "factor": f, value: v + 0.01 * seed}
            for seed in SEEDS
            for moves in ("prices", "weights")
            for f, v in values.items()
        ]
    )


def test_f_moves_the_total_and_the_weight() -> None:
    rising, falling = {0.1: 1.0, 1.0: 1.0, 10.0: 2.0}, {0.1: 2.0, 1.0: 2.0, 10.0: 1.0}
    for claim, value, policy, study in (
        ("fig4-rises", "total", OWN, "bounds"),
        ("fig11-falls-weights", "weight", "a-maxweight", "batch_bounds"),
    ):
        up, down = (with_f(v, value, policy) for v in (rising, falling))
        verdicts = [judged(claim, **{study: frame}).verdict for frame in (up, down)]
        assert verdicts == (
            ["reproduced", "not reproduced"]
            if value == "total"
            else ["not reproduced", "reproduced"]
        )


def test_times() -> None:
    frame = pd.DataFrame(
        [
            {"architecture": a, "jobs": j, "seed": s, "policy": OWN, "seconds": 0.1 * j + s}
            for a in ("ps", "allreduce")
            for j in (10, 20)
            for s in SEEDS
        ]
    )
    assert judged("fig7-2min", seconds=frame).verdict == "reproduced"
    assert judged("fig7-rises", seconds=frame).verdict == "reproduced"
    slow = frame.assign(seconds=130.0)
    assert judged("fig7-2min", seconds=slow).verdict == "not reproduced"
    assert judged("fig7-rises", seconds=slow).verdict == "not reproduced"


def test_worker_types() -> None:
    totals = {None: 1.0, 0: 1.1, 1: 1.5, 2: 1.2, 3: 2.0}
    frame = pd.concat(
        [
            sweep({OWN: total}, column="only_type", at=kind, architecture=a)
            for kind, total in totals.items()
            for a in ("ps", "allreduce")
        ]
    )
    assert judged("fig9-best", types=frame).verdict == "reproduced"
    assert judged("fig9-matters", types=frame).verdict == "reproduced"
    even = frame.assign(total=1.0)
    finding = judged("fig9-best-moderate", types=even)
    assert finding.verdict == "not reproduced" and TYPES[0] in finding.why
    assert judged("fig9-matters", types=even).verdict == "not reproduced"


def test_batches() -> None:
    frame = pd.DataFrame(
        [
            {"servers": h, "jobs": j, "seed": s, "policy": name, "weight": w * j / h * (1 + s)}
            for h in (1, 2)
            for j in (10, 20)
            for s in SEEDS
            for name, w in (("a-maxweight", 2.0), ("greedy", 1.0))
        ]
    )
    assert judged("fig12-falls", batch_servers=frame).verdict == "reproduced"
    assert judged("fig12-rises", batch_servers=frame).verdict == "reproduced"
    assert judged("fig8-better", batch_jobs=frame.query("servers == 1")).verdict == "reproduced"
    turned = frame.assign(servers=3 - frame["servers"], jobs=30 - frame["jobs"])
    assert judged("fig12-falls", batch_servers=turned).verdict == "not reproduced"
    assert judged("fig12-rises", batch_servers=turned).verdict == "not reproduced"


def test_the_guarantee() -> None:
    rows = {"ratio_upper": 50.0, "guarantee": 300.0, "guarantee_applies": True}
    frame = pd.DataFrame([{**rows, "ample": a, "guarantee_fails": ""} for a in (True, False)])
    assert judged("thm5-ratio", guarantee=frame).verdict == "reproduced"
    assert judged("sec5-assumed", guarantee=frame).verdict == "reproduced"
    bad = frame.assign(ratio_upper=301.0, guarantee_applies=False, guarantee_fails="w >= sum f")
    assert judged("thm5-ratio", guarantee=bad).verdict == "not reproduced"
    finding = judged("sec5-assumed", guarantee=bad)
    assert finding.verdict == "not reproduced" and "w >= sum f (1)" in finding.measured


def test_every_claim_states_its_test() -> None:
    assert len(CLAIMS) == len(claims_of("completion"))
    for claim in CLAIMS.values():
        assert claim.source and claim.text.endswith(".") and claim.test.words and claim.studies
    for figure in range(2, 13):
        assert any(name.startswith(f"fig{figure}-") for name in CLAIMS)
    assert len([name for name in CLAIMS if name.startswith("fig2-best")]) == len(READINGS)


def test_all_claims_at_quick_size() -> None:
    expected = [json.loads(line) for line in KEPT.read_text().splitlines()]
    found = [
        {"claim": claim.name, "verdict": finding.verdict, "measured": finding.measured}
        for claim in CLAIMS.values()
        if claim.name not in TIMES
        for finding in [judge(claim, kept)]
    ]
    assert found == expected
