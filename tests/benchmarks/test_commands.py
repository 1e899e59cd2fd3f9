"""``schedgap``, what starts before it, and folders whose packages have the toolkit's names."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.commands import COMMANDS, main

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("models", "solvers", "online")


def called(*words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["schedgap", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def started(*options: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder, which knows the toolkit."""
    return subprocess.run(
        [sys.executable, *options],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def console(
    *words: str, cwd: Path, path: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """``schedgap`` as it is installed, where a path comes before that of the toolkit."""
    script = cwd / "bin" / "schedgap"
    script.parent.mkdir(exist_ok=True)
    script.write_text("from schedgap import main\nmain()\n")
    path = os.pathsep.join([path, str(ROOT)] if path else [str(ROOT)])
    return started(str(script), *words, cwd=cwd, PYTHONPATH=path, **environment)


def shadow(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("raise RuntimeError('not the toolkit')\n")


def test_every_command_is_listed() -> None:
    modules = (ROOT / "benchmarks").glob("*.py")
    known = {path.stem for path in modules if "\n    run_command(main)" in path.read_text()}
    assert set(COMMANDS) == known and len(COMMANDS) == len(known)


def test_help_has_a_line_for_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert called("--help", monkeypatch=monkeypatch) == 0
    said = capsys.readouterr().out
    assert all(re.search(rf"^  {name} +[A-Z]", said, re.MULTILINE) for name in COMMANDS)
    assert max(map(len, said.splitlines())) < 80


def test_a_command_speaks_of_itself_as_it_was_called(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert called("verify", "--help", monkeypatch=monkeypatch) == 0
    said = capsys.readouterr().out
    assert "usage: schedgap verify" in said and "  schedgap ratio --instance" in said
    assert "python" not in said
    assert called("verify", monkeypatch=monkeypatch) == 2
    assert "see schedgap verify --help" in capsys.readouterr().err
    assert called("verify", "none.json", "none.json", monkeypatch=monkeypatch) == 2
    assert capsys.readouterr().err.startswith("error: none.json: ")


@pytest.mark.parametrize(("words", "fault"), [([], "COMMAND"), (["rate"], "'rate'")])
def test_no_command_is_one_line(
    words: list[str],
    fault: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert called(*words, monkeypatch=monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert fault in line and "see schedgap --help" in line


@pytest.mark.parametrize("layer", LAYERS)
def test_a_foreign_package_is_one_line(layer: str, tmp_path: Path) -> None:
    shadow(tmp_path, layer)
    done = started("-m", "benchmarks.ratio", "--help", cwd=tmp_path)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{layer}'" in line and "`schedgap`" in line and "`python -P -m`" in line


def test_other_ways_than_the_folder_of_a_foreign_package(tmp_path: Path) -> None:
    shadow(tmp_path, *LAYERS)
    assert started("-P", "-m", "benchmarks.verify", "--help", cwd=tmp_path).returncode == 0
    done = started("-c", "import benchmarks", cwd=tmp_path)
    assert "ImportError: " in done.stderr.splitlines()[-1]
    assert f"'{LAYERS[0]}', and hides the toolkit's package" in done.stderr
    # Even what is hidden by PYTHONPATH, and `benchmarks`, too.
    shadow(tmp_path, "benchmarks")
    done = console("verify", "--help", cwd=tmp_path, path=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")


_POLICY = """
from online.utility.fifo import FIFO

class Mine(FIFO):
    name = "mine"
"""


@pytest.mark.slow
def test_a_policy_from_a_folder_of_foreign_packages(tmp_path: Path) -> None:
    shadow(tmp_path, *LAYERS, "benchmarks")
    (tmp_path / "my_file.py").write_text(_POLICY)
    words = "ratio --quick --seeds 1 --format csv --out out".split()
    words += ["--policy", "fifo,my_file.py:Mine", "--workers"]
    for number, safe in (("1", ""), ("2", "1")):
        environment = {"path": str(tmp_path), "PYTHONSAFEPATH": safe}
        done = console(*words, number, cwd=tmp_path, **environment)
        assert done.returncode == 0, done.stderr
        values = [line.split(",")[6] for line in done.stdout.splitlines()[1:]]
        assert len(values) == 2 and len(set(values)) == 1


_INTERRUPTED = """
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("name", ["models", "msgspec", "benchmarks.workload"])
def test_an_interrupt_during_the_imports_is_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "usercustomize.py").write_text(_INTERRUPTED.format(name=name))
    path = os.pathsep.join(map(str, (tmp_path, ROOT)))
    # A background process of a shell ignores interrupts, and so do its children.
    run = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    run += "import runpy, sys; sys.argv = ['-m', '--help']; import usercustomize; "
    run += "runpy.run_module('benchmarks.ratio', run_name='__main__', alter_sys=True)"
    done = started("-c", run, cwd=tmp_path, PYTHONPATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    ("line", "offered"),
    [("schedgap ver", {"verify"}), ("schedgap verify --cert", {"--certificate"})],
)
def test_a_shell_can_complete(line: str, offered: set[str], tmp_path: Path) -> None:
    pytest.importorskip("argcomplete")
    told = tmp_path / "told"
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(told)}
    asked |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n"}
    console(cwd=tmp_path, **asked)
    assert {word.strip() for word in told.read_text().split("\n")} == offered


@pytest.mark.parametrize(
    ("name", "words", "fault"),
    [
        ("ratio", ["--out", ""], "'' is no path"),
        ("speed", ["--out", " "], "' ' is no path"),
        ("export", ["one.json", "--out", ""], "'' is no path"),
        ("generate", ["--out", ""], "'' ends neither in .json nor in .json.gz"),
        ("generate", ["--out", "x.txt"], "'x.txt' ends neither"),
        ("generate", ["--out", "x.json.zip"], "'x.json.zip' ends neither"),
    ],
)
def test_no_such_place_to_write(
    name: str, words: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        importlib.import_module(f"benchmarks.{name}").main(words)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: argument --out: {fault}")


_HELP = """
import importlib, sys
from benchmarks.commands import COMMANDS
for name in COMMANDS:
    try:
        importlib.import_module(f"benchmarks.{name}").main(["--help"])
    except SystemExit:
        pass
    heavy = set(sys.argv[1:]) & set(sys.modules)
    assert not heavy, f"{name} --help imports {sorted(heavy)}"
"""


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    heavy = "cvxpy distributed highspy matplotlib numba pandas pyarrow pyomo scipy".split()
    done = started("-c", _HELP, *heavy, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
