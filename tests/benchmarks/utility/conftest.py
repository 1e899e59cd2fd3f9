"""What tests of the experiments on `utility` share: frames of the studies, measured once."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pandas as pd
import pytest

from benchmarks.catalogue import find_study
from benchmarks.study.store import Store


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], pd.DataFrame]:
    """Frame of a study at quick size, of its first seed, by its name without the problem."""
    store = Store(tmp_path_factory.mktemp("cells"))
    return functools.cache(
        lambda name: find_study(f"utility-{name}").frame("quick", range(1), store=store)
    )
