"""Claims on `jct`: each says what its test says, on frames whose answer is known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmarks.catalogue import claims_of
from benchmarks.contract import part_of
from benchmarks.jct.readings import BASELINES, OWN, READINGS
from benchmarks.study.claim import Finding, judge
from benchmarks.study.tests import NotTestable
from tests.benchmarks.frames import kept

SEEDS = range(5)
WORST = dict.fromkeys(BASELINES, 10.0)
CLAIMS = {claim.name: claim for claim in claims_of("jct")}
CLAIM_OF = {claim.name: claim for claim in part_of("jct", "claims")}  # in no reading yet
KEPT = Path(__file__).parent / "verdicts-quick.jsonl"


def judged(name: str, **frames: pd.DataFrame) -> Finding:
    """Judge a claim by the frames of its studies, by name without the problem's."""
    return judge(CLAIMS[name], lambda study: frames[study.removeprefix("jct-").replace("-", "_")])


def sweep(
    values: Mapping[str, float],
    *,
    column: str = "jobs",
    at: int = 100,
    name: str = "total_jct",
    readings: Mapping[str, Mapping[str, float]] | None = None,
    **more: Any,
) -> pd.DataFrame:
    """Values that differ a little from seed to seed; ``readings`` changes those of baselines."""
    return pd.DataFrame(
        [
            {column: at, "seed": seed, "policy": policy, "reading": reading, name: value, **more}
            for seed in SEEDS
            for reading in (reading.name for reading in READINGS)
            for policy, first in values.items()
            if policy not in OWN or reading == "gpus"
            for value in [
                ((readings or {}).get(reading, {}).get(policy, first)) * (1 + 0.01 * seed)
            ]
        ]
    )


def test_lowest_in_its_reading() -> None:
    own = {"a-online": 4.0, "a-online-e": 1.0}
    jobs = sweep({**own, **WORST}, readings={"chunks": {"srtf": 3.0}})
    assert judged("fig7-best", jobs=jobs).verdict == "reproduced"
    assert judged("fig7-best-edge", jobs=jobs).verdict == "reproduced"
    finding = judged("fig7-best-chunks", jobs=jobs)
    assert finding.verdict == "not reproduced"
    assert finding.why == "worse than srtf (100)"
    assert judged("fig7-best-e-chunks", jobs=jobs).verdict == "reproduced"
    assert judged("fig7-cloud", jobs=jobs).verdict == "not reproduced"
    assert judged("fig7-best", jobs=jobs.query("seed == 0")).verdict == "not testable"


def test_preemptions() -> None:
    values = {"a-online": 4.0, "a-online-e": 5.0, "srtf": 2.0, "tiresias-l": 9.0}
    jobs = sweep(values, name="preemptions")
    assert judged("fig9-edge", jobs=jobs).verdict == "reproduced"
    assert judged("fig9-srtf", jobs=jobs).verdict == "reproduced"
    assert judged("fig9-low-edge", jobs=jobs).verdict == "reproduced"
    low = sweep({**values, "a-online": 1.0}, name="preemptions")
    assert judged("fig9-srtf-uniform", jobs=low).verdict == "not reproduced"
    high = sweep({**values, "a-online": 9.5}, name="preemptions")
    finding = judged("fig9-low", jobs=high)
    assert finding.verdict == "not reproduced"
    assert finding.why == "worse than srtf or tiresias-l (100)"


def test_preemptions_grow() -> None:
    # 2 more from 100 to 200 jobs; 1 % more with every seed, 2 % in the mean.
    few = sweep({"a-online": 1.0, "srtf": 1.0, "tiresias-l": 1.0}, name="preemptions")
    many = sweep({"a-online": 3.0, "srtf": 1.0, "tiresias-l": 2.0}, name="preemptions", at=200)
    finding = judged("fig5-grows", testbed=pd.concat([few, many]))
    assert "a-online 1.02/3.06, slope 2.04 [" in finding.measured
    assert (finding.verdict, finding.why) == ("not reproduced", "not shown for srtf")
    more = sweep({"a-online": 3.0, "srtf": 2.0, "tiresias-l": 2.0}, name="preemptions", at=200)
    assert judged("fig5-grows", testbed=pd.concat([few, more])).verdict == "reproduced"


