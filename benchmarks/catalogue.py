"""Studies, pictures and claims of the problems, by name, and the frames they need."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.contract import experiments_of, part_of, with_part
from benchmarks.pictures.specification import plot_specification
from benchmarks.study.claim import Claim, Picture
from benchmarks.study.engine import Engine
from benchmarks.study.multiverse import Multiverse
from benchmarks.study.store import Store
from benchmarks.study.study import Study
from benchmarks.study.tests import in_readings
from models.errors import InputError
from models.problem import problem_names

_MULTIVERSE = "-multiverse"


def pictures_of(problem_name: str) -> tuple[Picture, ...]:
    """Pictures of a problem, in the order of the paper; none if it has none yet."""
    return tuple(part_of(problem_name, "pictures") if experiments_of(problem_name).pictures else ())


def claims_of(problem_name: str) -> tuple[Claim, ...]:
    """The claims of a problem's paper, each in each of its readings.

    InputError if nobody has listed them.
    """
    return tuple(one for claim in part_of(problem_name, "claims") for one in in_readings(claim))


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
"""Look a study up by its name; InputError if there is none of that name."""


def find_picture(name: str) -> Picture:
    """Look a picture up by its name, that of a multiverse, too; InputError if there is none."""
    if name.endswith(_MULTIVERSE):
        return multiverse_picture(name.removesuffix(_MULTIVERSE))
    found: Picture = _find("figure", "pictures", name)
    return found


def multiverse_picture(problem_name: str) -> Picture:
    """The specification curve of a problem's headlines, ``<problem>-multiverse``."""
    found: Multiverse = part_of(problem_name, "readings")
    plot = functools.partial(plot_specification, claims=found.headlines)
    name = f"{problem_name}{_MULTIVERSE}"
    return Picture(name, "headline claims over the readings", "ours", name, plot)


def frames_asked(args: argparse.Namespace, engine: Engine) -> Callable[[str], pd.DataFrame]:
    """Frames by the names of studies, or of multiverses, each computed once, when asked for.

    The options are those of :func:`benchmarks.figures.add_size_arguments`. What failed is a row;
    in a multiverse it is a claim that is not testable.
    """
    how: dict[str, Any] = {"store": Store(Path(args.out) / "cells"), "engine": engine}

    @functools.cache
    def frame(name: str) -> pd.DataFrame:
        if not name.endswith(_MULTIVERSE):
            return find_study(name).frame(args.size, args.seeds, progress=True, **how)
        if args.size not in ("default", "readings"):
            raise InputError(f"{name} has one size: neither --quick nor --paper")
        of = name.removesuffix(_MULTIVERSE)
        found, studies = part_of(of, "readings"), part_of(of, "studies")
        told: pd.DataFrame = found.frame(
            studies, part_of(of, "claims"), args.seeds, progress=name, **how
        )
        return told

    return frame
