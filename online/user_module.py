"""Modules of users that are no part of the toolkit, by their name or by their file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from models.errors import InputError

__all__ = ["load_user_module"]


def load_user_module(name: str) -> ModuleType:
    """Import a module by its dotted name, or by the path of its file.

    Parameters
    ----------
    name : str
        ``my_file``, looked for in the current folder first; or, with the ending ``.py``,
        ``path/to/my_file.py``. The file's folder joins ``sys.path``, so that it may import what
        lies beside it. The same file is the same module whenever it is asked for, in every
        process: it is known as ``file_`` with a hash of its path and content. Changed, it is
        another one: what is kept under the hash of the new content was not made by the old.

    Raises
    ------
    InputError
        If there is no such file, or anything is raised while it is imported.
    """
    if not name.endswith(".py"):
        _find_in(Path.cwd())
        try:
            return importlib.import_module(name)
        except (Exception, SystemExit) as error:  # anything may happen while it is imported
            raise _cannot_be_imported(name, error) from error
    path = Path(name).resolve()
    if not path.is_file():
        raise InputError(f"there is no file '{name}'")
    what = str(path).encode() + b"\0" + path.read_bytes()
    known_as = f"file_{hashlib.sha256(what).hexdigest()[:16]}"
    if known_as in sys.modules:
        return sys.modules[known_as]
    spec = importlib.util.spec_from_file_location(known_as, path)
    assert spec is not None and spec.loader is not None  # of every .py file
    _find_in(path.parent)
    module = importlib.util.module_from_spec(spec)
    sys.modules[known_as] = module  # before it runs: dataclasses and pickle look it up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[known_as]
        raise _cannot_be_imported(name, error) from error
    return module


def _cannot_be_imported(name: str, error: BaseException) -> InputError:
    reason = " ".join(str(error).split())
    return InputError(f"module '{name}' cannot be imported: {type(error).__name__}: {reason}")


def _find_in(folder: Path) -> None:
    """Let modules of a folder be imported."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
