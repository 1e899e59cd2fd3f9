"""The command that writes model files, and other solvers on those files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import highspy
import pytest

from benchmarks.export import main
from benchmarks.utility import WORKLOAD
from models.errors import InputError
from models.export import write_model
from models.utility import UtilityInstance
from models.utility.formulations import compact
from solvers.highs import HighsOptions
from solvers.pyomo_bridge import solve_model
from tests.models.utility.small import instance, job

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "one.json"
    instance([job("a"), job("b")], slots=1).write(path)  # one of the two runs: worth 1
    return path


def test_command_writes_the_optimum(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(written), "--out", str(tmp_path / "one.mps")]) == 0
    # Per job d, n, m, y and z.
    assert "compact of small, 10 variables" in capsys.readouterr().out
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(tmp_path / "one.mps")) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getInfo().objective_function_value == pytest.approx(1.0)


def test_unknown_formulation_is_named(written: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown formulation 'dense': choose from compact, "):
        main([str(written), "--formulation", "dense", "--out", str(tmp_path / "one.lp")])
    assert not (tmp_path / "one.lp").exists()


def test_bad_input_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    command = [sys.executable, "-m", "benchmarks.export", str(missing), "--out", "x.lp"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"error: {missing}: cannot be read: No such file or directory\n"


def drawn(seed: int) -> UtilityInstance:
    return WORKLOAD.draw(jobs=5, slots=6, servers=(3, 3), seed=seed)[0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_presolve_and_a_second_solver_agree(seed: int, tmp_path: Path) -> None:
    scip = pytest.importorskip("pyscipopt")
    model = compact(drawn(seed))
    values = [
        solve_model(model, HighsOptions(mip_rel_gap=0.0, presolve=presolve)).result.objective
        for presolve in (True, False)
    ]
    write_model(model, tmp_path / "model.lp")
    other = scip.Model()
    other.hideOutput()
    other.readProblem(str(tmp_path / "model.lp"))
    other.optimize()
    assert other.getStatus() == "optimal"
    assert values == pytest.approx([other.getObjVal()] * 2, rel=1e-6)
