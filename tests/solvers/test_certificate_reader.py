"""How parts of a certificate file become arrays, jobs and trees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.errors import InputError
from models.utility.files import CertificateFile
from solvers.branching_tree import Branch, Deadlines
from solvers.certificate import CertificateReader
from solvers.utility.certificate import certify
from solvers.utility.pool_bound import PoolPrices
from tests.models.utility.small import instance, job


@pytest.fixture
def reader(tmp_path: Path) -> CertificateReader[CertificateFile]:
    ins = instance([job("a")])
    none = np.zeros((ins.cluster.slots, len(ins.cluster.resources)))
    path = tmp_path / "certificate.json"
    certify(ins, PoolPrices(none, none, ())).write(path)
    return CertificateReader(path, CertificateFile, ins)


def test_rows_become_an_array(reader: CertificateReader[CertificateFile]) -> None:
    assert reader.table([[1.0, 2.0]], (1, 2), "$").tolist() == [[1.0, 2.0]]
    assert reader.table([[], [], []], (None, 0), "$").shape == (3, 0)
    assert reader.table([], (None, 2), "$").shape == (0, 2)


def test_an_error_names_the_file_the_place_and_the_numbers(
    reader: CertificateReader[CertificateFile],
) -> None:
    with pytest.raises(InputError, match=r"certificate\.json: 1 rows for 2 slots - at `\$\.ps`"):
        reader.table([[1.0]], (2, 1), "$.ps")
    with pytest.raises(InputError, match=r"1 numbers for 2 ports - at `\$\.ps\[1\]`"):
        reader.table([[1.0, 2.0], [1.0]], (2, 2), "$.ps", numbers="numbers", of="ports")
    with pytest.raises(InputError, match=r"no job 'b' in the instance - at `\$\.cuts`"):
        reader.job("b", "$.cuts")
    assert str(reader.error("too large")).endswith("certificate.json: too large")


def test_a_tree_is_read_node_by_node_and_checked(
    reader: CertificateReader[CertificateFile], tmp_path: Path
) -> None:
    read, everything = list[str](), Deadlines.all(1, 4)

    def node(record: object, at: str) -> object:
        read.append(at)
        return record

    nodes = [Branch(0, 2), "by slot 2", "later"]
    assert reader.tree(nodes, node, everything) == tuple(nodes)
    assert read == ["$.tree[0]", "$.tree[1]", "$.tree[2]"]
    assert reader.tree([], node, everything) == ()
    with pytest.raises(InputError, match=r"the tree ends 1 parts too early - at `\$\.tree`"):
        reader.tree(nodes[:2], node, everything)
    other = instance([job("b")], slots=9)
    with pytest.raises(InputError, match=r"made for another instance .* at `\$\.instance`"):
        CertificateReader(tmp_path / "certificate.json", CertificateFile, other)
