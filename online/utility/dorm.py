"""Dorm on separate servers."""

from __future__ import annotations

import online.dorm
from online.utility.pools import RULES

__all__ = ["Dorm"]


class Dorm(online.dorm.Dorm):
    """Maximise utilisation of the two pools of servers: :class:`online.dorm.Dorm`."""

    rules = RULES
