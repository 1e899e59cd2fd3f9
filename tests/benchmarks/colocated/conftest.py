"""What tests of the experiments on `colocated` share: frames of the studies, measured once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pandas as pd
import pytest

from benchmarks.catalogue import find_study
from benchmarks.study.store import Store

Frames = Callable[[str], pd.DataFrame]


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    """Frame of a study at quick size, of its first seed, by its name."""
    store = Store(tmp_path_factory.mktemp("cells"))
    return cache(lambda name: find_study(name).frame("quick", range(1), store=store))
