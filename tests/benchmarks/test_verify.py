"""Checking schedules and certificates: how a user comes by them, and what the command says."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from benchmarks.ratio import main as ratio
from benchmarks.verify import main as verify
from models.errors import InputError
from models.utility.files import CertificateFile
from solvers.certificate import Verdict, seal
from solvers.utility.certificate import certify
from solvers.utility.pool_bound import PoolPrices, PricedCut
from tests.models.utility.small import constant, instance, job
from tests.test_layers import ROOT


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with an instance of two jobs for one server, and results of a run."""
    monkeypatch.chdir(tmp_path)
    jobs = [job("a", work=2, utility=constant(3.0)), job("b", arrival=1, work=2)]
    instance(jobs, slots=4).write("one.json")
    assert ratio(["--instance", "one.json", "--policy", "fifo", "--out", "one"]) == 0
    return tmp_path


def test_schedules_of_a_run_are_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # As `--help` says. a in slots 0 and 1, b in slots 2 and 3: 3 + 1.
    capsys.readouterr()
    for place in ("schedules/fifo.json.gz", "offline.json.gz"):
        (schedule,) = folder.glob(f"one/instances/*/{place}")
        assert verify(["one.json", str(schedule)]) == 0
        found = capsys.readouterr().out
        assert found == "objective 4.0\njobs completed 2 of 2\nviolations 0\n"


