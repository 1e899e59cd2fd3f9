"""Tables behind pictures and measures of ``reward``: what a run earned, slot by slot."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.study.run import Run

__all__ = ["slot_table"]


def slot_table(run: Run) -> pd.DataFrame:
    """Gain, penalty and reward of every slot of a run, as the scorer saw them.

    Returns
    -------
    DataFrame
        One row per slot: ``slot`` (from 0), ``gain``, ``penalty``, ``reward`` (gain minus
        penalty), ``average`` (mean reward of the slots up to this one).
    """
    # Both events of a slot leave a row; the second knows what the slot was worth.
    rows = [row for row in run.trace.decisions if "gain" in row]
    table = pd.DataFrame({name: [row[name] for row in rows] for name in ("gain", "penalty")})
    table.insert(0, "slot", np.arange(len(table)))
    table["reward"] = table["gain"] - table["penalty"]
    table["average"] = table["reward"].cumsum() / (table["slot"] + 1)
    return table
