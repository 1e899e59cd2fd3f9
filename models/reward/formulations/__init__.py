"""Formulations of the ``reward`` problem in CVXPY."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from models.reward.formulations.hindsight import Hindsight, hindsight

__all__ = ["FORMULATIONS", "Hindsight", "hindsight"]

#: Linear formulations, to be written as LP or MPS files: none, the reward is concave.
FORMULATIONS: Mapping[str, Callable[[Any], Any]] = {}
