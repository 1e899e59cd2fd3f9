"""Rows: flat records of one policy on one instance, ready for a DataFrame."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec
import pandas as pd

from models.errors import InputError

__all__ = ["Row", "Timing", "from_json_lines", "join", "records_of", "to_json_lines"]

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One policy on one instance; no timings, so the same seed gives the same bytes.

    Parameters
    ----------
    problem, instance, instance_hash : str
        Problem, name and hash of the instance.
    seed : int or None
        Seed of the instance; of the policy's generator too, under a tag
        (:func:`benchmarks.study.run.policy_rng`).
    load : float or None
        Sum over the jobs of their dominant share; the problem's workload says how it is meant.
        None where nothing of the instance is known.
    policy : str
        Name of the scheme.
    objective : float or None
        By the scorer; None where the run failed.
    completed, jobs : int or None
        Jobs completed, and all jobs.
    offline_lower, offline_upper : float or None
        The optimum lies between them; None where the run or the offline solve failed.
    offline_allows : str
        What the schedules of that optimum may do beyond the problem's own, as those of the row's
        policy do (:attr:`models.problem.Problem.wider`); empty for the problem's own.
    offline_status : str
        ``"optimal"`` or ``"bounded"``.
    offline_time_limited : bool
        Whether the offline solver had a time limit and ended without a proof. How far it came
        depends on the machine, so such rows may differ from run to run.
    bound_source : str
        ``"prices"`` (certified) or ``"milp"``.
    offline_certified : float or None
        The bound that prices prove, kept in ``certificate.json.gz``; weaker than
        the other where that is a MILP solver's. None if the problem has no certificates.
    ratio_lower, ratio_upper : float or None
        Competitive ratio, >= 1 up to the solver's gap; may be infinite.
    guarantee : float or None
        The proven ratio, None if the policy has none.
    guarantee_applies : bool or None
        Whether all assumptions of the paper's guarantee hold on this run.
    guarantee_fails : str
        The assumptions that fail.
    clairvoyant_bounds : bool
        Whether the policy's parameters were computed from the whole instance.
    violations : int or None
        Constraints broken; a run with any is refused, so 0.
    error : str
        Why the run, or the offline solve, failed; empty if they did not.
    """

    problem: str
    instance: str
    instance_hash: str
    seed: int | None
    load: float | None
    policy: str
    objective: float | None = None
    completed: int | None = None
    jobs: int | None = None
    offline_lower: float | None = None
    offline_upper: float | None = None
    offline_allows: str = ""
    offline_status: str = ""
    offline_time_limited: bool = False
    bound_source: str = ""
    offline_certified: float | None = None
    ratio_lower: float | None = None
    ratio_upper: float | None = None
    guarantee: float | None = None
    guarantee_applies: bool | None = None
    guarantee_fails: str = ""
    clairvoyant_bounds: bool = False
    violations: int | None = None
    error: str = ""


@dataclass(frozen=True)
class Timing:
    """Times of one row, kept apart from it. What is compiled was compiled before.

    Parameters
    ----------
    instance_hash, policy : str
        The row.
    decisions : int
        Events the policy answered.
    policy_seconds : float or None
        Time it took for all of them; without its construction, its reset and the runner. None
        if the run was found in the store: a time is not looked up.
    offline_seconds : float or None
        Time of the offline solve of the instance, with scoring its schedule and certifying, in
        the same way.
    """

    instance_hash: str
    policy: str
    decisions: int
    policy_seconds: float | None
    offline_seconds: float | None


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


def records_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame; what a row lacks is None."""
    found: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return found


def from_json_lines(text: str, kind: type[T]) -> list[T]:
    """Read records back that :func:`to_json_lines` wrote.

    Raises
    ------
    InputError
        If a line is not such a record.
    """
    infinite = {
        name for name, hint in get_type_hints(kind).items() if float in (hint, *get_args(hint))
    }
    records = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            fields = json.loads(line)
            for name in infinite & fields.keys():
                if fields[name] in ("inf", "-inf"):
                    fields[name] = float(fields[name])
            records.append(msgspec.convert(fields, kind))
        except (ValueError, AttributeError, msgspec.ValidationError) as error:
            raise InputError(f"line {number}: no {kind.__name__}: {error}") from None
    return records


def join(rows: Iterable[Row], timings: Iterable[Timing]) -> list[dict[str, Any]]:
    """Rows with their timings, None where there are none, as dictionaries."""
    times = {(timing.instance_hash, timing.policy): asdict(timing) for timing in timings}
    none = dict.fromkeys(("decisions", "policy_seconds", "offline_seconds"))
    return [{**asdict(row), **times.get((row.instance_hash, row.policy), none)} for row in rows]
