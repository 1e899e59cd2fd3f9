"""What each variant of the search by deadlines leaves out; its bounds hold all the same."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from models.utility import score
from solvers.utility.deadlines import DeadlineOptions, complete
from solvers.utility.deadlines.prove import with_whole_workers
from solvers.utility.deadlines.relax_and_fix import relax_and_fix
from solvers.utility.deadlines.state import DeadlineState
from solvers.utility.deadlines.variants import VARIANTS
from solvers.utility.separation import PackingCut
from tests.solvers.utility.test_deadline_search import drawn, searched
from tests.solvers.utility.test_exact import best, contended
from tests.solvers.utility.test_time_grid import state_of, two_alike


def large_state(name: str) -> DeadlineState:
    """The state at the beginning, of an instance that is searched like a large one."""
    options = VARIANTS[name][1] if name else DeadlineOptions()
    return state_of(drawn(4), 1e5, replace(options, provable=0))


def test_each_variant_is_one_number_apart_from_the_whole_search() -> None:
    whole = asdict(DeadlineOptions())
    changed = {
        name: [key for key, value in asdict(options).items() if value != whole[key]]
        for name, (_, options) in VARIANTS.items()
    }
    assert changed == {
        "without-opening": ["rounding"],
        "without-merging": ["coarse"],
        "without-grid": ["intervals"],
        "without-cut-rows": ["near"],
        "every-cut-row": ["near"],
        "one-try": ["slot_tries"],
        "without-proofs": ["whole"],
        "without-polishing": ["polishing"],
    }


def test_every_deadline_and_every_slot_of_its_own() -> None:
    whole = large_state("")
    assert len(whole.on_grid.grid.length) == 2  # a third of 6 slots
    assert len(large_state("without-grid").on_grid.grid.length) == 6
    apart = large_state("without-merging").totals.done
    assert sum(map(len, apart.values())) > sum(map(len, whole.totals.done.values()))


@pytest.mark.parametrize(
    ("name", "rows"), [("", [0, 0, 1]), ("without-cut-rows", [0, 0, 0]), ("every-cut-row", [5, 5])]
)
def test_a_cut_is_a_row_near_its_capacity_never_or_always(name: str, rows: list[int]) -> None:
    # One worker of each of six jobs is a load of 6; near 7 is what comes to 6.65. No job has come
    # by slot 0, so that no cut is ever a row there.
    state = large_state("without-grid")
    state.options = replace(state.options, near=VARIANTS[name][1].near if name else 0.95)
    state.cuts.add(0, PackingCut(np.ones(6), 7.0))
    load = np.zeros((6, 6))
    for count, known in enumerate(rows):
        load[2] = 1.0 + 0.1 * count  # in slot 2: 6, then 6.6, then 7.2
        state.add_near([load, np.zeros((6, 6))])
        assert state.rows_added == known


@pytest.mark.usefixtures("highs_here")
@pytest.mark.parametrize("rounding", [0.0, 0.91])
# The other two are the whole search here: rounding is given, and no proof is hoped for.
@pytest.mark.parametrize("name", sorted({*VARIANTS} - {"without-opening", "without-proofs"}))
def test_bound_and_schedule_hold_without_a_refinement(
    name: str, rounding: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed = list[Any]()

    def watched(state: Any, program: Any) -> Any:
        followed.append(program)
        return relax_and_fix(state, program)

    monkeypatch.setattr(complete, "relax_and_fix", watched)
    options = replace(VARIANTS[name][1], work_limit=0.01, provable=0, rounding=rounding)
    ins = contended(3)
    found, again = (searched(ins, 1000.0, 60.0, options=options) for _ in range(2))
    judged = score(ins, found.schedule)
    assert judged.feasible
    assert found.bound is not None
    assert 0 < judged.objective == found.objective <= best(3) * (1 + 1e-6)
    assert best(3) * (1 - 1e-6) <= found.bound < 1000.0
    assert (again.objective, again.bound) == (found.objective, found.bound)
    # On this instance, the opening round finds the optimum.
    assert bool(followed) == (rounding == 0)


def test_proofs_are_left_out() -> None:
    proof = state_of(two_alike(), 30.0, VARIANTS["without-proofs"][1])
    assert proof.may_prove
    assert with_whole_workers(proof, {0: 1, 1: 3}) == math.inf
    assert proof.budget.spent == 0.0
    whole = state_of(two_alike(), 30.0)
    assert with_whole_workers(whole, {0: 1, 1: 3}) < math.inf
    assert whole.budget.spent > 0.0
