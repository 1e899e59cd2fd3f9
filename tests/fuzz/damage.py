"""Damaged files: values replaced, dropped, doubled, renamed or scaled, text cut, bytes changed.

And tampered trees of certificates, most of which can still be read.
"""

from __future__ import annotations

import copy
import io
import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["damaged", "damaged_archive", "tampered_tree"]

ODD: list[Any] = [0, -1, 1, 3, 0.5, -0.5, 1e-300, 5e-324, 1e-9, 10**6, 10**6 + 1, 10**9, 1e18]
ODD += [1e150, 1e300, 2**53, 2**63, 2**64, 10**30, float("nan"), float("inf"), None, True, "", "x"]
ODD += [[], [1], [[]], {}, {"a": 1}, [0.0, 0.0], [1e18, 1e18], [1, 2, 3]]


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Path of everything inside."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


def damaged(text: bytes, rng: random.Random) -> bytes:
    """One to three values replaced, dropped, doubled, renamed or scaled; some text cut."""
    data = json.loads(text)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        *outer, key = rng.choice([*places(data)] or [("jobs",)])
        holder = data
        for step in outer:
            holder = holder[step]
        found, how = holder.pop(key) if isinstance(holder, dict) else holder[key], rng.randrange(8)
        if how == 0:  # dropped
            if isinstance(holder, list):
                del holder[key]
        elif how == 1 and isinstance(holder, dict):
            holder[f"{key}x"] = found
        elif how == 2 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(found))
        elif how == 3 and type(found) in (int, float):
            holder[key] = found * rng.choice([-1, 10, 1000, 10**6, 0.1, 1e-6])
        elif how == 4 and isinstance(found, list):
            holder[key] = rng.choice([found[:-1], found + found, found[::-1], []])
        else:
            holder[key] = copy.deepcopy(rng.choice(ODD))
    out, how = json.dumps(data).encode(), rng.randrange(20)
    if how == 0:
        return out[: rng.randrange(len(out))]
    if how == 1:
        return out.replace(b'{"', b'{"name": "a", "name": "b", "', 1)
    return out


def damaged_archive(data: bytes, rng: random.Random) -> bytes:
    """The same for arrays in an ``.npz`` archive: some bytes, or one of its arrays."""
    if rng.randrange(4) == 0:
        changed = bytearray(data[: rng.choice([len(data), rng.randrange(len(data))])])
        for _ in range(rng.randrange(1, 4) if changed else 0):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    with np.load(io.BytesIO(data)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name, how = rng.choice(sorted(arrays)), rng.randrange(6)
    found = arrays.pop(name)
    if how == 1:
        arrays[f"{name}x"] = found
    elif how == 2:
        kind = rng.choice(["f4", "f8", "i8", "U4"])
        arrays[name] = found.astype("U4" if found.dtype.kind == "U" else kind, casting="unsafe")
    elif how == 3:
        arrays[name] = found[rng.choice([slice(1, None), slice(None, -1)])] if found.ndim else found
    elif how > 3:
        arrays[name] = found.copy()
        if found.size and found.dtype.kind in "if":
            odd = [0, -1, 1, 3, 10**9, *([1e-9, 5e-324, 1e300, np.nan, np.inf] * (how - 4))]
            if found.dtype.kind == "i":
                odd = [int(number) for number in odd if np.isfinite(number) and number < 1e18]
            arrays[name].flat[rng.randrange(found.size)] = rng.choice(odd)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def tampered_tree(text: bytes, rng: random.Random) -> bytes:
    """A certificate with another tree, which looks like one.

    A case of a branching is left out, or the two are swapped; a branching has another job, slot or
    count; a part is replaced by another one or by a leaf; prices of a leaf are changed.
    """
    data = json.loads(text)
    tree, before = data["tree"], copy.deepcopy(data["tree"])
    while tree == before:
        for _ in range(rng.choice([1, 1, 2, 4])):
            _tamper(tree, rng)
    return json.dumps(data).encode()


def _tamper(tree: list[dict[str, Any]], rng: random.Random) -> None:
    place = rng.randrange(len(tree))
    node, end = copy.deepcopy(tree[place]), _end_of_part(tree, place)
    if rng.randrange(3) == 0:  # another part, which may be a leaf
        other = rng.randrange(len(tree))
        tree[place:end] = copy.deepcopy(tree[other : _end_of_part(tree, other)])
    elif node["node"] == "leaf":
        *outer, key = rng.choice([path for path in places(node) if len(path) > 2] or [("node",)])
        holder: Any = node
        for step in outer:
            holder = holder[step]
        if isinstance(holder[key], int | float):
            changed = holder[key] * rng.choice([0, 0.1, 0.9, 1.1, 10]) + rng.choice([0, 0, 1])
            holder[key] = type(holder[key])(changed)
        tree[place] = node
    elif rng.randrange(2):
        middle = _end_of_part(tree, place + 1)
        first, second = tree[place + 1 : middle], tree[middle:end]
        tree[place:end] = rng.choice([first, second, [node, *second, *first]])
    else:
        jobs = [other["job"] for other in tree if other["node"] == "branch"]
        counts = [name for name, value in node.items() if isinstance(value, int)]
        name = rng.choice(["job", *counts])
        node[name] = rng.choice(jobs) if name == "job" else max(0, node[name] + rng.choice([-1, 1]))
        tree[place] = node


def _end_of_part(tree: list[dict[str, Any]], place: int) -> int:
    """Where the part of a tree ends that begins with this node."""
    ahead = 1
    while ahead:
        ahead += 1 if tree[place]["node"] == "branch" else -1
        place += 1
    return place
