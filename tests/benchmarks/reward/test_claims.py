"""Claims on `reward`: each judge says what its test says, on data whose answer is known."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.claim import Evidence, claims_of
from benchmarks.claims import main
from benchmarks.reward import claim_judges_curves as curves
from benchmarks.reward import claim_judges_steps as steps
from benchmarks.reward import claim_judges_sweeps as sweeps
from benchmarks.reward import claim_judges_theory as theory
from benchmarks.reward.claim_judges_common import best_everywhere, moves
from benchmarks.reward.figures_common import BASELINES, GENEROUS, base_cell
from tests.benchmarks.test_claims import evidence

SEEDS = range(5)
LOW = dict.fromkeys(BASELINES, 1.0)


def sweep(values: dict[str, float], **changes: Any) -> list[dict[str, Any]]:
    """Rewards that differ a little from seed to seed, the same for all policies."""
    return [
        {**base_cell(**changes), "seed": seed, "policy": policy, "reward": value + 0.01 * seed}
        for seed in SEEDS
        for policy, value in values.items()
    ]


def curve(values: dict[str, tuple[float, float, float]]) -> pd.DataFrame:
    """Averages after 1, 50 and 100 of 100 slots."""
    return pd.DataFrame(
        [
            {"seed": seed, "policy": name, "slot": slot, "average": mean, "reward": slot * mean}
            for seed in SEEDS
            for name, means in values.items()
            for slot, mean in zip((1, 50, 100), means, strict=True)
        ]
    )


def test_best_everywhere_looks_at_one_rule() -> None:
    # The other rule of OGASched is no competitor.
    rows = sweep({"ogasched": 3.0, "ogasched-constant": 9.0, **LOW})
    rows += sweep({"ogasched": 0.5, "ogasched-constant": 9.0, **LOW}, servers=256)
    data = evidence(reward_3=pd.DataFrame(rows))
    good = best_everywhere("reward-3", "servers", "ogasched-constant", "reward")(data)
    assert good.verdict == "reproduced"
    bad = best_everywhere("reward-3", "servers", "ogasched", "reward")(data)
    assert bad.verdict == "not reproduced"
    assert "worse than" in bad.why and "drf (256)" in bad.why and "(128)" not in bad.why


def test_generous_readings_are_claims_of_their_own() -> None:
    rows = sweep({"ogasched": 3.0, **LOW, **dict.fromkeys(GENEROUS, 4.0)})
    data = evidence(reward_3=pd.DataFrame(rows))
    judge = best_everywhere("reward-3", "servers", "ogasched", "reward", GENEROUS)
    finding = judge(data)
    assert finding.verdict == "not reproduced"
    assert "drf-per-server (128)" in finding.why and "drf (128)" not in finding.why
    own = best_everywhere("reward-3", "servers", "ogasched", "reward")
    assert own(data).verdict == "reproduced"
    names = {claim.name for claim in claims_of("reward")}
    for name in ("fig2-best", "tab2-slots", "fig2-fairness", "fig2-lead-drf"):
        assert {name, f"{name}-generous"} <= names


def test_moves() -> None:
    rows = [
        row
        for servers, value in ((32, 1.0), (64, 2.0), (128, 3.0))
        for row in sweep({"ogasched": value, **dict.fromkeys(BASELINES, value)}, servers=servers)
    ]
    rising = pd.DataFrame(rows)
    judge = moves("reward-3", "servers", "reward")
    assert judge(evidence(reward_3=rising)).verdict == "reproduced"
    dip = (rising["policy"] == "drf") & (rising["servers"] == 64)
    finding = judge(evidence(reward_3=rising.assign(reward=rising["reward"] - 1.5 * dip)))
    assert finding.verdict == "not reproduced"
    assert finding.why == "not shown for drf (32 to 64)"
    ends = moves("reward-3", "servers", "reward", ends=True)
    assert ends(evidence(reward_3=rising.assign(reward=rising["reward"] - 1.5 * dip))).verdict == (
        "reproduced"
    )
    falls = moves("reward-3", "servers", "reward", least=64, sign=-1.0, policies=("ogasched",))
    assert falls(evidence(reward_3=rising)).why == "not shown for ogasched (64 to 128)"


def test_lead_counts_percentage_points() -> None:
    # 1.1 / 1 is 10 % ahead: 1.33 points from 11.33 %, 2.25 from 7.75 %.
    means = {name: (1.0, 1.0, 1.0) for name in BASELINES}
    data = evidence(
        reward_2=curve({"ogasched": (1.0, 1.0, 1.1), "ogasched-constant": (1, 1, 1), **means})
    )
    assert curves.lead("drf", 11.33)(data).verdict == "reproduced"
    assert curves.lead("fairness", 7.75)(data).verdict == "not reproduced"
    means["drf"] = (1.0, 1.0, -1.0)
    data = evidence(
        reward_2=curve({"ogasched": (1.0, 1.0, 1.1), "ogasched-constant": (1, 1, 1), **means})
    )
    assert "earns nothing" in curves.lead("drf", 11.33)(data).why


def test_curve_rises_then_flattens() -> None:
    def verdict(*means: float) -> str:
        found: str = curves.rises_then_flattens(
            evidence(reward_2=curve({"ogasched": (means[0], means[1], means[2])}))
        ).verdict
        return found

    assert verdict(1.0, 3.0, 3.5) == "reproduced"
    assert verdict(1.0, 1.5, 3.5) == "not reproduced"  # steeper at the end
    assert verdict(3.0, 2.0, 1.0) == "not reproduced"  # falls


def test_edge_and_ratio() -> None:
    flat = {name: (2.0, 2.0, 2.0) for name in BASELINES}
    data = evidence(reward_2=curve({"ogasched": (1.0, 2.0, 3.0), **flat}))
    assert curves.slight_edge(data).verdict == "reproduced"
    assert curves.ratio_rises(data).verdict == "reproduced"
    assert curves.fairness_best_of_baselines(BASELINES)(data).verdict == "not reproduced"  # a tie
    ahead = {**flat, "fairness": (2.0, 2.0, 9.0)}
    data = evidence(reward_2=curve({"ogasched": (3.0, 3.0, 3.0), **ahead}))
    assert curves.slight_edge(data).verdict == "not reproduced"
    assert curves.ratio_rises(data).verdict == "not reproduced"
    assert curves.fairness_best_of_baselines(BASELINES)(data).verdict == "reproduced"


def stepped(initial: dict[float, float], factor: dict[float, float], **others: float) -> Evidence:
    """Rewards by initial rate (decay 0.9999) and by decay (rate 25), and of references."""
    points = [
        *(("ogasched", eta, 0.9999, value) for eta, value in initial.items()),
        *(("ogasched", 25.0, decay, value) for decay, value in factor.items()),
        *((name.replace("_", "-"), None, None, value) for name, value in others.items()),
    ]
    return evidence(
        reward_4=pd.DataFrame(
            [
                {
                    "seed": seed,
                    "policy": policy,
                    "initial": eta,
                    "factor": decay,
                    "reward": value + 0.01 * seed,
                    "negative": 0.2 if eta == 100.0 else 0.0,
                }
                for seed in SEEDS
                for policy, eta, decay, value in points
            ]
        )
    )


def test_claims_on_steps() -> None:
    references = {"ogasched_constant": 7.0, "ogasched_literal": 4.0, "fairness": 1.0}
    data = stepped({100.0: 2.0}, {0.9: 1.0, 0.995: 6.0, 0.9999: 5.0, 1.0001: 4.0}, **references)
    assert steps.decay_below_one(data).verdict == "reproduced"
    assert steps.best_decay(data).verdict == "reproduced"
    assert steps.poor_steps(data).verdict == "reproduced"  # 1 is less than half of 6
    assert steps.negative_slots(data).verdict == "reproduced"
    assert steps.decay_beats_theory("ogasched-literal")(data).verdict == "reproduced"
    finding = steps.decay_beats_theory("ogasched-constant")(data)
    assert finding.verdict == "not reproduced"
    assert "decay 0.995 6.02, decay 0.9999 5.02" in finding.measured
    data = stepped({50.0: 6.0}, {0.9: 7.0, 0.995: 6.0, 0.9999: 5.0, 1.0001: 5.0}, **references)
    assert steps.decay_below_one(data).verdict == "not reproduced"
    assert steps.best_decay(data).verdict == "not reproduced"
    assert steps.poor_steps(data).verdict == "not reproduced"
    assert steps.negative_slots(data).verdict == "not reproduced"


def leads(column: str, values: dict[float, float]) -> Evidence:
    """OGASched by a setting; the best baseline earns 1."""
    rows = [
        row
        for setting, value in values.items()
        for row in sweep({"ogasched": value, **LOW}, **{column: setting})
    ]
    frame = pd.DataFrame(rows)
    base = (frame[column] == base_cell()[column]).idxmax()
    return evidence(reward_3=pd.concat([frame.loc[[base]], frame.drop(index=base)]))


def test_where_the_lead_is_largest() -> None:
    inner = leads("servers", {64: 2.0, 128: 3.0, 256: 2.0})
    assert sweeps.lead_peaks_inside(BASELINES)(inner).verdict == "reproduced"
    finding = sweeps.lead_peaks_inside(BASELINES)(leads("servers", {64: 2.0, 128: 3.0, 256: 4.0}))
    assert (finding.verdict, finding.why) == ("not reproduced", "largest at an end, 256")
    falls = leads("contention", {1.0: 3.0, 10.0: 2.0})
    assert sweeps.lead_changes(BASELINES)(falls).verdict == "reproduced"
    grows = leads("contention", {1.0: 2.0, 10.0: 3.0})
    assert sweeps.lead_changes(BASELINES)(grows).verdict == "not reproduced"


def test_exponents_in_ports_and_servers() -> None:
    # Reward |R|^1 |L|^0.5, then the other way round.
    for power, verdict in ((1.0, "reproduced"), (0.2, "not reproduced")):
        rows = sweep({"ogasched": 1000.0})
        rows += sweep({"ogasched": 1000.0 * 2**power}, servers=256)
        rows += sweep({"ogasched": 1000.0 * 2**0.5}, ports=20)
        finding = sweeps.ports_matter_less(evidence(reward_3=pd.DataFrame(rows)))
        assert finding.verdict == verdict
        assert "in |L| 0.500" in finding.measured


def test_penalty_and_utilities() -> None:
    def parts(power: float) -> Evidence:
        rows = [
            {**row, "gain": 5.0, "penalty": contention**power}
            for contention in (10.0, 1.0, 0.1)
            for row in sweep({"ogasched": 1.0}, contention=contention)
        ]
        return evidence(reward_6=pd.DataFrame(rows))

    assert sweeps.penalty_grows_slowly(parts(0.3)).verdict == "reproduced"
    assert sweeps.penalty_grows_slowly(parts(0.7)).verdict == "not reproduced"
    rows = sweep({"ogasched": 5.0, **dict.fromkeys(BASELINES, 5.0)}, utilities="linear")
    for kind, value in (("poly", 2.0), ("log", -1.0), ("reciprocal", 0.0)):
        rows += sweep({"ogasched": value, **dict.fromkeys(BASELINES, value)}, utilities=kind)
    frame = pd.DataFrame(rows)
    assert sweeps.linear_far_above(evidence(reward_7=frame)).verdict == "reproduced"
    near = frame.assign(reward=frame["reward"] + 1.0 * (frame["utilities"] == "poly"))
    finding = sweeps.linear_far_above(evidence(reward_7=near))  # 5 is not twice 3
    assert finding.verdict == "not reproduced"
    assert "ogasched (poly)" in finding.why


def test_theory_by_hand() -> None:
    finding = theory.projection_exact(Evidence("quick"))
    assert finding.verdict == "not reproduced"
    # Sums 2 <= 10: nothing to do. z - 6 = (4, 3), of which the second is cut to its request 1.
    assert "z = (1, 1): Alg. 1 (5, 5), projection (1, 1)" in finding.measured
    assert "z = (10, 9): Alg. 1 (3, 2), projection (4, 1)" in finding.measured
    assert theory.regular_graph(Evidence("quick")).verdict == "not reproduced"
    assert theory.concave(Evidence("quick")).verdict == "reproduced"


def test_algorithm_1_where_it_is_right() -> None:
    # Capacity 3: (4, 1, 0) - 1 = (3, 0, -1) drops the third, then (3, 0) needs no more.
    found = theory._algorithm_1(np.array([4.0, 1.0, 0.0]), np.full(3, 9.0), 3.0)
    np.testing.assert_allclose(found, [3.0, 0.0, 0.0])
    # The first is full at 2; the others share what is left: 2 + 1 = 3.
    found = theory._algorithm_1(np.array([9.0, 3.0, 1.0]), np.array([2.0, 9.0, 9.0]), 4.0)
    np.testing.assert_allclose(found, [2.0, 2.0, 0.0])


def regrets(exponent: float, share: float = 0.5, bound: float = 4.0) -> pd.DataFrame:
    """Regret ``share * bound`` at the base, a power law along every axis."""
    points = [{}, {"slots": 1000}, {"slots": 4000}, {"servers": 64}, {"servers": 256}]
    points += [{"ports": 5, "density": 1.25}, {"ports": 20, "density": 5.0}]
    rows = []
    for point in points:
        cell = base_cell(**point)
        size = cell["slots"] / 2000 * cell["servers"] / 128 * cell["ports"] / 10
        for policy in ("ogasched", "ogasched-constant", "ogasched-literal"):
            for seed in SEEDS:
                regret = share * bound * size**exponent * (1 + 0.01 * seed)
                rows.append(
                    {
                        **cell,
                        "arrivals": "bernoulli",
                        "seed": seed,
                        "policy": policy,
                        "fixed_lower": 5.0,
                        "regret_lower": regret,
                        "regret_upper": regret,
                        "bound": bound,
                        "inequality_left": 1.0,
                        "inequality_right": 2.0,
                    }
                )
    return pd.DataFrame(rows)


def test_theorem_1() -> None:
    half = evidence(reward_regret=regrets(0.5, share=0.2))
    assert theory.bound_holds("ogasched-constant")(half).verdict == "reproduced"
    above = evidence(reward_regret=regrets(0.5, share=1.1))
    assert theory.bound_holds("ogasched-literal")(above).verdict == "not reproduced"
    empty = evidence(reward_regret=regrets(0.5, bound=6.0))  # above the best fixed reward, 5
    assert theory.bound_holds("ogasched-constant")(empty).verdict == "not testable"
    assert theory.inequality_holds(half).verdict == "reproduced"
    broken = regrets(0.5).assign(inequality_left=2.1)
    assert theory.inequality_holds(evidence(reward_regret=broken)).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("exponent", "below_one", "near_one"),
    [
        (0.5, "reproduced", "not reproduced"),
        (1.0, "not reproduced", "reproduced"),
        (1.3, "not reproduced", "not reproduced"),
    ],
)
def test_growth_of_regret(exponent: float, below_one: str, near_one: str) -> None:
    data = evidence(reward_regret=regrets(exponent))
    for axis in ("slots", "ports"):
        finding = theory.sublinear(axis, "ogasched-constant")(data)
        assert finding.verdict == below_one
        assert f"exponent {exponent:.2f}" in finding.measured
    assert theory.linear_in_servers(data).verdict == near_one


def test_no_regret_has_no_exponent() -> None:
    none = regrets(0.5).assign(regret_lower=-1.0, regret_upper=-1.0)
    data = evidence(reward_regret=none)
    assert theory.sublinear("slots", "ogasched")(data).verdict == "not testable"
    assert theory.linear_in_servers(data).verdict == "not testable"


def test_every_claim_states_its_test() -> None:
    claims = claims_of("reward")
    names = [claim.name for claim in claims]
    assert len(set(names)) == len(names) >= 50
    for claim in claims:
        assert claim.source and claim.text.endswith(".") and claim.test
    for prefix in ("fig2", "fig3a", "fig3b", "fig3c", "fig4", "fig5", "fig6", "fig7", "tab2"):
        assert any(name.startswith(f"{prefix}-") for name in names)
    for percent in ("11.33", "7.75", "13.89", "13.44"):
        assert any(f"{percent} %" in claim.text for claim in claims)


@pytest.mark.slow
def test_all_claims_quick(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    assert main(["reward", "--quick", "--out", str(tmp_path), "--format", "json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(records) == len(claims_of("reward"))
    verdicts = {record["claim"]: record["verdict"] for record in records}
    assert verdicts["alg1-projection"] == "not reproduced"
    assert verdicts["eq16-inequality"] == "reproduced"
    assert verdicts["sec35-gang"] == "not testable"
