"""What the ``reward`` world sends: each slot is decided before or after its arrivals are known.

Every slot brings two events, idle slots too (learning needs them). A policy answers one of them
with an allocation, never both::

    Commit(t)     x(t) is not known. An allocation in the answer is final for slot t.
    Reveal(t)     x(t) is known. A policy that has committed only learns; one that has not may
                  allocate now. No allocation means that nothing is allocated in slot t.

OGASched commits (the paper's Definition 2: y(t) is made of x(1), ..., x(t - 1)); the heuristics
wait for x(t) and serve the ports that have jobs. So the protocol favours the heuristics: they use
what OGASched must guess. The rows of a Trace say for each slot whether it was ``committed``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

__all__ = ["Commit", "Reveal", "RewardEvent"]


@dataclass(frozen=True)
class Commit:
    """A slot begins; its arrivals are not known yet.

    Parameters
    ----------
    slot : int
        Current slot.
    """

    slot: int
    kind: ClassVar[str] = "commit"
    job_id: ClassVar[None] = None
    label: ClassVar[str] = "before its arrivals"


@dataclass(frozen=True, eq=False)
class Reveal:
    """The arrivals of a slot.

    Parameters
    ----------
    slot : int
        Current slot.
    arrived : ndarray of int64, shape (L,)
        ``x_l(t)``, jobs at each port; a copy that stays read-only.
    """

    slot: int
    arrived: np.ndarray
    kind: ClassVar[str] = "reveal"
    job_id: ClassVar[None] = None
    label: ClassVar[str] = "after its arrivals"


RewardEvent = Commit | Reveal
"""The events of the ``reward`` problem."""
