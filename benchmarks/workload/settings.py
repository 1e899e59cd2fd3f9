"""Settings of a workload: their sizes, their checks, and how a command line gives them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, get_type_hints

import msgspec
import numpy as np

from models.errors import InputError

__all__ = [
    "LOADS",
    "LOAD_PRESETS",
    "BaseSettings",
    "check_types",
    "examples",
    "read_settings",
    "setting",
    "show_range",
]

LOAD_PRESETS: Mapping[str, Mapping[str, Any]] = {
    "moderate": {},
    "paper": {},
    "overload": {"load": 2.0},
}
"""Presets of problems that have a ``load``: without, the first two say how it comes about."""

LOADS: Mapping[str, Mapping[str, Any]] = {"moderate": {"load": 1.0}, "overload": {"load": 2.0}}
"""Presets beside ``"paper-ranges"`` of problems whose ranges make a load of their own."""

_TRUTHS = {"yes": True, "no": False}
_MOST_PAIRS = 2 * 10**7  # of a job and a server, each of which is drawn


def setting(default: Any, example: str) -> Any:
    """A field of settings that may be given by its name, from Python and as ``--set NAME=VALUE``.

    Parameters
    ----------
    default : object
        Immutable.
    example : str
        What a value looks like on a command line; all words joined by ``|`` if there are few.
    """
    return field(default=default, metadata={"example": example})


@dataclass(frozen=True, kw_only=True)
class BaseSettings:
    """What every generator is told; a problem's own settings are a subclass of it.

    A subclass adds ``servers``, whatever numbers of servers it has, and fields made by
    :func:`setting`. ``presets`` are regimes by name: what each of them sets, unless it is given by
    name, too. A subclass that has some has a field ``preset``.

    Parameters
    ----------
    jobs, slots : int
        As in :class:`benchmarks.workload.contract.Size`.
    seed : int or None
        Seed of the generator in use; kept in the instance file.

    Raises
    ------
    InputError
        If a setting is out of its range.
    """

    jobs: int
    slots: int
    seed: int | None
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    def __post_init__(self) -> None:
        check_types(type(self), {item.name: getattr(self, item.name) for item in fields(self)})
        self.check_counts("jobs", "slots")
        if self.presets:
            self.check_word("preset", tuple(self.presets))

    def check_counts(self, *names: str) -> None:
        """Refuse numbers below 1; None passes."""
        for name in names:
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} is {value}, but has to be at least 1")

    def check_positive(self, *names: str) -> None:
        """Refuse numbers that are not positive and finite; None passes."""
        for name in names:
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise InputError(f"{name} {value} is not a positive number")

    def check_pairs(self, jobs: str, servers: int) -> None:
        """Refuse more pairs of jobs, as they are called, and servers than can be drawn."""
        if self.jobs * servers > _MOST_PAIRS:
            raise InputError(
                f"{self.jobs} {jobs} x {servers} servers are more than {_MOST_PAIRS} pairs"
            )

    def check_word(self, name: str, known: Sequence[str]) -> None:
        """Refuse an unknown word."""
        if getattr(self, name) not in known:
            raise InputError(f"{name} '{getattr(self, name)}': choose from {', '.join(known)}")

    def check_range(
        self, name: str, least: float, most: float = math.inf, *, strict: bool = False
    ) -> None:
        """Refuse what is no range of finite numbers from ``least`` to ``most``; None passes.

        ``strict``: the numbers have to be above ``least``.
        """
        value = getattr(self, name)
        if value is None:
            return
        low, high = value
        if not (least <= low <= high < math.inf and high <= most) or (strict and low == least):
            limit = "" if most == math.inf else f" and <= {most:g}"
            raise InputError(
                f"{name} {show_range(value)} is not a range of numbers "
                f"{'>' if strict else '>='} {least:g}{limit}"
            )


def check_types(kind: type[BaseSettings], given: Mapping[str, Any]) -> None:
    """Refuse values, by name, of another type than their fields, and empty texts.

    A list is good for a tuple.

    Raises
    ------
    InputError
        Naming the setting and what it wants.
    """
    types, known = get_type_hints(kind), examples(kind)
    for name, value in given.items():
        try:
            msgspec.convert(np.array(value).tolist() if _of_numpy(value) else value, types[name])
            fault = "is empty" if value == "" else ""
        except msgspec.ValidationError as error:
            fault = str(error).lower()
        if fault:
            rule = f"want e.g. {name}={known[name]}" if name in known else fault
            raise InputError(f"setting {name} is {value!r}: {rule}")


def _of_numpy(value: Any) -> bool:
    """Whether a value is a number of NumPy's, or holds some."""
    return any(isinstance(v, np.generic) for v in (value if isinstance(value, tuple) else [value]))


def examples(kind: type[BaseSettings]) -> dict[str, str]:
    """Settings that may be given by name, and what a value looks like."""
    return {
        item.name: item.metadata["example"] for item in fields(kind) if "example" in item.metadata
    }


def read_settings(kind: type[BaseSettings], given: Mapping[str, str]) -> dict[str, Any]:
    """Values of settings from texts, by the types of the fields.

    Ranges are ``LOW:HIGH``, or one number for both; longer tuples have all their numbers; truth
    values are ``yes`` and ``no``; ``none`` is None where a setting may be None.

    Parameters
    ----------
    kind : type
        Its annotations are texts (``from __future__ import annotations``).
    given : mapping of str to str

    Raises
    ------
    InputError
        If there is no such setting, or its value cannot be read.
    """
    known = examples(kind)
    types = {item.name: str(item.type) for item in fields(kind)}
    found: dict[str, Any] = {}
    for name, text in given.items():
        if name not in known:
            raise InputError(f"unknown setting '{name}': choose from {', '.join(known)}")
        try:
            found[name] = _parse(text, types[name])
        except (ValueError, KeyError):
            raise InputError(f"setting {name}={text}: want e.g. {name}={known[name]}") from None
    return found


def show_range(interval: tuple[float, float]) -> str:
    """A range as people write it."""
    return f"[{interval[0]:g}, {interval[1]:g}]"


def _parse(text: str, kind: str) -> Any:
    if kind.endswith("| None") and text == "none":
        return None
    if kind.startswith("str"):
        return text
    if kind.startswith("bool"):
        return _TRUTHS[text]
    if kind.startswith("tuple"):
        number = int if kind.startswith("tuple[int") else float
        count = kind.partition("]")[0].count(",") + 1
        numbers = tuple(number(word) for word in text.split(":"))
        if len(numbers) == 1 and count == 2:
            numbers *= 2
        if len(numbers) != count:
            raise ValueError
        return numbers
    return int(text) if kind.startswith("int") else float(text)
