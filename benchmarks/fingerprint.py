"""Fingerprint of the code and the libraries that kept results were computed with."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import benchmarks
import models
import online
import solvers

__all__ = ["fingerprint", "is_covered", "versions"]

_LAYERS = (models, solvers, online, benchmarks)
_LIBRARIES = ("highspy", "numba", "numpy", "pyomo", "scipy")


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that compute."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in _LIBRARIES},
    }


@functools.cache
def fingerprint(counts: Callable[[str], bool]) -> str:
    """Hash of the toolkit's code and of :func:`versions`; the same wherever the checkout is.

    Parameters
    ----------
    counts : callable
        ``(name) -> bool``: whether the results depend on a source file, named from its layer
        on, e.g. ``"online/utility/oasis.py"``.

    Returns
    -------
    str
        sha256, hexadecimal.
    """
    files = {}
    for layer in _LAYERS:
        for folder in layer.__path__:
            for file in Path(folder).rglob("*.py"):
                name = f"{layer.__name__}/{file.relative_to(folder).as_posix()}"
                if counts(name):
                    files[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    text = json.dumps([files, versions()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def is_covered(kind: type) -> bool:
    """Whether the code of a class, with that of its bases, is the toolkit's own.

    The fingerprint tells nothing of a class from elsewhere, nor of one made inside a function,
    which may depend on the function's arguments.
    """
    own = {layer.__name__ for layer in _LAYERS}
    return (
        all(
            "<locals>" not in base.__qualname__
            and base.__module__.split(".")[0] in own | sys.stdlib_module_names
            for base in kind.__mro__
        )
        and kind.__module__.split(".")[0] in own
    )
