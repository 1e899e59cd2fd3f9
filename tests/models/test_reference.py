"""References ``module:name``: resolved when used, and what is wrong with one said in a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.errors import InputError
from models.reference import resolve


def test_a_reference_is_the_thing_itself() -> None:
    assert resolve("models.errors:InputError") is InputError


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ("models.errors", "reference 'models.errors': want module:name"),
        (":InputError", "reference ':InputError': want module:name"),
        ("models.errors:", "reference 'models.errors:': want module:name"),
        ("models.tetris:T", "reference 'models.tetris:T': there is no module 'models.tetris'"),
        ("tetris.models:T", "reference 'tetris.models:T': there is no module 'tetris'"),
        ("models.errors:Tetris", "module 'models.errors' has no 'Tetris'"),
    ],
)
def test_a_wrong_reference_is_one_line(reference: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        resolve(reference)


def test_what_a_module_lacks_is_not_said_to_be_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needs_more.py").write_text("import a_library_that_is_not_there")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_library_that_is_not_there"):
        resolve("needs_more:Thing")
