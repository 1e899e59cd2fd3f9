"""What docs records of `utility`: schedules and bounds of many methods, states and machines."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

DOCS = Path(__file__).parents[2] / "docs"
FILES = ("fresh_seeds", "ablation", "gap", "certified")
INSTANCE = ["jobs", "slots", "servers", "load", "seed"]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    read = [pd.read_csv(DOCS / f"{name}.csv").assign(file=name) for name in FILES]
    # Loads are sums: on another processor their last digits differ.
    return pd.concat(read, ignore_index=True).assign(load=lambda all_rows: all_rows.load.round(6))


def test_no_schedule_is_worth_more_than_any_bound_of_its_instance(rows: pd.DataFrame) -> None:
    known = rows.groupby(INSTANCE).agg(best=("objective", "max"), least=("bound", "min")).dropna()
    assert len(known) >= 324  # instances; they are told apart
    assert rows.groupby(INSTANCE).size().max() > 20
    assert (known.best <= known.least * (1 + 1e-9)).all()


def test_recorded_gaps_are_those_of_objective_and_bound(rows: pd.DataFrame) -> None:
    both = rows.dropna(subset=["objective", "bound", "gap"])
    assert len(both) > 0.9 * len(rows)
    expected = (1 - both.objective / both.bound).to_numpy()
    assert both.gap.to_numpy() == pytest.approx(expected, abs=1e-9)
