"""Messages between the runner and a policy in another process: answers are data, never code.

What goes to the policy is pickled. What comes from it is not, since whoever loads a pickle runs
what its sender likes, here beside the instance: only numbers, texts, arrays of numbers,
containers of these and the types that the problem names (:attr:`OnlineSide.plans`) come through.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

__all__ = ["NUMBER_BYTES", "packed", "pickled", "receive", "send", "unpacked"]

_NUMBERS = "biufc"  # kinds of arrays: truth values, integers, real and complex numbers
_WORD = 2**63
NUMBER_BYTES = 8  # bytes of a number between processes, such as the length of a message
_LONGEST = 2**30  # bytes of a message from a policy
_PIECE = 2**20


def send(talk: socket.socket, content: bytes) -> None:
    """Send a message."""
    talk.sendall(len(content).to_bytes(NUMBER_BYTES, "big") + content)


def receive(talk: socket.socket, waiting: Callable[[], None] = lambda: None) -> bytes:
    """Wait for a message.

    ``waiting`` is called again and again before it has come: at least as often as the time limit of
    the socket says, and whoever raises there ends the wait. EOFError if the other side has gone,
    BufferError if a message is too long.
    """

    def read(size: int) -> bytes:
        found = bytearray()
        while len(found) < size:
            try:
                piece = talk.recv(min(_PIECE, size - len(found)))
            except TimeoutError:
                waiting()
                continue
            if not piece:
                raise EOFError
            found += piece
            waiting()
        return bytes(found)

    size = int.from_bytes(read(NUMBER_BYTES), "big")
    if size > _LONGEST:
        raise BufferError("too long a message")
    return read(size)


def pickled(message: Any) -> bytes:
    """A message to the policy; arrays that are sealed stay so, and views that are only read."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(message)
    return buffer.getvalue()


def _read_only(values: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(values)


_REDUCERS: dict[type, Callable[[Any], Any]] = {
    **copyreg.dispatch_table,
    MappingProxyType: lambda view: (_read_only, (dict(view),)),
}


def packed(answer: Any, types: Sequence[type]) -> bytes:
    """An answer of the policy, made of what :func:`unpacked` knows.

    Parameters
    ----------
    answer : Any
        What is of no type that comes through arrives as an object of an empty class of the same
        name, for which whoever reads the answer has a message.
    types : sequence of type
        Dataclasses and named tuples that come through.
    """
    return msgspec.msgpack.encode(_plain(answer, types))


def unpacked(content: bytes, types: Sequence[type]) -> Any:
    """The answer that :func:`packed` packed with the same types.

    Raises
    ------
    Exception
        Of any kind, if it was not.
    """
    return _rebuilt(msgspec.msgpack.decode(content), types)


def _plain(value: Any, types: Sequence[type]) -> Any:
    """Scalars as they are; else a list of a tag and what it needs."""
    if value is None or type(value) in (bool, float, str):
        return value
    if type(value) is int:
        return value if -_WORD <= value < _WORD else ["int", str(value)]
    exact = [one for one in types if type(value) is one]
    for known in exact or [one for one in types if isinstance(value, one)]:
        parts = [getattr(value, name) for name in _names(known)]
        return ["type", types.index(known), [_plain(part, types) for part in parts]]
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in _NUMBERS:
        whole = isinstance(value, np.ndarray)
        return ["array", whole, value.dtype.str, list(value.shape), value.tobytes()]
    if isinstance(value, Mapping):
        pairs = value.items()
        return ["map", [[_plain(key, types), _plain(one, types)] for key, one in pairs]]
    if isinstance(value, tuple | list):
        tag = "tuple" if isinstance(value, tuple) else "list"
        return [tag, [_plain(one, types) for one in value]]
    for kind in (int, float, str):  # an enumeration, say
        if isinstance(value, kind):
            return _plain(kind(value), types)
    return ["other", type(value).__name__]


def _rebuilt(data: Any, types: Sequence[type]) -> Any:
    match data:
        case None | bool() | int() | float() | str():
            return data
        case ["int", str(text)]:
            return int(text)
        case ["type", int(place), list(parts)]:
            return types[place](*(_rebuilt(part, types) for part in parts))
        case ["array", bool(whole), str(kind), list(shape), bytes(content)]:
            if np.dtype(kind).kind in _NUMBERS:
                array = np.frombuffer(content, np.dtype(kind)).reshape(shape)
                return array if whole else array[()]
        case ["map", list(pairs)]:
            return {_rebuilt(key, types): _rebuilt(value, types) for key, value in pairs}
        case ["tuple", list(parts)]:
            return tuple(_rebuilt(part, types) for part in parts)
        case ["list", list(parts)]:
            return [_rebuilt(part, types) for part in parts]
        case ["other", str(name)]:
            return type(name, (), {})()
    raise ValueError("no packed answer")


def _names(known: type) -> Sequence[str]:
    """Names of the parts that an object of a type is made of, in the order of its constructor."""
    if is_dataclass(known):
        return [item.name for item in fields(known)]
    return known._fields  # type: ignore[attr-defined]  # a named tuple
