"""Modules of users that are no part of the toolkit, by their name or by their file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from models.errors import InputError

__all__ = ["LAYERS", "is_installed", "load_user_module", "search_first"]

LAYERS = ("models", "solvers", "online", "benchmarks")
_SITE = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")})


@dataclass(frozen=True)
class _Loaded:
    """A module; what lies beside it and was imported with it; hashes of the files."""

    module: ModuleType
    beside: Mapping[str, ModuleType]
    hashes: Mapping[Path, str]
    before: frozenset[str]  # names of the modules that were there before

    def is_current(self) -> bool:
        return all(_hash(path) == known for path, known in self.hashes.items())


_loaded: dict[tuple[Path, str], _Loaded] = {}  # by folder, and name of the module or file


def load_user_module(name: str) -> ModuleType:
    """Import a module by its dotted name, or by the path of its file.

    The same file is the same module whenever it is asked for, in every process, until it is
    changed, or what it imports from its folder is: it is then imported again, so that what is
    kept under a hash of the sources was made by them. Two files may each have a ``helper`` beside
    them: each sees its own.

    Parameters
    ----------
    name : str
        ``my_file``, looked for in the current folder first; or, with the ending ``.py``,
        ``path/to/my_file.py``, known as ``file_`` with a hash of its path and content. The folder
        comes first in ``sys.path``, so that the module may import what lies beside it.

    Raises
    ------
    InputError
        If there is no such file, or anything is raised while it is imported.
    """
    if not name.endswith(".py"):
        return _load(Path.cwd(), name, lambda: importlib.import_module(name))
    path = Path(name).resolve()
    if not path.is_file():
        raise InputError(f"there is no file '{name}'")
    return _load(path.parent, path.name, lambda: _import_file(path), label=name)


def is_installed(file: str) -> bool:
    """Whether a source file belongs to an installed package, wherever these are kept.

    A ``.pth`` file, ``PYTHONPATH`` or ``pip install --user`` add folders of other environments,
    which have the same names.
    """
    return file.startswith(_SITE) or not {"site-packages", "dist-packages"}.isdisjoint(
        Path(file).parts
    )


def search_first(folder: Path) -> None:
    """Let modules be looked for in a folder before all others."""
    if str(folder) in sys.path:
        sys.path.remove(str(folder))
    sys.path.insert(0, str(folder))


def _import_file(path: Path) -> ModuleType:
    what = f"{path} {_hash(path)}".encode()
    known_as = f"file_{hashlib.sha256(what).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(known_as, path)
    assert spec is not None and spec.loader is not None  # of every .py file
    module = importlib.util.module_from_spec(spec)
    sys.modules[known_as] = module  # before it runs: dataclasses and pickle look it up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[known_as]
        raise
    return module


def _load(folder: Path, name: str, load: Callable[[], ModuleType], label: str = "") -> ModuleType:
    """Import a module with what lies beside it, unless it is known and nothing has changed."""
    known = _loaded.get((folder, name))
    _hide()
    search_first(folder)
    if known is not None and known.is_current():
        sys.modules.update(known.beside)
        return known.module
    importlib.invalidate_caches()
    before = frozenset(sys.modules)
    try:
        module = load()
    except (Exception, SystemExit) as error:  # anything may happen while it is imported
        reason = " ".join(str(error).split())
        raise InputError(
            f"module '{label or name}' cannot be imported: {type(error).__name__}: {reason}"
        ) from error
    new = {*(set(sys.modules) - before), module.__name__}
    beside = {each: sys.modules[each] for each in new if _lies_in(folder, sys.modules[each])}
    files = {Path(str(each.__file__)) for each in beside.values()}
    _loaded[folder, name] = _Loaded(module, beside, {path: _hash(path) for path in files}, before)
    return module


def _hide() -> None:
    """Forget what lies beside user modules, imported with them or later, while they ran."""
    for (folder, _), known in _loaded.items():
        late = set(sys.modules) - known.before - known.beside.keys()
        for name in [*known.beside, *(each for each in late if not each.startswith("file_"))]:
            module = sys.modules.get(name)
            if module is not None and (name in known.beside or _lies_in(folder, module)):
                del sys.modules[name]


def _lies_in(folder: Path, module: ModuleType) -> bool:
    """Whether a module is the user's own, of this folder; installed ones have versions."""
    file = getattr(module, "__file__", None) or ""
    own = module.__name__.partition(".")[0] not in LAYERS and not is_installed(file)
    return own and file.endswith(".py") and Path(file).resolve().is_relative_to(folder)


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
