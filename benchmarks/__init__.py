"""Experiments: workloads, studies and commands; and the door for Python and notebooks.

>>> from benchmarks import compare, draw, evaluate, paired, read, run, solve

``draw`` or ``read`` an instance; ``solve`` it offline; ``run`` a policy on it; ``evaluate``
policies on one instance; ``compare`` them on many, and two of them instance by instance:
``paired``. Each is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from benchmarks.start import prepare

if TYPE_CHECKING:
    from benchmarks.door import Evaluation, compare, draw, evaluate, paired, read, run, solve

prepare()

__all__ = ["Evaluation", "compare", "draw", "evaluate", "paired", "read", "run", "solve"]


def __getattr__(name: str) -> Any:
    """Import what the door offers when it is asked for (PEP 562)."""
    if name in __all__:
        return getattr(importlib.import_module("benchmarks.door"), name)
    raise AttributeError(f"module 'benchmarks' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
