"""Trees of branchings on deadlines: what they prove, and what is no tree."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from models.errors import InputError
from models.utility import UtilityInstance
from models.utility.files import CertificateFile
from solvers.branching_tree import leaves
from solvers.certificate import seal
from solvers.utility.branching import branched
from solvers.utility.certificate import certify, check
from solvers.utility.deadline_relaxation import DeadlineRelaxation
from solvers.utility.deadline_tree import Allowed, Branch
from solvers.utility.job_program import JobProgram
from solvers.utility.pool_bound import PoolPrices, PricedCut, pool_bound
from solvers.utility.time_grid import TimeGrid
from solvers.utility.totals import TotalsColumn, TotalsOracle
from tests.contract_cases import priced_utility
from tests.models.utility.small import constant, instance, job, random_instance
from tests.solvers.utility.brute_force import optimum
from tests.solvers.utility.slow_bound import slow_bound
from tests.solvers.utility.test_exact import contended


def at(price: float, cuts: tuple[PricedCut, ...] = ()) -> PoolPrices:
    return PoolPrices(np.array([[price]]), np.zeros((1, 1)), cuts)


def two() -> tuple[UtilityInstance, PoolPrices]:
    """Jobs worth 5 and 4 of 2 Gbps each for a server of 3 Gbps: one of them fits.

    At price 2 the payoffs are 1 and 0, and 6 for the server: 7. The tree proves 5: both at price 9
    lose 13 and 14 and pay 27, so that this leaf proves 0; a alone at price 0 gains 5, b alone 4.
    """
    ins = instance(
        [
            job(name, worker=[2.0], ps=[2.0], utility=constant(worth))
            for name, worth in (("a", 5.0), ("b", 4.0))
        ],
        slots=1,
        worker_servers=[[3.0]],
        ps_servers=[[9.0]],
    )
    tree = (Branch(0, 0), Branch(1, 0), at(9.0), at(0.0), at(0.0))
    return ins, PoolPrices(*(at(2.0).worker, at(2.0).ps), (), tree)


def test_a_tree_worked_by_hand(tmp_path: Path) -> None:
    ins, prices = two()
    assert pool_bound(ins, at(2.0)) == pytest.approx(7.0, rel=1e-5)
    assert pool_bound(ins, prices) == pytest.approx(5.0, rel=1e-5)
    certificate, path = certify(ins, prices), tmp_path / "c.json.gz"
    assert certificate.bound == pool_bound(ins, prices)
    assert certificate.bound == pytest.approx(slow_bound(ins, certificate.file), rel=1e-9)
    certificate.write(path)
    assert check(path, ins).accepted
    # Without a tree, the file is as it always was.
    assert b"tree" not in msgspec.json.encode(certify(ins, at(2.0)).file)


def test_branchings_on_workers_worked_by_hand() -> None:
    # In one slot, a job with a worker is one that completes.
    ins, prices = two()
    tree = (Branch(0, 0, 1), Branch(1, 0, 1), *prices.tree[2:])
    certificate = certify(ins, replace(prices, tree=tree))
    assert certificate.bound == pool_bound(ins, prices)
    assert certificate.file.tree[0].workers == 1
    # Three worker-slots, at most two at a time, for 1 each in slot 1 and 3 in slot 2.
    late = job("a", arrival=1, work=3, chunks=2, worker=[1.0], ps=[1.0], utility=constant(5.0))
    small = instance([late], slots=3, worker_servers=[[9.0]], ps_servers=[[9.0]])
    oracle = TotalsOracle(small.jobs[0], small.cluster.tolerant)
    cost, nothing = np.array([0.0, 1.0, 3.0]), np.zeros(3)

    def best(least: list[int], most: list[int]) -> TotalsColumn | None:
        return oracle.best(cost, nothing, 0, 2, (np.array(least), np.array(most)))

    for least, most, counts in (
        ([0, 0, 0], [9, 9, 9], [0, 2, 1]),
        ([0, 0, 2], [9, 9, 9], [0, 1, 2]),
        ([0, 0, 0], [9, 1, 9], [0, 1, 2]),
        ([0, 1, 2], [0, 1, 2], [0, 1, 2]),
    ):
        column = best(least, most)
        assert column is not None
        assert column.workers.tolist() == counts
        assert (column.completion, column.cost) == (2, float(cost @ counts))
    assert best([1, 0, 0], [9, 9, 9]) is None  # before it arrives
    assert best([0, 2, 2], [9, 9, 9]) is None  # more than its work
    assert best([0, 0, 0], [9, 1, 1]) is None  # less
    assert best([0, 3, 0], [9, 9, 9]) is None  # more than fit
    with pytest.raises(OverflowError), np.errstate(over="ignore"):
        many = np.full(3, 9)
        oracle.best(np.array([0.0, 1e308, 0.0]), nothing, 0, 2, (np.array([0, 1, 0]), many))


def test_cuts_of_leaves_stand_once_in_the_file(tmp_path: Path) -> None:
    ins, _ = two()
    one, other = np.array([1.0, 1.0]), np.array([2.0, 1.0])
    tree = (
        Branch(1, 0),
        at(0.0, (PricedCut(0, 0, 9.0, one), PricedCut(0, 0, 1.0, other))),
        at(0.0, (PricedCut(0, 0, 4.0, one),)),
    )
    prices = PoolPrices(*(at(0.0).worker, at(0.0).ps), (PricedCut(0, 0, 4.0, one),), tree)
    # At 4 for one worker: 1, 0 and 4. In the tree: b alone pays 9 + 1, a may, and the cuts hold
    # 9 and 2: 4 - 10 + 0 + 11 = 5; then a at 4: 1 + 4 = 5.
    certificate, path = certify(ins, prices), tmp_path / "c.json"
    assert certificate.bound == pytest.approx(5.0, rel=1e-5)
    assert [cut.price for cut in certificate.file.cuts] == [4.0, 0.0]
    assert [leaf.cuts for leaf in certificate.file.tree[1:]] == [[(0, 9.0), (1, 1.0)], [(0, 4.0)]]
    certificate.write(path)
    assert check(path, ins).recomputed == certificate.bound


def test_leaves_part_all_deadlines() -> None:
    everything = Allowed.all(2, 3)
    tree = (Branch(0, 1), "a", Branch(1, 0), Branch(0, 2), "b", "c", "d")
    found = list(leaves(tree, everything))
    assert [name for name, _ in found] == ["a", "b", "c", "d"]
    for d in np.ndindex(4, 4):
        inside = [
            name for name, part in found if (part.first <= d).all() and (part.last >= d).all()
        ]
        assert len(inside) == 1
        assert inside[0] == ("a" if d[0] <= 1 else "d" if d[1] > 0 else "b" if d[0] == 2 else "c")


def test_leaves_part_all_numbers_of_workers() -> None:
    tree = (Branch(0, 1, 2), Branch(0, 0, 1), "a", "b", Branch(0, 1, 1), "c", "d")
    found = list(leaves(tree, Allowed.all(1, 3)))
    for n in np.ndindex(3, 3):
        counts = np.array([[*n, 0]])
        inside = [
            name
            for name, part in found
            if (part.least <= counts).all() and (part.most >= counts).all()
        ]
        assert inside == ["ab"[n[0] == 0] if n[1] == 2 else "cd"[n[1] == 0]]
    # Who runs in a slot completes, and not before it.
    assert [(part.first[0], part.last[0]) for _, part in found] == [(1, 2), (1, 2), (1, 2), (0, 3)]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda tree: tree.pop(), "the tree ends 1 parts too early"),
        (lambda tree: tree.pop(0), r"has ended before this node - at `\$.tree\[3\]`"),
        (lambda tree: tree.append(tree[-1]), r"has ended before this node - at `\$.tree\[5\]`"),
        (lambda tree: tree[1].update(job="a"), r"slot 0 does not part .* - at `\$.tree\[1\]`"),
        (lambda tree: tree[1].update(job="z"), r"no job 'z' in the instance - at `\$.tree\[1\]"),
        (lambda tree: tree[0].update(slot=1), r"slot 1 does not part .* - at `\$.tree\[0\]`"),
        (
            lambda tree: tree[0].update(slot=1, workers=1),
            r"slot 1 is past the horizon - at `\$.tree\[0\]`",
        ),
        (
            lambda tree: [tree[k].update(job="a", workers=1) for k in (0, 1)],
            r"1 workers do not part .* - at `\$.tree\[1\]`",
        ),
        (lambda tree: tree[2].update(cuts=[[0, 1.0]]), r"no cut 0 - at `\$.tree\[2\].cuts`"),
        (lambda tree: tree[2].update(worker=[]), r"0 rows for 1 slots - at `\$.tree\[2\].worker`"),
        (lambda tree: tree[2].update(node="branch"), r"\$.tree\[2\]`"),
    ],
)
def test_what_is_no_tree_is_refused(
    change: Callable[[list[Any]], Any], rule: str, tmp_path: Path
) -> None:
    ins, prices = two()
    data = msgspec.to_builtins(certify(ins, prices).file)
    change(data["tree"])
    (tmp_path / "c.json").write_bytes(msgspec.json.encode(data))
    with pytest.raises(InputError, match=rule):
        check(tmp_path / "c.json", ins)


@pytest.mark.parametrize(
    ("change", "proven"),
    [
        (lambda data: data.update(bound=4.9), 5.0),
        (lambda data: data["tree"][2].update(worker=[[3.0]]), 6.0),  # 5 + 4 - 12 + 9
        (lambda data: data["tree"][4].update(worker=[[2.0]]), 6.0),  # of b alone: 0 + 6
        (lambda data: data.update(tree=data["tree"][1:4]), 7.0),  # b, or not: 13, 5; root: 7
        (lambda data: data.update(tree=[]), 7.0),
    ],
)
def test_a_bound_that_its_tree_does_not_prove_is_refused(
    change: Callable[[dict[str, Any]], None], proven: float, tmp_path: Path
) -> None:
    ins, prices = two()
    data = msgspec.to_builtins(certify(ins, prices).file)
    change(data)
    file = seal(msgspec.convert(data, CertificateFile))
    (tmp_path / "c.json").write_bytes(msgspec.json.encode(file))
    verdict = check(tmp_path / "c.json", ins)
    assert not verdict.accepted
    assert verdict.recomputed == pytest.approx(proven, rel=1e-5)


def test_a_server_holds_no_more_of_a_job_than_may_run() -> None:
    # Three workers, for which one parameter server is enough; three would fit.
    alone = job("a", work=3, chunks=3, worker=[1.0], ps=[3.0], utility=constant(5.0))
    ins = instance([alone], slots=2, worker_servers=[[3.0]], ps_servers=[[9.0]])
    none = np.zeros((2, 1))

    def proven(side: int, tree: tuple[Branch | PoolPrices, ...] = ()) -> float:
        prices = PoolPrices(none, none, (PricedCut(side, 0, 9.0, np.ones(1)),))
        return pool_bound(ins, replace(prices, tree=tree and (*tree, prices, prices)))

    # It runs in the other slot for nothing, and the cut holds 3 and 1.
    assert [proven(side) for side in (0, 1)] == pytest.approx([32.0, 14.0])
    # Two workers in slot 0 at least pay for themselves: 5 - 18 + 27. With fewer the cut holds 1.
    assert [proven(0, (Branch(0, 0, 2),)), proven(1, (Branch(0, 0, 1),))] == pytest.approx(
        [14.0, 5.0]
    )


# ---- growing one ---------------------------------------------------------------------------------


def free(ins: UtilityInstance) -> PoolPrices:
    none = np.zeros((ins.cluster.slots, len(ins.cluster.resources)))
    return PoolPrices(none, none)


def test_what_two_jobs_need_is_found() -> None:
    ins, _ = two()
    assert pool_bound(ins, free(ins)) == pytest.approx(9.0)
    # A cut is all it takes: only one of them fits.
    grown = branched(ins, free(ins), leaves=10).prices
    assert pool_bound(ins, grown) == pytest.approx(5.0, rel=1e-5)
    assert (len(grown.cuts), grown.tree) == (1, ())


def test_brute_force_tree_root_in_this_order(tmp_path: Path) -> None:
    better = branchings = 0
    for seed in range(2, 6):
        rng = np.random.default_rng(seed)
        ins = random_instance(rng, jobs=6, slots=2, ps_servers=1, max_work=3, chunks=2)
        root = pool_bound(ins, free(ins))
        bounds = [root]
        for most in (1, 2, 16):
            grown = branched(ins, free(ins), leaves=most).prices
            assert sum(isinstance(node, PoolPrices) for node in grown.tree) <= most
            bounds.append(pool_bound(ins, grown))
        assert optimum(ins) * (1 - 1e-12) <= bounds[-1]
        assert all(after <= before for before, after in pairwise(bounds))
        assert branched(ins, free(ins), leaves=16).prices.tree[:1] == grown.tree[:1]
        certify(ins, grown).write(tmp_path / "c.json")
        assert check(tmp_path / "c.json", ins).accepted
        better += bounds[-1] < root * (1 - 1e-6)
        branchings += len(grown.tree) // 2
    assert better == 3  # in the other, cuts are enough
    assert branchings >= 3


def test_any_prices_and_branchings_prove_a_bound() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        ins = random_instance(rng, jobs=3, slots=2, ps_servers=1, max_work=3, chunks=2)
        table = rng.exponential(3.0, size=(2, 2, 2)) * (rng.random((2, 2, 2)) < 0.5)
        prices = priced_utility(ins, PoolPrices(*table), rng)
        certificate = certify(ins, prices)
        assert certificate.bound >= optimum(ins) * (1 - 1e-12)
        assert certificate.bound == pytest.approx(slow_bound(ins, certificate.file), rel=1e-9)


def test_parameter_servers_are_counted_over_the_slots() -> None:
    # One parameter server a slot, for three workers; four workers take two of them. Slot by slot,
    # 4/3 would do, and one and a half jobs would fit.
    jobs = [
        job(name, work=4, chunks=4, worker=[1.0], ps=[3.0], utility=constant(worth))
        for name, worth in (("a", 5.0), ("b", 4.0))
    ]
    ins = instance(jobs, slots=2, worker_servers=[[8.0]], ps_servers=[[3.0]])
    relaxation = DeadlineRelaxation(ins, (), math.inf)
    optimum = relaxation.solve(Allowed.all(2, 2))
    assert pool_bound(ins, relaxation.prices(optimum)) >= 5.0
    assert optimum.objective == pytest.approx(relaxation.scaled(5.0), rel=1e-5)


def test_where_numbers_are_parted() -> None:
    at = np.arange(3)
    needed = np.array([0, 1, 1, 1, 2])
    of = JobProgram(7, 6, at[:1], at[:1], at + 4, at, at + 1, at + 4, needed)

    def branch(*x: float) -> list[Branch | None]:
        found = [
            find(of, np.array(x))
            for find in (JobProgram.deadline, JobProgram.parameter_servers, JobProgram.workers)
        ]
        return [None if one is None else one[1] for one in found]

    assert branch(0.4, 1, 3, 2, 1, 1, 1) == [Branch(7, 0), None, None]
    # More than three workers need more than one parameter server.
    assert branch(1, 0, 3.5, 2.5, 0, 1.5, 1) == [None, Branch(7, 5, 4), Branch(7, 5, 4)]
    assert branch(1, 0, 0.3, 2, 0, 0.3, 1) == [None, Branch(7, 5, 1), Branch(7, 5, 1)]
    assert branch(1, 0, 4, 2, 0, 1, 1) == [None, None, Branch(7, 5, 4)]
    assert branch(1, 0, 4, 2, 0, 2, 1) == [None, None, None]


def test_a_tree_ends_where_its_bound_is_enough_or_time_is_up() -> None:
    ins, _ = two()
    assert branched(ins, free(ins), leaves=10, enough=9.5).prices.tree == ()
    assert branched(ins, free(ins), leaves=10, deadline=0.0).prices.tree == ()
    assert branched(ins, free(ins), leaves=1).prices.tree == ()
    assert branched(ins, free(ins), leaves=10, work=0.0).prices.tree == ()
    ins = contended(1)
    whole, part, again = (
        branched(ins, free(ins), leaves=30, work=work).prices.tree for work in (1.0, 1e-5, 1e-5)
    )
    assert 0 < len(part) == len(again) < len(whole)


def test_a_resource_without_a_limit_changes_no_tree() -> None:
    file = contended(1).file
    jobs = [
        msgspec.structs.replace(job, worker=[*job.worker, 1e-4], ps=[*job.ps, 0.0])
        for job in file.jobs
    ]
    servers = {
        side: [[*server, 1e12] for server in getattr(file, side)]
        for side in ("worker_servers", "ps_servers")
    }
    wide = msgspec.structs.replace(
        file, resources=[*file.resources, "storage_gb"], jobs=jobs, **servers
    )
    ins, same = UtilityInstance.from_file(file), UtilityInstance.from_file(wide)
    grown, (prices, failure) = (
        branched(ins, free(ins), leaves=30),
        branched(same, free(same), leaves=30),
    )
    assert failure == ""
    assert len(prices.tree) == len(grown.prices.tree) > 1
    assert pool_bound(same, prices) == pytest.approx(pool_bound(ins, grown.prices), rel=1e-9)


def test_a_tree_on_a_grid_proves_a_bound_and_ends_slot_by_slot() -> None:
    better = 0
    for seed in range(2, 10):
        rng = np.random.default_rng(seed)
        ins = random_instance(rng, jobs=6, slots=2, ps_servers=1, max_work=3, chunks=2)
        completions = rng.dirichlet(np.ones(2), size=6).T
        grown = branched(ins, free(ins), completions=completions, leaves=200).prices
        best = pool_bound(ins, branched(ins, free(ins), leaves=200).prices)
        certificate = certify(ins, grown)
        assert optimum(ins) * (1 - 1e-12) <= certificate.bound
        assert certificate.bound == pytest.approx(slow_bound(ins, certificate.file), rel=1e-9)
        assert certificate.bound == pytest.approx(best, rel=1e-3)
        better += certificate.bound < pool_bound(ins, free(ins)) * (1 - 1e-6)
    assert better == 3  # in the others, prices prove as much by themselves


def test_the_program_slot_by_slot_begins_with_what_the_grid_has_learnt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[tuple[int, float, DeadlineRelaxation]] = []

    def make(ins: UtilityInstance, cuts: Any, deadline: float, work: float, **options: Any) -> Any:
        made.append((len(cuts), work, DeadlineRelaxation(ins, cuts, deadline, work, **options)))
        return made[-1][2]

    monkeypatch.setattr("solvers.utility.branching.DeadlineRelaxation", make)
    rng = np.random.default_rng(4)
    ins = random_instance(rng, jobs=6, slots=2, ps_servers=1, max_work=3, chunks=2)
    branched(ins, free(ins), completions=rng.dirichlet(np.ones(2), size=6).T, leaves=200, work=9.0)
    (none, work, on_grid), (cuts, left, _) = made
    assert (none, work) == (0, 9.0)
    assert cuts == len(on_grid.cuts) > 0
    assert 0 < left == on_grid.work_left < 9.0


def test_duals_of_intervals_are_prices_of_their_slots() -> None:
    # Jobs worth 5, 4 and 3, of four worker-slots each; each of four slots has room for two workers:
    # two of them fit. Two intervals prove it as four slots do.
    jobs = [
        job(name, work=4, chunks=2, worker=[1.0], ps=[1.0], utility=constant(worth))
        for name, worth in (("a", 5.0), ("b", 4.0), ("c", 3.0))
    ]
    ins = instance(jobs, slots=4, worker_servers=[[2.0]], ps_servers=[[2.0]])
    grid = TimeGrid(4, [0, 2])
    relaxation = DeadlineRelaxation(ins, (), math.inf, grid=grid)
    optimum = relaxation.solve(Allowed.all(3, 4))
    prices = relaxation.prices(optimum)
    assert optimum.objective == pytest.approx(relaxation.scaled(9.0), rel=1e-5)
    assert pool_bound(ins, prices) == pytest.approx(9.0, rel=1e-5)
    for table in (prices.worker, prices.ps):
        assert (table[::2] == table[1::2]).all()
