"""A picture: data that names a study, and how the study's frame is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["Picture"]


@dataclass(frozen=True)
class Picture:
    """A figure of a paper, or one of ours.

    Parameters
    ----------
    name : str
        ``<problem>-<name>``, as on the command line.
    source : str
        The paper's figure, or where else it comes from.
    study : str
        Name of the study whose frame it draws.
    plot : callable
        ``(frame, axes or None) -> matplotlib figure``; the frame is without failed cells.
    """

    name: str
    title: str
    source: str
    study: str
    plot: Callable[[pd.DataFrame, Axes | None], Figure]
