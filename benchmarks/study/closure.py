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
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite import binding

from models.errors import InputError
from online.user_module import LAYERS, is_installed

_LIBRARIES = ("cvxpy", "highspy", "numba", "numpy", "pyomo", "scipy")
_ROOT = Path(__file__).parents[2]
_TOOLKIT = tuple(f"{_ROOT / layer}{os.sep}" for layer in LAYERS)


class _Source(NamedTuple):
    sha: str
    imports: tuple[tuple[str, str], ...]  # module, and what is imported from it or ""
    packages: frozenset[str]  # of others


@functools.cache
def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that compute."""
    return {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}


def versions_and_machine() -> dict[str, dict[str, Any]]:
    """What stands beside results: ``versions``, and the ``machine``."""
    machine = {"processor": platform.machine(), "cores": os.cpu_count()}
    return {"versions": versions(), "machine": machine}


@functools.cache
def processor() -> dict[str, str]:
    """What compiled code depends on: the processor it is compiled for, and the compiler's flags."""
    flags = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    flags.pop("NUMBA_CACHE_DIR", None)
    target = flags.pop("NUMBA_CPU_NAME", "") or binding.get_host_cpu_name()
    return {"machine": platform.machine(), "cpu": target, **flags}


def source_hashes() -> dict[str, str]:
    """Hash of every Python file of the toolkit, by its place."""
    files = sorted(file for layer in LAYERS for file in (_ROOT / layer).rglob("*.py"))
    return {
        file.relative_to(_ROOT).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


def code_hash(roots: Iterable[str]) -> str:
    """Hash of all that a result depends on besides its parameters.

    Sources in the import closure of the roots (:func:`import_closure`), versions of libraries,
    the processor and the settings of the compiler. It is the same wherever the checkout is.
    """
    sources = {name: _read(name, path) for name, path in import_closure(roots).items()}
    packages = {package for source in sources.values() for package in source.packages}
    others = {name: found for name in packages if (found := _version_of(name))}
    hashes = {name: source.sha for name, source in sources.items()}
    text = json.dumps([hashes, {**others, **versions()}, processor()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def import_closure(roots: Iterable[str]) -> dict[str, Path]:
    """Source files that the roots import, they themselves among them.

    Of the toolkit, of the packages of the roots, and of what lies outside the folders of
    installed packages, so of a user's own files. An ``__init__`` of the toolkit counts
    where something is imported from it by name, not where it is only on the way to a module.

    Roots are names of modules, or paths of Python files; InputError if one is not found. The files
    are returned by name of the module; one given by its path has its file name.
    """
    own, folders = set(LAYERS), []  # packages that count; folders that are searched first
    todo: list[tuple[str, Path]] = []
    for root in sorted(set(roots)):
        if root.endswith(".py"):
            path = Path(root).resolve()
            folders.append(str(path.parent))
            todo.append((path.name, path))
            continue
        found_at = _find(root, ())
        if found_at is None:
            raise InputError(f"module '{root}' is not found")
        todo.append((root, found_at))
        top = root.partition(".")[0]
        if top not in LAYERS:
            own.add(top)
            depth = root.count(".") + (found_at.name == "__init__.py")
            folders.append(str(found_at.resolve().parents[depth]))
    found: dict[str, Path] = {}
    which = frozenset(own), tuple(folders)
    while todo:
        name, path = todo.pop()
        if name not in found:
            found[name] = path
            for imported in _read(name, path).imports:
                todo += _imported(*imported, *which)
    return dict(sorted(found.items()))


@functools.cache
def _imported(
    module: str, item: str, own: frozenset[str], folders: tuple[str, ...]
) -> list[tuple[str, Path]]:
    """Modules that ``from module import item`` runs, of those that count."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return []
    names = [f"{module}.{item}", module] if item else [module]
    found = [(name, path) for name in names if (path := _find(name, folders))][:1]
    if not found or top in LAYERS:
        return found
    if top not in own and is_installed(str(found[0][1])):
        return []
    # Whoever wrote another package may rely on what its __init__ does.
    outer = accumulate(found[0][0].split("."), "{}.{}".format)
    return [(name, path) for name in outer if (path := _find(name, folders))]


@functools.cache
def _find(name: str, folders: tuple[str, ...]) -> Path | None:
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


def _read(name: str, path: Path) -> _Source:
    """Read a source again if it has changed; the toolkit's own once, as it is when loaded."""
    about = None if str(path).startswith(_TOOLKIT) else path.stat()
    return _parsed(name, path, about and (about.st_mtime_ns, about.st_size))


@functools.cache
def _parsed(name: str, path: Path, stamp: tuple[int, int] | None) -> _Source:
    source = path.read_bytes()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    imports: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imports += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            with suppress(ImportError):  # of what lies above the top: no run gets that far
                module = importlib.util.resolve_name(
                    "." * node.level + (node.module or ""), package
                )
                imports += [(module, alias.name) for alias in node.names]
    tops = {module.partition(".")[0] for module, _ in imports}
    packages = frozenset(tops - set(LAYERS) - sys.stdlib_module_names)
    return _Source(hashlib.sha256(source).hexdigest(), tuple(dict.fromkeys(imports)), packages)


@functools.cache
def _version_of(package: str) -> str | None:
    """Versions of the distributions that have a package; None if none has."""
    try:
        return version(package)
    except PackageNotFoundError:  # named otherwise, as scikit-learn's sklearn is
        names = sorted(set(_distributions().get(package, ())))
        return ", ".join(f"{name} {version(name)}" for name in names) or None


_distributions = functools.cache(packages_distributions)
