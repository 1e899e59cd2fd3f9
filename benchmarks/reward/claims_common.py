"""How claims of the OGASched paper are put that are judged more than once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.claim import Claim, Judge
from benchmarks.reward.claim_judges_common import READINGS, best_everywhere
from benchmarks.reward.figures_common import BASELINES, RULES

__all__ = ["EVERY_STEP", "REGISTERED", "best", "in_both_readings"]

REGISTERED = ", ".join(BASELINES)
"""The baselines as they are registered, in words."""

EVERY_STEP = "every two neighbouring values: 95 % bootstrap interval of the paired difference"
"""What is compared where a value rises with a setting."""

_BETTER = "better than {} (95 % bootstrap interval of the paired difference > 0)"
_LISTED = {suffix: ", ".join(names) for suffix, names in READINGS.items()}


def best(name: str, source: str, text: str, figure: str, column: str, value: str) -> list[Claim]:
    """That OGASched is the best: two step rules, two readings of the baselines.

    Parameters
    ----------
    name, source, text : str
        As for :class:`benchmarks.claim.Claim`; further readings have a suffix to the name.
    figure : str
    column : str
        As for :func:`benchmarks.reward.claim_judges_common.best_everywhere`.
    value : str
        ``"average"`` or ``"accumulated"``.
    """
    at = "at the end" if column == "slot" else f"at every value of {column}"
    return [
        Claim(
            name + rule.removeprefix("ogasched") + suffix,
            source,
            text,
            f"{value} reward of {rule}: {_BETTER.format(_LISTED[suffix])}, {at}",
            best_everywhere(
                figure, column, rule, value.replace("accumulated", "reward"), baselines
            ),
        )
        for rule in RULES
        for suffix, baselines in READINGS.items()
    ]


def in_both_readings(
    name: str, source: str, text: str, test: str, judge: Callable[[Sequence[str]], Judge]
) -> list[Claim]:
    """A claim about the baselines, judged of each reading of them."""
    return [
        Claim(
            name + suffix,
            source,
            text,
            f"{test}; baselines {_LISTED[suffix]}",
            judge(baselines),
        )
        for suffix, baselines in READINGS.items()
    ]
