"""The ratio table: what its columns and notes say, and which instances it is about."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks.ratio import main
from benchmarks.table import COLUMNS, common_origin, draws_of, format_table, loads_of, summarise
from benchmarks.tables import Layout
from models.errors import InputError
from models.utility import UtilityInstance
from tests.models.utility.small import instance, job


def frame(
    sources: list[str], limited: list[bool], certified: list[float] | None = None
) -> pd.DataFrame:
    count = len(sources)
    return pd.DataFrame(
        {
            "problem": "utility",
            "policy": "p",
            "seed": range(count),
            "instance": [f"i{n}" for n in range(count)],
            "instance_hash": [f"h{n}" for n in range(count)],
            "objective": 5.0,
            "offline_lower": 8.0,
            "offline_upper": 10.0,
            "offline_allows": "",
            "offline_status": "bounded",
            "offline_time_limited": limited,
            "bound_source": sources,
            "offline_certified": certified,
            "ratio_lower": 1.6,
            "ratio_upper": 2.0,
            "guarantee": None,
            "guarantee_applies": None,
            "guarantee_fails": "",
            "violations": 0,
            "completed": 1,
            "jobs": 2,
            "load": [1.0, 2.5, 1.2][:count],
            "policy_seconds": 0.1,
            "decisions": 10,
            "clairvoyant_bounds": False,
        }
    )


@pytest.mark.parametrize(
    ("sources", "note"),
    [
        (["prices", "milp", "milp"], "certified by prices on 1 of 3 instances, by the MILP solver"),
        (["prices", "prices"], "certified by prices on 2 of 2 instances.\n"),
        (["milp"], "certified by prices on 0 of 1 instances, by the MILP solver on the rest."),
    ],
)
def test_table_says_what_vouches_for_the_bounds(sources: list[str], note: str) -> None:
    rows = frame(sources, [False] * len(sources))
    text = format_table(summarise(rows), rows) + "\n"
    assert note in text
    header = text.splitlines()[0]
    assert "interval" in header and "certified" not in header
    assert "1.600-2.000" in text
    assert "time limit" not in text


def test_table_says_how_much_weaker_the_bounds_of_prices_alone_are() -> None:
    # Bounds 10; 10.4 and 10.1 by prices: 4 % and 1 % weaker, and the third is the same.
    rows = frame(["milp", "milp", "prices"], [False] * 3, [10.4, 10.1, 10.0])
    text = format_table(summarise(rows), rows)
    assert "certificate.json.gz of each instance proves without a solver are 1.7 % weaker" in text
    assert "in the mean, 4 % at most." in text
    rows = frame(["milp"], [False], [0.0])
    rows["offline_upper"] = 0.0
    assert "0 % weaker in the mean" in format_table(summarise(rows), rows)
    rows = frame(["prices"], [False], [10.0])
    assert "certificate.json.gz" not in format_table(summarise(rows), rows)


def test_table_counts_solves_that_the_clock_steered() -> None:
    rows = frame(["milp"] * 3, [True, False, True])
    assert "The clock decided a step of the offline solver on 2 of 3 instances" in format_table(
        summarise(rows), rows
    )


def test_table_says_which_rows_have_another_optimum() -> None:
    own, wider = (frame(["milp"], [False]) for _ in range(2))
    for rows in (own, wider):
        rows["problem"] = "jct"
    wider = wider.assign(
        policy="q", offline_allows="migration", offline_upper=13.0, bound_source="prices"
    )
    both = pd.concat([wider, own], ignore_index=True)
    text = format_table(summarise(both), both)
    assert [line.split()[0] for line in text.splitlines()[2:4]] == ["q+", "p"]
    # The notes on all instances are on the problem's own optimum.
    assert (
        "Optimum proven (gap <= 0.0001) on 0 of 1 instances; the widest interval of an optimum "
        in text
    )
    assert "is 2 in units of the objective." in " ".join(text.split())
    assert "certified by prices on 0 of 1" in text
    assert "allows migration too" in text
    assert " ".join(text.split()).count("optimum is 5 in units of the objective.") == 1
    assert "sum of the objectives / sum of the offline lower bounds" in text
    assert "migration" not in format_table(summarise(own), own)


def test_the_load_is_beside_every_ratio() -> None:
    rows = frame(["milp"] * 3, [False] * 3)
    text = format_table(summarise(rows), rows)
    assert text.splitlines()[2].split()[-3:] == ["1.57", "0", "10.00"]  # the mean of the three
    assert loads_of(rows) == "load 1.57 (1 to 2.5)"
    twice = pd.concat([rows[:1], rows[:1].assign(policy="q")])
    assert loads_of(twice) == "load 1"
    assert loads_of(rows.assign(load=None)) == "load unknown"  # all failed


def test_draws_are_counted_in_words() -> None:
    assert draws_of([(4, 188_690), (4, 0)]) == "accepted 4 of 4 to 188,694 draws"
    assert draws_of([(112, 9), (8, 1), None]) == "accepted 8 to 112 of 9 to 121 draws"
    assert draws_of([(0, 0), (6, 0)]) == "no draw rejected"
    assert draws_of([None]) == ""  # of files nothing is drawn


def test_words_of_the_table_are_explained_below_it() -> None:
    rows = frame(["milp"] * 3, [False] * 3)
    *_, last = format_table(summarise(rows), rows).splitlines()
    assert last.startswith("In words: load: sum over the jobs of the largest share")
    assert "small demands: a job" not in last
    fails = rows.assign(guarantee_fails="small demands (alpha_i up to 3); dual feasibility (x)")
    *_, last = format_table(summarise(fails), fails).splitlines()
    assert "; at 1 there is about as much to do as can be done. small demands: a job" in last
    assert "dual feasibility: no job could gain" in last
    assert "OPT/2" not in last


def test_a_table_fits_the_terminal() -> None:
    rows = frame(["milp"] * 3, [False, True, True], [10.4, 10.1, 10.0])
    whole = format_table(summarise(rows), rows)
    assert max(map(len, whole.splitlines())) > 110
    text = format_table(summarise(rows), rows, Layout(width=80))
    assert max(map(len, text.splitlines())) <= 80
    assert "left out to fit the width: violations, ms, load" in text
    chosen = Layout(width=80, columns=("policy", "load", "mean"))
    assert format_table(summarise(rows), rows, chosen).split()[:4] == [
        *("policy", "load", "mean", "ratio")
    ]
    assert [column.name for column in COLUMNS if column.rank == 0] == ["policy", "mean"]


def origins(*texts: str) -> dict[str, str]:
    return {f"i{n}": text for n, text in enumerate(texts)}


def test_origin_is_what_all_instances_share() -> None:
    drawn = "synthetic: mix 0.1/0.9; kept 5 of {} draws"
    assert common_origin(origins(drawn.format(77))) == drawn.format(77)
    three = origins(*map(drawn.format, (99, 77, 80)))
    assert common_origin(three) == drawn.format("77 to 99")
    assert (
        common_origin(origins("trace a: slots 7..", "trace b: slots 8..")) == "trace ... slots ..."
    )
    assert common_origin(origins("by hand", "")) == "of several origins: i0, i1"
    assert common_origin(origins("")) == "i0"


# ---- which instances -----------------------------------------------------------------------


def write(path: Path, name: str, work: int) -> str:
    ins: UtilityInstance = instance([job("a", work=work)], name=name)
    ins.write(path)
    return str(path)


def test_an_instance_given_twice_is_refused(tmp_path: Path) -> None:
    one = write(tmp_path / "one.json", "one", 1)
    twin = write(tmp_path / "twin.json.gz", "one", 1)
    namesake = write(tmp_path / "namesake.json", "one", 2)
    for second, what in ((one, "instance"), (twin, "instance"), (namesake, "name")):
        with pytest.raises(InputError) as caught:
            main(["--instance", one, second, "--out", str(tmp_path / "out")])
        assert str(caught.value) == f"{second}: the same {what} as in {one}"
    with pytest.raises(InputError, match="the same instance as in"):
        main(["--instance", one, "--instance", twin])


@pytest.mark.parametrize(
    "option", ["--quick", "--jobs=3", "--slots=3", "--servers=1+1", "--seeds=2"]
)
def test_sizes_do_not_go_with_a_file(option: str, tmp_path: Path) -> None:
    one = write(tmp_path / "one.json", "one", 1)
    with pytest.raises(InputError, match=f"^{option.split('=')[0]} does not go with --instance"):
        main(["--instance", one, option])
