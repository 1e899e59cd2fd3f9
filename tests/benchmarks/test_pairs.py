"""Two policies compared instance by instance: by hand, and as the command does it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks import paired
from benchmarks.pairs import format_pairs
from benchmarks.ratio import main
from benchmarks.study.statistics import pairs_needed
from models.errors import InputError


def rows(a: list[float], b: list[float], **more: Any) -> pd.DataFrame:
    """Objectives of two policies on the instances i0, i1, ..., whose bound is 12."""
    frame = pd.DataFrame({"policy": ["a"] * len(a) + ["b"] * len(b), "objective": [*a, *b]})
    frame["instance"] = [f"i{n}" for n in (*range(len(a)), *range(len(b)))]
    told = {"problem": "utility", "offline_allows": "", "error": "", **more}
    with np.errstate(divide="ignore"):
        ratio = 12.0 / frame["objective"].to_numpy()
    return frame.assign(instance_hash=frame["instance"], ratio_upper=ratio, **told)


def test_differences_of_1_2_3_by_hand() -> None:
    found = paired(rows([4.0, 6.0, 4.0], [3.0, 4.0, 1.0]), "a", "b").set_index("of")
    objective, ratio = found.loc["objective"], found.loc["ratio"]
    # Mean 2, deviation 1; the 97.5 % quantile of t with 2 degrees of freedom is 4.303.
    assert objective["difference"] == 2.0
    ends = objective[["low", "high"]].tolist()
    assert ends == pytest.approx([2 - 4.3027 / 3**0.5, 2 + 4.3027 / 3**0.5], abs=1e-4)
    assert objective[["pairs", "wins", "ties", "losses"]].tolist() == [3, 3, 0, 0]
    # 3, 2, 3 against 4, 3, 12: a smaller ratio wins.
    assert ratio["difference"] == pytest.approx((-1 - 1 - 9) / 3)
    assert ratio[["pairs", "wins", "ties", "losses"]].tolist() == [3, 3, 0, 0]
    back = paired(rows([3.0, 4.0, 1.0], [4.0, 6.0, 4.0]), "a", "b").set_index("of")
    assert back.loc["objective", ["wins", "losses"]].tolist() == [0, 3]
    less = paired(rows([4.0, 6.0, 4.0], [3.0, 4.0, 1.0], problem="jct"), "a", "b").set_index("of")
    assert less.loc["objective", ["difference", "wins", "losses"]].tolist() == [2.0, 0, 3]


def test_a_failed_row_takes_its_instance_from_both_and_is_named() -> None:
    frame = rows([4.0, 6.0, 4.0, 9.0], [3.0, 4.0, 4.0 + 1e-12])  # b has no row for i3
    frame.loc[1, ["objective", "ratio_upper", "error"]] = [None, None, "run: it hangs"]
    objective = paired(frame, "a", "b").loc[0]
    assert objective["failed"] == "a on i1"
    assert objective[["pairs", "wins", "ties", "losses"]].tolist() == [2, 1, 1, 0]
    assert objective["difference"] == pytest.approx(0.5)
    text = format_pairs(paired(frame, "a", "b"), "max")
    assert "left out, since a run failed: a on i1." in text and "over 2 common instances" in text
    frame.loc[[0, 2, 3], "error"] = "run: it hangs"
    nothing = paired(frame, "a", "b").loc[0]
    assert nothing["pairs"] == 0 and pd.isna(nothing["difference"]) and pd.isna(nothing["needed"])


def test_what_is_not_known_is_not_told() -> None:
    frame = rows([4.0, 0.0], [3.0, 4.0])
    objective, ratio = paired(frame, "a", "b").itertuples()
    assert (objective.difference, objective.wins, objective.losses) == (-1.5, 1, 1)
    assert np.isnan([ratio.difference, ratio.low]).all() and (ratio.wins, ratio.losses) == (1, 1)
    one = paired(frame[frame["instance"] == "i0"], "a", "b").loc[0]
    assert one["difference"] == 1.0 and np.isnan(one["low"])
    # The two are held against different optima.
    frame["offline_allows"] = ["migration", "migration", "", ""]
    found = paired(frame, "a", "b")
    assert found["of"].tolist() == ["objective"]
    assert "a, b: no ratios" in format_pairs(found, "max")


def test_readings_are_compared_one_by_one() -> None:
    frame = pd.concat(
        [rows([4.0], [3.0], reading="first"), rows([4.0], [5.0], reading="second")],
        ignore_index=True,
    )
    found = paired(frame, "a", "b").query("of == 'objective'")
    assert found[["reading", "difference"]].values.tolist() == [["first", 1.0], ["second", -1.0]]
    with pytest.raises(InputError, match="two rows of one instance"):
        paired(frame.drop(columns="reading"), "a", "b")


@pytest.mark.parametrize(
    ("first", "second", "fault"), [("a", "c", "no policy 'c'"), ("a", "a", "with itself")]
)
def test_pairs_that_are_none(first: str, second: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        paired(rows([1.0], [2.0]), first, second)


# Of textbooks and G*Power: two-sided, 5 %, power 0.8.
@pytest.mark.parametrize(("effect", "pairs"), [(0.2, 199), (0.5, 34), (0.8, 15), (1.0, 10)])
def test_pairs_needed(effect: float, pairs: int) -> None:
    data = np.array([-1.0, 0.0, 1.0]) + effect
    assert pairs_needed(data) == pairs_needed(-data) == pairs

    def power(count: int) -> float:
        limit, shift = stats.t.ppf(0.975, count - 1), effect * count**0.5
        found = stats.nct.sf(limit, count - 1, shift) + stats.nct.cdf(-limit, count - 1, shift)
        return float(found)

    assert power(pairs - 1) < 0.8 <= power(pairs)


def test_pairs_needed_at_the_edges() -> None:
    assert pairs_needed([2.0, 2.0]) == 2
    for data in ([], [1.0], [0.0, 0.0], [1.0, np.inf], [1e-6, 1.0, -1.0]):
        assert pairs_needed(data) is None


def test_ratio_prints_and_keeps_the_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--jobs 4 --slots 6 --servers 3+3 --seeds 3 --policy fifo,zero-price,drf".split()
    words += f"--workers 1 --out {tmp_path}".split()
    options = ["--compare", "fifo,zero-price", "--compare", "drf,fifo", "--columns", "policy,mean"]
    assert main([*words, *options]) == 0
    out = capsys.readouterr().out
    assert "fifo - zero-price  objective" in out and "drf - fifo         ratio" in out
    kept, frame = pd.read_csv(tmp_path / "paired.csv"), pd.read_csv(tmp_path / "rows.csv")
    expected = pd.concat(
        [paired(frame, *pair) for pair in (("fifo", "zero-price"), ("drf", "fifo"))]
    )
    np.testing.assert_allclose(kept["difference"], expected["difference"])
    wide = frame.pivot(index="seed", columns="policy", values="objective")
    assert kept["difference"][0] == pytest.approx((wide["fifo"] - wide["zero-price"]).mean())
    assert kept["pairs"].eq(3).all()
    # The same run without a comparison leaves no old one behind.
    assert main(words) == 0
    assert "wins" not in capsys.readouterr().out
    assert not list(tmp_path.rglob("paired.csv"))
    for pair in ("fifo", "fifo,fifo", "fifo,rrh", "fifo,drf,zero-price"):
        with pytest.raises(InputError, match=f"--compare {pair}: want two of fifo, zero-price"):
            main([*words, "--compare", pair])
