"""How regret grows: the exponent of a power law, an interval for it, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.study.statistics import t_interval

__all__ = ["Growth", "fit_growth"]

_LEAST_SIZES = 3
_ROUNDING = 1e-3  # a regret that grows in proportion has an exponent of 1 up to rounding


@dataclass(frozen=True)
class Growth:
    """A power law ``regret = a * size^exponent``, fitted over sizes.

    The exponent is the mean of those of the seeds, ``low`` and ``high`` its 95 % t-interval over
    seeds; None where there is none. ``local`` are the exponents between neighbouring sizes, in
    words. The verdict is on the sizes that it names alone; ``why`` says why there is none.
    """

    exponent: float | None = None
    low: float | None = None
    high: float | None = None
    local: str = "-"
    verdict: str = "not applicable"
    why: str = ""

    @property
    def is_below_one(self) -> bool:
        """Whether the interval lies below 1, and the regret is no line with an offset."""
        return self.verdict.startswith("below 1")

    def __str__(self) -> str:
        what = f"{self.verdict} ({self.why})" if self.why else self.verdict
        if self.low is None:
            return what
        interval = f"{self.exponent:.2f} [{self.low:.2f}, {self.high:.2f}]"
        return f"exponent {interval}, between sizes {self.local}: {what}"


def fit_growth(sizes: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> Growth:
    """Fit an exponent to each seed by least squares on logarithms; a t-interval of their mean.

    Regret is an interval, since the best fixed decision is known up to a certified gap: exponents
    are those of the middles, and intervals wide enough for whatever the ends allow. There is no
    exponent where sizes are fewer than three, or a regret may be 0 or less; and no interval from
    one seed.

    A line with an offset has exponents below 1, too, that rise to 1 as the offset is lost. What it
    adds from size to size, per unit of size, does not fall: the least-squares slope of that
    against the logarithm of the size is 0, whatever the lines of the seeds are. So an exponent
    counts as below 1 only where the t-interval of this slope, in parts of the seed's mean regret
    per unit, lies below 0 as well, or the regret falls.

    Sizes, shape (n,), ascend: horizons, or numbers of ports. The ends of the regret of each size
    and seed have shape (n, seeds).
    """
    sizes = np.asarray(sizes, dtype=float)
    if len(sizes) < _LEAST_SIZES:
        return Growth(why=f"fewer than {_LEAST_SIZES} sizes")
    if (below := (lower <= 0.0).any(axis=1)).any():
        where = ", ".join(f"{size:g}" for size in sizes[below])
        return Growth(why=f"a seed's regret is not above 0 at {where}")
    place, logs = np.log(sizes), np.log([lower, upper])
    weights, middle = _slope(place), logs.mean(axis=0)
    exponents = weights @ middle
    steps = np.diff(middle.mean(axis=1)) / np.diff(place)
    exponent, local = float(exponents.mean()), " ".join(f"{step:.2f}" for step in steps)
    if lower.shape[1] < 2:
        return Growth(exponent, local=local, why="one seed gives no interval")
    low, high = t_interval(exponents, np.abs(weights) @ (0.5 * (logs[1] - logs[0])))
    added = np.diff(np.eye(len(sizes)), axis=0) / np.diff(sizes)[:, None]
    fall = -_slope(np.log(sizes[1:] + sizes[:-1])) @ added
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    unit = (middle / sizes[:, None]).mean(axis=0)
    falls = t_interval(fall @ middle / unit, np.abs(fall) @ half / unit)[0] > _ROUNDING
    is_below = high < 1.0 - _ROUNDING
    verdict, why = "undecided", "a line with an offset is not excluded" if is_below else ""
    over = f"below 1 over [{sizes[0]:g}, {sizes[-1]:g}]"
    if low >= 1.0 - _ROUNDING:
        verdict = f"not {over}"
    elif is_below and (falls or high < 0.0):
        verdict, why = over, ""
    return Growth(exponent, low, high, local, verdict, why)


def _slope(place: np.ndarray) -> np.ndarray:
    """Weights of values at these places in their least-squares slope."""
    centred = place - place.mean()
    return centred / (centred @ centred)
