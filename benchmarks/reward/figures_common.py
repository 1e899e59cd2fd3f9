"""What the figures of ``reward`` share: the policies, the instances, records of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from benchmarks.evaluate import run_policy
from benchmarks.figure import Cell
from benchmarks.pictures.lines import plot_lines
from benchmarks.reward.settings import Settings
from benchmarks.reward.views import slot_table
from benchmarks.reward.workload import generate
from models.reward import RewardInstance
from online.policy import Policy
from online.registry import find_policy
from online.reward.binpacking import BinPacking
from online.reward.drf import DRF
from online.reward.fairness import Fairness

__all__ = [
    "BASELINES",
    "GENEROUS",
    "GENEROUS_OF",
    "RULES",
    "SCHEMES",
    "along",
    "base_cell",
    "build",
    "draw",
    "means_of",
    "plot_along",
    "ratio_axis",
    "ratios_to_baselines",
    "run_sweep",
    "setting_of",
    "sweep_cells",
    "sweep_record",
]

RULES = ("ogasched", "ogasched-constant")
"""OGASched twice: with the steps of the paper's experiments, and with those of its theorem."""

BASELINES = ("drf", "fairness", "binpacking", "spreading")
"""As they are registered: DRF, BINPACKING and SPREADING give a job no more in total of a device
type than it requests; shares of FAIRNESS go over all ports of a server."""

_GENEROUS: Mapping[str, Callable[[], Policy]] = {
    "drf-per-server": lambda: DRF(per_server=True),
    "fairness-arrived": lambda: Fairness(arrived_only=True),
    "binpacking-per-server": lambda: BinPacking(per_server=True),
}

GENEROUS = tuple(_GENEROUS)
"""The same, where the paper can be read to allow them more: as much on every server as (3)
allows, so that BINPACKING and SPREADING coincide; shares over the jobs that came."""

GENEROUS_OF = dict(zip(BASELINES, (*GENEROUS, GENEROUS[-1]), strict=True))
"""Name of a baseline in its generous reading."""

SCHEMES = (*RULES, *BASELINES, *GENEROUS)
"""The policies of Figures 2, 3, 5, 6, 7 and of Table 2."""

_SETTINGS = (
    "ports",
    "servers",
    "slots",
    "density",
    "contention",
    "probability",
    "utilities",
    "beta_low",
    "beta_high",
)


def base_cell(*, ports: int = 10, servers: int = 128, slots: int = 2000, **changes: Any) -> Cell:
    """Settings of an instance: those of Table 1 and density 2.5, unless told otherwise."""
    return {
        "ports": ports,
        "servers": servers,
        "slots": slots,
        "density": 2.5,
        "contention": 10.0,
        "probability": 0.7,
        "utilities": "mixed",
        "beta_low": 0.3,
        "beta_high": 0.5,
        **changes,
    }


def sweep_cells(
    settings: Sequence[Cell], default_seeds: int, seeds: Sequence[int] | None
) -> list[Cell]:
    """One cell per setting, seed and policy; a setting that comes twice is taken once.

    The first setting is the base: :func:`along` takes it for what the others vary.
    """
    unique = list({tuple(cell.items()): cell for cell in settings}.values())
    chosen = range(default_seeds) if seeds is None else seeds
    return [
        {**cell, "seed": seed, "policy": policy}
        for cell in unique
        for seed in chosen
        for policy in SCHEMES
    ]


def draw(
    *, ports: int, beta_low: float, beta_high: float, seed: int, **settings: Any
) -> RewardInstance:
    """Draw an instance of the synthetic workload.

    ``settings`` are fields of :class:`benchmarks.reward.settings.Settings`.
    """
    chosen = Settings(jobs=ports, beta=(beta_low, beta_high), seed=seed, **settings)
    return generate(chosen, np.random.default_rng(seed))[0]


def build(name: str) -> Policy | type[Policy]:
    """A policy of :data:`SCHEMES`, or any registered one."""
    return _GENEROUS[name]() if name in _GENEROUS else find_policy("reward", name)


def sweep_record(instance: RewardInstance, policy: type[Policy] | Policy) -> dict[str, float]:
    """Run one policy.

    Returns
    -------
    dict
        ``reward``, accumulated; ``average``, ``gain`` and ``penalty``, means per slot;
        ``negative``, share of the slots with a reward below 0.
    """
    slots = slot_table(run_policy(instance, policy))
    return {
        "reward": float(slots["reward"].sum()),
        "average": float(slots["reward"].mean()),
        "gain": float(slots["gain"].mean()),
        "penalty": float(slots["penalty"].mean()),
        "negative": float((slots["reward"] < 0).mean()),
    }


def run_sweep(*, policy: str, **settings: Any) -> list[dict[str, Any]]:
    """Run one policy on one instance: the cell and what :func:`sweep_record` says."""
    record = sweep_record(draw(**settings), build(policy))
    return [{**settings, "policy": policy, **record}]


def along(frame: pd.DataFrame, column: str, *others: str) -> pd.DataFrame:
    """Rows in which no setting but these differs from the base, which is the first row's.

    Sorted by the first; the order of the policies stays.
    """
    fixed = [name for name in _SETTINGS if name not in (column, *others)]
    same = (frame[fixed] == frame[fixed].iloc[0]).all(axis=1)
    return frame[same].sort_values(column, kind="stable")


def ratios_to_baselines(frame: pd.DataFrame, first: str, *, x: str, y: str) -> pd.DataFrame:
    """Value of one policy over that of each baseline, seed by seed.

    Returns
    -------
    DataFrame
        ``x``, ``seed``, ``policy`` (the baseline) and ``ratio``; NaN where the baseline earned
        nothing or less.
    """
    own = frame[frame["policy"] == first].set_index([x, "seed"])[y]
    rest = frame[~frame["policy"].isin(RULES)]
    under = rest[y].where(rest[y] > 0).to_numpy()
    over = own.reindex(pd.MultiIndex.from_frame(rest[[x, "seed"]])).to_numpy()
    return rest[[x, "seed", "policy"]].assign(ratio=over / under)


def setting_of(frame: pd.DataFrame, *varied: str) -> str:
    """Size, density and contention of the base, for a title, but for what is varied."""
    base = frame.iloc[0]
    texts = {
        "ports": f"{base['ports']} ports",
        "servers": f"{base['servers']} servers",
        "slots": f"T = {base['slots']}",
        "density": f"density {base['density']:g}",
        "contention": f"contention {base['contention']:g}",
    }
    return ", ".join(text for name, text in texts.items() if name not in varied)


def means_of(frame: pd.DataFrame) -> str:
    """What the marks and bars of a line picture are, for its title."""
    return f"mean of {frame['seed'].nunique()} seeds, 95 % interval"


def plot_along(
    frame: pd.DataFrame,
    axes: Axes,
    *,
    x: str,
    y: str,
    xlabel: str,
    ylabel: str,
    title: str = "",
) -> None:
    """Lines of all policies along one setting, without a legend of their own."""
    plot_lines(
        frame,
        axes,
        x=x,
        y=y,
        series="policy",
        xlabel=xlabel,
        ylabel=ylabel,
        title=title,
        spacing="even",
        among=SCHEMES,
        legend=False,
    )


def ratio_axis(axes: Axes) -> None:
    """A logarithmic axis for ratios, with a line at 1."""
    axes.axhline(1.0, color="0.4", linewidth=0.8)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(
        LogLocator(subs=(1.0, 1.2, 1.5, 2.0, 3.0, 5.0) if high < 10 * low else (1.0, 2.0, 5.0))
    )
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
