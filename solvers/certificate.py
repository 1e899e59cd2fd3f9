"""Stored bounds: certificates, how their files are sealed and read, and verdicts on them.

No solver is involved.

A certificate is a file with an instance's hash, prices, and the bound that they prove. By weak
duality any prices prove some bound, so whoever doubts it recomputes it from the prices; trust in
the solver that found them is not needed. ``solvers.<problem>.certificate`` holds

- ``certify(instance, prices)``: the certificate, with ``bound`` and ``write(path)``;
- ``check(path, instance)``: the :class:`Verdict`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from models.errors import InputError
from models.files import canonical, decode, read_bytes, sha256, write_atomic
from models.instance import check_made_for
from solvers.branching_tree import Divisible, TreeError, check_tree
from solvers.result import Sense

__all__ = ["Certificate", "CertificateReader", "Verdict", "is_sealed", "seal"]

_ROUND_OFF = 0.5e-9  # relative; bounds are rounded outward by twice that

FileT = TypeVar("FileT", bound=msgspec.Struct)


def _digest(file: msgspec.Struct) -> str:
    return sha256(msgspec.structs.replace(file, digest=""))


def seal(file: FileT) -> FileT:
    """Put the hash of everything else into the field ``digest``.

    It shows damage and careless edits, those too that leave the bound a valid one. It is no
    signature: what stands between a forger and a false bound is the recomputation.
    """
    return msgspec.structs.replace(file, digest=_digest(file))


def is_sealed(file: msgspec.Struct) -> bool:
    """Whether the contents are those that were sealed."""
    return bool(file.digest == _digest(file))  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Certificate(Generic[FileT]):
    """A bound and the file that proves it.

    Parameters
    ----------
    bound : float
        No schedule of the kind that ``solvers.<problem>.certificate`` names has a better objective.
    file : msgspec.Struct
        Sealed (:func:`seal`).
    """

    bound: float
    file: FileT

    def write(self, path: str | Path) -> None:
        """Write the certificate file (gzip-ed by ending), whole or not at all."""
        write_atomic(path, canonical(self.file))


class CertificateReader(Generic[FileT]):
    """A certificate file, and how its parts become prices and trees.

    Parameters
    ----------
    path : str or Path
    file_type : type
        Of the file, a ``msgspec.Struct`` with a field ``instance``.
    instance : Instance

    Attributes
    ----------
    file : msgspec.Struct

    Raises
    ------
    InputError
        If the file is malformed or made for another instance; and by all methods that read, if what
        they are given does not fit the instance. The error names the file and the place in it.
    """

    def __init__(self, path: str | Path, file_type: type[FileT], instance: Any) -> None:
        self._source, self._instance = str(path), instance
        self.file = decode(read_bytes(path), file_type, source=self._source)
        made_for: str = self.file.instance  # type: ignore[attr-defined]
        check_made_for(instance, made_for, self._source, "$.instance")

    @cached_property
    def _index(self) -> dict[str, int]:
        return {job.id: job.index for job in self._instance.jobs}

    def error(self, fault: str, at: str = "") -> InputError:
        """What is wrong, and at which place of the file, if it has one."""
        return InputError(f"{self._source}: {fault}" + (f" - at `{at}`" if at else ""))

    def job(self, name: str, at: str) -> int:
        """The index of a job."""
        if name not in self._index:
            raise self.error(f"no job '{name}' in the instance", at)
        return self._index[name]

    def table(
        self,
        rows: list[list[float]],
        shape: tuple[int | None, int],
        at: str,
        *,
        each: str = "slots",
        numbers: str = "prices",
        of: str = "resources",
    ) -> np.ndarray:
        """Rows of numbers as an array of this shape; any number of rows will do if it has None.

        The other words are for errors: a row for each of what, and in it which numbers of what.
        """
        count, width = shape
        if count is not None and len(rows) != count:
            raise self.error(f"{len(rows)} rows for {count} {each}", at)
        for place, row in enumerate(rows):
            if len(row) != width:
                raise self.error(f"{len(row)} {numbers} for {width} {of}", f"{at}[{place}]")
        return np.array(rows, dtype=float).reshape(len(rows), width)

    def tree(
        self, nodes: Sequence[Any], read: Callable[[Any, str], Any], everything: Divisible
    ) -> tuple[Any, ...]:
        """The nodes of a tree in preorder, each read from its record and place.

        Without nodes there is no tree, and nothing is checked.
        """
        tree = tuple(read(node, f"$.tree[{number}]") for number, node in enumerate(nodes))
        try:
            if tree:
                check_tree(tree, everything)
        except TreeError as error:
            raise self.error(str(error), error.at) from None
        return tree


@dataclass(frozen=True)
class Verdict:
    """What a recomputation says of a stored bound.

    Parameters
    ----------
    sense : "max" or "min"
        Whether it is an upper or a lower bound.
    stored : float
        The bound that the file states.
    recomputed : float
        The bound that its prices prove.
    sealed : bool
        Whether the contents are those that were sealed.
    """

    sense: Sense
    stored: float
    recomputed: float
    sealed: bool

    @property
    def _excess(self) -> float:
        """How much tighter the stored bound is than what is proven; negative if it is weaker."""
        return (self.recomputed - self.stored) * (1.0 if self.sense == "max" else -1.0)

    @property
    def _proven(self) -> bool:
        """Whether the stored bound is no tighter than what is proven, which has to be a number."""
        finite = math.isfinite(self.recomputed)
        return finite and self._excess <= _ROUND_OFF * abs(self.recomputed)

    @property
    def accepted(self) -> bool:
        """Whether the file is whole and its bound proven."""
        return self.sealed and self._proven

    def __str__(self) -> str:
        """The verdict in one line."""
        if not self._proven:
            return f"refused: its prices prove {self.recomputed!r}, not {self.stored!r}"
        if not self.sealed:
            return "refused: changed since it was made, its digest is of other contents"
        if self._excess < -_ROUND_OFF * abs(self.recomputed):
            return f"accepted; its prices prove more than it states, {self.recomputed!r}"
        return "accepted"
