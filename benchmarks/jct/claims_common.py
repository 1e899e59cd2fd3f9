"""How claims of the edge-cloud paper are put that are judged in every reading."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.claim import Claim, Judge
from benchmarks.jct.figures_common import READINGS

__all__ = ["BETTER", "SLOPE", "in_readings"]

BETTER = "95 % bootstrap interval of the paired difference > 0"
SLOPE = "slope of every seed: 95 % bootstrap interval of the mean > 0"


def in_readings(
    name: str, source: str, text: str, test: str, judge: Callable[[str], Judge]
) -> list[Claim]:
    """A claim about the baselines, judged in each reading of what jobs ask them for."""
    return [
        Claim(
            name if place == 0 else f"{name}-{reading}",
            source,
            text,
            f"{test}; a job asks for {words}",
            judge(reading),
        )
        for place, (reading, words) in enumerate(READINGS.items())
    ]
