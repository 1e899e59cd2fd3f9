"""What the README says works: the policy as it is written there, commands, options and files."""

from __future__ import annotations

import gzip
import importlib
import json
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.study.file import read_study_file
from benchmarks.verify import main as verify

pytestmark = pytest.mark.usefixtures("highs_here", "short_local_search")

ROOT = Path(__file__).resolve().parents[1]
LARGE, SMALL = "jobs=50, slots=50, servers=(20, 20)", "jobs=8, slots=8, servers=(4, 4)"
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))),
)
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in PAGES}
COMMANDS = sorted(
    {
        found.strip()
        for text in TEXTS.values()
        for found in re.findall(r"python -m (benchmarks\.\w+[^\n`#]*)", text.replace("\\\n", " "))
    }
)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder outside of the checkout, made the current one; what is imported of it is gone after.

    A command from such a folder in a process of its own: see `tests/benchmarks/test_ratio.py`.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("my_file", None)


def policy_of_page(page: str) -> str:
    """The code of a page that defines a policy."""
    blocks = re.findall(r"```python\n(.*?)```", TEXTS[page], re.DOTALL)
    (code,) = (block for block in blocks if "(Policy)" in block)
    return code


@pytest.mark.parametrize(
    ("page", "policy", "names"),
    [
        ("README.md", "my_file.py:MyPolicy", ["oasis", "half"]),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("docs/jct.md", "my_file:AllInCloud", ["a-online", "cloud"]),
                ("docs/completion.md", "my_file:Earliest", ["a-online", "earliest"]),
            )
        ),
    ],
)
def test_the_policy_of_a_page_works_from_a_folder_outside(
    page: str, policy: str, names: list[str], outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = policy_of_page(page)
    (outside / "my_file.py").write_text(code, encoding="utf-8")
    (line,) = (line for line in COMMANDS if policy in line and names[0] in line)
    module, *arguments = shlex.split(line)
    main = importlib.import_module(module).main
    short = "--quick", "--seeds", "1", "--time-limit", "2"
    assert main([*arguments, *short, "--format", "csv"]) == 0
    rows = [row.split(",") for row in capsys.readouterr().out.splitlines()]
    assert [row[rows[0].index("policy")] for row in rows[1:]] == names


def test_column_generation_from_python_works_as_written(
    outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, tree, _ = re.findall(r"```python\n(.*?)```", TEXTS["docs/utility.md"], re.DOTALL)
    assert LARGE in code
    page = outside / "page.py"
    page.write_text(code.replace(LARGE, SMALL))
    runpy.run_path(str(page), run_name="__main__")
    (command,) = re.findall(r"# python -m benchmarks.verify (.*)", code)
    assert verify(command.split()) == 0
    page.write_text(code.replace(LARGE, SMALL) + tree)
    runpy.run_path(str(page), run_name="__main__")
    assert json.loads(gzip.decompress(Path("tree.json.gz").read_bytes()))["tree"]
    (command,) = re.findall(r"# python -m benchmarks.verify (.*)", tree)
    assert verify(command.split()) == 0
    assert capsys.readouterr().out.count("certificate accepted") == 2


def test_a_certificate_with_a_tree_is_made_as_written(
    outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, code = re.findall(r"```python\n(.*?)```", TEXTS["docs/utility.md"], re.DOTALL)
    assert LARGE in code and "time_limit=240" in code
    page = outside / "page.py"
    page.write_text(code.replace(LARGE, SMALL).replace("time_limit=240", "time_limit=4"))
    runpy.run_path(str(page), run_name="__main__")
    command = re.findall(r"# python -m benchmarks.verify (.*)", code)[0]
    assert verify(command.split()) == 0
    assert "certificate accepted" in capsys.readouterr().out


def test_the_study_file_and_the_comparison_of_a_page_work(outside: Path) -> None:
    (outside / "my_file.py").write_text(policy_of_page("README.md"), encoding="utf-8")
    page = TEXTS["docs/studies.md"]
    (file,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (outside / "study.toml").write_text(file, encoding="utf-8")
    utility, jct, colocated = read_study_file("study.toml").studies
    assert [scheme.name for scheme in utility.schemes] == ["oasis", "rrh", "half"]
    assert [reading.settings["requested"] for reading in jct.readings] == ["chunks", "gpus"]
    assert [scheme.name for scheme in colocated.schemes] == ["pd-ors", "oasis", "pd-ors, greedy"]
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    large, small = "workers=2", "jobs=5, slots=6, servers=(4, 4)"
    assert large in code
    (outside / "page.py").write_text(code.replace(large, small))
    frame = runpy.run_path("page.py")["frame"]
    assert list(zip(frame["seed"], frame["policy"], strict=True)) == [
        (seed, policy) for seed in range(3) for policy in ("oasis", "rrh")
    ]
    assert frame["load"].tolist() == pytest.approx([1.0] * 6, abs=0.1)


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


def test_the_python_of_the_readme_works(outside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", TEXTS["README.md"], re.DOTALL)
    (code,) = (block for block in blocks if "compare(" in block)
    small = code.replace("seeds=3,", "seeds=1, jobs=5, slots=6, servers=(3, 3),")
    (outside / "my_file.py").write_text(policy_of_page("README.md"), encoding="utf-8")
    (outside / "page.py").write_text(small)
    sys.path.insert(0, str(outside))  # as for a script
    frame = runpy.run_path("page.py")["frame"]
    assert list(frame["policy"]) == ["oasis", "half"]
    assert "objective" in capsys.readouterr().out


def test_the_study_file_of_the_readme_is_read(outside: Path) -> None:
    (outside / "my_file.py").write_text(policy_of_page("README.md"), encoding="utf-8")
    (file,) = re.findall(r"```toml\n(.*?)```", TEXTS["README.md"], re.DOTALL)
    (outside / "study.toml").write_text(file, encoding="utf-8")
    (study,) = read_study_file("study.toml").studies
    assert [scheme.name for scheme in study.schemes] == ["oasis", "rrh", "half"]
    assert [point["load"] for point in study.grids["default"]] == [0.5, 1.0, 2.0]
