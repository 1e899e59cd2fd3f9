"""The checkable claims of the notes on PD-ORS.

The notes show Figures 6 to 10 without their curves, so that what is judged is what a reader is told
they are for. Every test was written down before the ledger was measured. *Better* means: the 95 %
bootstrap interval of the mean paired difference over seeds lies above 0. What is said of schemes is
judged at two loads (:data:`benchmarks.colocated.readings.LOADS`), under names with ``-moderate`` at
the lower one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from benchmarks.colocated.readings import BASELINES, LOADS, OWN, SPLIT
from benchmarks.colocated.theory import THEORY
from benchmarks.study.claim import Claim, Differences, Test, said
from benchmarks.study.frames import listed, slopes_against, wide
from benchmarks.study.tests import Best, Moves

__all__ = ["CLAIMS"]


def _utilities(frame: pd.DataFrame, varied: str) -> pd.DataFrame:
    return wide(frame, "utility", varied).astype(float)


def _grows(varied: str) -> Moves:
    words = "{means:.4g}, slope {slope} per 100"
    slope = slopes_against(varied, _utilities, [OWN], words)
    return Moves(f"slope of the utility of {OWN} against {varied}, of every seed", slope)


def _ends(frame: pd.DataFrame, value: pd.Series) -> Differences:
    """What a value gains from the least bandwidth on a machine to the most, seed by seed."""
    table = value.unstack("internal_times")
    told = f"means by b_int / b_ext: {listed(table.mean())}; load {frame['load'].mean():.3g}"
    return {"": table.iloc[:, -1] - table.iloc[:, 0]}, told


def _rises(frame: pd.DataFrame) -> Differences:
    return _ends(frame, _utilities(frame, "internal_times")[OWN])


def _leads(frame: pd.DataFrame) -> Differences:
    table = _utilities(frame, "internal_times")
    return _ends(frame, table[OWN] / table[SPLIT] - 1.0)


def _best(varied: str, others: tuple[str, ...]) -> Best:
    at = f"at every number of {varied}"
    return Best(f"utility of {OWN}", OWN, "utility", (varied,), "max", at, among=others)


_quickest = partial(Best, first=OWN, sense="min", others="every other scheme")

# Name, source, study, and what the notes say.
_SAID = """
fig6-best; Fig. 6; machines; PD-ORS has the highest utility at every number of machines.
fig6-grows; Fig. 6; machines; The utility of PD-ORS grows with the number of machines.
fig7-best; Fig. 7; jobs; PD-ORS has the highest utility at every number of jobs.
fig7-grows; Fig. 7; jobs; The utility of PD-ORS grows with the number of jobs.
fig8-best; Fig. 8; split-jobs; With workers beside their servers utility is above that of OASiS.
fig9-best; Fig. 9; split-machines; With workers beside their servers utility is above OASiS's.
fig10-all; Fig. 10; times; PD-ORS has the smallest median of the actual training time.
fig10-done; Fig. 10; times; PD-ORS has the smallest median of the actual training time.
overhead; Related Work; bandwidth; On one machine the overhead of communication is avoided.
overhead-lead; Related Work; bandwidth; OASiS, which keeps them apart, cannot avoid it.
"""
_TESTS: Mapping[str, Test] = {
    "fig6-best": _best("servers", BASELINES),
    "fig6-grows": _grows("servers"),
    "fig7-best": _best("jobs", BASELINES),
    "fig7-grows": _grows("jobs"),
    "fig8-best": _best("jobs", (SPLIT,)),
    "fig9-best": _best("servers", (SPLIT,)),
    "fig10-all": _quickest(
        "median slots to completion, all jobs, the rest as if in slot T", value="time_all"
    ),
    "fig10-done": _quickest("median slots to completion, completed jobs", value="time_done"),
    "overhead": Moves(f"change of the utility of {OWN} from the least b_int to the most", _rises),
    "overhead-lead": Moves(
        "change of the lead over OASiS from the least b_int to the most", _leads
    ),
}

CLAIMS: tuple[Claim, ...] = (
    *THEORY,
    *said("colocated", _SAID, _TESTS, LOADS),
)
"""Of one slot and of Algorithm 1; then of the figures; then of what one machine is worth."""
