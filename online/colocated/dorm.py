"""Dorm on shared servers."""

from __future__ import annotations

import online.dorm
from online.colocated.pools import RULES

__all__ = ["Dorm"]


class Dorm(online.dorm.Dorm):
    """Maximise the utilisation of the servers: :class:`online.dorm.Dorm`.

    It does not look at where the workers of a job are, so Fact 1 helps it by chance only.
    """

    rules = RULES
