"""Claims: each judge says what its test says, on data made so that the answer is known."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.claim import Claim, Evidence, Finding, claims_of, compare_first
from benchmarks.claim_trend import grouped_trend, no_trend
from benchmarks.claims import format_claims, main
from benchmarks.utility import claims_figures as figures
from benchmarks.utility import claims_theory as theory
from models.errors import InputError

SEEDS = range(6)


def evidence(**frames: pd.DataFrame) -> Evidence:
    """Evidence that holds these figures already: nothing is computed."""
    found = Evidence("quick")
    found._frames.update({name.replace("_", "-"): frame for name, frame in frames.items()})
    return found


def schemes(oasis: float, others: dict[str, float], *, jobs: int = 1) -> list[dict[str, Any]]:
    """Utilities that differ a little from seed to seed, the same for all schemes."""
    return [
        {"jobs": jobs, "seed": seed, "policy": name, "utility": value + 0.1 * seed}
        for seed in SEEDS
        for name, value in {"oasis": oasis, **others}.items()
    ]


def test_compare_first_by_hand() -> None:
    frame = pd.DataFrame(
        {
            "seed": [0, 0, 1, 1, 2, 2],
            "policy": ["a", "b"] * 3,
            "value": [3.0, 1.0, 5.0, 4.0, 2.0, np.nan],
        }
    )
    (row,) = compare_first(frame, value="value", groups=[], first="a", sense="max").itertuples()
    # Differences 2 and 1; seed 2 has no pair.
    assert (row.other, row.gain, row.pairs, row.wins, row.outcome) == ("b", 1.5, 2, 2, "better")
    assert 1.0 <= row.low <= row.high <= 2.0
    (row,) = compare_first(frame, value="value", groups=[], first="a", sense="min").itertuples()
    assert (row.gain, row.wins, row.outcome) == (-1.5, 0, "worse")
    (row,) = compare_first(frame[2:], value="value", groups=[], first="a", sense="max").itertuples()
    assert row.outcome == "unknown"


def test_grouped_trend_sees_what_groups_hide() -> None:
    # In each group y falls with x; between the groups both rise together.
    frame = pd.DataFrame(
        {
            "x": [1, 2, 3, 4, 11, 12, 13, 14],
            "y": [4, 3, 2, 1, 14, 13, 12, 11],
            "g": ["a"] * 4 + ["b"] * 4,
        }
    )
    rho, p = grouped_trend(frame, x="x", y="y", group="g")
    assert rho == pytest.approx(-1.0)
    assert p < 0.05  # 2 of 576 pairs of orders are as extreme
    assert np.isnan(grouped_trend(frame.assign(x=1), x="x", y="y", group="g")).all()


def test_highest_utility() -> None:
    judge = figures.highest_utility("utility-3", ["jobs"])
    wins = pd.DataFrame(schemes(5.0, {"rrh": 4.0, "drf": 1.0}))
    assert judge(evidence(utility_3=wins)).verdict == "reproduced"
    loses = pd.DataFrame(
        schemes(5.0, {"rrh": 4.0, "drf": 1.0}) + schemes(5.0, {"rrh": 6.0, "drf": 1.0}, jobs=2)
    )
    finding = judge(evidence(utility_3=loses))
    assert finding.verdict == "not reproduced"
    assert finding.why == "worse than rrh (2)"
    assert "2: oasis 5.25, best other rrh 6.25 (better on 0 of 6 seeds)" in finding.measured


def test_a_tie_is_not_a_win() -> None:
    tie = pd.DataFrame(schemes(5.0, {"rrh": 5.0}))
    finding = figures.highest_utility("utility-3", ["jobs"])(evidence(utility_3=tie))
    assert finding.verdict == "not reproduced"
    assert finding.why == "not shown to be better than rrh (1)"


def test_one_seed_settles_nothing() -> None:
    one = pd.DataFrame(schemes(5.0, {"rrh": 4.0})).query("seed == 0")
    finding = figures.highest_utility("utility-3", ["jobs"])(evidence(utility_3=one))
    assert finding.verdict == "not testable"


def test_advantage_grows() -> None:
    grows = pd.DataFrame(schemes(5.0, {"rrh": 4.0}) + schemes(9.0, {"rrh": 4.0}, jobs=101))
    finding = figures.advantage_grows(evidence(utility_3=grows))
    assert finding.verdict == "reproduced"
    # Lead 1 at 1 job and 5 at 101: 4 per 100 jobs.
    assert "1 at 1, 5 at 101 jobs; slope 4 per 100 jobs" in finding.measured
    falls = pd.DataFrame(schemes(5.0, {"rrh": 4.0}) + schemes(4.0, {"rrh": 4.0}, jobs=101))
    assert figures.advantage_grows(evidence(utility_3=falls)).verdict == "not reproduced"


def lateness(values: dict[str, list[float]], kind: str = "time-critical") -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"policy": name, "seed": seed, "kind": kind, "lateness": late}
            for name, lates in values.items()
            for seed in SEEDS
            for late in lates
        ]
    )


def test_timeliest_looks_at_the_mean_or_the_variance() -> None:
    # Means 0 and 1; variances 32 and 0.
    data = evidence(utility_4=lateness({"oasis": [-4.0, 4.0], "rrh": [1.0, 1.0]}))
    assert figures.timeliest("utility-4", True, "lateness", "mean")(data).verdict == "reproduced"
    finding = figures.timeliest("utility-4", True, "lateness", "variance")(data)
    assert finding.verdict == "not reproduced"
    assert finding.why == "worse than rrh (time-critical)"


def test_timeliest_early_is_not_on_time() -> None:
    data = evidence(utility_4=lateness({"oasis": [-3.0], "rrh": [1.0]}))
    finding = figures.timeliest("utility-4", False, "lateness", "mean")(data)
    assert finding.verdict == "not reproduced"


def test_timeliest_without_completed_jobs() -> None:
    data = evidence(utility_4=lateness({"oasis": [float("nan")], "rrh": [1.0]}))
    finding = figures.timeliest("utility-4", False, "lateness", "mean")(data)
    assert finding.verdict == "not testable"


def ratios(lower: list[float], upper: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "servers": 5,
            "priority": range(len(lower)),
            "ratio_lower": lower,
            "ratio_upper": upper,
            "offline_status": "bounded",
        }
    )


@pytest.mark.parametrize(
    ("lower", "upper", "verdict"),
    [
        ([1.05, 1.3], [1.2, 1.54], "reproduced"),
        ([1.04, 1.3], [1.2, 1.5], "not reproduced"),
        ([1.1, 1.3], [1.2, 1.55], "not reproduced"),  # the bound may be loose: not shown
        ([1.1, 1.3], [1.2, float("inf")], "not reproduced"),
    ],
)
def test_ratio_in_band(lower: list[float], upper: list[float], verdict: str) -> None:
    assert figures.ratio_in_band(evidence(utility_5=ratios(lower, upper))).verdict == verdict


def test_no_trend() -> None:
    judge = no_trend("utility-5", x="servers", y="ratio_upper", group="priority")
    servers = np.repeat([5, 10, 20], 4)
    rising = pd.DataFrame({"servers": servers, "priority": 1, "ratio_upper": 1 + 0.1 * servers})
    assert judge(evidence(utility_5=rising)).verdict == "not reproduced"
    flat = rising.assign(ratio_upper=[1.1, 1.4, 1.2, 1.3] * 3)
    assert judge(evidence(utility_5=flat)).verdict == "reproduced"
    assert judge(evidence(utility_5=flat.assign(servers=5))).verdict == "not testable"


def test_underestimate_better() -> None:
    def estimates(under: float) -> Evidence:
        rows = [
            {"jobs": jobs, "seed": seed, "scale": scale, "utility": value}
            for jobs, factor in ((10, -1.0), (20, 1.0))  # only the most jobs count
            for seed in SEEDS
            for scale, value in ((0.5, under * factor), (1.0, 5.0), (2.0, 4.0 * factor))
        ]
        return evidence(utility_6=pd.DataFrame(rows))

    assert figures.underestimate_better(estimates(6.0)).verdict == "reproduced"
    assert figures.underestimate_better(estimates(3.0)).verdict == "not reproduced"


def test_advantage_smaller_on_testbed() -> None:
    large = pd.DataFrame(schemes(20.0, {"rrh": 10.0}))
    small = pd.DataFrame(schemes(11.0, {"rrh": 10.0}))
    judge = figures.advantage_smaller_on_testbed
    assert judge(evidence(utility_3=large, utility_8=small)).verdict == "reproduced"
    assert judge(evidence(utility_3=small, utility_8=large)).verdict == "not reproduced"
    none = pd.DataFrame(schemes(5.0, {"rrh": 10.0}))
    assert "no lead" in judge(evidence(utility_3=none, utility_8=none)).why


def test_theorem_1_by_hand() -> None:
    finding = theory.subroutine_optimal(Evidence("quick"))
    assert finding.verdict == "not reproduced"
    assert "Alg. 2 pays 4, the optimum of (27) is 3" in finding.measured


def bounded(**changes: Any) -> Evidence:
    columns = {
        "ratio_upper": [2.0, 3.0],
        "log_u_over_l": 10.0,
        "guarantee_applies": False,
        "guarantee_fails": ["", "dual feasibility (job 'a' would gain 1 more)"],
        "initial_dual": 1.0,
        "offline_lower": 4.0,
        "offline_upper": 4.0,
        "first_admitted": True,
    }
    return evidence(utility_5=pd.DataFrame({**columns, **changes}))


def test_theorem_4_fails_by_hand_even_where_all_instances_agree() -> None:
    finding = theory.competitive_ratio(bounded())
    assert finding.verdict == "not reproduced"
    # 1 / 1e-4 against 2 ln(100 / 6.25e-6) = 33.2
    assert "2 of 2 instances" in finding.measured
    assert "ratio 1e+04, 2 alpha = 33.2" in finding.measured


def test_other_statements_of_the_theory() -> None:
    assert theory.dual_feasible(bounded()).verdict == "not reproduced"
    assert theory.dual_feasible(bounded(guarantee_fails="")).verdict == "reproduced"
    assert theory.initial_dual(bounded()).verdict == "reproduced"
    assert theory.initial_dual(bounded(initial_dual=2.1)).verdict == "not reproduced"
    assert theory.first_job_admitted(bounded()).verdict == "reproduced"
    refused = bounded(first_admitted=[True, False])
    assert theory.first_job_admitted(refused).verdict == "not reproduced"


def test_every_claim_states_its_test() -> None:
    claims = claims_of("utility")
    names = [claim.name for claim in claims]
    assert len(set(names)) == len(names) >= 20
    for claim in claims:
        assert claim.source and claim.text.endswith(".") and claim.test
    for figure in (3, 4, 5, 6, 8, 9):
        assert any(name.startswith(f"fig{figure}-") for name in names)


def test_the_ledger_as_text() -> None:
    record = {
        "claim": "c",
        "source": "Fig. 1",
        "text": "It works.",
        "test": "t",
        "measured": "m",
        "verdict": "not testable",
        "why": "",
        "size": "quick",
    }
    text = format_claims([record, {**record, "verdict": "reproduced"}])
    assert text.startswith("c (Fig. 1): NOT TESTABLE\n  claim     It works.")
    assert "  why" not in text
    assert "1 not testable, 1 reproduced" in text
    assert "settles nothing" in text


def test_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    claim = Claim("c", "Fig. 1", "It works.", "t", lambda _: Finding("reproduced", "1 of 1"))
    monkeypatch.setattr("benchmarks.utility.claims.CLAIMS", (claim,))
    options = ["utility", "--quick", "--out", str(tmp_path)]
    assert main([*options, "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["claim"], record["verdict"], record["why"]) == ("c", "reproduced", "")
    assert main([*options, "--format", "csv"]) == 0
    assert "c,Fig. 1,It works.,t,1 of 1,reproduced,,quick" in capsys.readouterr().out
    assert main(options) == 0
    assert "1 reproduced" in capsys.readouterr().out


def test_unknown_problem() -> None:
    with pytest.raises(InputError, match="unknown problem 'nothing'"):
        main(["nothing"])


@pytest.mark.slow
def test_all_claims_quick(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    assert main(["utility", "--quick", "--out", str(tmp_path), "--format", "json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(records) == len(claims_of("utility"))
    verdicts = {record["claim"]: record["verdict"] for record in records}
    assert verdicts["thm2-primal"] == "reproduced"
    assert verdicts["thm4-ratio"] == "not reproduced"
    assert verdicts["testbed-real"] == "not testable"
