"""Parameters of policies that are one word of a few."""

from __future__ import annotations

from collections.abc import Sequence

from models.errors import InputError

__all__ = ["check_choice"]


def check_choice(name: str, value: str, known: Sequence[str]) -> None:
    """Refuse an unknown word as the value of a parameter (InputError)."""
    if value not in known:
        raise InputError(f"{name} '{value}': choose from {', '.join(known)}")
