"""Schemes and readings: policies by reference, what a study makes of them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.study.cell import Cell, Outcome
from benchmarks.study.grid import Grid
from benchmarks.study.instances import drawn
from benchmarks.study.run import run_cell
from benchmarks.study.scheme import (
    Reading,
    Scheme,
    given_policy,
    policy_of,
    policy_roots,
    schemes_of,
)
from benchmarks.study.study import Study, Trial
from models.errors import InputError
from online.policy import Decision, Event, Policy
from online.utility.fifo import FIFO

SOURCE = drawn("utility", jobs=2, slots=3, servers=(1, 1), seed=0)


def a_class(name: str) -> type[Policy]:
    class Made(Policy):
        def reset(self, public: Any, rng: np.random.Generator) -> None:
            pass

        def step(self, event: Event) -> Decision:
            return Decision()

    Made.name = name
    return Made


def test_a_scheme_of_a_policy_has_its_name() -> None:
    fifo, drf = schemes_of("utility", ["fifo", "online.utility.drf:DRF"])
    assert fifo == Scheme("fifo", "fifo")
    assert drf == Scheme("drf (online.utility.drf:DRF)", "online.utility.drf:DRF")
    assert pickle.loads(pickle.dumps(drf)) == drf
    with pytest.raises(InputError, match=r"^two policies are named 'fifo'$"):
        schemes_of("utility", ["fifo", "drf", "fifo"])
    known = r"^unknown policy 'srtf' for 'utility': choose from oasis, .*, oasis-no-eta, "
    with pytest.raises(InputError, match=known):
        schemes_of("utility", ["srtf"])


def test_classes_at_hand_are_told_apart_and_not_kept() -> None:
    one, two = a_class("one"), a_class("two")
    references = [given_policy(policy) for policy in (one, two, one)]
    assert references[0] == references[2] != references[1]
    assert [policy_of("utility", reference) for reference in references] == [one, two, one]
    scheme = Scheme("one", references[0])
    assert not scheme.is_importable
    assert not run_cell(SOURCE, scheme).kept
    assert run_cell(SOURCE, Scheme("fifo", "fifo")).kept
    with pytest.raises(InputError, match="only the process that has it can run it"):
        policy_of("utility", "given:99:nobody:Nothing")


def test_roots_of_a_policy_are_where_its_code_is(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("from online.utility.fifo import FIFO\nclass Mine(FIFO):\n    name = 'mine'\n")
    assert policy_roots("utility", "fifo") == (FIFO.__module__,)
    assert policy_roots("utility", f"{file}:Mine") == (str(file),)
    assert policy_roots("utility", given_policy(FIFO)) == ()


@dataclass(frozen=True)
class Nothing:
    """Measures nothing."""

    def cells(self, trial: Trial) -> list[Cell]:
        return []

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        return []


def test_readings_overlay_a_point_and_are_ignored_by_the_indifferent() -> None:
    readings = (
        Reading("first", "as registered", {"requested": "gpus"}),
        Reading("second", "otherwise", {"requested": "chunks"}, {"a": {"share": 2}}),
    )
    schemes = (Scheme("a", "fifo", {"share": 1}), Scheme("b", "drf", ignores=("requested",)))
    study = Study(
        "utility-x",
        "utility",
        Nothing(),
        {"quick": Grid.cross(jobs=[5])},
        {"quick": 2},
        schemes,
        readings,
    )
    trials = study.trials("quick")
    assert [trial.seed for trial in trials] == [0, 1]
    entries = {(e.scheme.name, e.reading): e for e in trials[0].entries}
    # The indifferent one has rows in the first reading alone.
    assert list(entries) == [("b", "first"), ("a", "first"), ("a", "second")]
    assert entries["a", "first"].settings == {"jobs": 5, "requested": "gpus"}
    assert entries["a", "second"].settings == {"jobs": 5, "requested": "chunks"}
    assert entries["a", "first"].scheme.parameters == {"share": 1}
    assert entries["a", "second"].scheme.parameters == {"share": 2}
    assert [trial.seed for trial in study.trials("quick", [7])] == [7]


def test_an_indifferent_scheme_has_one_cell_for_all_its_settings() -> None:
    readings = (
        Reading("first", "", {"requested": "gpus", "cloud": True}),
        Reading("second", "", {"requested": "chunks", "cloud": False}),
    )
    schemes = (Scheme("b", "drf", ignores=("requested",)),)
    grids = {"quick": Grid.cross(jobs=[5])}
    study = Study("utility-x", "utility", Nothing(), grids, {"quick": 1}, schemes, readings)
    (trial,) = study.trials("quick")
    # It still depends on `cloud`, so it has both readings, with the registered `requested`.
    assert [entry.settings for entry in trial.entries] == [
        {"jobs": 5, "requested": "gpus", "cloud": True},
        {"jobs": 5, "requested": "gpus", "cloud": False},
    ]


def test_readings_that_differ_in_parameters_alone_are_two() -> None:
    readings = (Reading("plain"), Reading("greedy", parameters={"a": {"greedy": True}}))
    schemes = (Scheme("a", "fifo"), Scheme("b", "drf"))
    grids = {"quick": Grid.cross(jobs=[5])}
    study = Study("utility-x", "utility", Nothing(), grids, {"quick": 1}, schemes, readings)
    (trial,) = study.trials("quick")
    found = [(e.scheme.name, e.reading, e.scheme.parameters) for e in trial.entries]
    assert found == [
        ("b", "plain", {}),
        ("a", "plain", {}),
        ("a", "greedy", {"greedy": True}),
    ]
