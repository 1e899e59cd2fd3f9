"""Which source files a result depends on: the import closure, read from the sources.

Imports are found wherever they stand, inside functions, too. What is looked up by name while the
code runs (policies, the parts of a problem) no import shows: a cell declares it as a root.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import json
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from llvmlite import binding

from models.errors import InputError

__all__ = [
    "LAYERS",
    "code_hash",
    "import_closure",
    "processor",
    "source_hashes",
    "versions",
    "versions_and_machine",
]

LAYERS = ("models", "solvers", "online", "benchmarks")
_LIBRARIES = ("cvxpy", "highspy", "numba", "numpy", "pyomo", "scipy")
_SITE = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib")})


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that compute."""
    return {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}


def versions_and_machine() -> dict[str, dict[str, Any]]:
    """What stands beside results: ``versions``, and the ``machine``."""
    machine = {"processor": platform.machine(), "cores": os.cpu_count()}
    return {"versions": versions(), "machine": machine}


def code_hash(roots: Iterable[str]) -> str:
    """Hash of all that a result depends on besides its parameters.

    Sources in the import closure of the roots (:func:`import_closure`), versions of libraries,
    the processor and the settings of the compiler. It is the same wherever the checkout is.
    """
    files = import_closure(roots)
    read = {name: _read(path, _stamp(path, name)) for name, path in files.items()}
    sources = {name: source for name, (source, _, _) in read.items()}
    others = sorted({package for _, _, foreign in read.values() for package in foreign})
    known = {**versions(), **{name: found for name in others if (found := _version_of(name))}}
    text = json.dumps([sources, known, processor()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def source_hashes(packages: Iterable[str]) -> dict[str, str]:
    """Hash of every Python file of some packages, by its place in them."""
    found = {}
    for package in packages:
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for file in sorted(Path(folder).rglob("*.py")):
                name = f"{package}/{file.relative_to(folder).as_posix()}"
                found[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


def import_closure(roots: Iterable[str]) -> dict[str, Path]:
    """Source files that the roots import, they themselves among them.

    Of the toolkit, of the packages of the roots, and of what lies outside the folders of
    installed packages, so of a user's own files. An ``__init__`` of the toolkit counts
    where something is imported from it by name, not where it is only on the way to a module.

    Parameters
    ----------
    roots : iterable of str
        Names of modules, or paths of Python files.

    Returns
    -------
    dict of str to Path
        By name of the module; a file given by its path has its file name.

    Raises
    ------
    InputError
        If a root is not found.
    """
    found: dict[str, Path] = {}
    own = set(LAYERS)
    folders: list[str] = []
    todo: list[tuple[str, Path]] = []
    for root in sorted(set(roots)):
        if root.endswith(".py"):
            path = Path(root).resolve()
            folders.append(str(path.parent))
            todo.append((path.name, path))
        else:
            own.add(root.partition(".")[0])
            path_of = _source(root, ())
            if path_of is None:
                raise InputError(f"module '{root}' is not found")
            if root.partition(".")[0] not in LAYERS:  # a user's: its folder is searched first
                depth = root.count(".") + (path_of.name == "__init__.py")
                folders.append(str(path_of.resolve().parents[depth]))
            todo.append((root, path_of))
    while todo:
        name, path = todo.pop()
        if name in found:
            continue
        found[name] = path
        for module in _read(path, _stamp(path, name))[1]:
            target = _resolve(module, name, path)
            for candidate in _candidates(target, own, tuple(folders)):
                if candidate[0] not in found:
                    todo.append(candidate)
    return dict(sorted(found.items()))


def _candidates(
    target: tuple[str, str], own: set[str], folders: tuple[str, ...]
) -> list[tuple[str, Path]]:
    """Modules that ``from target[0] import target[1]`` runs, of those that count."""
    module, name = target
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return []
    inner = f"{module}.{name}" if name else ""
    exact = _source(inner, folders) if inner else None
    path = exact or _source(module, folders)
    if path is None or (top not in own and str(path).startswith(_SITE)):
        return []
    found = [(inner if exact else module, path)]
    if top not in LAYERS:  # whoever wrote it may rely on what its __init__ does
        parts = found[0][0].split(".")
        parents = (".".join(parts[:count]) for count in range(1, len(parts)))
        found += [(parent, file) for parent in parents if (file := _source(parent, folders))]
    return found


def _resolve(module: tuple[str, str, int], name: str, path: Path) -> tuple[str, str]:
    """Make an import absolute."""
    target, imported, level = module
    if level == 0:
        return target, imported
    parts = name.split(".")
    if path.name != "__init__.py":
        parts = parts[:-1]
    parts = parts[: len(parts) - (level - 1)]
    return ".".join([*parts, *([target] if target else [])]), imported


@functools.cache
def _source(name: str, folders: tuple[str, ...]) -> Path | None:
    """Source file of a module; None if it has none."""
    top, *rest = name.split(".")
    places = [Path(folder, top, *rest) for folder in folders]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is not None and rest:
        places += [Path(folder, *rest) for folder in spec.submodule_search_locations or ()]
    for at in places:
        for file in (at.with_suffix(".py"), at / "__init__.py"):
            if file.is_file():
                return file
    origin = spec.origin if spec is not None and not rest else None
    return Path(origin) if origin and origin.endswith(".py") else None


def _stamp(path: Path, name: str) -> tuple[int, int]:
    """Tell versions of a source apart; the toolkit's own is read once, as it is when loaded."""
    if name.partition(".")[0] in LAYERS:
        return 0, 0
    about = path.stat()
    return about.st_mtime_ns, about.st_size


@functools.cache
def _read(
    path: Path, stamp: tuple[int, int]
) -> tuple[str, tuple[tuple[str, str, int], ...], frozenset[str]]:
    """Hash of a source, its imports (module, name, level), and names of foreign packages."""
    source = path.read_bytes()
    imports: list[tuple[str, str, int]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imports += [(alias.name, "", 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += [(node.module or "", alias.name, node.level) for alias in node.names]
    tops = {module.partition(".")[0] for module, _, level in imports if level == 0}
    foreign = frozenset(tops - set(LAYERS) - sys.stdlib_module_names)
    return hashlib.sha256(source).hexdigest(), tuple(dict.fromkeys(imports)), foreign


@functools.cache
def _version_of(package: str) -> str | None:
    """Versions of the distributions that have a package; None if none has."""
    try:
        return version(package)
    except PackageNotFoundError:  # named otherwise, as scikit-learn's sklearn is
        names = sorted(set(_distributions().get(package, ())))
        return ", ".join(f"{name} {version(name)}" for name in names) or None


@functools.cache
def _distributions() -> dict[str, list[str]]:
    return dict(packages_distributions())


@functools.cache
def processor() -> dict[str, str]:
    """What compiled code depends on: the processor it is compiled for, and the compiler's flags."""
    flags = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    flags.pop("NUMBA_CACHE_DIR", None)
    target = flags.pop("NUMBA_CPU_NAME", "") or binding.get_host_cpu_name()
    return {"machine": platform.machine(), "cpu": target, **flags}
