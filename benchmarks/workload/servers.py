"""Numbers of servers: what they are in Python and how a command line writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.errors import InputError

__all__ = ["ServerNumbers", "Servers"]

ServerNumbers = int | tuple[int, ...]
"""A number of servers, or one for each kind of them where a problem has several."""


@dataclass(frozen=True)
class Servers:
    """The kinds of servers that a problem has.

    Parameters
    ----------
    kinds : tuple of str
        What each number counts, e.g. ``("worker servers", "parameter servers")``. With one kind
        the numbers are an int, with several a tuple of as many.
    example : int or tuple of int
    """

    kinds: tuple[str, ...]
    example: ServerNumbers

    def __str__(self) -> str:
        """The kinds, and numbers of them, for help texts."""
        return f"{' + '.join(self.kinds)}, e.g. {self.show(self.example)}"

    def parse(self, text: str) -> ServerNumbers:
        """Numbers from a command line: ``128``, or joined by a plus, ``5+5``.

        Raises
        ------
        InputError
            If there are not as many positive whole numbers as kinds.
        """
        words = text.split("+")
        if len(words) != len(self.kinds) or not all(w.isdecimal() and int(w) for w in words):
            want = "a number above 0" if len(self.kinds) == 1 else "numbers above 0 joined by +"
            raise InputError(
                f"servers '{text}': want {want}, e.g. "
                f"{self.show(self.example)}: {' + '.join(self.kinds)}"
            )
        return self._shaped([int(word) for word in words])

    def show(self, numbers: ServerNumbers) -> str:
        """Numbers as a command line writes them."""
        return "+".join(map(str, numbers if isinstance(numbers, tuple) else (numbers,)))

    def check(self, numbers: Any) -> ServerNumbers:
        """Numbers given from Python; a list, as JSON has it, becomes a tuple.

        Raises
        ------
        InputError
            If there are not as many positive whole numbers as kinds.
        """
        several = isinstance(numbers, (tuple, list))
        listed = list(numbers) if several else [numbers]
        right = several == (len(self.kinds) > 1) and len(listed) == len(self.kinds)
        if not right or not all(type(count) is int and count > 0 for count in listed):
            raise InputError(
                f"servers {numbers!r}: want {self.example!r}, for example: positive whole numbers "
                f"of {' and '.join(self.kinds)}"
            )
        return self._shaped(listed)

    def _shaped(self, numbers: list[int]) -> ServerNumbers:
        return tuple(numbers) if len(self.kinds) > 1 else numbers[0]
