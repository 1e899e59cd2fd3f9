"""What cells of ``reward`` measure of regret: several step rules beside one best fixed decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.reward.measures import draw
from benchmarks.reward.regret import measure
from benchmarks.study.cell import Result
from online.reward.oga import OGASched, OGASchedConstant, OGASchedLiteral

__all__ = ["regret"]

_POLICIES = (OGASched, OGASchedConstant, OGASchedLiteral)
_KEPT = (
    *("fixed_lower", "fixed_upper", "regret_lower", "regret_upper"),
    *("bound", "inequality_left", "inequality_right"),
)


def regret(**settings: Any) -> Callable[[], Result]:
    """Prepare the runs of all step rules on an instance, and the best fixed decision of it.

    Of :func:`benchmarks.reward.regret.measure`: ``reward``, the ends of the best fixed reward and
    of the regret, ``bound`` (14), and both sides of the inequality of the proof.
    """
    instance = draw(**settings)
    return lambda: Result(
        [
            {**settings, "policy": row["policy"], "reward": row["objective"]}
            | {name: row[name] for name in _KEPT}
            for row in measure(instance, _POLICIES, None)
        ]
    )
