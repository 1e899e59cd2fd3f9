"""Choices that a paper leaves open, each with its readings; stars and combinations of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.study.scheme import Reading
from models.errors import InputError


@dataclass(frozen=True)
class Choice:
    """Something that a paper leaves open, and how it can be read.

    Parameters
    ----------
    name : str
        Short, for tables and pictures.
    opens : str
        What is left open, in words.
    source : str
        Where: section, equation or algorithm.
    readings : tuple of Reading
        The alternatives; the first is the registered one. What one of them sets, by the name of a
        setting or of a scheme with a parameter, no other choice sets.
    why : str
        Why the first is registered.
    """

    name: str
    opens: str
    source: str
    readings: tuple[Reading, ...]
    why: str


def read_choices(text: str) -> tuple[Choice, ...]:
    """Choices as a text says them, with one line for each, and one for each of its readings.

    ::

        name | source | what is left open | why the first is registered
        - name | what it says | {"setting": value, "scheme": {"parameter": value}} | source
        + name | as above; this one was added when results had been seen

    What a reading sets is JSON; that and its source may be left out.
    """
    found: list[tuple[list[str], list[Reading]]] = []
    for line in text.strip().splitlines():
        if line[:2] not in ("- ", "+ "):
            found.append((line.split(" | "), []))
            continue
        name, words, sets, source = (*line[2:].split(" | "), "", "")[:4]
        every: dict[str, Any] = json.loads(sets or "{}")
        parameters = {key: value for key, value in every.items() if isinstance(value, dict)}
        settings = {key: value for key, value in every.items() if key not in parameters}
        found[-1][1].append(Reading(name, words, settings, parameters, source, line[0] == "+"))
    return tuple(
        Choice(name, opens, source, tuple(readings), why)
        for (name, source, opens, why), readings in found
    )


def star_of(choices: Sequence[Choice]) -> tuple[Reading, ...]:
    """The registered reading of all choices, and those in which one choice is read otherwise.

    The first has the name and the words of the first choice's registered reading, each other one
    those of what is different.
    """
    registered = [choice.readings[0] for choice in choices]
    found = [combined(registered, registered[0])]
    for place, choice in enumerate(choices):
        for other in choice.readings[1:]:
            found.append(combined([*registered[:place], other, *registered[place + 1 :]], other))
    return tuple(found)


def combined(parts: Iterable[Reading], about: Reading) -> Reading:
    """One reading of several choices, with the name, the words and the source of ``about``.

    InputError if two of them set the same thing to different values.
    """
    settings: dict[str, Any] = {}
    parameters: dict[str, dict[str, Any]] = {}
    for part in parts:
        _add(settings, part.settings, part.name)
        for scheme, told in part.parameters.items():
            _add(parameters.setdefault(scheme, {}), told, f"{part.name} of {scheme}")
    said: dict[str, Any] = {"words": about.words, "source": about.source, "later": about.later}
    return Reading(about.name, settings=settings, parameters=parameters, **said)


def _add(found: dict[str, Any], more: Mapping[str, Any], name: str) -> None:
    for key, value in more.items():
        if found.setdefault(key, value) != value:
            raise InputError(f"reading {name}: another choice sets '{key}', too")
