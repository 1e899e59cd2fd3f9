"""The offline side of a ratio: an interval that contains the optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from solvers.result import OPTIMAL_GAP, BoundSource, relative_gap

#: Relative error of a bound: round-off of sums, or the tolerance of the MILP solver.
_ROUND_OFF: Mapping[BoundSource, float] = {"prices": 1e-9, "milp": 1e-6}


class ContradictedBound(RuntimeError):
    """A schedule is better than a bound allows: one of them is wrong, a fault of the code."""


@dataclass(frozen=True)
class Bound:
    """A value the optimum cannot pass, and what vouches for it."""

    value: float
    source: BoundSource  # "prices" (recomputed from these by the oracle alone: certified) or "milp"
    own: bool = False  # whether, by prices though it is, wider schedules may pass it


@dataclass(frozen=True)
class Incumbent:
    """A feasible schedule and its objective by the scorer."""

    value: float
    schedule: Any
    wider: bool = False  # whether it may do what the problem's own may not: Problem.wider


@dataclass(frozen=True)
class Interval:
    """The optimum lies in [lower, upper]: one is the best schedule known, the other a bound."""

    lower: float
    upper: float
    status: Literal["optimal", "bounded"]  # optimal: the relative gap is at most OPTIMAL_GAP
    bound_source: str
    incumbent: Incumbent


def offline_interval(
    sense: Literal["max", "min"],
    incumbents: Sequence[Incumbent],
    bounds: Sequence[Bound],
    *,
    negligible: float = 0.0,
) -> Interval:
    """Best of all incumbents and all bounds; never worse than any schedule known.

    Where both ends are at most ``negligible`` in size, the optimum is 0 as far as anyone can
    tell (:attr:`models.problem.Problem.negligible`): the incumbent is optimal and is both ends.
    ContradictedBound if a schedule beats a bound by more than 1e-9 relative, or 1e-6 where the
    bound is the word of a MILP solver.
    """
    best, tightest = (max, min) if sense == "max" else (min, max)
    incumbent = best(incumbents, key=lambda item: item.value)
    bound = tightest(bounds, key=lambda item: item.value)
    scale = max(abs(incumbent.value), abs(bound.value))
    beaten_by = (incumbent.value - bound.value) * (1 if sense == "max" else -1)
    if beaten_by > _ROUND_OFF[bound.source] * scale:
        raise ContradictedBound(
            f"objective {incumbent.value!r} contradicts the bound {bound.value!r} from "
            f"{bound.source}: one of them is wrong, a fault of the code"
        )
    # Within that the incumbent may pass the bound by a hair: it is then optimal.
    is_tight = beaten_by > 0 or scale <= negligible
    lower, upper = sorted((incumbent.value, incumbent.value if is_tight else bound.value))
    gap = relative_gap(sense, incumbent.value, bound.value, negligible=negligible)
    proven = gap is not None and gap <= OPTIMAL_GAP
    return Interval(lower, upper, "optimal" if proven else "bounded", bound.source, incumbent)


def solved_intervals(
    sense: Literal["max", "min"], solved: Mapping[str, Any], runs: Sequence[Incumbent] = ()
) -> dict[bool, Interval]:
    """Intervals from the value of an offline cell, and the schedules of runs.

    Of the problem's own schedules (False), and of wider ones too (True); each is there if a
    schedule and a bound of its kind are known. An own schedule is one of the wider kind as well. Of
    the bounds, those by prices hold for both kinds, unless they say that they are of own schedules
    alone; what a MILP solver says is of its model, which has only these.
    """
    best = solved["objective"]
    known = [*([] if best is None else [Incumbent(best, None)]), *runs]
    bounds = [Bound(**bound) for bound in solved["bounds"]]
    own = [item for item in known if not item.wider]
    proven = [bound for bound in bounds if bound.source == "prices" and not bound.own]
    return {
        wider: offline_interval(sense, schedules, valid, negligible=solved["negligible"])
        for wider, schedules, valid in ((False, own, bounds), (True, known, proven))
        if schedules and valid
    }


def ratio_interval(
    sense: Literal["max", "min"], objective: float, interval: Interval
) -> tuple[float, float]:
    """Competitive ratio >= 1 of one run, as an interval.

    OPT/ALG for a maximisation, ALG/OPT for a minimisation. 0/0 counts as 1 (there was
    nothing to gain), x/0 as infinity. So does a maximisation that ends at or below 0 where more
    was possible: rewards may be negative, and a quotient would then say nothing.
    """

    def ratio(numerator: float, denominator: float) -> float:
        if denominator <= 0.0:
            return 1.0 if numerator <= denominator else float("inf")
        return numerator / denominator

    if sense == "max":
        return ratio(interval.lower, objective), ratio(interval.upper, objective)
    return ratio(objective, interval.upper), ratio(objective, interval.lower)
