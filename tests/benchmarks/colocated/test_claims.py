"""Claims on `colocated`: each says what its test says, on frames whose answer is known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmarks.catalogue import claims_of
from benchmarks.colocated.readings import BASELINES, LOADS, OWN, SPLIT
from benchmarks.study.claim import Finding, judge
from tests.benchmarks.colocated.frames import kept

SEEDS = range(5)
CLAIMS = {claim.name: claim for claim in claims_of("colocated")}
KEPT = Path(__file__).parent / "verdicts-quick.jsonl"


def judged(name: str, **frames: pd.DataFrame) -> Finding:
    """Judge a claim by the frames of its studies, by name without the problem's."""
    return judge(
        CLAIMS[name], lambda study: frames[study.removeprefix("colocated-").replace("-", "_")]
    )


def sweep(values: Mapping[str, float], column: str, at: float, **more: Any) -> pd.DataFrame:
    """Utilities that differ a little from seed to seed, the same at both loads."""
    return pd.DataFrame(
        [
            {column: at, "seed": seed, "reading": reading.name, "policy": policy, "load": 1.0}
            | {"utility": value * (1 + 0.01 * seed), **more}
            for seed in SEEDS
            for reading in LOADS
            for policy, value in values.items()
        ]
    )


EQUAL = dict.fromkeys(BASELINES, 10.0)


@pytest.mark.parametrize(
    ("figure", "study", "column"), [(6, "machines", "servers"), (7, "jobs", "jobs")]
)
def test_the_best_and_growth(figure: int, study: str, column: str) -> None:
    few, many = (sweep({OWN: own, **EQUAL}, column, at) for own, at in ((11.0, 10), (12.0, 20)))
    frame = pd.concat([few, many])
    for name in ("best", "best-moderate", "grows", "grows-moderate"):
        assert judged(f"fig{figure}-{name}", **{study: frame}).verdict == "reproduced"
    worse = pd.concat([few, sweep({OWN: 9.0, **EQUAL}, column, 20)])
    finding = judged(f"fig{figure}-best", **{study: worse})
    assert finding.verdict == "not reproduced" and "drf (20)" in finding.why
    assert judged(f"fig{figure}-grows-moderate", **{study: worse}).verdict == "not reproduced"


def test_beside_oasis() -> None:
    frame = sweep({OWN: 2.0, SPLIT: 1.0, "fifo": 9.0}, "jobs", 10)
    assert judged("fig8-best", split_jobs=frame).verdict == "reproduced"
    turned = frame.rename(columns={"jobs": "servers"}).assign(utility=1.0 / frame["utility"])
    assert judged("fig9-best-moderate", split_machines=turned).verdict == "not reproduced"


def test_median_times() -> None:
    quick, slow = {"time_all": 4.0, "time_done": 3.0}, {"time_all": 5.0, "time_done": 2.0}
    frame = pd.concat(
        [sweep({OWN: 1.0}, "jobs", 9, **quick), sweep({SPLIT: 1.0, **EQUAL}, "jobs", 9, **slow)]
    )
    assert judged("fig10-all", times=frame).verdict == "reproduced"
    finding = judged("fig10-done-moderate", times=frame)
    assert finding.verdict == "not reproduced" and "oasis" in finding.why


def test_what_one_machine_is_worth() -> None:
    parts = [
        sweep({OWN: own, SPLIT: 1.0}, "internal_times", at) for own, at in ((2.0, 1.0), (3.0, 10.0))
    ]
    frame = pd.concat(parts)
    for name in ("overhead", "overhead-lead-moderate"):
        assert judged(name, bandwidth=frame).verdict == "reproduced"
    alike = frame.assign(utility=1.0)
    for name in ("overhead-moderate", "overhead-lead"):
        assert judged(name, bandwidth=alike).verdict == "not reproduced"


def slot(way: str, delta: float = 0.5, **changes: Any) -> dict[str, Any]:
    held = {"gain": 2.0, "covers": 1.0, "packs": 1.0, "cheap": 1.0, "all": 1.0, "trials": 200}
    return {"way": way, "delta": delta, **held, **changes}


def test_rounding() -> None:
    every = ("round-covering", "round-packing", "round-all", "round-applies", "alg4-ends")
    frame = pd.DataFrame([slot("1"), slot("covering"), slot("packing"), slot("packing", 1.0)])
    assert {judged(name, rounding=frame).verdict for name in every} == {"reproduced"}
    low = {"covers": 0.7, "packs": 0.7, "cheap": 0.7, "all": 0.0}
    bad = pd.DataFrame([slot("1"), slot("covering", **low), slot("packing", **low)])
    assert judged("round-covering", rounding=bad).verdict == "not reproduced"  # 0.4 < 0.5 is left
    assert judged("round-packing", rounding=bad).verdict == "not reproduced"
    assert judged("round-all", rounding=bad).verdict == "not reproduced"
    assert "G covering: 100 %" in judged("alg4-ends", rounding=bad).measured
    none = pd.DataFrame([slot("1"), slot("packing", gain=None), slot("packing", 1.0, gain=None)])
    assert judged("round-applies", rounding=none).verdict == "not reproduced"
    assert judged("round-packing", rounding=none).verdict == "not testable"


def test_fact_1_by_hand() -> None:
    frame = pd.DataFrame([{"together": 0, "split": 1, "apart": 1}])
    assert judged("fact-1", examples=frame).verdict == "reproduced"
    assert judged("fact-1", examples=frame.assign(apart=0)).verdict == "not reproduced"


def test_every_claim_states_its_test() -> None:
    assert len(CLAIMS) == len(claims_of("colocated"))
    for claim in CLAIMS.values():
        assert claim.source and claim.text.endswith(".") and claim.test.words
        assert claim.studies or claim.test.words == "none"
    for figure in range(6, 11):
        names = [name for name in CLAIMS if name.startswith(f"fig{figure}-")]
        assert len(names) >= len(LOADS)


def test_all_claims_at_quick_size() -> None:
    expected = [json.loads(line) for line in KEPT.read_text().splitlines()]
    found = [
        {"claim": claim.name, "verdict": finding.verdict, "measured": finding.measured}
        for claim in CLAIMS.values()
        for finding in [judge(claim, kept)]
    ]
    assert found == expected
