"""Choices and their readings; the sample of a multiverse; its frame, again and where cells fail."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.catalogue import claims_of, find_study
from benchmarks.contract import experiments_of, part_of, with_part
from benchmarks.pictures.specification import plot_specification
from benchmarks.study.choice import combined, read_choices, star_of
from benchmarks.study.multiverse import PICK, REGISTERED, Multiverse
from benchmarks.study.scheme import Reading
from benchmarks.study.store import Store
from models.errors import InputError
from online.parameters import check_parameters
from online.registry import find_policy, policy_names
from tests.benchmarks import toy

DECLARED = with_part("readings")


def test_choices_of_a_text() -> None:
    load, rule = read_choices("""
load | Sec. 1 | how much | it is as drawn
- drawn | as drawn
+ one | load 1 | {"load": 1.0} | a proposal
rule | Alg. 1 | who is first | the oldest
- age | the oldest
- size | the smallest | {"fifo": {"by": "size"}, "order": "size"}
""")
    assert (load.name, load.source, load.opens, load.why) == (
        *("load", "Sec. 1", "how much"),
        "it is as drawn",
    )
    assert load.readings[1] == Reading("one", "load 1", {"load": 1.0}, {}, "a proposal", True)
    assert rule.readings[1].settings == {"order": "size"}
    assert rule.readings[1].parameters == {"fifo": {"by": "size"}}
    assert [one.name for one in star_of((load, rule))] == ["drawn", "one", "size"]
    assert star_of((rule, load))[-1].settings == {"load": 1.0}


def test_two_choices_do_not_set_the_same() -> None:
    first, second = Reading("a", settings={"load": 1.0}), Reading("b", settings={"load": 2.0})
    with pytest.raises(InputError, match="reading b: another choice sets 'load', too"):
        combined([first, second], first)


@pytest.mark.parametrize("name", DECLARED)
def test_the_sample_of_a_problem(name: str) -> None:
    found: Multiverse = part_of(name, "readings")
    universes = found.universes()
    picks = pd.DataFrame([universe.picks for universe in universes])
    base = picks.iloc[0]
    assert universes[0].reading.name == REGISTERED
    assert len({universe.reading.name for universe in universes}) == len(universes) >= 24
    apart = (picks != base).sum(axis=1)
    alternatives = sum(len(choice.readings) - 1 for choice in found.choices)
    assert (apart == 1).sum() >= alternatives  # the star has them all
    design = picks[[universe.designed for universe in universes]]
    assert len(design) == found.count
    for choice in found.choices:
        counts = Counter(design[choice.name])
        assert set(counts) == {reading.name for reading in choice.readings}
        assert max(counts.values()) - min(counts.values()) <= 1
    for one, two in itertools.combinations(design, 2):
        pairs = pd.crosstab(design[one], design[two])
        assert abs(pairs - found.count / pairs.size).to_numpy().max() <= 2.0
    again = [universe.picks for universe in found.universes()]
    assert again == [universe.picks for universe in universes]


@pytest.mark.parametrize("name", DECLARED)
def test_readings_are_of_what_there_is(name: str) -> None:
    found: Multiverse = part_of(name, "readings")
    claims = part_of(name, "claims")
    judged = [claim.name for claim in claims if found.takes_part(claim)]
    assert set(found.headlines) <= set(judged)
    assert set(found.theory) <= {claim.name for claim in claims} - set(judged)
    studies = [find_study(study) for study in found.points]
    schemes = {scheme.name for study in studies for scheme in study.schemes}
    assert set(found.points) == {s for c in claims if c.name in judged for s in c.studies}
    told = {one for choice in found.choices for r in choice.readings for one in r.parameters}
    assert told <= schemes <= set(policy_names(name)) | {s.name for s in studies[0].schemes}
    settings = {key for c in found.choices for r in c.readings for key in r.settings}
    assert settings <= {*experiments_of(name).workload.examples, "slots"}


@pytest.mark.parametrize("name", DECLARED)
def test_everybody_can_set_what_a_reading_sets(name: str) -> None:
    found: Multiverse = part_of(name, "readings")
    policies = {s.name: s.policy for study in part_of(name, "studies") for s in study.schemes}
    for reading in (one for choice in found.choices for one in choice.readings):
        for scheme, given in reading.parameters.items():
            policy = given.get("policy", policies.get(scheme, scheme))
            own = {key: value for key, value in given.items() if key != "policy"}
            check_parameters(find_policy(name, policy), own)


def test_the_frame_of_a_multiverse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(tmp_path / "cells")
    frame = toy.READINGS.frame(toy.STUDIES, toy.CLAIMS, store=store)
    # 2 x 2 readings, two claims that can be judged.
    assert len(frame) == 8
    assert set(frame["claim"]) == {"fig1-small", "fig1-large"}
    assert frame[f"{PICK}shift"].tolist() == ["none"] * 2 + ["ten"] * 2 + ["none"] * 2 + ["ten"] * 2
    assert frame["reading"].unique().tolist() == [
        *(REGISTERED, "shift=ten", "idle=yes", "shift=ten, idle=yes"),
    ]
    small = frame[frame["claim"] == "fig1-small"]
    assert small["number"].tolist() == [10.0, 20.0, 10.0, 20.0]
    assert small["verdict"].tolist() == ["reproduced", "not reproduced"] * 2
    assert (small["level"] == 11.0).all()
    assert small["load"].tolist() == [1.0, 2.0, 1.0, 2.0]
    assert len(toy.ran()) == 16
    # Again: nothing is run, and the bytes are the same; so they are without a store.
    again = toy.READINGS.frame(toy.STUDIES, toy.CLAIMS, store=store)
    assert toy.ran() == []
    assert again.to_csv() == frame.to_csv()
    assert toy.READINGS.frame(toy.STUDIES, toy.CLAIMS).to_csv() == frame.to_csv()


def test_what_failed_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(tmp_path / "cells")
    Path(toy.TROUBLE).write_text("")
    frame = toy.READINGS.frame(toy.STUDIES, toy.CLAIMS, store=store)
    assert (frame["verdict"] == "not testable").all()
    assert frame["why"].unique().tolist() == ["1 of its cells failed in utility-squares"]
    Path(toy.TROUBLE).unlink()
    toy.ran()
    frame = toy.READINGS.frame(toy.STUDIES, toy.CLAIMS, store=store)
    assert (frame["verdict"] != "not testable").all()
    assert len(toy.ran()) == 4  # of n = 3 and seed 1 alone, in each reading


def test_points_stay_as_they_are() -> None:
    study = find_study("utility-4").in_reading(Reading("r", "", {"mix": [1, 0, 0], "load": 1.0}))
    (point,) = study.grids["quick"]
    assert point["mix"] == [0.0, 0.5, 0.5] and point["load"] == 1.0


def test_parameters_of_a_reading_are_of_its_schemes() -> None:
    reading = Reading("r", "", {}, {"oasis": {"eta": False}})
    study = find_study("utility-3").in_reading(reading)
    told = {scheme.name: dict(scheme.parameters) for scheme in study.schemes}
    assert told.pop("oasis") == {"eta": False}
    assert not any(told.values()) and len(told) == 4


def test_what_a_scheme_sets_itself_no_reading_changes() -> None:
    told = {"ogasched": {"policy": "ogasched-seeing", "initial": 5.0, "absent": "kept"}}
    study = find_study("reward-4").in_reading(Reading("r", "", {}, told))
    steps = {scheme.parameters["initial"] for scheme in study.schemes if scheme.name == "ogasched"}
    assert {25.0, 100.0, 0.1} <= steps
    for scheme in study.schemes:
        seeing = scheme.name == "ogasched"
        assert (scheme.policy == "ogasched-seeing") == seeing
        assert (scheme.parameters.get("absent") == "kept") == seeing
        assert "policy" not in scheme.parameters


def test_the_specification_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = toy.READINGS.frame(toy.STUDIES, toy.CLAIMS)
    curve, matrix = plot_specification(frame, claims=["fig1-small"]).axes
    points = {line.get_label(): line.get_ydata() for line in curve.lines}
    assert list(points["reproduced"]) == [10.0, 10.0]
    assert list(points["not reproduced"]) == [20.0, 20.0]
    assert curve.get_title(loc="left") == ("fig1-small: reproduced in 2 of 4 readings\nload 1 to 2")
    labels = [label.get_text() for label in matrix.get_yticklabels()]
    assert labels == ["shift: none", "shift: ten", "idle: no", "idle: yes"]
    dots = [sorted(line.get_xdata()) for line in matrix.lines]
    assert dots[:2] == [[0, 1], [2, 3]]  # the shift decides
    # A claim without a number stands below the axis of numbers, not at the level of its test.
    curve = plot_specification(frame, claims=["fig1-large"]).axes[0]
    low = [y for line in curve.lines for y in line.get_ydata() if line.get_marker() != "None"]
    assert [y for y in low if not np.isnan(y)] == [0.03] * 5  # one of them is ringed


def test_the_registered_reading_keeps_its_name() -> None:
    for name in DECLARED:
        assert len({claim.name for claim in claims_of(name)}) == len(claims_of(name))
