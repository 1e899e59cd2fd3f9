"""Studies, pictures and claims of the problems, by name, and the frames they need."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.contract import experiments_of, part_of, with_part
from benchmarks.study.claim import Claim, Picture
from benchmarks.study.engine import Engine
from benchmarks.study.store import Store
from benchmarks.study.study import Study
from models.errors import InputError
from models.problem import problem_names


def pictures_of(problem_name: str) -> tuple[Picture, ...]:
    """Pictures of a problem, in the order of the paper; none if it has none yet."""
    return tuple(part_of(problem_name, "pictures") if experiments_of(problem_name).pictures else ())


def claims_of(problem_name: str) -> tuple[Claim, ...]:
    """The claims of a problem's paper; InputError if nobody has listed them."""
    return tuple(part_of(problem_name, "claims"))


def _find(what: str, part: str, name: str) -> Any:
    """The problem is the part of a name before the first dash."""
    problem_name = name.partition("-")[0]
    if problem_name not in problem_names():
        known = ", ".join(with_part(part))
        raise InputError(f"unknown {what} '{name}': names begin with a problem, one of {known}")
    found = {item.name: item for item in part_of(problem_name, part)}
    if name not in found:
        raise InputError(f"unknown {what} '{name}': '{problem_name}' has {', '.join(found)}")
    return found[name]


find_study: Callable[[str], Study] = functools.partial(_find, "study", "studies")
find_picture: Callable[[str], Picture] = functools.partial(_find, "figure", "pictures")
"""Look a study, or a picture, up by its name; InputError if there is none of that name."""


def frames_asked(args: argparse.Namespace, engine: Engine) -> Callable[[str], pd.DataFrame]:
    """Frames of studies by name, each computed once, when it is asked for.

    The options are those of :func:`benchmarks.figures.add_size_arguments`. What failed is a row.
    """
    how: dict[str, Any] = {"store": Store(Path(args.out) / "cells"), "engine": engine}
    return functools.cache(
        lambda name: find_study(name).frame(args.size, args.seeds, progress=True, **how)
    )
