"""How regret grows: the exponent of a power law, an interval for it, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Growth", "fit_growth"]

_RESAMPLES = 2000
_TAIL = 0.025  # on either side of an interval
_LEAST_SIZES = 3
_ONE = 1.0 - 1e-3  # a regret that grows in proportion has an exponent of 1 up to rounding


@dataclass(frozen=True)
class Growth:
    """A power law ``regret = a * size^exponent``, fitted over sizes.

    The exponent is that of the mean regret over seeds, ``low`` and ``high`` its 95 % bootstrap
    interval over seeds; None where there is none, and ``why`` that is so.
    """

    exponent: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""

    @property
    def verdict(self) -> str:
        """Where the interval lies: below 1, at or above it, on both sides; or there is none."""
        if self.low is None or self.high is None:
            return "not applicable"
        if self.high < _ONE:
            return "sublinear"
        return "undecided" if self.low < _ONE else "not sublinear"


def fit_growth(sizes: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> Growth:
    """Fit the exponent by least squares on logarithms of the mean over seeds.

    Regret is an interval, since the best fixed decision is known up to a certified gap. The
    exponent is that of the middles. The bootstrap draws seeds, the same for all sizes, and takes
    the whole range of exponents that the intervals of the means allow. There is no exponent where
    a mean regret is not above 0 or sizes are fewer than three; no interval where too many
    resamples are not above 0 (it would be infinite), or from one seed.

    Sizes, shape (n,), ascend: horizons, or numbers of ports. The ends of the regret of each size
    and seed have shape (n, seeds).
    """
    if len(sizes) < _LEAST_SIZES:
        return Growth(why=f"fewer than {_LEAST_SIZES} sizes")
    below = lower.mean(axis=1) <= 0.0
    if below.any():
        where = ", ".join(f"{size:g}" for size in np.asarray(sizes)[below])
        return Growth(why=f"no positive regret at {where}")
    place = np.log(np.asarray(sizes, dtype=float))
    place -= place.mean()
    weights = place / (place @ place)  # of the logarithms in the slope
    exponent = float(weights @ np.log(0.5 * (lower + upper).mean(axis=1)))
    seeds = lower.shape[1]
    if seeds < 2:
        return Growth(exponent, why="one seed gives no interval")
    drawn = np.random.default_rng(0).integers(seeds, size=(_RESAMPLES, seeds))
    ends = np.stack([table[:, drawn].mean(axis=2) for table in (lower, upper)])
    lost = (ends[0] <= 0.0).any(axis=0)  # resamples without a power law
    low_end, high_end = np.log(np.where(lost, 1.0, ends))
    rising = (weights > 0.0)[:, None]
    least = np.where(lost, -np.inf, weights @ np.where(rising, low_end, high_end))
    most = np.where(lost, np.inf, weights @ np.where(rising, high_end, low_end))
    low = float(np.quantile(least, _TAIL, method="inverted_cdf"))
    high = float(np.quantile(most, 1.0 - _TAIL, method="inverted_cdf"))
    if np.isinf([low, high]).any():
        return Growth(exponent, why="regret is not clearly above 0")
    return Growth(exponent, low, high)
