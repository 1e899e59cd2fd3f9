"""The regret command: rows that can be worked by hand, what is printed, what is taken up again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmarks.contract import RegretSizes
from benchmarks.regret import main
from benchmarks.regret_report import plot_curves
from benchmarks.reward import best_decision
from benchmarks.reward import regret as part
from benchmarks.reward.regret import REGRET, measure
from benchmarks.study.cell import Cell, Outcome, Result
from benchmarks.study.closure import import_closure
from benchmarks.study.engine import Ended, InProcess, Task
from benchmarks.study.instances import drawn, given
from benchmarks.study.regret import Regret, sources_around
from benchmarks.study.scheme import default_policies, schemes_of
from benchmarks.study.store import Store
from benchmarks.study.study import Trial, frames_of, trial_on
from models.errors import InputError
from models.reward import RewardInstance
from online.registry import find_policy, policy_names
from tests.benchmarks.frames import assert_marks_are_told
from tests.models.reward.small import reward

POLICIES = {name: find_policy("reward", name) for name in policy_names("reward")}

TINY = ["--base", "2x8", "--slots", "2,4,8", "--ports", "1,2", "--servers", "3", "--seeds", "2"]


def trial(seed: int, *policies: str) -> Trial:
    """Two ports, four slots, three servers."""
    coin = {"arrivals": "coin"}
    source = drawn("reward", jobs=2, slots=4, servers=3, seed=seed, settings=coin)
    return trial_on(source, schemes_of("reward", list(policies)), **coin)


def alternating_pair(beta: float = 0.25) -> RewardInstance:
    """Two ports take turns at one unit of one device, four slots; utility y."""
    turns = [[1, 0], [0, 1], [1, 0], [0, 1]]
    return reward([[1.0], [1.0]], [[1.0]], turns, beta=[beta])


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["policy"]: row for row in rows}


def test_a_tiny_regret_by_hand() -> None:
    instance = alternating_pair()
    source, data = given(instance)
    trials = [trial_on(source, schemes_of("reward"), arrivals="")]
    (frame,) = frames_of([(Regret(5.0, {instance.hash: data}), trials)])
    rows = by_name(frame.to_dict("records"))
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
    assert not drf["commits"] and not drf["bound_proven"] and math.isnan(drf["inequality_left"])
    # The optima of the slots give the unit to and fro. After one slot DRF has what is best for it.
    assert drf["path_length"] == pytest.approx(3 * math.sqrt(2), abs=1e-4)
    assert drf["anytime"] == pytest.approx(0.0, abs=1e-5)
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
    # After three slots, two of port 0: best is 2 for it, of 1/2 + (1/2 - s/2) + 1/2 achieved.
    assert constant["anytime"] == pytest.approx(0.375 * (1 + s), abs=1e-5)
    assert constant["curve_anytime"][:2] == pytest.approx([0.375, 0.375 * s], abs=1e-5)
    assert constant["curve_slots"] == [1, 2, 3, 4]
    assert constant["curve_regret"][-1] == pytest.approx(constant["regret_lower"])


def test_sizes_and_density() -> None:
    (row,) = measure(reward([[1.0], [1.0]], [[1.0]] * 4, [[1, 0]] * 3), [POLICIES["drf"]])
    found = [row[name] for name in ("ports", "servers", "slots", "density")]
    assert found == [2, 4, 3, 2.0]
    assert [row[name] for name in ("dynamic_lower", "dynamic_upper", "path_length")] == [None] * 3


def test_a_theorem_is_claimed_only_where_it_holds() -> None:
    gang = reward([[2.0]], [[2.0]], [[1], [1]], components=[[[1.0], [1.0]]], minimum_running=[2])
    (row,) = measure(gang, [POLICIES["ogasched-constant"]])
    assert row["bound_proven"] is False
    rows = measure(alternating_pair(), list(POLICIES.values()))
    assert [row["policy"] for row in rows if row["bound_proven"]] == ["ogasched-constant"]


def test_instances_around_a_base() -> None:
    sizes = RegretSizes((4, 80), (20, 40, 80), (2, 4, 8), 5, (0, 1), ("coin", "trace"))
    given = {"beta": (0.5, 0.5)}
    told = {"beta": [0.5, 0.5], "arrivals": "coin"}

    def shown(scaling: str) -> list[tuple[int, int, dict[str, Any]]]:
        found = list(sources_around("reward", sizes, given, scaling))
        assert [arrivals for arrivals, _ in found] == ["coin"] * 10 + ["trace"] * 10
        assert [one["seed"] for _, one in found] == [0, 1] * 10
        assert all("arrivals" not in one["settings"] for _, one in found[10:])
        assert {one["servers"] for _, one in found} == {5}
        first = [one for _, one in found[:10:2]]
        return [(one["jobs"], one["slots"], one["settings"]) for one in first]

    horizons = [(4, slots, told) for slots in (20, 40, 80)]
    assert shown("density") == [*horizons, (2, 80, told), (8, 80, told)]
    # 4 ports on 5 servers have 12 edges, round(2.5 * 5), so 2.4 ports to a server.
    halved, doubled = ({**told, "density": pytest.approx(2.4 * factor)} for factor in (0.5, 2))
    assert shown("degree") == [*horizons, (2, 80, halved), (8, 80, doubled)]
    for size, usual in REGRET.sizes.items():
        assert usual.base[0] in usual.ports, size
        assert usual.base[1] == max(usual.slots)


def run(tmp_path: Path, *argv: str) -> Path:
    out = tmp_path / "out"
    assert main([*argv, "--workers", "1", "--out", str(out)]) == 0
    return out


@pytest.mark.usefixtures("rendered")
def test_rows_tables_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(tmp_path, *TINY, "--arrivals", "bernoulli,adaptive", "--dynamic", "5")
    text = " ".join(capsys.readouterr().out.split())
    assert re.search(r"2 ports, 8 slots, 3 servers, density 2, load 5\.\d+ \(5", text)
    assert "; means over 2 seeds" in text
    assert "T in 2, 4, 8 at 2 ports; |L| in 1, 2 at 8 slots, where every port keeps" in text
    assert "not applicable: fewer than 3 sizes" in text
    assert "(14) is proven for ogasched-constant" in text
    assert "dynamic regret: optima of the slots" in text
    assert "adaptive: an adversary that sees a policy's last decision" in text
    assert "The 95 % interval is Student's t over instances" in text
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    # arrivals x sizes x seeds x policies
    assert len(rows) == 2 * (3 + 1) * 2 * len(default_policies("reward"))
    assert all(row["regret_lower"] <= row["regret_upper"] for row in rows)
    assert all(-1e-9 <= row["dynamic_upper"] for row in rows if row["arrivals"] != "adaptive")
    assert all(row["regret_upper"] <= row["bound"] for row in rows if row["bound_proven"])
    growth = pd.read_csv(out / "growth.csv")
    over_slots = growth[(growth["over"] == "slots") & growth["commits"]]
    assert over_slots["bound_exponent"].to_numpy() == pytest.approx(0.5)
    curves = pd.read_csv(out / "curves.csv")
    assert set(curves["slot"]) == set(range(1, 9))
    for name in ("curves.pdf", "curves.png", "growth.pdf", "growth.png", "settings.json"):
        assert (out / name).is_file()


def test_what_is_said_of_one_seed_and_of_a_bound_that_is_proven_for_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, *TINY, "--arrivals", "coin", "--policy", "drf", "--seeds", "1")
    text = " ".join(capsys.readouterr().out.split())
    assert "; 1 seed " in text and "1 seeds" not in text
    assert "(14) is proven for no policy here. On" in text and "0 runs" not in text


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
    monkeypatch.setattr(best_decision, "best_fixed", unwanted)
    monkeypatch.setattr(part, "run_policy", unwanted)
    run(tmp_path / "a", *argv)  # all of it is there
    told = capsys.readouterr()
    assert told.out == printed
    assert "regret of reward: 16 of 16 cells were finished before" in told.err


def unwanted(*given: object, **more: object) -> None:
    raise AssertionError("run again")


def frame_with(tmp_path: Path, *policies: str) -> tuple[pd.DataFrame, list[str]]:
    """Regret of policies on two instances, and which cells were run for it."""
    ran: list[str] = []

    class Noting(InProcess):
        def map(self, tasks: Iterable[Task]) -> Ended:
            for task, outcome in super().map(tasks):
                ran.append(task.cell.name)
                yield task, outcome

    trials = [trial(seed, *policies) for seed in (0, 1)]
    store = Store(tmp_path / "cells")
    return frames_of([(Regret(), trials)], store=store, engine=Noting())[0], ran


def test_another_policy_solves_nothing_again_and_changes_no_row(tmp_path: Path) -> None:
    alone, ran = frame_with(tmp_path, "ogasched")
    assert ran == ["best-decision", "run"] * 2
    both, ran = frame_with(tmp_path, "ogasched", "drf")
    assert ran == ["run"] * 2
    assert both["policy"].tolist() == ["ogasched", "drf"] * 2
    pd.testing.assert_frame_equal(both[::2].reset_index(drop=True), alone)


def test_the_cells_of_a_users_file_are_kept_until_the_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "mine_regret.py"
    text = "from online.reward.drf import DRF\nclass Mine(DRF):\n    name = 'mine'\n"
    file.write_text(text)
    first, _ = frame_with(tmp_path, "drf", f"{file}:Mine")
    assert first["policy"].tolist() == ["drf", "mine"] * 2
    assert frame_with(tmp_path, "drf", f"{file}:Mine")[1] == []
    file.write_text(text + "# another version\n")
    assert frame_with(tmp_path, "drf", f"{file}:Mine")[1] == ["run"] * 2


def test_a_policy_that_breaks_is_rows_with_errors_and_has_no_mean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "broken_regret.py"
    file.write_text(
        "from online.reward.oga import OGASched\n"
        "class Broken(OGASched):\n"
        "    name = 'broken'\n"
        "    def reset(self, public, rng):\n"
        "        if public.slots == 8 and rng.random() < 0.9:\n"
        "            raise RuntimeError('no idea')\n"
        "        super().reset(public, rng)\n"
    )
    out = tmp_path / "out"
    argv = [*TINY, "--arrivals", "coin", "--policy", f"ogasched,{file}:Broken"]
    assert main([*argv, "--workers", "1", "--out", str(out)]) == 1
    told = capsys.readouterr()
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    failed = [row for row in rows if row["error"]]
    assert failed and {row["policy"] for row in failed} == {"broken"}
    assert {row["slots"] for row in failed} == {8}
    assert all("RuntimeError: no idea" in row["error"] for row in failed)
    assert all(row["instance_hash"] and row["objective"] is None for row in failed)
    assert len(told.err.splitlines()) == len(failed)
    (line,) = [line for line in told.out.splitlines() if " of 2 failed  " in line]
    assert line.split()[:2] == ["coin", "broken"]
    growth = pd.read_csv(out / "growth.csv").set_index(["policy", "over"])
    assert growth.loc[("broken", "slots"), "verdict"] == "not applicable"
    assert growth.loc[("broken", "slots"), "why"].endswith("of 6 failed")
    assert pd.isna(growth.loc[("ogasched", "slots"), "why"])


def test_an_instance_that_cannot_be_solved_says_so_in_all_its_rows() -> None:
    late = Outcome("out of time", None, "still running after 1 s")
    done = Outcome("done", Result({"policy": "drf"}))
    rows = Regret().rows(trial(7, "drf", "ogasched"), [late, done, done])
    assert [row["policy"] for row in rows] == ["drf", "ogasched"]
    said = "best fixed decision: out of time: still running after 1 s"
    assert [row["error"] for row in rows] == [said, said]
    assert (rows[0]["seed"], rows[0]["ports"], rows[0]["slots"]) == (7, 2, 4)


def test_a_change_of_a_policy_concerns_its_runs_alone() -> None:
    fixed, drf, spreading = Regret().cells(trial(0, "drf", "spreading"))

    def closure(cell: Cell) -> set[str]:
        return set(import_closure((cell.function.partition(":")[0], *cell.roots)))

    assert "solvers.reward.hindsight" in closure(fixed)
    assert not {name for name in closure(fixed) if name.startswith("online.reward.oga")}
    assert "online.reward.spreading" in closure(spreading) - closure(drf)
    for cell in (fixed, drf, spreading):
        for part_of in ("pictures", "regret_report", "figures", "claims"):
            assert not {name for name in closure(cell) if part_of in name.split(".")}


def test_instance_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pair.json"
    alternating_pair().write(path)
    out = run(tmp_path, "--instance", str(path), "--policy", "drf,ogasched-constant")
    text = capsys.readouterr().out
    assert "drf*" in text
    assert "-1.5" in text
    assert "growth" not in text
    assert not (out / "growth.csv").exists()
    with pytest.raises(InputError, match="the same instance as in"):
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
        (["--arrivals", ""], "setting arrivals is '': want e.g. arrivals=bernoulli"),
        (["--arrivals", "coin,"], "setting arrivals is ''"),
        (["--arrivals", "trace"], "arrivals 'trace': there is no --trace"),
        (["--set", "arrivals=coin"], "--set arrivals=...: say --arrivals here"),
        (["--set", "density=99"], r"density 99 is not in 1\.\.10"),
        (["--servers", "5+5"], r"servers '5\+5': want a number above 0"),
        (["--policy", "oasis"], "unknown policy 'oasis' for 'reward'"),
        (["--problem", "utility"], "'utility' has no regret part yet; those with one: reward"),
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
    picture = plot_curves(pd.concat([frame.assign(seed=seed) for seed in (0, 1)]))
    assert_marks_are_told(picture)
    lines = picture.axes[0].get_lines()[:-1]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 8
