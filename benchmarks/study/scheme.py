"""A scheme: a policy by reference with its parameters; and readings of what a paper leaves open."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from benchmarks.contract import experiments_of
from benchmarks.study.instances import instance_roots, world_module
from models.errors import InputError
from online.isolated import DECISION_LIMIT, isolated
from online.parameters import check_parameters
from online.policy import Policy
from online.registry import check_policy, find_policy, policy_names, unknown_policy
from online.user_module import search_first

_GIVEN = "given:"
_ISOLATED = re.compile(r"isolated:(\d[^:]*):(.+)")  # limit of a decision, reference
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


@dataclass(frozen=True)
class Isolation:
    """Which policies run in processes of their own (:mod:`online.isolated`).

    Parameters
    ----------
    which : bool, optional
        All or none; None = those from outside the toolkit that are given by a reference.
    limit : float
        Seconds that such a policy has for each answer.
    """

    which: bool | None = None
    limit: float = DECISION_LIMIT

    def of(self, reference: str) -> str:
        """The reference of a policy, isolated if it is to be; InputError if it cannot be."""
        if self.which is False or (self.which is None and ":" not in reference):
            return reference
        if not reference.startswith(_GIVEN):
            return f"isolated:{self.limit:g}:{reference}"
        if self.which is None:
            return reference
        raise InputError("a policy given as a class cannot be isolated: name it as file.py:Class")


NOBODY = Isolation(False)
"""No policy has a process of its own."""


def schemes_of(
    problem_name: str,
    policies: Iterable[str | type[Policy] | Scheme] | None = None,
    isolation: Isolation = NOBODY,
) -> tuple[Scheme, ...]:
    """Schemes of policies under their own names, and of the variants that a workload names.

    They are names of policies or variants, references, classes and schemes; by default those of
    :func:`default_policies`. One from outside the toolkit that has the name of one inside is
    called by its reference, too. InputError if a policy is unknown, two have the same name, or
    there are none.
    """
    if isinstance(policies, str | type | Scheme):
        raise InputError(f"policies {policies!r}: want a list, even of one")
    variants = experiments_of(problem_name).workload.variants
    ours = {*policy_names(problem_name), *variants}
    found: dict[str, Scheme] = {}
    for given in default_policies(problem_name) if policies is None else policies:
        if isinstance(given, Scheme):
            scheme = replace(given, policy=isolation.of(given.policy))
        elif not isinstance(given, str):
            scheme = Scheme(policy=isolation.of(given_policy(given)), name=given.name)
        elif given in variants:
            scheme = Scheme(given, *variants[given])
            scheme = replace(scheme, policy=isolation.of(scheme.policy))
        else:
            if ":" not in given and given not in ours:
                raise unknown_policy(problem_name, given, [*policy_names(problem_name), *variants])
            reference = isolation.of(given)
            name = policy_of(problem_name, reference).name
            name = f"{name} ({given})" if ":" in given and name in ours else name
            scheme = Scheme(name, reference)
        if scheme.name in found:
            raise InputError(f"two policies are named '{scheme.name}'")
        found[scheme.name] = scheme
    if not found:
        raise InputError("no policy is named: want at least one")
    return tuple(found.values())


def with_parameters(
    problem_name: str, schemes: Sequence[Scheme], given: Sequence[str]
) -> tuple[Scheme, ...]:
    """Schemes whose policies have parameters of ``--set POLICY.PARAMETER=VALUE``, which names show.

    Values are JSON, or else texts. InputError if there is no such policy or parameter.
    """
    told: dict[str, dict[str, Any]] = {}
    for text in given:
        name, _, value = text.partition("=")
        policy, _, parameter = name.rpartition(".")
        if policy not in {scheme.name for scheme in schemes}:
            known = ", ".join(scheme.name for scheme in schemes)
            raise InputError(f"--set {text}: no policy '{policy}' is run; there are {known}")
        parameters = told.setdefault(policy, {})
        parameters[parameter] = value
        with suppress(ValueError):
            parameters[parameter] = json.loads(value)
    found = []
    for scheme in schemes:
        if more := told.get(scheme.name):
            shown = ", ".join(f"{name}={value}" for name, value in more.items())
            parameters = {**scheme.parameters, **more}
            check_parameters(policy_of(problem_name, scheme.policy), parameters)
            scheme = replace(scheme, name=f"{scheme.name} ({shown})", parameters=parameters)
        found.append(scheme)
    return tuple(found)


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
    """The class that a reference names, or which stands for it; InputError if there is none."""
    if match := _ISOLATED.fullmatch(reference):
        return isolated(problem_name, match[2], float(match[1]))
    if not reference.startswith(_GIVEN):
        return find_policy(problem_name, reference)
    if reference not in _given:
        raise InputError(f"policy '{reference}': only the process that has it can run it")
    return _given[reference]


def policy_roots(problem_name: str, reference: str) -> tuple[str, ...]:
    """Where the code of a policy starts, as a root of a cell."""
    inner = plain_reference(reference)
    if inner.startswith(_GIVEN):
        return ()
    place, _, _ = inner.rpartition(":")
    if place and inner != reference:  # its module is not to be loaded here
        search_first(Path.cwd())
        return (place,)
    return (place if place.endswith(".py") else find_policy(problem_name, inner).__module__,)


def plain_reference(reference: str) -> str:
    """The reference of a policy, wherever it runs."""
    match = _ISOLATED.fullmatch(reference)
    return match[2] if match else reference


def run_roots(problem_name: str, *references: str) -> tuple[str, ...]:
    """Modules that runs of policies look up by name: those of instance, world and policies."""
    policies = (root for one in references for root in policy_roots(problem_name, one))
    return (*instance_roots(problem_name), world_module(problem_name), *policies)
