"""Frames of the studies at quick size, measured once for all tests."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pandas as pd
import pytest

from benchmarks.catalogue import find_study
from benchmarks.study.store import Store


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], pd.DataFrame]:
    """``(name of a study without its problem) -> its frame``."""
    store = Store(tmp_path_factory.mktemp("cells"))
    return functools.cache(lambda name: find_study(f"utility-{name}").frame("quick", store=store))
