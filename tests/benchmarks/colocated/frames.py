"""Frames of the quick studies of `colocated`, intervals made up, since solving takes its time."""

from __future__ import annotations

import pandas as pd

from benchmarks.colocated.readings import BASELINES, OWN, SPLIT
from tests.benchmarks import frames


def kept(study: str) -> pd.DataFrame:
    """As :func:`tests.benchmarks.frames.kept`, which has no reference of that."""
    if study != "colocated-ratio":
        return frames.kept(study)
    return pd.DataFrame(
        {
            "jobs": 4,
            "slots": 6,
            "servers": 2,
            "asked_load": load,
            "seed": seed,
            "load": load,
            "policy": policy,
            "objective": 4.0,
        }
        | {"offline_lower": 5.0, "offline_upper": 5.0 + seed, "offline_status": "optimal"}
        | {"ratio_lower": 1.25, "ratio_upper": 1.25 + 0.25 * seed}
        for load in (0.5, 2.0)
        for seed in (0, 1)
        for policy in (OWN, *BASELINES, SPLIT)
    )
