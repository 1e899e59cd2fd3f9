"""Trees of branchings on completions: what they prove, and what is no tree."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from benchmarks.verify import main as verify
from models.completion import CompletionInstance
from models.completion.files import CertificateFile
from models.completion.formulations.time_indexed import horizon
from models.errors import InputError
from solvers.branching_tree import Branch, leaves
from solvers.certificate import seal
from solvers.completion import piece_bound
from solvers.completion.branching import branched
from solvers.completion.certificate import bound, certify, check
from solvers.completion.piece_bound import PieceOracle
from solvers.completion.pool_bound import PoolOracle
from solvers.price_certificate import TreePrices
from tests.contract_cases import priced_completion
from tests.models.completion.brute_force import best_choice, columns
from tests.models.completion.small import instance, job, random_instance, ring_job
from tests.seeds import seeds
from tests.solvers.tree_prices import refuses_prices_of_each_leaf

NONE = np.zeros((0, 1))


def at(*prices: float) -> np.ndarray:
    return np.array([[price] for price in prices])


def three() -> tuple[CompletionInstance, TreePrices]:
    """Jobs of 2, 3 and 1 slots, weights 1, 2 and 3, one at a time; the last one comes in slot 1.

    First b, then c, then a: 6 + 12 + 6 = 24. With b later, first a, then c, then b: 2 + 9 + 12 =
    23, the optimum. Prices in the leaves:

    - b completes by slot 3, so that it pays for the slots 0 to 2: 6 + 11. At 0, 7, 4, 1, 1 a job
      a costs 7 (in slots 3 and 4, say: 5 + 2), and c costs 13: 17 + 7 + 13 - 13 = 24.
    - b completes later. At 0, 5, 2, 1, 1 it costs 14, a costs 7 and c costs 11: 32 - 9 = 23.
    """
    of = (("a", 0, 2, 1.0), ("b", 0, 3, 2.0), ("c", 1, 1, 3.0))
    jobs = [ring_job(name, a, minibatches=d, weight=w) for name, a, d, w in of]
    ins = instance(jobs, architecture="allreduce")
    tree = (Branch(1, 3), at(0.0, 7.0, 4.0, 1.0, 1.0), at(0.0, 5.0, 2.0, 1.0, 1.0))
    return ins, TreePrices(NONE, tree)


def test_a_tree_worked_by_hand(tmp_path: Path) -> None:
    ins, prices = three()
    assert bound(ins, TreePrices(NONE)) == pytest.approx(2.0 + 6.0 + 6.0)  # each alone
    found = list(leaves(prices.tree, (oracle := PieceOracle(ins)).everything()))
    proven = [oracle.bound(*leaf) for leaf in found]
    assert proven == pytest.approx([24.0, 23.0])
    # Without the branching, the prices of the leaves prove less: b is where it is cheap.
    assert [oracle.bound(table, oracle.everything()) for table, _ in found] == pytest.approx(
        [21.0, 22.0]
    )
    assert bound(ins, prices) == pytest.approx(23.0)
    made = certify(ins, prices)
    made.write(tmp_path / "c.json")
    assert made.bound <= 23.0
    verdict = check(tmp_path / "c.json", ins)
    assert verdict.accepted and verdict.recomputed == made.bound


@pytest.mark.parametrize("wrong", [-0.1, math.nan, math.inf])
def test_prices_of_a_leaf_are_looked_at(wrong: float) -> None:
    refuses_prices_of_each_leaf(bound, *three(), wrong)


def test_the_search_finds_such_a_tree() -> None:
    ins, _ = three()
    assert bound(ins, branched(ins, TreePrices(NONE), leaves=1).prices) == pytest.approx(14.0)
    grown = branched(ins, TreePrices(NONE), leaves=10, enough=22.99).prices
    assert bound(ins, grown) == pytest.approx(23.0, rel=1e-6)
    assert sum(isinstance(node, Branch) for node in grown.tree) == 1
    assert branched(ins, TreePrices(NONE), leaves=10, deadline=0.0).prices.tree == ()


def test_prices_of_pieces_know_the_sizes_of_what_is_left() -> None:
    # Two servers of 3 Gbps, jobs of 2 Gbps: all together three would fit, one by one two. At
    # price 1 of slot 0 they cost 3 + 1, 2 + 1 and 2: 9 - 2. That is the optimum, 3 + 2 + 2.
    jobs = [ring_job(name, weight=w) for name, w in (("a", 3.0), ("b", 2.0), ("c", 1.0))]
    changes: dict[str, Any] = {"servers": [[3.0], [3.0]], "worker_types": [[2.0]]}
    ins = instance(jobs, architecture="allreduce", **changes)
    assert max(bound(ins, TreePrices(at(p))) for p in np.linspace(0, 2, 41)) < 6.01
    assert bound(ins, TreePrices(NONE, (at(1.0),))) == pytest.approx(7.0)
    grown = branched(ins, TreePrices(NONE), leaves=2).prices
    assert len(grown.tree) == 1
    assert bound(ins, grown) == pytest.approx(7.0, rel=1e-6)


def test_what_has_to_be_on_one_server_is_one_piece() -> None:
    # A worker and a PS of 1 Gbps each, on one server or on two; with a gradient of 1 MB a
    # mini-batch takes 1 slot on one server, 2 on two. The pieces: the pair, a worker alone.
    ins = instance([job("a", gradient_mb=1.0)], servers=[[2.0], [1.0]])
    oracle = PieceOracle(ins)
    assert oracle.held.tolist() == [[1.0], [2.0]]
    (of,) = oracle.of
    assert of.duration.tolist() == [1, 2]
    assert of.amounts.tolist() == [[0.0, 1.0], [2.0, 0.0]]


def optimum(ins: CompletionInstance) -> float:
    return -best_choice(ins, columns(ins, end=horizon(ins)), all_jobs=True)[0]


def tiny(seed: int) -> CompletionInstance:
    return random_instance(np.random.default_rng(seed), allreduce=seed % 2 == 1, jobs=3)


@pytest.mark.parametrize("seed", seeds(60, quick=12))
def test_no_tree_proves_more_than_the_optimum(seed: int) -> None:
    ins, rng = tiny(seed), np.random.default_rng(seed)
    best = optimum(ins)
    grown = branched(ins, TreePrices(NONE.reshape(0, 1).repeat(2, axis=1)), leaves=30).prices
    proven = certify(ins, grown).bound
    assert proven <= best
    found = [bound(ins, priced_completion(ins, grown, rng)) for _ in range(40)]
    assert max(found) <= best
    assert max(found) > 0.0


@pytest.mark.parametrize("seed", range(6))
def test_prices_of_pieces_prove_no_less_than_those_of_pools(seed: int) -> None:
    ins, rng = tiny(seed), np.random.default_rng(seed)
    oracle, pools = PieceOracle(ins), PoolOracle(ins)
    for _ in range(20):
        prices = rng.exponential(size=(6, 2)) * (rng.random((6, 2)) < 0.5)
        pooled = pools.bound(prices)
        assert oracle.bound(prices @ oracle.held.T, oracle.everything()) >= pooled * (1 - 1e-9)


def test_most_tiny_optima_are_proven() -> None:
    proven = 0
    for seed in range(20):
        ins = tiny(seed)
        grown = branched(ins, TreePrices(np.zeros((0, 2))), leaves=100).prices
        proven += bound(ins, grown) >= optimum(ins) * (1 - 1e-4)
    assert proven >= 18


# ---- files --------------------------------------------------------------------------------


def branch(name: str, slot: int) -> dict[str, Any]:
    return {"node": "branch", "job": name, "slot": slot}


def no_more(data: Any) -> None:
    data["tree"].append(data["tree"][-1])


def too_few(data: Any) -> None:
    data["tree"].pop()


def no_part(data: Any) -> None:
    data["tree"][1:2] = [branch("b", 3), *data["tree"][1:]]


def unknown(data: Any) -> None:
    data["tree"][0]["job"] = "z"


def wide(data: Any) -> None:
    data["tree"][1]["prices"][0] = [0.0, 1.0]


def negative(data: Any) -> None:
    data["tree"][1]["prices"][0] = [-1.0]


def other_node(data: Any) -> None:
    data["tree"][1]["node"] = "twig"


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (no_more, r"the tree has ended before this node - at `\$\.tree\[3\]`"),
        (too_few, r"the tree ends 1 parts too early - at `\$\.tree`"),
        (no_part, r"slot 3 does not part what is left of the job, . to 3 - at `\$\.tree\[1\]`"),
        (unknown, r"no job 'z' in the instance - at `\$\.tree\[0\]\.job`"),
        (wide, r"2 prices for 1 columns - at `\$\.tree\[1\]\.prices\[0\]`"),
        (negative, r">= 0\.0 - at `\$\.tree\[1\]\.prices"),
        (other_node, r"Invalid value 'twig' - at `\$\.tree\[1\]\.node`"),
    ],
)
def test_what_is_no_tree_is_refused_in_one_line(
    change: Callable[[Any], None], rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ins, prices = three()
    monkeypatch.chdir(tmp_path)
    ins.write("three.json")
    data = msgspec.to_builtins(certify(ins, prices).file)
    change(data)
    Path("c.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match=rule) as error:
        verify(["three.json", "--certificate", "c.json"])
    assert str(error.value).startswith("c.json: ")
    assert "\n" not in str(error.value)


def test_a_tree_of_a_large_instance_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ins, prices = three()
    certify(ins, prices).write(tmp_path / "c.json")
    monkeypatch.setattr(piece_bound, "_MODES", 0)
    assert branched(ins, TreePrices(NONE), leaves=5).prices.tree == ()
    with pytest.raises(InputError, match=r"c\.json: .*too large for a tree with prices of pieces"):
        check(tmp_path / "c.json", ins)


def other_slot(data: Any) -> None:  # b cannot complete by slot 2; in the other leaf: 22
    data["tree"][0]["slot"] = 2


def other_price(data: Any) -> None:
    data["tree"][2]["prices"][1] = [0.0]


def higher(data: Any) -> None:
    data["bound"] = 23.5


@pytest.mark.parametrize("change", [other_slot, other_price, higher])
def test_a_bound_that_the_tree_does_not_prove_is_refused(
    change: Callable[[Any], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ins, prices = three()
    monkeypatch.chdir(tmp_path)
    ins.write("three.json")
    certify(ins, prices).write("c.json")
    assert verify(["three.json", "--certificate", "c.json"]) == 0
    data = msgspec.to_builtins(certify(ins, prices).file)
    change(data)
    file = seal(msgspec.convert(data, CertificateFile))
    Path("c.json").write_bytes(msgspec.json.encode(file))
    capsys.readouterr()
    assert verify(["three.json", "--certificate", "c.json"]) == 1
    assert "certificate refused: its prices prove " in capsys.readouterr().out


def test_a_certificate_without_a_tree_has_no_word_of_one() -> None:
    ins, _ = three()
    data = json.loads(msgspec.json.encode(certify(ins, TreePrices(NONE)).file))
    assert sorted(data) == sorted(
        ["bound", "digest", "format", "instance", "prices", "problem", "source"]
    )


def test_a_job_that_cannot_complete_when_it_has_to_ends_its_leaf() -> None:
    ins, _ = three()
    oracle = PieceOracle(ins)
    early, late = oracle.everything().split(Branch(1, 2))
    assert oracle.bound(at(1.0), early) == math.inf
    assert oracle.bound(at(0.0), late) == oracle.bound(at(0.0), oracle.everything())
    # No slot is too late: it is only dear.
    assert oracle.bound(at(0.0), oracle.everything().split(Branch(1, 10**6))[1]) > 2e6
