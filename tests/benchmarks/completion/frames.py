"""Frames of the quick studies of `completion`, those of times measured anew."""

from __future__ import annotations

from functools import cache

import pandas as pd

from benchmarks.catalogue import find_study
from tests.benchmarks import frames


@cache
def kept(study: str) -> pd.DataFrame:
    """As :func:`tests.benchmarks.frames.kept`, which has no reference of times."""
    if study == "completion-seconds":
        return find_study(study).frame("quick")
    return frames.kept(study)
