"""Instances at the edges of their ranges, which the types of the files state."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.inspect import (
    DictType,
    FloatType,
    IntType,
    ListType,
    Metadata,
    StructType,
    TupleType,
    Type,
    UnionType,
    type_info,
)

from models.errors import InputError
from models.wire import LEAST

__all__ = ["at_the_edges", "numbers"]

Number = FloatType | IntType
_CHANGES = 8


def numbers(value: Any, kind: Type, path: str = "$") -> Iterator[tuple[str, Any, Any, Number]]:
    """Every number in plain data that has a range: path, what holds it, its key there, and type."""
    if isinstance(kind, Metadata):
        yield from numbers(value, kind.type, path)
    elif isinstance(kind, UnionType):
        fitting = next((option for option in kind.types if _fits(value, option)), None)
        if fitting is not None:
            yield from numbers(value, fitting, path)
    else:
        for key, item, inner in _parts(value, kind):
            where = f"{path}.{key}" if isinstance(key, str) else f"{path}[{key}]"
            leaf = _bare(inner)
            if isinstance(leaf, UnionType) and not isinstance(item, list | dict):
                leaf = next((o for o in map(_bare, leaf.types) if _fits(item, o)), leaf)
            if isinstance(leaf, FloatType | IntType):
                if leaf.le is not None and type(item) in (int, float):
                    yield where, value, key, leaf
            else:
                yield from numbers(item, inner, where)


def _bare(kind: Type) -> Type:
    return _bare(kind.type) if isinstance(kind, Metadata) else kind


def _fits(value: Any, kind: Type) -> bool:
    kinds: dict[type, tuple[type[Type], ...]] = {
        list: (ListType, TupleType),
        dict: (StructType, DictType),
        int: (IntType, FloatType),
        float: (FloatType,),
    }
    return isinstance(_bare(kind), kinds.get(type(value), ()))


def _parts(value: Any, kind: Type) -> Iterator[tuple[Any, Any, Type]]:
    if isinstance(kind, StructType):
        for field in kind.fields:
            if value.get(field.encode_name) is not None:
                yield field.encode_name, value[field.encode_name], field.type
    elif isinstance(kind, DictType):
        for key, item in value.items():
            yield key, item, kind.value_type
    elif isinstance(kind, ListType):
        for place, item in enumerate(value):
            yield place, item, kind.item_type
    elif isinstance(kind, TupleType):
        for place, (item, inner) in enumerate(zip(value, kind.item_types, strict=True)):
            yield place, item, inner


def at_the_edges(
    data: dict[str, Any],
    file_type: type[msgspec.Struct],
    decode: Callable[[bytes, str], Any],
    rng: random.Random,
) -> Any:
    """A valid instance with some numbers moved to the ends of their ranges, and into these.

    One number at a time, or all of one key; a change after which the file is refused is undone.
    """
    kind, found = type_info(file_type), decode(json.dumps(data).encode(), "edges.json")
    for _ in range(_CHANGES):
        there = list(numbers(data, kind))
        path = rng.choice(there)[0]
        chosen = [one for one in there if one[0] == path]
        if rng.random() < 0.5:  # all of one key
            name = re.sub(r"\d+", "", path)
            chosen = [one for one in there if re.sub(r"\d+", "", one[0]) == name]
        before, number = [holder[key] for _, holder, key, _ in chosen], _drawn(chosen[0][3], rng)
        for _, holder, key, _ in chosen:
            holder[key] = number
        with suppress(InputError):
            found = decode(json.dumps(data).encode(), "edges.json")
            continue
        for (_, holder, key, _), old in zip(chosen, before, strict=True):
            holder[key] = old
    return found


def _drawn(kind: Number, rng: random.Random) -> float:
    """An end of the range, the least but 0, 1, or anything between, its logarithm uniform."""
    high = kind.le
    assert high is not None
    low = kind.ge if kind.ge is not None else (kind.gt or -high)
    tiny = LEAST if isinstance(kind, FloatType) else 1
    between = math.exp(rng.uniform(math.log(max(low, tiny)), math.log(high)))
    choices = [low, high, max(low, tiny), min(max(1, low), high), between, between]
    if low < 0:
        choices.append(-between)
    number = rng.choice(choices)
    return float(number) if isinstance(kind, FloatType) else int(number)
