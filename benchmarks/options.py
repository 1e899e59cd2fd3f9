"""Settings of a workload as texts on a command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from models.errors import InputError

__all__ = ["read_options", "read_servers", "show_range"]

_TRUTHS = {"yes": True, "no": False}


def read_options(
    kind: type, examples: Mapping[str, str], given: Mapping[str, str]
) -> dict[str, Any]:
    """Values of a dataclass of settings from texts, by the types of its fields.

    Ranges are ``LOW:HIGH``, or one number for both; truth values ``yes`` and ``no``.

    Parameters
    ----------
    kind : dataclass
        Its annotations are texts (``from __future__ import annotations``).
    examples : mapping of str to str
        The settings that may be given, and what a value looks like.
    given : mapping of str to str

    Raises
    ------
    InputError
        If there is no such setting, or its value cannot be read.
    """
    types = {field.name: str(field.type) for field in fields(kind)}
    found: dict[str, Any] = {}
    for name, text in given.items():
        if name not in examples:
            raise InputError(f"unknown setting '{name}': choose from {', '.join(examples)}")
        try:
            found[name] = _parse(text, types[name])
        except (ValueError, KeyError):
            raise InputError(f"setting {name}={text}: want e.g. {name}={examples[name]}") from None
    return found


def read_servers(text: str, example: str) -> int:
    """Number of servers of one kind.

    Parameters
    ----------
    text : str
    example : str
        A number, and what it counts.

    Raises
    ------
    InputError
        If it is not a positive whole number.
    """
    if not (text.isdecimal() and int(text)):
        raise InputError(f"servers '{text}': want a number, e.g. {example}")
    return int(text)


def show_range(interval: tuple[float, float]) -> str:
    """A range as people write it."""
    return f"[{interval[0]:g}, {interval[1]:g}]"


def _parse(text: str, kind: str) -> Any:
    if kind.startswith("str"):
        return text
    if kind.startswith("bool"):
        return _TRUTHS[text]
    if kind.startswith("tuple"):
        low, _, high = text.partition(":")
        number = int if kind.startswith("tuple[int") else float
        return number(low), number(high or low)
    return int(text) if kind.startswith("int") else float(text)
