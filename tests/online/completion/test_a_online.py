"""A_online: rounds by hand, the literal variant, and when its guarantee applies."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.completion import CompletionInstance, score
from models.errors import InputError
from online.completion.a_online import AOnline
from online.run import Trace, run
from solvers.completion.modes import DURATION, modes_of
from tests.models.completion.small import random_instance
from tests.online.completion.small import play, ring, rows, work
from tests.online.completion.test_max_weight import exhausted
from tests.online.promises import promise


def recorded(trace: Trace, key: str) -> dict[int, int]:
    """What rows record of slots with rounds."""
    return {row["slot"]: row[key] for row in trace.decisions if key in row}


def test_batches_close_at_times_that_double() -> None:
    # a is taken in round 1, from slot 1 on; b in round 2, from 2 on, and runs until 4; c arrives
    # in 3: round 3 at 4. d takes 6 slots, too many for blocks of 4: round 4 at 8.
    jobs = [work("a"), work("b", 2, slots=2), work("c", 3), work("d", 3, slots=6)]
    trace, completions = play(ring(jobs, 2), AOnline(1.0))
    assert completions == [2, 4, 5, 14]
    assert recorded(trace, "scheduled") == {0: 0, 1: 1, 2: 1, 3: 0, 4: 1, 5: 0, 8: 1, 14: 0}


def test_a_round_waits_for_the_one_before() -> None:
    # Room for one. Round 1 plans blocks of one slot: a, b and c, until 4. Round 2 has d, which
    # arrived in 2; e, of 3, is for round 3, at 5.
    jobs = [work(name) for name in "abc"] + [work("d", 2), work("e", 3)]
    trace, completions = play(ring(jobs, 1), AOnline(100.0))
    assert completions == [2, 3, 4, 5, 6]
    assert recorded(trace, "blocks") == {1: 3, 4: 1, 5: 1}


def test_jobs_run_as_planned_or_move_together() -> None:
    # Room for one, 3 slots each, blocks of 4 from slot 4 on.
    ins = ring([work(name, 3, slots=3) for name in "abc"], 1)
    assert play(ins, AOnline(1.0, compact=False))[1] == [7, 11, 15]
    assert play(ins, AOnline(1.0))[1] == [7, 10, 13]


def test_order_of_a_batch() -> None:
    # Room for one and F so small that everybody pays: in the order of the batch.
    jobs = [work("b"), work("c", weight=2.0), work("a", weight=1.5)]
    for order, completions in (
        ("arrival", [2, 3, 4]),
        ("weight", [4, 2, 3]),
        ("id", [3, 4, 2]),
    ):
        assert play(ring(jobs, 1), AOnline(1.0, order=order))[1] == completions


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="order 'size': choose from arrival, weight, id"):
        AOnline(1.0, order="size")
    with pytest.raises(InputError, match="price_bound 0 is not positive"):
        AOnline(0)


def two() -> CompletionInstance:
    """E2: A takes one slot, B five; both are taken first in the round at 4."""
    return ring([work("A", 3), work("B", 3, slots=5)], 1)


def test_empty_blocks_are_not_waited_for() -> None:
    # E2: round 3 runs A; a second block would schedule nobody. B runs 8-13, in round 4.
    trace, _ = play(two(), AOnline(1.0))
    assert rows(trace, 0) == [(4, 5, 0, 1)]
    assert rows(trace, 1) == [(8, 13, 0, 1)]


def test_the_literal_variant_waits_for_alpha_blocks() -> None:
    # E2: alpha = 437, tau = 4: round 3 runs from 1748 on and holds 437 blocks, of which all but
    # the first are idle: 436 x 4 slots. Round 4 runs from 437 x 8 = 3496 on.
    trace, completions = play(two(), AOnline(1.0, alpha=437))
    assert completions == [1749, 3501]
    assert 3496 - (1748 + 4) == 436 * 4
    assert recorded(trace, "alpha") == {4: 437, 8: 437}


def test_literal_blocks_have_a_slot_less() -> None:
    # (7b) with slots from 1 on: tau = 4 leaves 3 slots, so that 4 of them wait for tau = 8.
    ins = ring([work("a", 3, slots=3), work("b", 3, slots=4)], 2)
    assert play(ins, AOnline(1.0))[1] == [7, 8]
    assert play(ins, AOnline(1.0, alpha=10))[1] == [43, 84]


def test_alpha_of_the_whole_run() -> None:
    # F = 9, lambda = 2 * 4 * 1 * 1 * 9 + 1 = 73, gamma = 12.38; log 10 / log (gamma / (gamma - 1))
    # = 27.3.
    ins = ring([work("a"), work("b", weight=9.0)], 1)
    policy = AOnline.for_instance(ins, literal=True)
    assert (policy.price_bound, policy.alpha) == (9.0, 28)
    assert AOnline.for_instance(ins).alpha is None


# ---- the guarantee ------------------------------------------------------------------------


def provable() -> CompletionInstance:
    """Workers that need a hundredth of a server, and weights of at least what they hold."""
    rng = np.random.default_rng(0)
    jobs = [
        work(
            f"j{i}",
            int(rng.integers(0, 4)),
            slots=int(rng.integers(1, 4)),
            weight=float(rng.integers(3, 9)),
        )
        for i in range(12)
    ]
    return ring(jobs, 100)


def test_the_guarantee_applies_and_holds() -> None:
    ins = provable()
    policy = AOnline.for_instance(ins, literal=True)
    trace, completions = play(ins, policy)
    weight = np.array([job.weight for job in ins.jobs])
    # Everybody has room at once: the optimum starts each job at its arrival.
    optimum = float((weight * [job.arrival + job.work for job in ins.jobs]).sum())
    promised = promise(policy, ins, trace, optimum)
    assert promised is not None and promised.applies and promised.fails == ""
    assert policy.alpha is not None and promised.ratio == 4 * policy.alpha
    assert optimum < float((weight * completions).sum()) <= promised.ratio * optimum


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"weight": 0.5}, r"w >= sum f \(w is 0.5 of it\)"),
        ({"server": 3.0}, r"f/C <= 1/log lambda \(.* times as much\)"),
    ],
)
def test_assumptions_that_fail_are_named(changes: dict[str, float], fault: str) -> None:
    ins = ring([work("a", weight=changes.get("weight", 2.0))], changes.get("server", 100.0))
    policy = AOnline.for_instance(ins, literal=True)
    promised = promise(policy, ins, play(ins, policy)[0], 0.0)
    assert promised is not None and not promised.applies
    assert re.fullmatch(fault, promised.fails)


def test_an_exhausted_resource_is_found_by_9a() -> None:
    # E3: both assumptions hold. In round 2, with one usable slot, the light jobs fill the memory;
    # a heavy one would pay (401 - 1) 0.004 + (401^(1/100) - 1) 1 = 1.66 of its 100.4.
    policy = AOnline.for_instance(exhausted(), literal=True)
    trace, _ = play(exhausted(), policy)
    evidence = policy.evidence(exhausted(), trace)
    assert evidence is not None
    assert evidence["least_ratio"] == pytest.approx(1.0)
    assert evidence["largest_demand"] == pytest.approx(0.1 / 0.11564, rel=1e-4)
    assert evidence["dual_violation"] == pytest.approx(98.738, rel=1e-4)
    assert policy.applies(evidence, 0.0).fails.startswith("(9a) at final prices (job 'j1")


def test_jobs_left_out_are_counted() -> None:
    # One block only: the second job, which fits into a block, finds none.
    ins = ring([work("a", weight=2.0), work("b", weight=2.0)], 1)
    policy = AOnline(2.0, alpha=1)
    evidence = policy.evidence(ins, play(ins, policy)[0])
    assert evidence is not None and evidence["left_out"] == 1
    assert "Lemma 2 (1 jobs are left out" in policy.applies(evidence, 0.0).fails


def test_nothing_is_promised_of_the_other_variant() -> None:
    ins = provable()
    policy = AOnline.for_instance(ins)
    assert promise(policy, ins, play(ins, policy)[0], 1.0) is None


@given(seed=st.integers(0, 2**32 - 1), compact=st.booleans())
@settings(max_examples=30)
def test_the_literal_variant_is_within_4_alpha(seed: int, compact: bool) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, allreduce=seed % 2 == 1, jobs=6, servers=2, slots=4)
    policy = AOnline.for_instance(ins, literal=True, compact=compact)
    trace = run(ins, policy, rng)
    result = score(ins, trace.schedule)
    evidence = policy.evidence(ins, trace)
    assert result.violations == () and evidence is not None
    # If nobody is left out, tau_i <= 2 max(a, d) for the round of each job, which completes by
    # alpha tau_(i+1): within 4 alpha of a + d, whatever the assumptions say.
    if evidence["left_out"] == 0:
        shortest = [int(modes_of(job, ins.cluster)[0, DURATION]) for job in ins.jobs]
        alone = [j.weight * (j.arrival + d) for j, d in zip(ins.jobs, shortest, strict=True)]
        assert result.objective <= 4 * evidence["alpha"] * sum(alone)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_moving_together_delays_no_round(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ins = random_instance(rng, allreduce=seed % 2 == 1, jobs=6, servers=2, slots=1)
    planned, moved = (
        score(ins, run(ins, AOnline(3.0, alpha=50, compact=compact), rng).schedule).completion
        for compact in (False, True)
    )
    assert (moved <= planned).all()