def test_violations_are_counted_by_constraint(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Every allocation doubled, on a server for one: (3) and (4) in the 4 slots of workers, (5)
    # in those of parameter servers.
    (path,) = folder.glob("one/instances/*/schedules/fifo.json.gz")
    file = json.loads(gzip.decompress(path.read_bytes()))
    for one in file["jobs"]:
        for row in one["allocations"]:
            row[3] = 2
    Path("bad.json.gz").write_bytes(gzip.compress(json.dumps(file).encode()))
    capsys.readouterr()
    assert verify(["one.json", "bad.json.gz"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:6] == [
        "violations 12",
        "  constraint (3): 4",
        "  constraint (4): 4",
        "  constraint (5): 4",
    ]
    assert len(lines) == 6 + 12
    assert lines[6] == "  (3) job 'a' runs 2 workers in slot 0, more than N = 1"


# ---- certificates --------------------------------------------------------------------------

_SOLVERS = "highspy", "pyomo", "cvxpy", "ortools", "pyscipopt", "scipy.optimize"
_PROBE = f"""
import runpy, sys
try:
    runpy.run_module("benchmarks.verify", run_name="__main__", alter_sys=True)
except SystemExit as end:
    code = end.code
print("code", code, "solvers", sorted(set({_SOLVERS}) & set(sys.modules)))
"""


def found(folder: Path, name: str) -> str:
    (path,) = folder.glob(f"one/instances/*/{name}")
    return str(path)


def test_a_bound_is_recomputed_where_no_solver_is_loaded(folder: Path) -> None:
    # Both jobs can be completed, and no bound is below 3 + 1.
    names = found(folder, "offline.json.gz"), "--certificate", found(folder, "certificate.json.gz")
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, "one.json", *names],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    lines = done.stdout.splitlines()
    assert lines[-1] == "code 0 solvers []"
    assert lines[0] == "objective 4.0"
    word, bound = lines[3].split()
    assert (word, float(bound)) == ("bound", pytest.approx(4.0, rel=1e-6))
    assert lines[4] == "certificate accepted"
    assert lines[5].startswith(f"optimum between 4.0 and {bound}, gap ")


def test_a_certificate_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert verify(["one.json", "--certificate", found(folder, "certificate.json.gz")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["bound", "certificate"]


def test_nothing_to_verify(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        verify(["one.json"])
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("error: nothing to verify: give SCHEDULE")


def test_no_interval_from_a_schedule_or_a_certificate_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = priced(tmp_path, monkeypatch)
    row = [0, 0, "worker", 2]
    jobs = [{"id": "a", "admitted": True, "allocations": [row]}]
    head = {"format": "1", "problem": "utility", "instance": file.instance}
    Path("bad.json").write_text(json.dumps({**head, "jobs": jobs}))
    Path("none.json").write_text(json.dumps({**head, "jobs": []}))
    Path("low.json").write_bytes(msgspec.json.encode(changed(file, lower)))
    for schedule, certificate, expected in (("bad", "c", 1), ("none", "low", 1), ("none", "c", 0)):
        names = [f"{schedule}.json", "--certificate", f"{certificate}.json"]
        assert verify(["three.json", *names]) == expected
        text = capsys.readouterr().out
        assert ("optimum between 0.0 and 9.0" in text) == (expected == 0)


def test_a_schedule_better_than_a_proven_bound_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # One of the two is wrong, whatever each looks like alone: here the recomputation is.
    file = priced(tmp_path, monkeypatch)
    jobs = [{"id": "a", "admitted": True, "allocations": [[0, 0, "worker", 1], [0, 0, "ps", 1]]}]
    head = {"format": "1", "problem": "utility", "instance": file.instance}
    Path("a.json").write_text(json.dumps({**head, "jobs": jobs}))
    monkeypatch.setattr(
        "solvers.utility.certificate.check", lambda *_: Verdict("max", 4.5, 4.5, True)
    )
    assert verify(["three.json", "a.json", "--certificate", "c.json"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("contradiction: objective 5.0 contradicts the bound 4.5 from prices")


def priced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> CertificateFile:
    """``three.json``, and in ``c.json`` a certificate that proves 9 for it.

    Jobs worth 5, 4 and 3 need 2 Gbps each, of two servers of 3 Gbps. A cut says that two fit;
    at price 3 the payoffs are 2, 1 and 0, and 3 for each of the two places: 9, the optimum.
    """
    monkeypatch.chdir(folder)
    worths = {"a": 5.0, "b": 4.0, "c": 3.0}
    ins = instance(
        [job(name, worker=[2.0], ps=[2.0], utility=constant(v)) for name, v in worths.items()],
        slots=1,
        worker_servers=[[3.0], [3.0]],
        ps_servers=[[9.0]],
    )
    ins.write("three.json")
    none = np.zeros((1, 1))
    certificate = certify(ins, PoolPrices(none, none, (PricedCut(0, 0, 3.0, np.ones(3)),)))
    certificate.write("c.json")
    return certificate.file


def changed(file: CertificateFile, change: Callable[[Any], None]) -> Any:
    data = msgspec.to_builtins(file)
    change(data)
    return data


def lower(data: Any) -> None:
    data["bound"] = 8.9


def lower_a_hair(data: Any) -> None:
    data["bound"] *= 1 - 2e-9


def raise_bound(data: Any) -> None:
    data["bound"] = 9.5


def dearer(data: Any) -> None:  # 1.5 + 0.5 + 2 * 3.5 = 9
    data["cuts"][0]["price"] = 3.5


def too_dear(data: Any) -> None:  # 0.5 + 2 * 4.5 = 9.5
    data["cuts"][0]["price"] = 4.5


def no_cut(data: Any) -> None:  # 5 + 4 + 3
    data["cuts"] = []


def rent(data: Any) -> None:  # 6 Gbps at 0.1, payoffs 1.8 and 0.8, 2 * 3: 9.2
    data["worker"][0][0] = 0.1


@pytest.mark.parametrize(
    ("change", "proven"),
    [
        (lower, 9.0),
        (lower_a_hair, 9.0),
        (too_dear, 9.5),
        (no_cut, 12.0),
        (rent, 9.2),
    ],
)
@pytest.mark.parametrize("sealed", [True, False])
def test_bounds_that_the_prices_do_not_prove_are_refused(
    change: Callable[[Any], None],
    proven: float,
    sealed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = msgspec.convert(changed(priced(tmp_path, monkeypatch), change), CertificateFile)
    Path("c.json").write_bytes(msgspec.json.encode(seal(file) if sealed else file))
    assert verify(["three.json", "--certificate", "c.json"]) == 1
    stated, line = capsys.readouterr().out.splitlines()
    assert stated.startswith("states ")
    assert line.startswith("certificate refused: its prices prove ")
    number = line.split()[5].rstrip(",")
    assert float(number) == pytest.approx(proven, rel=1e-5)


@pytest.mark.parametrize("change", [raise_bound, dearer])
def test_a_changed_file_is_refused_even_if_its_bound_is_valid(
    change: Callable[[Any], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = changed(priced(tmp_path, monkeypatch), change)
    Path("c.json").write_text(json.dumps(data))
    assert verify(["three.json", "--certificate", "c.json"]) == 1
    assert "certificate refused: changed since it was made" in capsys.readouterr().out


def test_a_weak_bound_is_accepted_with_a_better_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = msgspec.convert(changed(priced(tmp_path, monkeypatch), raise_bound), CertificateFile)
    Path("c.json").write_bytes(msgspec.json.encode(seal(file)))
    assert verify(["three.json", "--certificate", "c.json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "bound 9.5"
    assert lines[1].startswith("certificate accepted; its prices prove more than it states, 9.0000")


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ('"price":3.0', '"price":-3.0', r">= 0\.0 - at `\$\.cuts\[0\]\.price`"),
        ('"price":3.0', '"price":NaN', r"not finite - at `\$\.cuts\[0\]\.price`"),
        ('"price":3.0', '"price":1e999', r"c\.json"),
        ('"price":3.0', '"price":"3"', r"Expected `float`"),
        ('"a":1.0', '"a":-1.0', r">= 0\.0 - at `\$\.cuts\[0\]\.weights"),
        ('"a":1.0', '"z":1.0', r"no job 'z' in the instance - at `\$\.cuts\[0\]\.weights`"),
        ('"slot":0', '"slot":1', r"slot 1 is past the horizon - at `\$\.cuts\[0\]\.slot`"),
        ('"slot":0', '"slot":-1', r">= 0 - at `\$\.cuts\[0\]\.slot`"),
        ('"side":"worker"', '"side":"both"', r"Invalid enum value 'both'"),
        ('"worker":[[0.0]]', '"worker":[]', r"0 rows for 1 slots - at `\$\.worker`"),
        ('"ps":[[0.0]]', '"ps":[[0.0,0.0]]', r"2 prices for 1 resources - at `\$\.ps\[0\]`"),
        ('"source":"prices"', '"source":"milp"', r"Invalid enum value 'milp'"),
        ('"problem":"utility"', '"problem":"jct"', r"Invalid enum value 'jct'"),
        ('"format":"1"', '"format":"2"', r"Invalid enum value '2'"),
        ('"digest"', '"seal"', r"unknown field `seal`"),
        ('"instance":"', '"instance":"0', r"made for another instance"),
        ('{"bound"', '{{"bound"', r"not JSON"),
        ('{"bound"', '{"bound":1.0,"bound"', r'key "bound" is there twice in one object'),
        ('"a":1.0', '"a":1.0,"a":1.0', r'key "a" is there twice in one object'),
    ],
)
def test_malformed_certificates(
    old: str, new: str, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    priced(tmp_path, monkeypatch)
    text = Path("c.json").read_text()
    assert text.count(old) == 1
    Path("c.json").write_text(text.replace(old, new))
    with pytest.raises(InputError, match=rule) as error:
        verify(["three.json", "--certificate", "c.json"])
    assert str(error.value).startswith("c.json: ")
    assert "\n" not in str(error.value)


def test_a_check_that_fails_itself_is_no_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    priced(tmp_path, monkeypatch)

    def full(*_: Any) -> Verdict:
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr("solvers.utility.certificate.check", full)
    assert verify(["three.json", "--certificate", "c.json"]) == 3
    said = capsys.readouterr()
    assert said.err == "error: not checked: MemoryError: Unable to allocate 9 TiB\n"
    assert said.out == ""


def test_a_cut_off_certificate_and_a_missing_one(folder: Path) -> None:
    Path("cut.json.gz").write_bytes(Path(found(folder, "certificate.json.gz")).read_bytes()[:-9])
    for name in ("cut.json.gz", "missing.json"):
        with pytest.raises(InputError, match=rf"^{name}: cannot be read"):
            verify(["one.json", "--certificate", name])


def test_a_certificate_in_the_place_of_a_schedule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    priced(tmp_path, monkeypatch)
    with pytest.raises(InputError) as error:
        verify(["three.json", "c.json"])
    only = "expected only format, problem, instance, jobs"
    assert str(error.value) == f"c.json: Object contains unknown field `bound`; {only}"
