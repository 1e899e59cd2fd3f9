"""Rows: flat records of one policy on one instance, ready for a DataFrame."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from models.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One policy on one instance; no timings, so the same seed gives the same bytes.

    What has a default here has it where the run or the offline solve failed.
    """

    problem: str
    instance: str  # its name
    instance_hash: str
    seed: int | None  # of the instance; of the policy's generator, too: run.policy_rng
    load: float | None  # sum of the jobs' dominant shares: Problem.load
    policy: str  # name of the scheme
    objective: float | None = None  # by the scorer
    completed: int | None = None  # jobs
    jobs: int | None = None  # all of them
    # The optimum lies between these two.
    offline_lower: float | None = None
    offline_upper: float | None = None
    # What the schedules of that optimum may do beyond the problem's own, as those of the policy
    # do (Problem.wider); empty for the problem's own.
    offline_allows: str = ""
    offline_status: str = ""  # "optimal" or "bounded"
    # Whether the clock decided something: a time limit ended the solver without a proof, or a step
    # of it before that, or two solvers raced. Such rows may differ from run to run.
    offline_time_limited: bool = False
    bound_source: str = ""  # "prices" (certified) or "milp"
    # The bound that prices prove, kept in certificate.json.gz; weaker than the other where that
    # is a MILP solver's. None if the problem has no certificates.
    offline_certified: float | None = None
    # Competitive ratio, >= 1 up to the solver's gap; may be infinite.
    ratio_lower: float | None = None
    ratio_upper: float | None = None
    guarantee: float | None = None  # the proven ratio; None if the policy has none
    guarantee_applies: bool | None = None  # whether all its assumptions hold on this run
    guarantee_fails: str = ""  # those that do not
    clairvoyant_bounds: bool = False  # whether parameters were computed from the whole instance
    violations: int | None = None  # constraints broken: a run with any is refused, so 0
    error: str = ""  # why the run, or the offline solve, failed


@dataclass(frozen=True)
class Timing:
    """Times of one row in seconds, kept apart from it. What is compiled was compiled before.

    They are None if the run, or the solve, was found in the store: a time is not looked up.
    """

    instance_hash: str
    policy: str
    decisions: int  # events the policy answered
    policy_seconds: float | None  # for these; without construction, reset and the runner
    offline_seconds: float | None  # of the solve, with scoring its schedule and certifying


def _plain(value: Any) -> Any:
    # JSON has no infinity; the string is what pandas and float() read back.
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def to_json_lines(records: Iterable[Any]) -> str:
    """One JSON object per line, keys in the order of the fields."""
    lines = []
    for record in records:
        fields: Mapping[str, Any] = record if isinstance(record, Mapping) else asdict(record)
        plain = {key: _plain(value) for key, value in fields.items()}
        lines.append(json.dumps(plain, allow_nan=False) + "\n")
    return "".join(lines)


def from_json_lines(text: str, kind: type[T]) -> list[T]:
    """Records that :func:`to_json_lines` wrote; InputError if a line is no such record."""
    records = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            records.append(msgspec.json.decode(line, type=kind, strict=False))  # "inf" is a number
        except msgspec.DecodeError as error:
            raise InputError(f"line {number}: no {kind.__name__}: {error}") from None
    return records


def records_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame; what a row lacks is None."""
    found: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return found


def join(rows: Iterable[Row], timings: Iterable[Timing]) -> list[dict[str, Any]]:
    """Rows with their timings, None where there are none, as dictionaries."""
    times = {(timing.instance_hash, timing.policy): asdict(timing) for timing in timings}
    none = dict.fromkeys(("decisions", "policy_seconds", "offline_seconds"))
    return [{**asdict(row), **times.get((row.instance_hash, row.policy), none)} for row in rows]
