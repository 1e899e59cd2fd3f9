"""Studies, pictures and claims of the problems, by name, and the frames they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from benchmarks.contract import experiments_of
from benchmarks.study.claim import Claim, Picture
from benchmarks.study.engine import Engine
from benchmarks.study.store import Store
from benchmarks.study.study import Study, has_failed
from models.errors import InputError
from models.problem import problem_names
from models.reference import resolve

__all__ = ["Frames", "claims_of", "find_picture", "find_study", "pictures_of"]


def _all(problem_name: str, what: str) -> Sequence[Any]:
    reference = getattr(experiments_of(problem_name), what)
    found: Sequence[Any] = resolve(reference) if reference else ()
    return found


def pictures_of(problem_name: str) -> tuple[Picture, ...]:
    """Pictures of a problem, in the order of the paper; none if it has none yet."""
    return tuple(_all(problem_name, "pictures"))


def claims_of(problem_name: str) -> tuple[Claim, ...]:
    """The claims of a problem's paper; InputError if nobody has listed them."""
    if not experiments_of(problem_name).claims:
        raise InputError(f"nobody has listed the claims of '{problem_name}' yet")
    return tuple(_all(problem_name, "claims"))


def find_study(name: str) -> Study:
    """Look a study up; InputError if there is none of that name."""
    study: Study = _find(name, "study", "studies")
    return study


def find_picture(name: str) -> Picture:
    """Look a picture up, in the same way."""
    picture: Picture = _find(name, "figure", "pictures")
    return picture


def _find(name: str, what: str, key: str) -> Any:
    """The problem is the part of a name before the first dash."""
    problem_name = name.partition("-")[0]
    if problem_name not in problem_names():
        known = ", ".join(problem_names())
        raise InputError(f"unknown {what} '{name}': names begin with a problem, one of {known}")
    found: Mapping[str, Any] = {item.name: item for item in _all(problem_name, key)}
    if name not in found:
        known = ", ".join(found) or "none yet"
        raise InputError(f"unknown {what} '{name}': '{problem_name}' has {known}")
    return found[name]


@dataclass
class Frames:
    """Frames of studies by name, each computed once, when it is asked for.

    How, :meth:`benchmarks.study.study.Study.frame` says.
    """

    size: str
    seeds: Sequence[int] | None = None
    store: Store | None = None
    engine: Engine | None = None
    _known: dict[str, pd.DataFrame] = field(default_factory=dict, repr=False)

    def __call__(self, name: str) -> pd.DataFrame:
        """The frame of a study, e.g. ``"utility-3"``, with a row for each cell that failed."""
        if name not in self._known:
            self._known[name] = find_study(name).frame(
                self.size, self.seeds, store=self.store, engine=self.engine, progress=True
            )
        return self._known[name]

    @property
    def any_failed(self) -> bool:
        """Whether one of those that were asked for has a row that says what failed."""
        return any(has_failed(frame).any() for frame in self._known.values())
