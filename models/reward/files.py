"""Wire format of the ``reward`` problem: what stands in its instance files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from models.reward.utilities import KINDS
from models.wire import Amount, Index, Name, Positive, Share

__all__ = ["Count", "RewardFile", "Utilities"]

Amounts = Annotated[list[Amount], Meta(max_length=1000)]  # one per device type
Count = Annotated[int, Meta(ge=0, le=10**5)]
Counts = Annotated[list[Count], Meta(max_length=10**5)]  # one per port
Rows = Annotated[list[Amounts], Meta(max_length=10**5)]  # one per port or server

# The rule on kinds is checked in models.reward.checks, whose message says why.
Kind = Annotated[str, Meta(extra_json_schema={"enum": list(KINDS)})]
# Positive, so that (27) rises from 0; and slopes and values are far from overflow.
Alpha = Annotated[float, Meta(ge=1e-9, le=1e9)]
Kinds = Annotated[list[Kind], Meta(max_length=1000)]
Alphas = Annotated[list[Alpha], Meta(max_length=1000)]
Components = Annotated[list[Amounts], Meta(min_length=1, max_length=10**5)]


class Utilities(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Utilities ``f_r^k`` of (27), see :mod:`models.reward.utilities`.

    Parameters
    ----------
    kind : str or list of R lists of K str
        One for all, or one for each server and device type.
    alpha : list of R lists of K float
        Positive.
    """

    kind: Kind | Annotated[list[Kinds], Meta(max_length=10**5)]
    alpha: Annotated[list[Alphas], Meta(max_length=10**5)]


class RewardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An instance file of the ``reward`` problem.

    L ports, R servers, K device types, T slots.

    Parameters
    ----------
    devices : list of K str
        Names of the device types.
    capacities : list of R lists of K float
        ``c_r^k``, devices of each server.
    requests : list of L lists of K float
        ``a_l^k``, what a job of each port requests.
    edges : list of [port, server]
        The channels of the bipartite graph, each once.
    utilities : Utilities
        ``f_r^k``.
    beta : list of K float
        Coefficients of the communication overhead, in [0, 1].
    arrivals : list of T lists of L int
        ``x_l(t)``, jobs that arrive at each port; more than 1 as in Sec. 3.4.
    components : list of L lists of lists of K float, optional
        Requests of the task components of each port's jobs, Sec. 3.5; they add up to the
        port's request. With ``minimum_running``.
    minimum_running : list of L int, optional
        ``m_l``: a job with fewer components running earns nothing; 0 = no such rule. Without
        ``components``, a job is one component.
    """

    format: Literal["1"]
    problem: Literal["reward"]
    name: str
    slots: Annotated[int, Meta(ge=1, le=10**6)]
    devices: Annotated[list[Name], Meta(max_length=1000)]
    capacities: Rows
    requests: Rows
    edges: Annotated[list[tuple[Index, Index]], Meta(max_length=10**6)]
    utilities: Utilities
    beta: Annotated[list[Share], Meta(max_length=1000)]
    arrivals: Annotated[list[Counts], Meta(max_length=10**6)]
    components: Annotated[list[Components], Meta(max_length=10**5)] | None = None
    minimum_running: Counts | None = None
    slot_seconds: Positive = 3600.0
    seed: int | None = None
    origin: str = ""