def test_reduction_grows() -> None:
    # From 1 - 4/10 to 1 - 2/10: 20 percentage points in 100 jobs; to 1 - 4/8, and 1 - 2/8.
    few = sweep({"a-online": 4.0, "a-online-e": 8.0, **WORST})
    many = sweep({"a-online": 2.0, "a-online-e": 6.0, **WORST}, at=200)
    finding = judged("fig7-grows", jobs=pd.concat([few, many]))
    assert finding.verdict == "reproduced"
    assert "a-online against srtf 60.0/80.0 %, slope 20 [20, 20] points per 100" in finding.measured
    swapped = pd.concat([few.assign(jobs=200), many.assign(jobs=100)])
    finding = judged("fig7-grows-edge", jobs=swapped)
    assert finding.verdict == "not reproduced"
    assert finding.why.startswith(
        "not shown for a-online against srtf, a-online against tiresias-l"
    )
    assert judged("fig7-cloud-grows", jobs=pd.concat([few, many])).verdict == "reproduced"


def test_rates_move() -> None:
    own = {"a-online": 2.0, "a-online-e": 8.0}
    few = sweep({**own, **WORST, "batchsche": 20.0}, column="servers", at=10)
    later = {"a-online": 4.0, "a-online-e": 6.0, **WORST}
    many = sweep({**later, "batchsche": 30.0}, column="servers", at=20)
    servers = pd.concat([few, many])
    assert judged("fig8-rise", servers=servers).verdict == "reproduced"
    finding = judged("fig8-fall-edge", servers=servers)
    assert (finding.verdict, finding.why) == ("not reproduced", "not shown for tiresias-l")
    assert "a-online-e 0.8/0.6, fall 2 [" in finding.measured
    same = sweep({**later, "batchsche": 20.0}, column="servers", at=20)
    finding = judged("fig8-rise", servers=pd.concat([few, same]))
    assert (finding.verdict, finding.why) == ("not reproduced", "not shown for batchsche")


@pytest.mark.parametrize(
    ("jct", "verdict"), [(6.9, "reproduced"), (7.2, "not reproduced"), (5.0, "not reproduced")]
)
def test_up_to_is_a_percentage(jct: float, verdict: str) -> None:
    # Reductions of 31, 28 and 50 % against 35, 5 points off at most; 10 % at another point.
    finding = judged(
        "upto-srtf",
        jobs=sweep({"a-online": jct, **WORST}),
        servers=sweep({"a-online": 9.0, **WORST}, column="servers", at=10),
    )
    assert finding.verdict == verdict
    assert finding.measured.startswith("10.0 % (10 servers) to ")


def test_smaller_on_testbed() -> None:
    small = sweep({"a-online": 9.0, **WORST})
    large = sweep({"a-online": 5.0, **WORST})
    finding = judged("fig4-smaller", testbed=small, jobs=large)
    assert finding.verdict == "reproduced"
    assert finding.measured.startswith("against the best baseline: testbed 10 [")
    assert judged("fig4-smaller", testbed=large, jobs=small).verdict == "not reproduced"


def test_batches_in_the_cloud() -> None:
    for share, verdict in ((60, "reproduced"), (50, "not reproduced")):
        jobs = sweep({"a-online": 1.0, "batchsche": 2.0}).assign(jobs_in_cloud=share)
        finding = judged("fig7-batches", jobs=jobs)
        assert finding.verdict == verdict
        assert finding.measured == f"{share} % of 100 jobs"


def curves(values: Mapping[str, tuple[float, ...]], **more: Any) -> pd.DataFrame:
    """Utilisation in four slots, two of them with many submissions."""
    return pd.DataFrame(
        [
            {
                "slots": 4,
                "seed": seed,
                "policy": policy,
                "reading": reading.name,
                "slot": slot,
                "utilisation": share,
                "submissions": (1, 3, 9, 1)[slot],
                "peak": max(shares),
                "busy": sum(shares) / 4,
                "makespan": 100.0 / (sum(shares) or 1.0),
                **more,
            }
            for seed in SEEDS
            for policy, shares in values.items()
            for reading in READINGS
            if policy not in OWN or reading.name == "gpus"
            for slot, share in enumerate(shares)
        ]
    )


