"""The regret command: rows that can be worked by hand, what is printed, what is taken up again."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import benchmarks.reward.regret as part
from benchmarks.regret import main
from benchmarks.regret_pictures import plot_curves
from benchmarks.regret_sizes import Study
from benchmarks.reward.regret import STUDIES, measure
from models.errors import InputError
from models.reward import RewardInstance
from online.reward import POLICIES
from tests.small_reward import reward

TINY = ["--base", "2x8", "--slots", "2,4,8", "--ports", "1,2", "--servers", "3", "--seeds", "2"]


def alternating_pair(beta: float = 0.25) -> RewardInstance:
    """Two ports take turns at one unit of one device, four slots; utility y."""
    turns = [[1, 0], [0, 1], [1, 0], [0, 1]]
    return reward([[1.0], [1.0]], [[1.0]], turns, beta=[beta])


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["policy"]: row for row in rows}


def test_a_tiny_regret_by_hand() -> None:
    rows = by_name(measure(alternating_pair(), list(POLICIES.values()), 5.0))
    # A unit given to a port that has a job is worth 1 - 0.25. A fixed decision y0 + y1 = 1 earns
    # that twice; DRF, which sees whose turn it is, four times.
    for row in rows.values():
        assert row["fixed_lower"] == pytest.approx(1.5, abs=1e-5)
        assert row["fixed_lower"] <= 1.5 + 1e-12 <= row["fixed_upper"] + 2e-12
        # D^2 = 2 a c = 2, G^2 = 2 channels (0.25^2 + 1^2) = 2.125, T = 4.
        assert row["bound"] == pytest.approx(math.sqrt(2 * 2.125 * 4))
    drf = rows["drf"]
    assert drf["objective"] == pytest.approx(3.0)
    assert (drf["regret_lower"], drf["regret_upper"]) == pytest.approx((-1.5, -1.5), abs=1e-5)
    assert (drf["dynamic_lower"], drf["dynamic_upper"]) == pytest.approx((0, 0), abs=1e-5)
    assert (drf["commits"], drf["bound_proven"], drf["inequality_left"]) == (False, False, None)
    # Constant steps eta = D / (G sqrt T) from (1/2, 1/2). The port whose turn it is gains
    # s = 0.75 eta; the projection takes s / 2 from both; then the other port pulls back the
    # same. So its turns find 1/2 for port 0 and 1/2 - s/2 for port 1.
    constant = rows["ogasched-constant"]
    s = 0.75 * math.sqrt(2.0 / 2.125 / 4)
    assert constant["objective"] == pytest.approx(0.75 * (2 - s))
    assert constant["regret_upper"] == pytest.approx(0.75 * s, abs=1e-5)
    assert constant["dynamic_upper"] == pytest.approx(3.0 - 0.75 * (2 - s), abs=1e-5)
    assert constant["commits"] and constant["bound_proven"]
    # The proof's inequality: with all of y* in {y0 + y1 = 1}, sum_t eta g_t . (y* - y_t) is
    # 2 s - s (2 - s) = s^2, and the right side is |y1 - y*|^2 / 2 + 4 s^2 / 2.
    assert constant["inequality_left"] == pytest.approx(s * s, abs=1e-5)
    assert 2 * s * s - 1e-9 <= constant["inequality_right"] <= 0.25 + 2 * s * s + 1e-9
    assert constant["curve_slots"] == [1, 2, 3, 4]
    assert constant["curve_regret"][-1] == pytest.approx(constant["regret_lower"])


def test_sizes_and_density() -> None:
    (row,) = measure(reward([[1.0], [1.0]], [[1.0]] * 4, [[1, 0]] * 3), [POLICIES["drf"]], None)
    found = [row[name] for name in ("ports", "servers", "slots", "density")]
    assert found == [2, 4, 3, 2.0]
    assert (row["dynamic_lower"], row["dynamic_upper"]) == (None, None)


def test_a_theorem_is_claimed_only_where_it_holds() -> None:
    gang = reward([[2.0]], [[2.0]], [[1], [1]], components=[[[1.0], [1.0]]], minimum_running=[2])
    (row,) = measure(gang, [POLICIES["ogasched-constant"]], None)
    assert row["bound_proven"] is False
    rows = measure(alternating_pair(), list(POLICIES.values()), None)
    assert [row["policy"] for row in rows if row["bound_proven"]] == ["ogasched-constant"]


def test_points_of_a_study() -> None:
    study = Study((4, 80), (20, 40, 80), (2, 4, 8), "5", (0, 1), ("coin",))
    sizes = [(4, 20), (4, 40), (4, 80), (2, 80), (8, 80)]
    assert [point[:2] for point in study.points("density")] == sizes
    assert [point.factor for point in study.points("degree")] == [1, 1, 1, 0.5, 2]
    assert {point.factor for point in study.points("density")} == {1.0}
    for size, base in STUDIES.items():
        assert base.base[0] in base.ports, size
        assert base.base[1] == max(base.slots)


def run(tmp_path: Path, *argv: str) -> Path:
    out = tmp_path / "out"
    assert main([*argv, "--out", str(out)]) == 0
    return out


def test_rows_tables_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(tmp_path, *TINY, "--arrivals", "bernoulli,alternating", "--dynamic", "5")
    text = " ".join(capsys.readouterr().out.split())
    assert re.search(r"2 ports, 8 slots, 3 servers, density 2, load 6\.\d+ \(5", text)
    assert "; means over 2 seeds" in text
    assert "T in 2, 4, 8 at 2 ports; |L| in 1, 2 at 8 slots, where every port keeps" in text
    assert "not applicable: fewer than 3 sizes" in text
    assert "(14) is proven for ogasched-constant" in text
    assert "dynamic regret: optima of the slots" in text
    assert "bootstrap over instances, too short for 2 seeds, as those of exponents are" in text
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == 2 * (3 + 1) * 2 * len(POLICIES)  # arrivals x sizes x seeds x policies
    assert all(row["regret_lower"] <= row["regret_upper"] for row in rows)
    assert all(-1e-9 <= row["dynamic_upper"] for row in rows)
    assert all(row["regret_upper"] <= row["bound"] for row in rows if row["bound_proven"])
    growth = pd.read_csv(out / "growth.csv")
    over_slots = growth[(growth["over"] == "slots") & growth["commits"]]
    assert over_slots["bound_exponent"].to_numpy() == pytest.approx(0.5)
    curves = pd.read_csv(out / "curves.csv")
    assert set(curves["slot"]) == set(range(1, 9))
    for name in ("curves.pdf", "curves.png", "growth.pdf", "growth.png", "settings.json"):
        assert (out / name).is_file()


def test_the_same_seed_gives_the_same_bytes_and_nothing_is_run_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = [*TINY, "--arrivals", "coin", "--policy", "ogasched", "--format", "json"]
    first = run(tmp_path / "a", *argv)
    printed = capsys.readouterr().out
    again = run(tmp_path / "b", *argv)
    assert capsys.readouterr().out == printed == (first / "rows.jsonl").read_text()
    names = ("rows.jsonl", "curves.csv", "curves.pdf", "growth.csv", "growth.pdf", "growth.png")
    for name in names:
        assert (first / name).read_bytes() == (again / name).read_bytes(), name
    calls = []
    monkeypatch.setattr(part, "best_fixed", lambda *given, **more: calls.append(given))
    run(tmp_path / "a", *argv)  # all of it is there
    assert capsys.readouterr().out == printed
    assert not calls


def test_a_policy_from_outside_is_run_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine_regret.py").write_text(
        "from online.reward.drf import DRF\nclass Mine(DRF):\n    name = 'mine'\n"
    )
    monkeypatch.chdir(tmp_path)
    argv = [*TINY, "--arrivals", "coin", "--policy", "mine_regret:Mine", "--format", "csv"]
    out = run(tmp_path, *argv)
    assert "mine" in capsys.readouterr().out
    assert not (out / "cells").exists()


def test_instance_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pair.json"
    alternating_pair().write(path)
    out = run(tmp_path, "--instance", str(path), "--policy", "drf", "--policy", "ogasched-constant")
    text = capsys.readouterr().out
    assert "drf*" in text
    assert "-1.5" in text
    assert "growth" not in text
    assert not (out / "growth.csv").exists()
    with pytest.raises(InputError, match="the same instance as 'small'"):
        main(["--instance", str(path), str(path), "--out", str(out)])
    with pytest.raises(InputError, match="--seeds does not go with --instance"):
        main(["--instance", str(path), "--seeds", "2"])


def test_a_real_trace(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["--trace", f"alibaba:{shared_data}", "--base", "3x40", "--slots", "10,20,40"]
    argv += ["--ports", "3", "--servers", "8", "--seeds", "2", "--policy", "ogasched-constant"]
    run(tmp_path, *argv, "--format", "json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["arrivals"] for row in rows} == {"trace"}
    assert all(row["instance"].startswith("alibaba-") for row in rows)
    assert all(row["regret_upper"] <= row["bound"] for row in rows)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--arrivals", "never"], "unknown arrivals 'never': choose from bernoulli"),
        (["--arrivals", "trace"], "arrivals 'trace': there is no --trace"),
        (["--set", "arrivals=coin"], "--set arrivals=...: say --arrivals here"),
        (["--set", "density=99"], r"density 99 is not in 1\.\.10"),
        (["--servers", "5+5"], r"servers '5\+5': want a number"),
        (["--policy", "oasis"], "unknown policy 'oasis' for 'reward'"),
        (["--problem", "utility"], "problem 'utility' has no regret part yet"),
        (["--problem", "none"], "unknown problem 'none'"),
        (["--trace", "philly:setup.py"], "no file or folder 'setup.py'"),
    ],
)
def test_bad_input_is_refused_before_anything_is_measured(
    argv: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        main([*argv, "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "argv",
    [
        ["--base", "10"],
        ["--base", "0x10"],
        ["--slots", "10,x"],
        ["--ports", "0"],
        ["--seeds", "0"],
        ["--dynamic", "-1"],
        ["--scaling", "other"],
        ["--instance", "a", "--trace", "b:c"],
    ],
)
def test_bad_options_are_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert "examples:" in text
    assert "--trace alibaba:../shared/data" in text


def test_curves_of_eight_policies_can_be_told_apart() -> None:
    size = {"ports": 2, "slots": 2, "servers": 1, "density": 2.0}
    frame = pd.DataFrame(
        [
            {"arrivals": "coin", "policy": f"p{i}", "slot": t, "regret": float(i * t), **size}
            for i in range(8)
            for t in (1, 2)
        ]
    )
    lines = plot_curves(frame).axes[0].get_lines()[1:]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 8
