"""Claims on `jct`: each judge says what its test says, on data whose answer is known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest

from benchmarks.claim import Evidence, claims_of
from benchmarks.claims import main
from benchmarks.jct import claim_judges_ratio as ratio
from benchmarks.jct import claim_judges_sweeps as sweeps
from benchmarks.jct import claim_judges_utilisation as utilisation
from benchmarks.jct.figures_common import BASELINES, OWN, READINGS, SCHEMES
from tests.benchmarks.test_claims import evidence

SEEDS = range(5)
WORST = dict.fromkeys(BASELINES, 10.0)


def sweep(
    values: Mapping[str, float],
    *,
    column: str = "jobs",
    at: int = 100,
    name: str = "total_jct",
    readings: Mapping[str, Mapping[str, float]] | None = None,
    **more: Any,
) -> list[dict[str, Any]]:
    """Values that differ a little from seed to seed; ``readings`` changes those of baselines."""
    return [
        {column: at, "seed": seed, "policy": policy, "reading": reading, name: value, **more}
        for seed in SEEDS
        for reading in READINGS
        for policy, first in values.items()
        if policy not in OWN or reading == "gpus"
        for value in [((readings or {}).get(reading, {}).get(policy, first)) * (1 + 0.01 * seed)]
    ]


def table(*parts: list[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame([row for part in parts for row in part])


def test_lowest_in_its_reading() -> None:
    rows = sweep({"a-online": 4.0, "a-online-e": 1.0, **WORST}, readings={"chunks": {"srtf": 3.0}})
    data = evidence(jct_7=table(rows))
    assert sweeps.lowest("jct-7", "jobs", "gpus")(data).verdict == "reproduced"
    finding = sweeps.lowest("jct-7", "jobs", "chunks")(data)
    assert finding.verdict == "not reproduced"
    assert finding.why == "worse than srtf (100)"
    judge = sweeps.lowest("jct-7", "jobs", "gpus", others=("a-online-e",))
    assert judge(data).verdict == "not reproduced"
    one = evidence(jct_7=table(rows).query("seed == 0"))
    assert sweeps.lowest("jct-7", "jobs", "gpus")(one).verdict == "not testable"


def test_preemptions() -> None:
    rows = sweep({"a-online": 4.0, "srtf": 2.0, "tiresias-l": 9.0}, name="preemptions")
    data = evidence(jct_9=table(rows))
    assert sweeps.fewer("jct-9", "jobs", "gpus", "srtf", "a-online")(data).verdict == "reproduced"
    assert sweeps.not_the_most("jct-9", "jobs", "edge")(data).verdict == "reproduced"
    most = evidence(jct_9=table(rows).query("policy != 'tiresias-l'"))
    more = sweeps.fewer("jct-9", "jobs", "gpus", "a-online", "srtf")(most)
    assert more.verdict == "not reproduced"
    high = sweep({"a-online": 9.5, "srtf": 2.0, "tiresias-l": 9.0}, name="preemptions")
    finding = sweeps.not_the_most("jct-9", "jobs", "gpus")(evidence(jct_9=table(high)))
    assert finding.verdict == "not reproduced"


def test_preemptions_grow() -> None:
    # 2 more from 100 to 200 jobs; 1 % more with every seed, 2 % in the mean.
    few = sweep({"a-online": 1.0, "srtf": 1.0}, name="preemptions")
    many = sweep({"a-online": 3.0, "srtf": 1.0}, name="preemptions", at=200)
    data = evidence(jct_5=table(few, many))
    judge = sweeps.grows_with("jct-5", "jobs", "gpus", ("a-online",))
    assert judge(data).verdict == "reproduced"
    assert "a-online 1.02/3.06, slope 2.04 [" in judge(data).measured
    finding = sweeps.grows_with("jct-5", "jobs", "gpus", ("a-online", "srtf"))(data)
    assert (finding.verdict, finding.why) == ("not reproduced", "not shown for srtf")


def test_reduction_grows() -> None:
    # From 1 - 4/10 to 1 - 2/10: 20 percentage points in 100 jobs.
    few = sweep({"a-online": 4.0, **WORST})
    many = sweep({"a-online": 2.0, **WORST}, at=200)
    judge = sweeps.reduction_grows("jct-7", "gpus", ("a-online",), ("srtf",))
    finding = judge(evidence(jct_7=table(few, many)))
    assert finding.verdict == "reproduced"
    assert "60.0/80.0 %, slope 20 [20, 20] points" in finding.measured
    swapped = table(few).assign(jobs=200), table(many).assign(jobs=100)
    assert judge(evidence(jct_7=pd.concat(swapped))).verdict == "not reproduced"


def test_rates_move() -> None:
    few = sweep({"a-online": 2.0, "a-online-e": 8.0, **WORST}, column="servers", at=10)
    many = sweep({"a-online": 4.0, "a-online-e": 6.0, **WORST}, column="servers", at=20)
    data = evidence(jct_8=table(few, many))
    assert sweeps.rate_moves("gpus", ("a-online",), 1.0)(data).verdict == "reproduced"
    assert sweeps.rate_moves("edge", ("a-online-e",), -1.0)(data).verdict == "reproduced"
    finding = sweeps.rate_moves("gpus", ("a-online", "batchsche"), 1.0)(data)
    assert (finding.verdict, finding.why) == ("not reproduced", "not shown for batchsche")


@pytest.mark.parametrize(
    ("jct", "verdict"), [(6.9, "reproduced"), (7.2, "not reproduced"), (5.0, "not reproduced")]
)
def test_up_to_is_a_percentage(jct: float, verdict: str) -> None:
    # Reductions of 31, 28 and 50 % against 35, 5 points off at most; 10 % at another point.
    data = evidence(
        jct_7=table(sweep({"a-online": jct, **WORST})),
        jct_8=table(sweep({"a-online": 9.0, **WORST}, column="servers", at=10)),
    )
    finding = sweeps.up_to("gpus", ("srtf",), 35)(data)
    assert finding.verdict == verdict
    assert finding.measured.startswith("10.0 % (10 servers) to ")


def test_smaller_on_testbed() -> None:
    small = sweep({"a-online": 9.0, **WORST})
    large = sweep({"a-online": 5.0, **WORST})
    judge = sweeps.smaller_on_testbed("gpus")
    assert judge(evidence(jct_4=table(small), jct_7=table(large))).verdict == "reproduced"
    assert judge(evidence(jct_4=table(large), jct_7=table(small))).verdict == "not reproduced"


def test_batches_in_the_cloud() -> None:
    for share, verdict in ((60, "reproduced"), (50, "not reproduced")):
        rows = table(sweep({"a-online": 1.0, "batchsche": 2.0})).assign(jobs_in_cloud=share)
        finding = sweeps.batches_go_to_the_cloud("gpus")(evidence(jct_7=rows))
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
                "reading": reading,
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
            if policy not in OWN or reading == "gpus"
            for slot, share in enumerate(shares)
        ]
    )


def test_utilisation() -> None:
    full = {"a-online": (0.1, 0.2, 0.5, 1.0), "a-online-e": (0.1, 0.3, 0.6, 1.0)}
    low = dict.fromkeys(BASELINES, (0.0, 0.1, 0.2, 0.3))
    data = evidence(jct_11=curves({**full, **low}))
    assert utilisation.reaches_full(data).verdict == "reproduced"
    assert utilisation.fuller("gpus")(data).verdict == "reproduced"
    assert utilisation.similar_trends("gpus")(data).verdict == "reproduced"
    assert utilisation.rises_at_peaks("gpus")(data).verdict == "reproduced"
    # 100 / 1.8 over 100 / 0.6 is a third.
    assert utilisation.makespan("srtf", 0.35, "gpus")(data).verdict == "reproduced"
    assert utilisation.makespan("srtf", 0.76, "gpus")(data).verdict == "not reproduced"


def test_utilisation_the_other_way() -> None:
    part = {"a-online": (0.1, 0.2, 0.5, 0.99), "a-online-e": (0.1, 0.3, 0.6, 1.0)}
    falling = dict.fromkeys(BASELINES, (0.9, 0.8, 0.7, 0.6))
    data = evidence(jct_11=curves({**part, **falling}))
    assert utilisation.reaches_full(data).verdict == "not reproduced"
    finding = utilisation.fuller("edge")(data)
    assert finding.verdict == "not reproduced"
    assert "a-online against srtf" in finding.why
    assert utilisation.similar_trends("gpus")(data).verdict == "not reproduced"
    assert utilisation.rises_at_peaks("gpus")(data).verdict == "not reproduced"
    # A scheme that never uses the edge has no trend to compare.
    idle = curves({**part, **dict.fromkeys(BASELINES, (0.0,) * 4)}, makespan=1.0)
    assert utilisation.similar_trends("gpus")(evidence(jct_11=idle)).verdict == "not reproduced"


def ratios(values: Mapping[float, float], **more: Any) -> pd.DataFrame:
    """Certified ratios by epsilon; the optimum is 10, the relaxation 5."""
    return pd.DataFrame(
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
                "alpha_over_beta": 1.0,
                **more,
            }
            for jobs in (5, 10)
            for seed in SEEDS
            for epsilon, value in values.items()
        ]
    )


def both(frame: pd.DataFrame) -> Evidence:
    return evidence(jct_12=frame, jct_13=frame)


def test_theory() -> None:
    data = both(ratios({0.0: 1.5, 0.5: 1.0}))
    for judge in (
        ratio.lemma_1,
        ratio.lemma_4,
        ratio.dual_feasible,
        ratio.guarantee_holds,
        ratio.fractional_guarantee,
        ratio.far_below_guarantee,
    ):
        assert judge(data).verdict == "reproduced"
    # Runs that are in both figures count once: 2 points x 5 seeds x 1 speed.
    assert "in 10 of 10 runs" in ratio.guarantee_holds(data).measured
    bad = both(ratios({0.0: 1.5, 0.5: 7.0}, dual_violation=0.5, alpha_over_beta=1.01))
    for judge in (
        ratio.lemma_4,
        ratio.dual_feasible,
        ratio.guarantee_holds,  # 7 > 2 (1 + 1/0.5) = 6
        ratio.fractional_guarantee,  # 7 > 3
        ratio.far_below_guarantee,
    ):
        assert judge(bad).verdict == "not reproduced"
    above = both(ratios({0.0: 1.5}, fractional=16.0))
    assert ratio.lemma_1(above).verdict == "not reproduced"


def test_below_in_three_readings() -> None:
    # 1.5 of the optimum is 3 times the relaxation, and its (4) is 1.5 times that.
    data = both(ratios({0.0: 1.5, 0.5: 1.0}))
    assert ratio.below("jct-12", "jobs", "certified")(data).verdict == "reproduced"
    assert ratio.below("jct-12", "jobs", "fractional")(data).verdict == "reproduced"
    finding = ratio.below("jct-12", "jobs", "bound")(data)
    assert finding.verdict == "not reproduced"
    assert "epsilon 0: 3.000 to 3.000; epsilon" in finding.measured.replace(",", ";")
    high = both(ratios({0.0: 1.8}))
    assert ratio.below("jct-12", "jobs", "certified")(high).verdict == "not reproduced"


def test_ratio_and_speed() -> None:
    falls = both(ratios({0.0: 1.5, 0.2: 1.2, 0.5: 1.05}))
    assert ratio.falls_with_speed("jct-12", "jobs")(falls).verdict == "reproduced"
    assert ratio.near_optimum("jct-12", "jobs")(falls).verdict == "reproduced"
    bends = both(ratios({0.0: 1.5, 0.2: 1.1, 0.5: 1.2}))
    finding = ratio.falls_with_speed("jct-12", "jobs")(bends)
    assert finding.verdict == "not reproduced"
    assert finding.why == "not shown for jobs 5, 0.2 to 0.5; jobs 10, 0.2 to 0.5"
    assert ratio.near_optimum("jct-12", "jobs")(bends).verdict == "not reproduced"


def test_every_claim_states_its_test() -> None:
    claims = claims_of("jct")
    names = [claim.name for claim in claims]
    assert len(set(names)) == len(names) >= 100
    for claim in claims:
        assert claim.source and claim.text.endswith(".") and claim.test
    for figure in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13):
        assert any(name.startswith(f"fig{figure}-") for name in names)
    for percent in (30, 35, 40, 50):
        assert any(f"{percent} %" in claim.text for claim in claims)
    first = [claim for claim in claims if claim.name.startswith("fig7-best")]
    assert len(first) == 2 * len(READINGS)
    assert set(SCHEMES[1:]) >= set(BASELINES)
    # What was read anew after the first reading had been judged says so.
    later = [claim for claim in claims if "added after" in claim.test]
    assert len(later) == 3 * len(READINGS)
    assert all(claim.name.startswith(("fig7-category", "fig11-smaller")) for claim in later)


def test_both_readings_of_how_much_smaller_a_makespan_is() -> None:
    by_name = {claim.name: claim for claim in claims_of("jct")}
    # "0.76x smaller": 76 of 100 slots in the first reading, 24 of 100 in the second. A test
    # scheme's makespan is 100 over the sum of its shares.
    for share, first, second in (
        (1.0 / 4 / 0.76, "reproduced", "not reproduced"),
        (1.0 / 4 / 0.24, "not reproduced", "reproduced"),
    ):
        data = evidence(jct_11=curves({"a-online": (share,) * 4, "srtf": (0.25,) * 4}))
        assert by_name["fig11-makespan-srtf"].judge(data).verdict == first
        assert by_name["fig11-smaller-srtf"].judge(data).verdict == second


@pytest.mark.slow
def test_all_claims_quick(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    assert main(["jct", "--quick", "--out", str(tmp_path), "--format", "json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(records) == len(claims_of("jct"))
    verdicts = {record["claim"]: record["verdict"] for record in records}
    assert verdicts["thm2-primal"] == "reproduced"
    assert verdicts["lemma2-dual"] == "not reproduced"
    assert verdicts["fig6-communication"] == "not testable"
