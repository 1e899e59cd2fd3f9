"""Reading and writing JSON files: validated at the door, canonical, all or nothing."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from models.errors import InputError

__all__ = [
    "MOST_BYTES",
    "canonical",
    "check_finite",
    "decode",
    "peek",
    "read_bytes",
    "sha256",
    "write_atomic",
    "write_whole",
]

MOST_BYTES = 2**28
"""Most bytes of a file's contents, unpacked: 256 MiB, far more than any instance here has."""
_PART = 2**20  # bytes that are unpacked at a time

T = TypeVar("T", bound=msgspec.Struct)


def read_bytes(path: str | Path, *, most: int = MOST_BYTES) -> bytes:
    """Contents of a file, unpacked when its name ends in ``.gz``.

    A file is read no further than to the limit, so that a small one that unpacks to a huge one, or
    a device without an end, costs neither time nor memory.

    Parameters
    ----------
    path : str or Path
    most : int
        Bytes that the contents may have, unpacked.

    Raises
    ------
    InputError
        If the file cannot be read or unpacked, or has more bytes than that.
    """
    packed = str(path).endswith(".gz")
    parts: list[bytes] = []
    left = most
    try:
        with gzip.open(path) if packed else open(path, "rb") as stream:
            while left >= 0 and (part := stream.read(_PART)):
                parts.append(part)
                left -= len(part)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: cannot be read: {reason}") from None
    if left < 0:
        how = ", unpacked" if packed else ""
        raise InputError(f"{path}: has more than {most / 2**20:,g} MiB{how}, the most that is read")
    return b"".join(parts)


def decode(data: bytes, kind: type[T], *, source: str, least: float = 0.0) -> T:
    """Validate JSON text against a ``msgspec`` type.

    Parameters
    ----------
    data : bytes
        JSON, UTF-8.
    kind : type
        The ``msgspec.Struct`` to build.
    source : str
        Name of the file, for messages.
    least : float
        Refuse numbers that are closer to 0 than this, but 0 itself (``models.wire.LEAST``).

    Raises
    ------
    InputError
        Naming the key, the index and the rule that is broken; numbers that are not
        finite (``NaN``, ``Infinity``, ``1e999``) are named too, and keys that an object has twice,
        of which different readers take different values.
    """
    value = peek(data, kind, source=source)  # first: it ends where a list gets too long
    try:
        json.loads(data, object_pairs_hook=lambda pairs: _check_keys(pairs, source))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source}: not JSON: {_one_line(error)}") from None
    check_finite(value, source=source, least=least)
    return value


def peek(data: bytes, kind: type[T], *, source: str) -> T:
    """Some keys of JSON text, for what is to be read whole by :func:`decode` afterwards.

    Much faster, since it looks neither for keys that stand twice nor for numbers out of range.

    Raises
    ------
    InputError
        As :func:`decode`, for what it sees.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        fault = _one_line(error)
        if "unknown field" in fault and " - at " not in fault:  # perhaps another kind of file
            names = (field.encode_name for field in msgspec.structs.fields(kind))
            fault += f"; expected only {', '.join(names)}"
        raise InputError(f"{source}: {fault}") from None
    except msgspec.DecodeError as error:
        # NaN is not JSON: msgspec only gives a byte position, so look for the key.
        raise InputError(f"{source}: {_what_is_no_json(data) or _one_line(error)}") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{source}: not JSON: {_one_line(error)}") from None


def _check_keys(pairs: list[tuple[str, Any]], source: str) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise InputError(f"{source}: key {json.dumps(key)} is there twice in one object")
        seen.add(key)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _what_is_no_json(data: bytes) -> str | None:
    try:
        found = _fault(json.loads(data), "$", 0.0)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {_one_line(error)}"
    return None if found is None else f"number is not finite - at `{found[0]}`"


def check_finite(value: object, *, source: str, least: float = 0.0) -> None:
    """Raise InputError at the first number in a struct that is not finite, or as close to 0."""
    try:
        plain = msgspec.to_builtins(value)
    except TypeError as error:  # a NumPy number, for one
        raise InputError(f"{source}: {_one_line(error)}") from None
    found = _fault(plain, "$", least)
    if found is None:
        return
    path, number = found
    if not math.isfinite(number):
        raise InputError(f"{source}: number is not finite - at `{path}`")
    raise InputError(f"{source}: {number!r} is closer to 0 than {least:g}, and not 0 - at `{path}`")


def _fault(value: Any, path: str, least: float) -> tuple[str, float] | None:
    """Place and value of the first number that is not finite, or closer to 0 than `least`."""
    if isinstance(value, float):
        fine = math.isfinite(value) and not 0.0 < abs(value) < least
        return None if fine else (path, value)
    if isinstance(value, dict):
        parts: Iterable[tuple[str, Any]] = ((f"{path}.{key}", item) for key, item in value.items())
    elif isinstance(value, list):
        kinds = set(map(type, value))
        if kinds == {float}:  # a long list of numbers at once
            numbers = np.array(value)
            bad = ~np.isfinite(numbers) | ((numbers != 0.0) & (np.abs(numbers) < least))
            first = int(bad.argmax())
            return (f"{path}[{first}]", value[first]) if bad[first] else None
        if kinds <= {int, str, bool, type(None)}:
            return None
        parts = ((f"{path}[{index}]", item) for index, item in enumerate(value))
    else:
        return None
    return next((found for at, item in parts if (found := _fault(item, at, least))), None)


def canonical(value: object) -> bytes:
    """Canonical JSON: sorted keys, no spaces, shortest round-trip floats."""
    return msgspec.json.encode(value, order="sorted")


def sha256(value: object) -> str:
    """Hash of the canonical JSON, hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()


def make_folder(path: str | Path) -> None:
    """Make a folder, and those it lies in, if absent; InputError if it cannot be made."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be made: {error.strerror}") from None


def write_atomic(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all; packed when its name ends in ``.gz``.

    The gzip header carries no time, so equal data gives equal bytes.

    Raises
    ------
    InputError
        If the folder does not exist or cannot be written.
    """
    if Path(path).name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    write_whole(path, data)


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all, its bytes as they are.

    Raises
    ------
    InputError
        If the folder does not exist or cannot be written.
    """
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, target)
    except OSError as error:
        os.unlink(name)
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
