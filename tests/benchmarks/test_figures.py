"""The command that makes figures: files, the same bytes, shared data, failed cells."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks.catalogue import find_picture, find_study, pictures_of
from benchmarks.contract import with_part
from benchmarks.figures import main
from models.errors import InputError
from tests.benchmarks import toy

Capture = pytest.CaptureFixture[str]


@pytest.mark.usefixtures("rendered")
def test_three_files_and_the_same_bytes(toy_folder: Path, capsys: Capture) -> None:
    for out in ("a", "b"):
        assert main(["utility-1", "--quick", "--out", out]) == 0
    assert "a/utility-1-quick.pdf, a/utility-1-quick.png, a/utility-1-quick.csv" in (
        capsys.readouterr().out
    )
    for ending in ("pdf", "png", "csv"):
        first, again = (Path(out, f"utility-1-quick.{ending}") for out in "ab")
        assert first.read_bytes() == again.read_bytes()
    frame = pd.read_csv("a/utility-1-quick.csv")
    assert list(frame.columns) == ["n", "seed", "y", "name", "load"]
    assert list(zip(frame["n"], frame["seed"], frame["y"], strict=True)) == [
        (n, seed, n * n + seed) for n in (1, 2, 3) for seed in (0, 1)
    ]


def test_what_was_run_is_not_run_again(toy_folder: Path, capsys: Capture) -> None:
    assert main(["utility-1", "--quick", "--seeds", "1"]) == 0
    assert toy.ran() == ["1/0", "2/0", "3/0"]
    assert main(["utility-2", "--quick"]) == 0
    assert toy.ran() == ["1/1", "2/1", "3/1"]
    assert main(["utility-1"]) == 0
    assert toy.ran() == ["1/2", "2/2", "3/2", "4/0", "4/1", "4/2"]
    assert "utility-squares: 6 of 12 cells were finished before" in capsys.readouterr().err
    assert sorted(path.name for path in Path("results/figures").glob("*.csv")) == [
        "utility-1-quick.csv",
        "utility-1.csv",
        "utility-2-quick.csv",
    ]


def test_a_failed_cell_is_missing_from_the_picture(toy_folder: Path, capsys: Capture) -> None:
    Path(toy.TROUBLE).write_text("")
    options = ["--quick", "--out", "out"]
    assert main(["utility-1", "utility-3", *options]) == 1
    out, err = capsys.readouterr()
    first, third = out.splitlines()
    assert first.endswith("utility-1-quick.csv (1 failed cell is missing)")
    assert "utility-3: Only where 3 is known: not drawn: 1 failed cell is missing" in third
    (line,) = (line for line in err.splitlines() if line.startswith("failed"))
    assert line.startswith("failed: square n=3 seed=1") and line.endswith(
        "ValueError: no square of 3"
    )
    frame = pd.read_csv("out/utility-1-quick.csv")
    assert len(frame) == 6
    assert frame["error"].notna().sum() == 1
    # Once the trouble is over, only that cell is run.
    Path(toy.TROUBLE).unlink()
    toy.ran()
    assert main(["utility-3", *options]) == 0
    assert toy.ran() == ["3/1"]
    assert "error" not in pd.read_csv("out/utility-3-quick.csv")


@pytest.mark.slow
@pytest.mark.usefixtures("rendered")
def test_workers_make_the_same_files(toy_folder: Path) -> None:
    for workers in ("1", "2"):
        assert main(["utility-1", "--quick", "--workers", workers, "--out", workers]) == 0
    for ending in ("pdf", "png", "csv"):
        first, again = (Path(out, f"utility-1-quick.{ending}") for out in "12")
        assert first.read_bytes() == again.read_bytes()


def test_list(toy_folder: Path, capsys: Capture) -> None:
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    named = [picture.name for name in with_part("pictures") for picture in pictures_of(name)]
    named += [f"{name}-multiverse" for name in with_part("readings")]
    assert [line.split()[0] for line in lines] == named
    assert "utility-1             Fig. 1          Squares" in lines


def test_names_that_nobody_has(toy_folder: Path) -> None:
    with pytest.raises(InputError, match=r"^unknown figure 'utility-7': 'utility' has utility-1, "):
        find_picture("utility-7")
    with pytest.raises(InputError, match=r"^unknown study 'utility-7': 'utility' has utility-squ"):
        find_study("utility-7")
    with pytest.raises(InputError, match=r"^unknown figure 'nothing-1': names begin with"):
        find_picture("nothing-1")


@pytest.mark.parametrize("name", with_part("pictures"))
def test_every_picture_has_its_study(name: str) -> None:
    for picture in pictures_of(name):
        assert picture.name.startswith(f"{name}-")
        assert find_study(picture.study).problem == name
