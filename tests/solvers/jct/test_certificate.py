"""Certificates of `jct`: bounds that are recomputed from prices without a solver."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from models.errors import InputError
from models.files import canonical
from models.jct import JctCertificateFile, JctInstance
from solvers.certificate import Certificate, seal
from solvers.jct.certificate import certify, check
from solvers.jct.offline import solve
from tests.models.jct.small import instance, job, server
from tests.seeds import seeds
from tests.solvers.jct.search import contended


def two_jobs() -> JctInstance:
    """Chunks of 1 and 2 slots, both there at 0, and one worker: 1 + 3 = 4."""
    return instance([job("long", upload=[0], chunk_slots=2), job("short", upload=[0])], [server(1)])


def changed(
    certificate: Certificate[JctCertificateFile],
    path: Path,
    *,
    sealed: bool = True,
    **fields: object,
) -> Path:
    file = msgspec.structs.replace(certificate.file, **fields)
    path.write_bytes(canonical(seal(file) if sealed else file))
    return path


def test_by_hand(tmp_path: Path) -> None:
    # At price 1 in slots 0 and 1: short 1 + 1, long 2 + 2, sold 2: bound 4. At no price: 1 + 2.
    certificate = certify(two_jobs(), np.array([[1.0, 1.0, 0.0]]))
    assert certificate.bound == 4.0
    assert certificate.file.worker == {"a": [1.0, 1.0]}
    assert certify(two_jobs(), np.zeros((1, 1))).bound == 3.0
    path = tmp_path / "certificate.json.gz"
    certificate.write(path)
    verdict = check(path, two_jobs())
    assert verdict.accepted
    assert (verdict.sense, verdict.stored, verdict.recomputed) == ("min", 4.0, 4.0)


@pytest.mark.usefixtures("highs_here")
@pytest.mark.parametrize("seed", seeds(10, quick=4))
def test_of_a_solve(seed: int, tmp_path: Path) -> None:
    ins = contended(seed, jobs=5, most_chunks=2, most_slots=3)
    result = solve(ins, time_limit=10.0)
    if result.objective is None:
        return
    certificate = certify(ins, result.duals)
    assert certificate.bound <= result.bound
    assert result.bound_source == "milp" or certificate.bound == result.bound
    certificate.write(tmp_path / "c.json")
    assert check(tmp_path / "c.json", ins).accepted


def test_a_false_bound_is_refused(tmp_path: Path) -> None:
    certificate = certify(two_jobs(), np.zeros((1, 1)))
    verdict = check(changed(certificate, tmp_path / "c.json", bound=4.0), two_jobs())
    assert not verdict.accepted
    assert str(verdict) == "refused: its prices prove 3.0, not 4.0"
    verdict = check(changed(certificate, tmp_path / "c.json", bound=2.0), two_jobs())
    assert verdict.accepted  # it states less than it could
    path = changed(certificate, tmp_path / "c.json", sealed=False, bound=2.0)
    assert not check(path, two_jobs()).accepted


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"instance": "0" * 64}, r"made for another instance .* - at `\$\.instance`"),
        ({"worker": {"z": [1.0]}}, r"no edge worker is of type 'z' - at `\$\.worker\['z'\]`"),
        ({"worker": {"a": [0.0] * 21}}, r"21 prices for 20 slots - at `\$\.worker\['a'\]`"),
        ({"worker": {"a": [-1.0]}}, r">= 0"),
    ],
)
def test_bad_files_are_refused(fields: dict[str, object], message: str, tmp_path: Path) -> None:
    path = changed(certify(two_jobs(), np.zeros((1, 1))), tmp_path / "c.json", **fields)
    with pytest.raises(InputError, match=message):
        check(path, two_jobs())


def test_prices_too_many_for_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = changed(certify(two_jobs(), np.ones((1, 3))), tmp_path / "c.json")
    monkeypatch.setattr("solvers.jct.certificate._MOST_PRICES", 2)
    with pytest.raises(InputError, match=r"3 prices .* are more than 2 - at `\$\.worker`"):
        check(path, two_jobs())
