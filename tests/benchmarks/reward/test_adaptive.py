"""Arrivals that adapt: every policy has an instance of its own, in one cell with its run."""

from __future__ import annotations

from benchmarks.contract import RegretSizes
from benchmarks.reward.regret import REGRET
from benchmarks.study.cell import Outcome, Result
from benchmarks.study.instances import drawn
from benchmarks.study.regret import Regret, sources_around
from benchmarks.study.scheme import schemes_of
from benchmarks.study.study import frames_of, trial_on


def test_arrivals_that_adapt_are_those_of_each_policy() -> None:
    schemes = schemes_of("reward", ["ogasched", "ogasched-constant", "drf"])
    sizes = RegretSizes((3, 12), (12,), (3,), 4, (0, 1), ("adaptive", "coin"))
    around = sources_around("reward", sizes, {}, "degree")
    trials = [trial_on(source, schemes, arrivals=arrivals) for arrivals, source in around]
    (frame,) = frames_of([(Regret(5.0), trials)])
    rows = frame[frame["arrivals"] == "adaptive"]
    assert len(rows) == len(frame) - len(rows) == 2 * 3
    for row in rows.to_dict("records"):
        assert row["instance"].endswith(f"-against-{row['policy']}") and row["load"] > 0.0
        assert row["regret_upper"] >= -1e-9 or not row["commits"]
        assert row["regret_upper"] <= row["anytime"] + 1e-6 * row["fixed_upper"]
    assert rows["instance_hash"].nunique() > 2
    others = frame[frame["arrivals"] == "coin"]
    assert rows["path_length"].isna().all() and (others["path_length"] > 0.0).all()


def test_an_adversary_that_a_policy_breaks_is_a_row_with_an_error() -> None:
    source = drawn("reward", jobs=2, slots=4, servers=3, seed=7)
    asked = trial_on(source, schemes_of("reward", ["drf", "fairness"]), arrivals="adaptive")
    assert [cell.function for cell in Regret().cells(asked)] == [REGRET.adaptive] * 2
    done = Outcome("done", Result({"instance": "met", "instance_hash": "1", "objective": 2.0}))
    rows = Regret().rows(asked, [Outcome("failed", None, "no idea"), done])
    assert ("no idea" in rows[0]["error"], rows[0]["seed"], rows[0]["slots"]) == (True, 7, 4)
    assert (rows[1]["instance"], rows[1]["objective"], rows[1]["policy"]) == (
        "met",
        2.0,
        "fairness",
    )
