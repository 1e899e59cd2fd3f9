"""Which choice decides a verdict: shares with intervals, main effects, and what chance gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

_SHUFFLES = 1999
_Z = 1.959963984540054  # of a 95 % interval
_CLEAR_P = 0.05


def wilson_interval(hits: int, count: int) -> tuple[float, float]:
    """95 % interval of a share by Wilson's score; from 0 to 1 if nothing was counted."""
    if not count:
        return 0.0, 1.0
    share, z2 = hits / count, _Z**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    reach = _Z / (1 + z2 / count) * np.sqrt(share * (1 - share) / count + z2 / (4 * count**2))
    return max(0.0, float(middle - reach)), min(1.0, float(middle + reach))


@dataclass(frozen=True)
class Effect:
    """The main effect of a choice on an outcome.

    ``hits`` are, by reading, how many outcomes are true, of how many. ``spread`` is the largest
    difference between the shares of two readings; ``p`` how often chance gives any choice an
    effect as clear as this.
    """

    choice: str
    hits: Mapping[str, tuple[int, int]]
    spread: float
    p: float

    @property
    def decides(self) -> bool:
        """Whether it is more than chance gives."""
        return self.p < _CLEAR_P


def main_effects(picks: pd.DataFrame, outcome: pd.Series) -> list[Effect]:
    """Effects of all choices, the clearest first.

    ``picks`` has a row for each combination of readings, in a balanced design, and a column for
    each choice, with the name of its reading. How clear an effect is says the mean square between
    readings, which by chance is as large for a choice of many readings as for one of few. Its p is
    the share of permutations of the outcomes, of a fixed seed, in which the largest mean square of
    all choices is no less: so of claims that nothing decides, one in twenty names a choice.
    """
    found = outcome.to_numpy(dtype=float)
    rng = np.random.default_rng(0)
    every = np.array([found, *(rng.permutation(found) for _ in range(_SHUFFLES))])
    squares = {name: _mean_square(picks[name], every) for name in picks}
    known = {name: values for name, values in squares.items() if values is not None}
    if not known:
        return []
    largest = np.max(list(known.values()), axis=0)
    effects = []
    for name, values in known.items():
        groups = outcome.astype(int).groupby(picks[name], sort=False).agg(["sum", "count"])
        hits = {str(at): (int(row["sum"]), int(row["count"])) for at, row in groups.iterrows()}
        share = groups["sum"] / groups["count"]
        p = float((largest >= values[0] - 1e-9).mean())
        effects.append(Effect(name, hits, float(share.max() - share.min()), p))
    return sorted(effects, key=lambda effect: (effect.p, -effect.spread))


def _mean_square(groups: pd.Series, outcomes: np.ndarray) -> np.ndarray | None:
    """Between groups, for each row of outcomes; None if there is one group alone."""
    codes, names = pd.factorize(groups)
    if len(names) < 2:
        return None
    member = np.eye(len(names))[codes]
    sums, total = outcomes @ member, outcomes.sum(axis=1)
    between = (sums**2 / member.sum(axis=0)).sum(axis=1) - total**2 / len(codes)
    return np.asarray(between / (len(names) - 1))
