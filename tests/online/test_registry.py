"""Policies by name, by module and by file."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from models.errors import InputError
from models.problem import has_sub_package, problem_names
from online import registry
from online.contract import OnlineSide, online_side
from online.registry import find_policy, policy_names

ROOT = Path(__file__).resolve().parents[2]
PROBLEMS = [name for name in problem_names() if has_sub_package("online", name)]

MINE = """
from online.policy import Decision, Policy
from beside import NAME

class Mine(Policy):
    name = NAME
    def reset(self, public, rng): pass
    def step(self, event): return Decision()
"""


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test puts on the path is gone after it."""
    monkeypatch.setattr(sys, "path", [*sys.path])


def write(folder: Path, name: str, text: str = MINE) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "my file.py").write_text(text)
    (folder / "beside.py").write_text(f"NAME = '{name}'")
    sys.modules.pop("beside", None)
    return folder / "my file.py"


# ---- registered ---------------------------------------------------------------------------


@pytest.mark.parametrize("problem_name", PROBLEMS)
def test_registered_policies_are_of_the_problem_and_have_their_names(problem_name: str) -> None:
    for name, reference in online_side(problem_name).policies.items():
        assert reference.startswith(f"online.{problem_name}.")
        assert find_policy(problem_name, name).name == name


def test_a_policy_loads_no_other() -> None:
    probe = """
import sys
from online.registry import find_policy, policy_names
policy_names("utility")
print(*sorted(m for m in sys.modules if m in {"online.utility.fifo", "online.utility.oasis"}))
find_policy("utility", "fifo")
print(*sorted(m for m in sys.modules if m in {"online.utility.fifo", "online.utility.oasis"}))
"""
    command = [sys.executable, "-c", probe]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines() == ["", "online.utility.fifo"]


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ("online.utility.fifo:FIFO", "policy 'mine' of 'utility': .*:FIFO is named 'fifo'"),
        ("online.utility.fifo:Fifo", "module 'online.utility.fifo' has no 'Fifo'"),
        ("online.segments:Segment", "'online.segments:Segment': is not a subclass"),
    ],
)
def test_a_wrong_registration_is_refused(
    reference: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    side = OnlineSide(online_side("utility").make_world, {"mine": reference})
    monkeypatch.setattr(registry, "online_side", lambda name: side)
    with pytest.raises(InputError, match=fault):
        find_policy("utility", "mine")


def test_an_unknown_name_lists_the_known_ones() -> None:
    for name in ("tetris", "tetris:", ":Tetris"):
        with pytest.raises(InputError) as caught:
            find_policy("utility", name)
        assert str(caught.value) == (
            f"unknown policy '{name}' for 'utility': choose from "
            f"{', '.join(policy_names('utility'))}, or give module:Class or file.py:Class"
        )


# ---- by file ------------------------------------------------------------------------------


def test_a_file_is_found_from_the_current_folder_or_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "mine", "one")
    monkeypatch.chdir(tmp_path)
    policy = find_policy("utility", "mine/my file.py:Mine")
    assert policy.name == "one"
    assert find_policy("jct", f"{file}:Mine") is policy
    assert pickle.loads(pickle.dumps(policy)) is policy


def test_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    files = [write(tmp_path / name, name) for name in ("one", "two")]
    for file in files:
        assert find_policy("utility", f"{file}:Mine").name == file.parent.name


@pytest.mark.parametrize("reference", ["{}/mine.py:Mine", "mine:Mine"])
def test_a_change_beside_a_policy_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "from online.utility.fifo import FIFO\nimport near\nclass Mine(FIFO): name = near.NAME\n"
    (tmp_path / "mine.py").write_text(text)
    for name in ("one", "three"):
        (tmp_path / "near.py").write_text(f"NAME = {name!r}\n")
        policy = find_policy("utility", reference.format(tmp_path))
        assert policy.name == name
        assert find_policy("utility", reference.format(tmp_path)) is policy
    (tmp_path / "mine.py").write_text(text.replace("near.NAME", "'four-or-so'"))
    assert find_policy("utility", reference.format(tmp_path)).name == "four-or-so"


def test_each_policy_has_its_own_module_of_a_name_beside_it(tmp_path: Path) -> None:
    text = (
        "from online.utility.fifo import FIFO\n"
        "class Mine(FIFO):\n"
        "    name = 'mine'\n"
        "    def late(self):\n"
        "        import near_late\n"
        "        return near_late.X\n"
    )
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(text)
        (tmp_path / folder / "near_late.py").write_text(f"X = {folder!r}\n")
    for folder in ("a", "b", "a"):  # as every cell does, before it runs
        policy = find_policy("utility", f"{tmp_path / folder / 'mine.py'}:Mine")
        assert policy().late() == folder  # type: ignore[attr-defined]


def test_a_file_is_the_same_module_in_every_process(tmp_path: Path) -> None:
    reference = f"{write(tmp_path, 'one')}:Mine"
    probe = f"""
from online.registry import find_policy
print(find_policy("utility", {reference!r}).__module__)
"""
    done = subprocess.run(
        [sys.executable, "-c", probe],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.strip() == find_policy("utility", reference).__module__


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x = 1", "policy '{file}:Mine': module '{file}' has no 'Mine'"),
        ("1 // 0", "policy '{file}:Mine': module '{file}' cannot be imported: ZeroDivisionError: "),
        ("Mine = 1", "policy '{file}:Mine': is not a subclass of online.policy.Policy"),
        ("def", "policy '{file}:Mine': module '{file}' cannot be imported: SyntaxError: "),
    ],
)
def test_a_faulty_file_is_one_line(tmp_path: Path, text: str, fault: str) -> None:
    file = write(tmp_path, "one", text)
    with pytest.raises(InputError) as caught:
        find_policy("utility", f"{file}:Mine")
    assert str(caught.value).startswith(fault.format(file=file))
    assert "\n" not in str(caught.value)


def test_a_file_that_failed_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path, "one", "1 // 0")
    with pytest.raises(InputError, match="ZeroDivisionError"):
        find_policy("utility", f"{file}:Mine")
    write(tmp_path, "one")
    assert find_policy("utility", f"{file}:Mine").name == "one"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^policy 'no\.py:Mine': there is no file 'no\.py'$"):
        find_policy("utility", "no.py:Mine")
