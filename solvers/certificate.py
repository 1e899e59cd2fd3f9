"""Stored bounds: the seal of a certificate, and the verdict on it. No solver involved.

A certificate is a file with an instance's hash, prices, and the bound that they prove. By weak
duality any prices prove some bound, so whoever doubts it recomputes it from the prices; trust in
the solver that found them is not needed. ``solvers.<problem>.certificate`` holds

- ``certify(instance, prices)``: the certificate, with ``bound`` and ``write(path)``;
- ``check(path, instance)``: the :class:`Verdict`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from models.files import sha256
from solvers.result import Sense

__all__ = ["Verdict", "is_sealed", "seal"]

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
