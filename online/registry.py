"""Policies by name: registered ones, ``module:Class``, and ``file.py:Class``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any

from models.errors import InputError
from models.reference import resolve
from online.contract import online_side
from online.parameters import check_parameters, knows_future
from online.policy import Policy
from online.run import raised_by
from online.user_module import load_user_module

__all__ = ["build_policy", "check_policy", "find_policy", "policy_names", "unknown_policy"]

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")  # it is used in names of files


def policy_names(problem_name: str) -> tuple[str, ...]:
    """Names of the registered policies of a problem, the paper's own first."""
    return tuple(online_side(problem_name).policies)


def find_policy(problem_name: str, name: str) -> type[Policy]:
    """Look up a policy class; nothing but its module, and what that needs, is imported.

    Parameters
    ----------
    problem_name : str
    name : str
        A registered name; ``module:Class``, where the current folder is searched, too; or
        ``path/to/file.py:Class``.

    Raises
    ------
    InputError
        If there is no such policy, or it is not a subclass of :class:`Policy`.
    """
    registered = online_side(problem_name).policies
    if name in registered:
        policy = check_policy(resolve(registered[name]), registered[name])
        if policy.name != name:
            raise InputError(
                f"policy '{name}' of '{problem_name}': {registered[name]} is named '{policy.name}'"
            )
        return policy
    module_name, _, class_name = name.rpartition(":")
    if not (module_name and class_name):
        raise unknown_policy(problem_name, name, registered)
    try:
        module = load_user_module(module_name)
    except InputError as error:
        raise InputError(f"policy '{name}': {error}") from error.__cause__
    if not hasattr(module, class_name):
        raise InputError(f"policy '{name}': module '{module_name}' has no '{class_name}'")
    return check_policy(getattr(module, class_name), name)


def unknown_policy(problem_name: str, name: str, known: Iterable[str]) -> InputError:
    """The error of a name that is neither known nor a reference to a class."""
    return InputError(
        f"unknown policy '{name}' for '{problem_name}': choose from {', '.join(known)}, "
        "or give module:Class or file.py:Class"
    )


def check_policy(policy: Any, label: str) -> type[Policy]:
    """Refuse what cannot be built or named; returns the policy.

    Parameters
    ----------
    policy : type
        The supposed policy.
    label : str
        What messages call it.

    Raises
    ------
    InputError
        If it is not a subclass of :class:`Policy` with a proper name, is abstract, or has a
        constructor with required arguments and no ``for_instance``.
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


def build_policy(policy: type[Policy], instance: Any, **parameters: Any) -> Policy:
    """Build a policy for one instance: the only place where an instance may set its parameters.

    Parameters
    ----------
    policy : type
    instance : Instance
    **parameters
        Keywords of its ``for_instance`` if it has one of its own, else of its constructor.

    Raises
    ------
    InputError
        If the policy has no such parameter, or a value is of another type, or ``for_instance``
        returns something else. What it raises itself is passed on, with a note that names policy
        and instance.
    """
    check_parameters(policy, parameters)
    where = f"policy '{policy.name}' on '{instance.name}', for_instance"
    with raised_by(where):
        built = policy.for_instance(instance, **parameters)
    if not isinstance(built, Policy):
        raise InputError(f"{where}: returned {type(built).__name__}, not a Policy")
    return built
