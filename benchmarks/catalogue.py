"""Studies, pictures and claims of the problems, by name, and the frames they need."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.contract import experiments_of, part_of
from benchmarks.engines import NotingEngine
from benchmarks.study.claim import Claim, Picture
from benchmarks.study.store import Store
from benchmarks.study.study import Study, has_failed
from models.errors import InputError
from models.problem import problem_names


def pictures_of(problem_name: str) -> tuple[Picture, ...]:
    """Pictures of a problem, in the order of the paper; none if it has none yet."""
    return tuple(part_of(problem_name, "pictures") if experiments_of(problem_name).pictures else ())


def claims_of(problem_name: str) -> tuple[Claim, ...]:
    """The claims of a problem's paper; InputError if nobody has listed them."""
    return tuple(part_of(problem_name, "claims"))


def find_study(name: str) -> Study:
    """Look a study up; InputError if there is none of that name."""
    study: Study = _find(name, "study", "studies")
    return study


def find_picture(name: str) -> Picture:
    """Look a picture up, in the same way."""
    picture: Picture = _find(name, "figure", "pictures")
    return picture


def _find(name: str, what: str, part: str) -> Any:
    """The problem is the part of a name before the first dash."""
    problem_name = name.partition("-")[0]
    if problem_name not in problem_names():
        known = ", ".join(problem_names())
        raise InputError(f"unknown {what} '{name}': names begin with a problem, one of {known}")
    found = {item.name: item for item in part_of(problem_name, part)}
    if name not in found:
        raise InputError(f"unknown {what} '{name}': '{problem_name}' has {', '.join(found)}")
    return found[name]


def frames_asked(args: argparse.Namespace, engine: NotingEngine) -> Callable[[str], pd.DataFrame]:
    """Frames of studies by name, each computed once, when it is asked for.

    The options are those of :func:`benchmarks.figures.add_size_arguments`. What failed is a row.
    """
    store = Store(Path(args.out) / "cells")

    @functools.cache
    def frame(name: str) -> pd.DataFrame:
        study = find_study(name)
        found = study.frame(args.size, args.seeds, store=store, engine=engine, progress=True)
        engine.code = max(engine.code, int(has_failed(found).any()))
        return found

    return frame
