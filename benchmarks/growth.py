"""How regret grows: the exponent of a power law, an interval for it, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchmarks.study.statistics import t_interval

__all__ = ["Growth", "fit_growth"]

_LEAST_SIZES = 3
_ROUNDING = 1e-3  # a regret that grows in proportion has an exponent of 1 up to rounding


@dataclass(frozen=True)
class Growth:
    """A power law ``regret = a * size^exponent``, fitted over sizes.

    The exponent is the mean of those of the seeds, ``low`` and ``high`` its 95 % t-interval over
    seeds; None where there is none, and ``why`` that is so, or that there is no verdict. ``local``
    are the exponents between neighbouring sizes, ``over`` the first and the last size. ``falls``:
    whether each further unit of size adds less regret, as it does not in ``a + b * size``.
    """

    exponent: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""
    local: tuple[float, ...] = ()
    over: str = ""
    falls: bool = False

    @property
    def is_below_one(self) -> bool:
        """Whether the interval lies below 1, and the regret is no line with an offset."""
        return self.high is not None and self.high < 1.0 - _ROUNDING and self.falls

    @property
    def verdict(self) -> str:
        """What is known of the exponent over these sizes; it says nothing of larger ones."""
        if self.low is None:
            return "not applicable"
        if self.low < 1.0 - _ROUNDING and not self.is_below_one:
            return "undecided"
        return f"{'' if self.is_below_one else 'not '}below 1 over [{self.over}]"

    def __str__(self) -> str:
        what = f"{self.verdict} ({self.why})" if self.why else self.verdict
        if self.low is None:
            return what
        interval = f"{self.exponent:.2f} [{self.low:.2f}, {self.high:.2f}]"
        return f"exponent {interval}, between sizes {self.slopes}: {what}"

    @property
    def slopes(self) -> str:
        """The local exponents in words."""
        return " ".join(f"{slope:.2f}" for slope in self.local) or "-"


def fit_growth(sizes: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> Growth:
    """Fit an exponent to each seed by least squares on logarithms; a t-interval of their mean.

    Regret is an interval, since the best fixed decision is known up to a certified gap: exponents
    are those of the middles, and intervals wide enough for whatever the ends allow. There is no
    exponent where sizes are fewer than three, or a regret may be 0 or less; and no interval from
    one seed.

    A line with an offset has exponents below 1, too, that rise to 1 as the offset is lost. What it
    adds from size to size, per unit of size, does not fall: the least-squares slope of that
    against the logarithm of the size is 0, whatever the offset and the slope of each seed's line
    are. So an exponent counts as below 1 only where the t-interval of this slope, in parts of the
    seed's mean regret per unit, lies below 0 as well, or the regret falls.

    Sizes, shape (n,), ascend: horizons, or numbers of ports. The ends of the regret of each size
    and seed have shape (n, seeds).
    """
    sizes = np.asarray(sizes, dtype=float)
    if len(sizes) < _LEAST_SIZES:
        return Growth(why=f"fewer than {_LEAST_SIZES} sizes")
    over = f"{sizes[0]:g}, {sizes[-1]:g}"
    below = (lower <= 0.0).any(axis=1)
    if below.any():
        where = ", ".join(f"{size:g}" for size in sizes[below])
        return Growth(why=f"a seed's regret is not above 0 at {where}", over=over)
    place, logs = np.log(sizes), np.log([lower, upper])
    weights = _slope(place)
    middle, half = logs.mean(axis=0), 0.5 * (logs[1] - logs[0])
    exponents = weights @ middle
    local = np.diff(middle.mean(axis=1)) / np.diff(place)
    found = Growth(float(exponents.mean()), local=tuple(local.tolist()), over=over)
    if lower.shape[1] < 2:
        return replace(found, why="one seed gives no interval")
    low, high = t_interval(exponents, np.abs(weights) @ half)
    added = np.diff(np.eye(len(sizes)), axis=0) / np.diff(sizes)[:, None]
    fall = -_slope(np.log(0.5 * (sizes[1:] + sizes[:-1]))) @ added
    unit = (0.5 * (lower + upper) / sizes[:, None]).mean(axis=0)
    least, _ = t_interval(
        fall @ (0.5 * (lower + upper)) / unit, np.abs(fall) @ (0.5 * (upper - lower)) / unit
    )
    found = replace(found, low=low, high=high, falls=least > _ROUNDING or high < 0.0)
    misfit = high < 1.0 - _ROUNDING and not found.falls
    return replace(found, why="a line with an offset is not excluded" if misfit else "")


def _slope(place: np.ndarray) -> np.ndarray:
    """Weights of values at these places in their least-squares slope."""
    centred = place - place.mean()
    return centred / (centred @ centred)
