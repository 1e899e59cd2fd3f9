"""What the README says works: the policy as it is written there, commands, options and files."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "docs/reproduction.md", "docs/jct.md", "docs/utility.md")
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in PAGES}
COMMANDS = sorted(
    {
        found.strip()
        for text in TEXTS.values()
        for found in re.findall(r"python -m (benchmarks\.\w+[^\n`#]*)", text)
    }
)


@pytest.mark.parametrize(
    ("page", "policy", "names"),
    [
        ("README.md", "my_file:MyPolicy", ["oasis", "half"]),
        ("docs/jct.md", "my_file:AllInCloud", ["a-online", "cloud"]),
    ],
)
def test_the_policy_of_a_page_works_from_a_folder_outside(
    page: str, policy: str, names: list[str], tmp_path: Path
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXTS[page], re.DOTALL)
    (tmp_path / "my_file.py").write_text(code, encoding="utf-8")
    (line,) = (line for line in COMMANDS if policy in line and names[0] in line)
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(line), "--quick", "--seeds", "1", "--format", "csv"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    rows = [row.split(",") for row in done.stdout.splitlines()]
    assert [row[rows[0].index("policy")] for row in rows[1:]] == names


def test_column_generation_from_python_works_as_written(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXTS["docs/utility.md"], re.DOTALL)
    large, small = "jobs=50, slots=50, servers=(20, 20)", "jobs=8, slots=8, servers=(4, 4)"
    assert large in code
    code = code.replace(large, small) + "\ninstance.write('instance.json')\n"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for command in (
        ["-c", code],
        ["-m", "benchmarks.verify", "instance.json", "--certificate", "certificate.json.gz"],
    ):
        done = subprocess.run(
            [sys.executable, *command],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
            env=env,
        )
        assert done.returncode == 0, done.stderr
    assert "certificate accepted" in done.stdout


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_and_options_exist(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    module, *arguments = shlex.split(line)
    with pytest.raises(SystemExit) as end:
        importlib.import_module(module).main(["--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert [word for word in arguments if word.startswith("--") and word not in text] == []


def test_targets_of_make_exist() -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = {name for text in TEXTS.values() for name in re.findall(r"\bmake ([\w-]+)  ", text)}
    assert named
    assert named <= set(targets)


@pytest.mark.parametrize("page", PAGES)
def test_files_exist(page: str) -> None:
    text = TEXTS[page]
    layers = r"(?:models|solvers|online|benchmarks|tests|docs|notebooks)"
    named = set(re.findall(rf"`({layers}/[\w/.]+)`", text))
    links = set(re.findall(r"\]\((?!http)([^)#]+)\)", text))
    missing = {name for name in named if not (ROOT / name).exists()}
    missing |= {name for name in links if not (ROOT / page).parent.joinpath(name).exists()}
    assert missing == set()
