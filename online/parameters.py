"""Check the parameters of a policy before it is built: their names, and the values of plain types.

A value of another type is refused rather than taken for what it is not: the text ``"False"`` would
count as true.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Mapping
from contextlib import suppress
from numbers import Real
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from models.errors import InputError
from online.policy import Policy

__all__ = ["check_parameters", "knows_future"]

_PLAIN = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    type(None): "null",
}


def knows_future(policy: type[Policy]) -> bool:
    """Whether a policy computes parameters from the instance it is run on."""
    return policy.for_instance.__func__ is not Policy.for_instance.__func__  # type: ignore[attr-defined]


def check_parameters(policy: type[Policy], parameters: Mapping[str, Any]) -> None:
    """Refuse keyword parameters that a policy does not have, and values of another type.

    A value is checked where the parameter is annotated with truth values, numbers, texts, None and
    literals alone. The default of a parameter is always taken.

    Raises
    ------
    InputError
        Naming the policy and the parameter.
    """
    takes, given = (policy.for_instance, (None,)) if knows_future(policy) else (policy, ())
    hints = _hints(policy.for_instance if knows_future(policy) else policy.__init__)
    try:
        signature = inspect.signature(takes)
        signature.bind(*given, **parameters)
        own = dict(signature.parameters)
        if any(one.kind is one.VAR_KEYWORD for one in own.values()):
            passed_on = {name: value for name, value in parameters.items() if name not in own}
            further = inspect.signature(policy)
            further.bind_partial(**passed_on)
            hints, own = _hints(policy.__init__) | hints, {**further.parameters, **own}
    except TypeError as error:
        raise InputError(f"policy '{policy.name}': parameters: {error}") from None
    for name, value in parameters.items():
        kinds = _kinds(hints.get(name))
        is_default = name in own and value is own[name].default
        if kinds and not is_default and not any(_is(value, kind) for kind in kinds):
            want = " or ".join(map(_said, kinds))
            raise InputError(f"policy '{policy.name}': parameter '{name}': {value!r}: want {want}")


def _hints(function: Any) -> dict[str, Any]:
    """Types of its parameters, but of those whose annotation cannot be understood."""
    owner = inspect.unwrap(getattr(function, "__func__", function))
    found: dict[str, Any] = {}
    with suppress(Exception):  # an annotation is any code
        for name, annotation in inspect.get_annotations(owner).items():
            one = types.SimpleNamespace(__annotations__={name: annotation})
            with suppress(Exception):
                found |= get_type_hints(one, getattr(owner, "__globals__", {}))
    return found


def _kinds(hint: Any) -> list[Any]:
    """Plain types and literals that a type is made of; none if it is of anything else."""
    if isinstance(hint, type) and hint in _PLAIN:
        return [hint]
    if get_origin(hint) is Literal:
        return [*get_args(hint)]
    if get_origin(hint) in (Union, types.UnionType):
        parts = [_kinds(one) for one in get_args(hint)]
        return [kind for part in parts for kind in part] if all(parts) else []
    return []


def _said(kind: Any) -> str:
    """A plain type, or a literal as it is written on the command line."""
    if isinstance(kind, type):
        return _PLAIN[kind]
    return json.dumps(kind) if kind is None or isinstance(kind, bool) else repr(kind)


def _is(value: Any, kind: Any) -> bool:
    """Whether a value is a literal, or of a plain type; whole numbers are numbers, too."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(kind, type):
        return type(value) is type(kind) and bool(value == kind)
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, Real if kind is float else kind)
