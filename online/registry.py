"""Policies by name: registered ones, and ``module:Class`` from anywhere on the path."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from models.errors import InputError
from models.problem import problem
from online.policy import Policy

__all__ = ["build_policy", "find_policy", "knows_future", "policy_names"]


def _registered(problem_name: str) -> dict[str, type[Policy]]:
    problem(problem_name)  # a clear error for an unknown problem
    found: dict[str, type[Policy]] = importlib.import_module(f"online.{problem_name}").POLICIES
    return found


def policy_names(problem_name: str) -> tuple[str, ...]:
    """Names of the registered policies of a problem, the paper's own first."""
    return tuple(_registered(problem_name))


def find_policy(problem_name: str, name: str) -> type[Policy]:
    """Look up a policy class.

    Parameters
    ----------
    problem_name : str
    name : str
        A registered name, or ``module:Class``; the current folder is searched too.

    Raises
    ------
    InputError
        If there is no such policy, or it is not a subclass of :class:`Policy`.
    """
    registered = _registered(problem_name)
    if ":" not in name:
        if name not in registered:
            known = ", ".join(registered)
            raise InputError(
                f"unknown policy '{name}' for '{problem_name}': choose from {known}, "
                "or give module:Class"
            )
        return registered[name]
    module_name, _, class_name = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # anything may happen while a user's file is imported
        reason = " ".join(str(error).split())
        raise InputError(
            f"policy '{name}': module '{module_name}' cannot be imported: "
            f"{type(error).__name__}: {reason}"
        ) from error
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise InputError(
            f"policy '{name}': '{class_name}' is not a subclass of online.policy.Policy"
        )
    if not isinstance(getattr(found, "name", None), str):
        raise InputError(f"policy '{name}': the class attribute `name` (a string) is missing")
    return found


def knows_future(policy: type[Policy]) -> bool:
    """Whether a policy computes parameters from the instance it is run on."""
    return policy.for_instance.__func__ is not Policy.for_instance.__func__  # type: ignore[attr-defined]


def build_policy(policy: type[Policy], instance: Any) -> Policy:
    """Build a policy for one instance; the one door through which parameters may be tuned."""
    return policy.for_instance(instance)