def test_utilisation() -> None:
    full = {"a-online": (0.1, 0.2, 0.5, 1.0), "a-online-e": (0.1, 0.3, 0.6, 1.0)}
    low = dict.fromkeys(BASELINES, (0.0, 0.1, 0.2, 0.3))
    data = curves({**full, **low})
    for name in ("full", "under", "similar", "peaks", "under-edge", "similar-edge", "peaks-edge"):
        assert judged(f"fig11-{name}", utilisation=data).verdict == "reproduced"
    told = judged("fig11-full", utilisation=data).measured
    assert "a-online 100.0 to 100.0 %, 100 % in 5 of 5" in told
    assert "srtf 30.0 to 30.0 %, 100 % in 0 of 5" in told


def test_utilisation_the_other_way() -> None:
    part = {"a-online": (0.1, 0.2, 0.5, 0.99), "a-online-e": (0.1, 0.3, 0.6, 1.0)}
    falling = dict.fromkeys(BASELINES, (0.9, 0.8, 0.7, 0.6))
    data = curves({**part, **falling})
    for name in ("full", "under-edge", "similar", "peaks"):
        assert judged(f"fig11-{name}", utilisation=data).verdict == "not reproduced"
    assert "a-online against srtf" in judged("fig11-under-edge", utilisation=data).why
    # A scheme that never uses the edge has no trend to compare.
    idle = curves({**part, **dict.fromkeys(BASELINES, (0.0,) * 4)}, makespan=1.0)
    assert judged("fig11-similar", utilisation=idle).verdict == "not reproduced"


def test_both_readings_of_how_much_smaller_a_makespan_is() -> None:
    # "0.76x smaller": 76 of 100 slots in the first reading, 24 of 100 in the second. A test
    # scheme's makespan is 100 over the sum of its shares.
    for share, first, second in (
        (1.0 / 4 / 0.76, "reproduced", "not reproduced"),
        (1.0 / 4 / 0.24, "not reproduced", "reproduced"),
    ):
        data = curves({"a-online": (share,) * 4, "srtf": (0.25,) * 4})
        assert judged("fig11-makespan-srtf", utilisation=data).verdict == first
        assert judged("fig11-smaller-srtf", utilisation=data).verdict == second


def test_frames_of_one_reading_need_not_name_it() -> None:
    full = {"a-online": (0.1, 0.2, 0.5, 1.0), "a-online-e": (0.1, 0.3, 0.6, 1.0)}
    data = curves({**full, **dict.fromkeys(BASELINES, (0.0, 0.1, 0.2, 0.3))})
    rows = sweep({"a-online": 4.0, "a-online-e": 5.0, **WORST}, column="servers", at=5)
    more = sweep({"a-online": 8.0, "a-online-e": 5.0, **WORST}, column="servers", at=10)
    servers = pd.concat([rows, more])
    for name in ("fig11-full", "fig11-under", "fig11-makespan-srtf", "fig8-rise", "fig8-best"):
        both = {"utilisation": data, "servers": servers}
        alone = {
            study: frame[frame["reading"] == "gpus"].drop(columns="reading")
            for study, frame in both.items()
        }
        claim = CLAIM_OF[name]
        (study,) = (one.removeprefix("jct-") for one in claim.studies)
        assert claim.test.judge(alone[study]) == judged(name, **both)


def ratios(values: Mapping[float, float], **more: Any) -> dict[str, pd.DataFrame]:
    """Certified ratios by epsilon, for both studies; the optimum is 10, the relaxation 5."""
    frame = pd.DataFrame(
        [
            {
                "jobs": jobs,
                "servers": 3,
                "seed": seed,
                "epsilon": epsilon,
                "total_jct": 10.0 * value,
                "fractional": 5.0 * value,
                "offline_status": "optimal",
                "paper_bound": 5.0,
                "ratio_upper": value * (1 + 0.001 * seed),
                "guarantee": 2 * (1 + 1 / epsilon) if epsilon else None,
                "dual_violation": 0.0,
                "other_violation": 0.0,
                "alpha_over_beta": 1.0,
                **more,
            }
            for jobs in (5, 10)
            for seed in SEEDS
            for epsilon, value in values.items()
        ]
    )
    return {"speeds_jobs": frame, "speeds_servers": frame}


