"""A scheme: a policy by reference with its parameters; and readings of what a paper leaves open."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from benchmarks.contract import experiments_of
from benchmarks.study.instances import instance_roots, world_module
from models.errors import InputError
from online.policy import Policy
from online.registry import check_policy, find_policy, policy_names

_GIVEN = "given:"
_given: dict[str, type[Policy]] = {}


class Scheme(Struct, frozen=True, forbid_unknown_fields=True):
    """A policy as it is run in a study, under a name of its own.

    ``policy`` is a registered name, ``module:Class`` or ``file.py:Class``; its keyword parameters
    are in JSON types. ``ignores`` are settings of the workload that make no difference to it, so
    that rows that differ in them alone share one cell, run with the registered values. A test
    proves the indifference.
    """

    name: Annotated[str, Meta(min_length=1)]
    policy: str
    parameters: Mapping[str, Any] = {}
    ignores: tuple[str, ...] = ()

    @property
    def is_importable(self) -> bool:
        """Whether another process can find the policy by its reference."""
        return not self.policy.startswith(_GIVEN)


class Reading(Struct, frozen=True, forbid_unknown_fields=True):
    """One way to read what a paper leaves open: settings that overlay those of a point.

    The readings of one choice stand in a tuple, of which the first is the registered one. They
    are fixed before anything is measured. ``words`` are what it says; ``parameters``, by the name
    of a scheme, those of its policy; ``source`` is a place in the paper, or whose proposal it is.
    ``later``: it was added when results had been seen.
    """

    name: Annotated[str, Meta(min_length=1)]
    words: str = ""
    settings: Mapping[str, Any] = {}
    parameters: Mapping[str, Mapping[str, Any]] = {}
    source: str = ""
    later: bool = False


def schemes_of(
    problem_name: str, policies: Iterable[str | type[Policy] | Scheme] | None = None
) -> tuple[Scheme, ...]:
    """Schemes of policies under their own names, and of the variants that a workload names.

    They are names of policies or variants, references, classes and schemes; by default those of
    :func:`default_policies`. InputError if a policy is unknown, two have the same name, or there
    are none.
    """
    if isinstance(policies, str | type | Scheme):
        raise InputError(f"policies {policies!r}: want a list, even of one")
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
    if not found:
        raise InputError("no policy is named: want at least one")
    return tuple(found.values())


def default_policies(problem_name: str) -> list[str]:
    """Policies and variants that are run where none is asked for."""
    return list(experiments_of(problem_name).workload.policies or policy_names(problem_name))


@functools.cache
def given_policy(policy: type[Policy]) -> str:
    """Reference of a class at hand that no other process may be able to import.

    Cells with it run in this process, and are not kept.
    """
    check_policy(policy, policy.__qualname__)
    # With a number: two classes, made in a loop, say, may have the same name.
    reference = f"{_GIVEN}{len(_given)}:{policy.__module__}:{policy.__qualname__}"
    _given[reference] = policy
    return reference


def policy_of(problem_name: str, reference: str) -> type[Policy]:
    """The class that a reference names; InputError if there is none."""
    if not reference.startswith(_GIVEN):
        return find_policy(problem_name, reference)
    if reference not in _given:
        raise InputError(f"policy '{reference}': only the process that has it can run it")
    return _given[reference]


def policy_roots(problem_name: str, reference: str) -> tuple[str, ...]:
    """Where the code of a policy starts, as a root of a cell."""
    if reference.startswith(_GIVEN):
        return ()
    place, _, _ = reference.rpartition(":")
    return (place if place.endswith(".py") else find_policy(problem_name, reference).__module__,)


def run_roots(problem_name: str, *references: str) -> tuple[str, ...]:
    """Modules that runs of policies look up by name: those of instance, world and policies."""
    policies = (root for one in references for root in policy_roots(problem_name, one))
    return (*instance_roots(problem_name), world_module(problem_name), *policies)
