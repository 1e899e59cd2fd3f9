"""Policies by name: registered ones, and ``module:Class`` from anywhere on the path."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from models.errors import InputError
from models.problem import sub_package
from online.policy import Policy
from online.run import raised_by

__all__ = ["build_policy", "check_policy", "find_policy", "knows_future", "policy_names"]

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")  # it names files, too


def _registered(problem_name: str) -> dict[str, type[Policy]]:
    found: dict[str, type[Policy]] = sub_package("online", problem_name).POLICIES
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
    if not hasattr(module, class_name):
        raise InputError(f"policy '{name}': module '{module_name}' has no '{class_name}'")
    return check_policy(getattr(module, class_name), name)


def check_policy(policy: Any, label: str) -> type[Policy]:
    """Refuse what cannot be built or named; returns the policy.

    Parameters
    ----------
    policy : type
        What is said to be a policy.
    label : str
        What messages call it.

    Raises
    ------
    InputError
        If it is not a subclass of :class:`Policy` with a proper name, is abstract, or needs
        arguments that nobody gives it.
    """

    def fault(what: str) -> InputError:
        return InputError(f"policy '{label}': {what}")

    if not (isinstance(policy, type) and issubclass(policy, Policy)):
        raise fault("is not a subclass of online.policy.Policy")
    name = getattr(policy, "name", None)
    if not isinstance(name, str):
        raise fault("the class attribute `name` (a string) is missing")
    if not _NAME.fullmatch(name):
        raise fault(f"its name {name!r} is not made of a-z, 0-9 and, after the first, dashes")
    if inspect.isabstract(policy):
        missing = ", ".join(sorted(policy.__abstractmethods__))
        raise fault(f"is abstract: it does not define {missing}")
    if not knows_future(policy):
        try:
            inspect.signature(policy).bind()
        except TypeError as error:
            raise fault(f"override for_instance, since its constructor is {error}") from None
    return policy


def knows_future(policy: type[Policy]) -> bool:
    """Whether a policy computes parameters from the instance it is run on."""
    return policy.for_instance.__func__ is not Policy.for_instance.__func__  # type: ignore[attr-defined]


def build_policy(policy: type[Policy], instance: Any, **parameters: Any) -> Policy:
    """Build a policy for one instance; the one door through which parameters may be tuned.

    Parameters
    ----------
    policy : type
    instance : Instance
    **parameters
        Keywords of its ``for_instance`` if it has one of its own, else of its constructor.

    Raises
    ------
    InputError
        If it has no such parameter, or ``for_instance`` builds something else. What it raises
        itself goes through, with a note that names policy and instance.
    """
    where = f"policy '{policy.name}' on '{instance.name}', for_instance"
    makes: Callable[..., Any] = policy
    if knows_future(policy) or not parameters:
        makes = partial(policy.for_instance, instance)
    try:
        inspect.signature(makes).bind(**parameters)
    except TypeError as error:
        raise InputError(f"policy '{policy.name}': {error}") from None
    with raised_by(where):
        built = makes(**parameters)
    if not isinstance(built, Policy):
        raise InputError(f"{where}: returned {type(built).__name__}, not a Policy")
    return built
