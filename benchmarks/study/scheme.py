"""A scheme: a policy by reference with its parameters; and readings of what a paper leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.contract import experiments_of
from models.errors import InputError
from online.policy import Policy
from online.registry import check_policy, find_policy, policy_names

__all__ = [
    "Reading",
    "Scheme",
    "default_policies",
    "given_policy",
    "policy_of",
    "policy_roots",
    "schemes_of",
]

_GIVEN = "given:"
_given: dict[str, type[Policy]] = {}


@dataclass(frozen=True)
class Scheme:
    """A policy as it is run in a study.

    Parameters
    ----------
    name : str
        In rows, as ``policy``.
    policy : str
        A registered name, ``module:Class`` or ``file.py:Class``.
    parameters : mapping
        Keyword parameters of the policy, in JSON types.
    ignores : tuple of str
        Settings of the workload that make no difference to it, so that rows that differ in
        them alone share one cell, run with the registered values. A test proves the indifference.
    """

    name: str
    policy: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    ignores: tuple[str, ...] = ()

    @property
    def is_importable(self) -> bool:
        """Whether another process can find the policy by its reference."""
        return not self.policy.startswith(_GIVEN)


@dataclass(frozen=True)
class Reading:
    """One way to read what a paper leaves open: settings that overlay those of a point.

    The readings of one choice stand in a tuple, of which the first is the registered one. They
    are fixed before anything is measured.

    Parameters
    ----------
    name : str
        In rows, as ``reading``.
    words : str
        What it says.
    settings : mapping
        Of the workload.
    parameters : mapping of str to mapping
        Keyword parameters of policies, by the name of the scheme.
    source : str
        Where in the paper, or whose proposal.
    later : str
        Why it was added after others had been measured; empty if it was not.
    """

    name: str
    words: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    source: str = ""
    later: str = ""


def schemes_of(
    problem_name: str, policies: Iterable[str | type[Policy] | Scheme] | None = None
) -> tuple[Scheme, ...]:
    """Schemes of policies under their own names, and of the variants that a workload names.

    Parameters
    ----------
    policies : iterable, optional
        Names of policies or variants, references, classes and schemes; by default those of
        :func:`default_policies`.

    Raises
    ------
    InputError
        If a policy is unknown, or two have the same name.
    """
    variants = experiments_of(problem_name).workload.variants
    found: dict[str, Scheme] = {}
    for given in default_policies(problem_name) if policies is None else policies:
        if isinstance(given, Scheme):
            scheme = given
        elif not isinstance(given, str):
            scheme = Scheme(policy=given_policy(given), name=given.name)
        elif given in variants:
            scheme = Scheme(given, *variants[given])
        else:
            scheme = Scheme(policy_of(problem_name, given).name, given)
        if scheme.name in found:
            raise InputError(f"two policies are named '{scheme.name}'")
        found[scheme.name] = scheme
    return tuple(found.values())


def default_policies(problem_name: str) -> list[str]:
    """Policies and variants that are run where none is asked for."""
    return list(experiments_of(problem_name).workload.policies or policy_names(problem_name))


def given_policy(policy: type[Policy]) -> str:
    """Reference of a class at hand that no other process may be able to import.

    Cells with it run in this process, and are not kept.
    """
    check_policy(policy, policy.__qualname__)
    for reference, known in _given.items():
        if known is policy:
            return reference
    # With a number: two classes, made in a loop, say, may have the same name.
    reference = f"{_GIVEN}{len(_given)}:{policy.__module__}:{policy.__qualname__}"
    _given[reference] = policy
    return reference


def policy_of(problem_name: str, reference: str) -> type[Policy]:
    """The class that a reference names.

    Raises
    ------
    InputError
        If there is none.
    """
    if reference.startswith(_GIVEN):
        if reference not in _given:
            raise InputError(f"policy '{reference}': only the process that has it can run it")
        return _given[reference]
    return find_policy(problem_name, reference)


def policy_roots(problem_name: str, reference: str) -> tuple[str, ...]:
    """Where the code of a policy starts, as a root of a cell."""
    if reference.startswith(_GIVEN):
        return ()
    place, colon, _ = reference.rpartition(":")
    if colon and place.endswith(".py"):
        return (place,)
    return (find_policy(problem_name, reference).__module__,)
