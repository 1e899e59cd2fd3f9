"""What may be asked of HiGHS, checked before it is asked."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from models.errors import InputError

#: Options with a field of their own, or that the adapter itself sets.
_RESERVED = {
    "time_limit": "time_limit",
    "mip_max_nodes": "node_limit",
    "simplex_iteration_limit": "work_limit",
    "mip_rel_gap": "mip_rel_gap",
    "mip_abs_gap": "mip_rel_gap",
    "threads": "threads",
    "random_seed": "seed",
    "presolve": "presolve",
    "output_flag": "log",
    "log_to_console": "log",
    "log_file": "log",
}


@dataclass(frozen=True, kw_only=True)
class HighsOptions:
    """How to solve.

    Attributes
    ----------
    time_limit : float or None
        Seconds; None is no limit. A limited MILP or large LP is solved in a child process, which
        is killed if it runs over.
    node_limit : int or None
        Branch-and-bound nodes; a stop that is the same in every run, unlike the time limit.
    work_limit : int or None
        How often HiGHS may look at its limits in a MILP, which it does about every hundred simplex
        iterations; of an LP, simplex iterations in hundreds. A stop that is the same in every run,
        and finer than nodes.
    mip_rel_gap : float
        A MILP counts as optimal once bound and incumbent agree this closely. There is no
        absolute gap: HiGHS's own, 1e-6, would call small numbers equal.
    threads : int
        Threads of HiGHS; more than one is solved in a child process.
    seed : int
        Random seed of HiGHS.
    presolve : bool
        Whether HiGHS simplifies the program first.
    extra : mapping of str to bool, int, float or str
        Further HiGHS options by their own names.

    Raises
    ------
    InputError
        If a number is out of its range or NaN, or `extra` names an option that has a field.
    """

    time_limit: float | None = None
    node_limit: int | None = None
    work_limit: int | None = None
    mip_rel_gap: float = 1e-4
    threads: int = 1
    seed: int = 0
    presolve: bool = True
    extra: Mapping[str, bool | int | float | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.time_limit is not None and not self.time_limit > 0:
            raise InputError(f"time_limit {self.time_limit} is not a positive number of seconds")
        if self.node_limit is not None and self.node_limit < 1:
            raise InputError(f"node_limit {self.node_limit} is below 1")
        if self.work_limit is not None and self.work_limit < 1:
            raise InputError(f"work_limit {self.work_limit} is below 1")
        if not 0 <= self.mip_rel_gap < math.inf:
            raise InputError(f"mip_rel_gap {self.mip_rel_gap} is not a number >= 0")
        if self.threads < 1:
            raise InputError(f"threads {self.threads} is below 1")
        if not 0 <= self.seed < 2**31:
            raise InputError(f"seed {self.seed} is outside [0, 2^31)")
        for name, value in self.extra.items():
            if name in _RESERVED:
                raise InputError(f"option {name}: use {_RESERVED[name]} instead")
            if isinstance(value, float) and math.isnan(value):
                raise InputError(f"option {name} is not a number")  # HiGHS would take it

    def until(self, deadline: float) -> HighsOptions:
        """The same with what is left until ``deadline``, of ``time.monotonic()``, as time limit.

        At least 0.1 seconds; no limit if the deadline is infinite.
        """
        left = max(0.1, deadline - time.monotonic())
        return replace(self, time_limit=left if math.isfinite(left) else None)

    def check_for(self, *, is_mip: bool) -> None:
        """Refuse options that would make HiGHS solve another program than the one asked.

        An LP method forced on a MILP has made HiGHS drop integrality, depending on its version;
        `solve_relaxation` does so on purpose. `LinearProgram.relaxed` is the way to the LP.
        """
        if not is_mip:
            return
        method = self.extra.get("solver", "choose")
        if method not in ("choose", "mip"):
            raise InputError(f"option solver={method!r} forces an LP method on an integer program")
        if self.extra.get("solve_relaxation", False):
            raise InputError("option solve_relaxation: solve program.relaxed() instead")

    def highs_options(self) -> dict[str, bool | int | float | str]:
        """Return the options under the names and types that HiGHS knows."""
        options: dict[str, bool | int | float | str] = {
            "threads": int(self.threads),
            "random_seed": int(self.seed),
            "mip_rel_gap": float(self.mip_rel_gap),
            "mip_abs_gap": 0.0,
            "presolve": "choose" if self.presolve else "off",
            "log_to_console": False,
        }
        if self.time_limit is not None:
            options["time_limit"] = float(self.time_limit)
        if self.node_limit is not None:
            options["mip_max_nodes"] = int(self.node_limit)
        return options | dict(self.extra)

    def as_dict(self) -> dict[str, object]:
        """Return the fields for a record of the run."""
        return asdict(self)
