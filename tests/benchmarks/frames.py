"""Frames of the studies at quick size: as they are kept, and held against what is measured."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

import benchmarks
from benchmarks.catalogue import find_picture, find_study, pictures_of
from benchmarks.study.store import Store

ROOT = Path(benchmarks.__file__).parent
KINDS = "95 % bootstrap interval|bars from the least to the most|hollow marks: one each"
KINDS += "|boxes: quartiles|no interval"


def reference(picture: str) -> pd.DataFrame:
    """The kept data of a picture."""
    problem = find_study(find_picture(picture).study).problem
    return pd.read_csv(ROOT / problem / "reference" / f"{picture}.csv")


@cache
def kept(study: str) -> pd.DataFrame:
    """Frame of a study, all seeds: that of its picture's reference, or measured if it has none.

    Pictures and claims see frames alone; that the references are what is measured is tested by
    :func:`assert_is_kept`, in the tests of the studies.
    """
    found = find_study(study)
    for picture in pictures_of(found.problem):
        if picture.study == study:
            return reference(picture.name)
    return found.frame("quick")


def assert_is_kept(frame: pd.DataFrame, picture: str, tolerances: Mapping[str, float]) -> None:
    """What was measured, for some seeds or all, is what is kept for them."""
    expected = reference(picture)
    if "seed" in frame:
        expected = expected[expected["seed"].isin(frame["seed"])].reset_index(drop=True)
    found = pd.read_csv(io.StringIO(frame.to_csv(index=False)))
    assert list(found.columns) == list(expected.columns)
    for column in expected:
        tolerance = tolerances.get(column, 1e-9)
        pd.testing.assert_series_equal(found[column], expected[column], rtol=tolerance, atol=1e-9)


def assert_other_seeds_are_kept(
    picture: str, tolerances: Mapping[str, float], store: Store
) -> None:
    """What is measured for all seeds but the first, which the quick tests measure, is kept."""
    study = find_study(find_picture(picture).study)
    seeds = range(study.seeds["quick"])
    assert set(reference(picture)["seed"]) == set(seeds)
    if others := seeds[1:]:
        assert_is_kept(study.frame("quick", others, store=store), picture, tolerances)


def assert_marks_are_told(picture: Figure) -> None:
    """A legend says which kind of interval is drawn, and of how many seeds."""
    texts = [text for legend in picture.findobj(Legend) for text in legend.findobj(Text)]
    words = [text.get_text().replace("\n", " ") for text in texts]
    told = [text for text in words if re.search(r"\b\d+ seeds?\b", text)]
    assert any(re.search(KINDS, text) for text in told), words