DUALS = ("lemma2-dual", "lemma4-equal", "thm3-ilp", "thm3-minlp", "fig12-theory")


def test_theory() -> None:
    data = ratios({0.0: 1.5, 0.5: 1.0})
    for name in ("lemma1-bound", *DUALS):
        assert judged(name, **data).verdict == "reproduced"
        assert judged(name, **data).why == ""
    # Runs that are in both studies count once: 2 points x 5 seeds x 1 speed.
    assert "in 10 of 10 runs" in judged("thm3-minlp", **data).measured
    # 7 > 2 (1 + 1/0.5) = 6, and 7 > 3.
    bad = ratios({0.0: 1.5, 0.5: 7.0}, dual_violation=0.5, alpha_over_beta=1.01)
    for name in DUALS:
        assert judged(name, **bad).verdict == "not reproduced"
    assert judged("lemma2-dual", **bad).why.startswith("the proof counts")
    above = ratios({0.0: 1.5}, fractional=16.0)
    assert judged("lemma1-bound", **above).verdict == "not reproduced"


def test_below_in_three_readings() -> None:
    # 1.5 of the optimum is 3 times the relaxation, and its (4) is 1.5 times that.
    data = ratios({0.0: 1.5, 0.5: 1.0})
    assert judged("fig12-below", **data).verdict == "reproduced"
    assert judged("fig12-below-ilp", **data).verdict == "reproduced"
    finding = judged("fig12-below-bound", **data)
    assert finding.verdict == "not reproduced"
    assert finding.measured.startswith("epsilon 0: 3.000 to 3.000, epsilon 0.5: ")
    assert judged("fig12-below", **ratios({0.0: 1.8})).verdict == "not reproduced"


def test_ratio_and_speed() -> None:
    falls = ratios({0.0: 1.5, 0.2: 1.2, 0.5: 1.05})
    assert judged("fig12-faster", **falls).verdict == "reproduced"
    assert judged("fig12-near", **falls).verdict == "reproduced"
    bends = ratios({0.0: 1.5, 0.2: 1.1, 0.5: 1.2})
    finding = judged("fig12-faster", **bends)
    assert finding.verdict == "not reproduced"
    assert finding.why == "not shown for jobs 5, 0.2 to 0.5; jobs 10, 0.2 to 0.5"
    assert judged("fig12-near", **bends).verdict == "not reproduced"
    beaten = judged("fig12-near", **ratios({0.0: 1.5, 0.5: 0.9}))
    assert beaten.why.startswith("below 1: at 1.5 times the speed")


def test_a_claim_is_not_testable_where_cells_failed() -> None:
    lost = pd.DataFrame([{"jobs": 5, "seed": 0, "error": "killed: no memory"}])
    data = ratios({0.0: 1.5})
    frame = pd.concat([data["speeds_jobs"], lost])
    finding = judged("lemma1-bound", speeds_jobs=frame, speeds_servers=data["speeds_servers"])
    assert finding.verdict == "not testable"


def test_every_claim_states_its_test() -> None:
    claims = list(CLAIMS.values())
    assert len(CLAIMS) == len(claims_of("jct")) == 139
    for claim in claims:
        assert claim.source and claim.text.endswith(".") and claim.test.words
        assert bool(claim.studies) != isinstance(claim.test, NotTestable)
    for figure in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13):
        assert any(name.startswith(f"fig{figure}-") for name in CLAIMS)
    for percent in (30, 35, 40, 50):
        assert any(f"{percent} %" in claim.text for claim in claims)
    first = [name for name in CLAIMS if name.startswith("fig7-best")]
    assert len(first) == 2 * len(READINGS)
    # What was read anew after the first reading had been judged says so.
    later = [claim for claim in claims if "added after" in claim.test.words]
    assert len(later) == 3 * len(READINGS)
    assert all(claim.name.startswith(("fig7-category", "fig11-smaller")) for claim in later)


def test_all_claims_at_quick_size() -> None:
    expected = [json.loads(line) for line in KEPT.read_text().splitlines()]
    found = [
        {"claim": claim.name, "verdict": finding.verdict, "measured": finding.measured}
        for claim in CLAIMS.values()
        for finding in [judge(claim, kept)]
    ]
    assert found == expected
