"""Trees of branchings on completions: what they prove, and what is no tree."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from benchmarks.verify import main as verify
from models.colocated import ColocatedInstance
from models.colocated.files import CertificateFile
from models.errors import InputError
from solvers.branching_tree import Branch, leaves
from solvers.certificate import seal
from solvers.colocated.branching import branched
from solvers.colocated.certificate import bound, certify, check
from solvers.colocated.deadline_program import DeadlineProgram
from solvers.colocated.pool_bound import PoolBounds
from solvers.colocated.pooled import PooledProblem
from solvers.column_generation import ColumnGeneration
from solvers.price_certificate import TreePrices
from tests.contract_cases import priced_colocated
from tests.models.colocated.brute_force import optimum
from tests.models.colocated.small import NOTHING, constant, instance, job, random_instance
from tests.seeds import seeds
from tests.solvers.tree_prices import refuses_prices_of_each_leaf


def at(*prices: float) -> np.ndarray:
    return np.array([[price] for price in prices])


def two() -> tuple[ColocatedInstance, TreePrices]:
    """Jobs worth 5 and 4 of 2 CPUs each, for a machine of 3 CPUs in one slot: one of them fits.

    At price 2 the payoffs are 1 and 0, and 6 for the machine: 7. The tree proves 5: both at price 9
    lose 13 and 14 and pay 27, so that this leaf proves 0; a alone at price 0 gains 5, b alone 4.
    """
    jobs = [job(name, utility=constant(worth)) for name, worth in (("a", 5.0), ("b", 4.0))]
    ins = instance(jobs, slots=1, servers=[[3.0]])
    return ins, TreePrices(at(2.0), (Branch(0, 0), Branch(1, 0), at(9.0), at(0.0), at(0.0)))


def test_a_tree_worked_by_hand(tmp_path: Path) -> None:
    ins, prices = two()
    assert bound(ins, TreePrices(at(2.0))) == pytest.approx(7.0, rel=1e-5)
    bounds = PoolBounds(ins)
    proven = [bounds.bound(*leaf) for leaf in leaves(prices.tree, bounds.everything())]
    assert proven == pytest.approx([0.0, 5.0, 4.0], abs=1e-4)
    made = certify(ins, prices)
    made.write(tmp_path / "c.json")
    assert made.bound == pytest.approx(5.0, rel=1e-5)
    verdict = check(tmp_path / "c.json", ins)
    assert verdict.accepted and verdict.recomputed == made.bound


@pytest.mark.parametrize("wrong", [-0.1, math.nan, math.inf])
def test_prices_of_a_leaf_are_looked_at(wrong: float) -> None:
    refuses_prices_of_each_leaf(bound, *two(), wrong)


def test_the_search_finds_such_a_tree() -> None:
    ins, prices = two()
    root = TreePrices(prices.prices)
    grown = branched(ins, root, leaves=10).prices
    assert bound(ins, grown) == pytest.approx(5.0, rel=1e-5)
    assert branched(ins, root, leaves=10, enough=7.5).prices.tree == ()
    assert branched(ins, root, leaves=10, deadline=0.0).prices.tree == ()
    assert branched(ins, root, leaves=1).prices.tree == ()


def test_later_includes_staying_out_and_a_job_that_must_complete_may_lose() -> None:
    ins, _ = two()
    bounds = PoolBounds(ins)
    by, after = bounds.everything().split(Branch(0, 0))
    # At price 4 both jobs cost 8: a gains 5 - 8 if it has to run, b stays out; and 12 are paid.
    assert bounds.bound(at(4.0), by) == pytest.approx(12.0 - 3.0, rel=1e-5)
    assert bounds.bound(at(4.0), after) == pytest.approx(12.0, rel=1e-5)


def test_a_job_that_cannot_complete_when_it_has_to_ends_its_leaf() -> None:
    ins = instance([job("a", arrival=1)], slots=3)
    bounds = PoolBounds(ins)
    early, late = bounds.everything().split(Branch(0, 0))
    assert bounds.bound(np.zeros((3, 1)), early) == -math.inf
    assert bounds.bound(np.zeros((3, 1)), late) == pytest.approx(1.0)
    tree = (Branch(0, 0), np.zeros((3, 1)), np.zeros((3, 1)))
    assert bound(ins, TreePrices(np.zeros((3, 1)), tree)) == pytest.approx(1.0)


@cache
def tiny(seed: int) -> tuple[ColocatedInstance, float]:
    """An instance and its optimum."""
    ins = random_instance(np.random.default_rng(seed))
    return ins, optimum(ins)


def free(ins: ColocatedInstance) -> TreePrices:
    return TreePrices(np.zeros((ins.cluster.slots, len(ins.cluster.resources))))


@pytest.mark.parametrize("seed", seeds(60, quick=12))
def test_no_tree_proves_less_than_the_optimum(seed: int) -> None:
    ins, best = tiny(seed)
    rng, root = np.random.default_rng(seed), free(ins)
    grown = branched(ins, root, leaves=30).prices
    assert best <= certify(ins, grown).bound <= certify(ins, root).bound
    found = [bound(ins, priced_colocated(ins, root, rng)) for _ in range(40)]
    assert min(found) >= best


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6, 7, 8])  # of 4 no job can complete
def test_the_program_is_what_the_column_generation_solves(seed: int) -> None:
    ins, _ = tiny(seed)
    bounds = PoolBounds(ins)
    program, problem = DeadlineProgram(bounds, math.inf), PooledProblem(ins)
    solved = program.solve(bounds.everything())
    generated = ColumnGeneration(problem, gap=0.0).run().bound / problem.factor
    assert solved.objective == pytest.approx(program.scaled(generated), rel=1e-5, abs=1e-6)
    proven = bounds.bound(program.prices(solved), bounds.everything())
    assert proven == pytest.approx(generated, rel=1e-5)


def test_trees_prove_more_than_prices() -> None:
    better = 0
    for seed in range(30):
        ins, _ = tiny(seed)
        problem = PooledProblem(ins)
        root = TreePrices(problem.prices(ColumnGeneration(problem, gap=0.0).run().duals))
        better += bound(ins, branched(ins, root, leaves=30).prices) < bound(ins, root) * (1 - 1e-4)
    assert better >= 3


@pytest.mark.parametrize("name", NOTHING)
def test_where_there_is_nothing_to_win_there_is_no_tree(name: str) -> None:
    ins = NOTHING[name]
    assert branched(ins, free(ins), leaves=10).prices.tree == ()


# ---- files --------------------------------------------------------------------------------


def no_more(data: Any) -> None:
    data["tree"].append(data["tree"][-1])


def too_few(data: Any) -> None:
    data["tree"].pop()


def no_part(data: Any) -> None:
    data["tree"][0]["slot"] = 1


def unknown(data: Any) -> None:
    data["tree"][0]["job"] = "z"


def wide(data: Any) -> None:
    data["tree"][2]["prices"][0] = [0.0, 1.0]


def short(data: Any) -> None:
    data["tree"][2]["prices"] = []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (no_more, r"the tree has ended before this node - at `\$\.tree\[5\]`"),
        (too_few, r"the tree ends 1 parts too early - at `\$\.tree`"),
        (no_part, r"slot 1 does not part what is left of the job, 0 to . - at `\$\.tree\[0\]`"),
        (unknown, r"no job 'z' in the instance - at `\$\.tree\[0\]\.job`"),
        (wide, r"2 prices for 1 columns - at `\$\.tree\[2\]\.prices\[0\]`"),
        (short, r"0 rows for 1 slots - at `\$\.tree\[2\]\.prices`"),
    ],
)
def test_what_is_no_tree_is_refused_in_one_line(
    change: Callable[[Any], None], rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ins, prices = two()
    monkeypatch.chdir(tmp_path)
    ins.write("two.json")
    data = msgspec.to_builtins(certify(ins, prices).file)
    change(data)
    Path("c.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match=rule) as error:
        verify(["two.json", "--certificate", "c.json"])
    assert str(error.value).startswith("c.json: ")
    assert "\n" not in str(error.value)


def other_price(data: Any) -> None:  # both jobs at price 1: 9 - 1
    data["tree"][2]["prices"] = [[1.0]]


def lower(data: Any) -> None:
    data["bound"] = 4.5


@pytest.mark.parametrize(("change", "proven"), [(other_price, 7.0), (lower, 5.0)])
def test_a_bound_that_the_tree_does_not_prove_is_refused(
    change: Callable[[Any], None],
    proven: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ins, prices = two()
    monkeypatch.chdir(tmp_path)
    ins.write("two.json")
    certify(ins, prices).write("c.json")
    assert verify(["two.json", "--certificate", "c.json"]) == 0
    data = msgspec.to_builtins(certify(ins, prices).file)
    change(data)
    file = seal(msgspec.convert(data, CertificateFile))
    Path("c.json").write_bytes(msgspec.json.encode(file))
    capsys.readouterr()
    assert verify(["two.json", "--certificate", "c.json"]) == 1
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith("certificate refused: its prices prove ")
    assert float(line.split()[5].rstrip(",")) == pytest.approx(proven, rel=1e-5)


def test_a_certificate_without_a_tree_has_no_word_of_one() -> None:
    ins, prices = two()
    data = json.loads(msgspec.json.encode(certify(ins, TreePrices(prices.prices)).file))
    assert "tree" not in data
