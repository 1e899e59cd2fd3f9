"""The search without one of its refinements at a time: what an ablation compares with the whole."""

from __future__ import annotations

import math
from collections.abc import Mapping

from solvers.utility.deadlines.options import DeadlineOptions

__all__ = ["VARIANTS"]

VARIANTS: Mapping[str, tuple[str, DeadlineOptions]] = {
    "without-opening": ("without a first plan that is only rounded", DeadlineOptions(rounding=0.0)),
    "without-merging": (
        "deadlines of nearly equal worth stay apart",
        DeadlineOptions(coarse=(1e-6, 1e-6)),  # with 0, some coefficients are too small for HiGHS
    ),
    "without-grid": ("every slot is an interval of its own", DeadlineOptions(intervals=1.0)),
    "without-cut-rows": (
        "deadlines are chosen without packing cuts",
        DeadlineOptions(near=math.inf),
    ),
    "every-cut-row": ("with a row for every packing cut and interval", DeadlineOptions(near=0.0)),
    "one-try": ("slots are not decided again", DeadlineOptions(slot_tries=1)),
    "without-proofs": ("no proofs in whole workers", DeadlineOptions(whole=0.0)),
    "without-polishing": ("schedules stay as they were found", DeadlineOptions(polishing=0)),
}
"""By name: what is different, in words, and the options."""
