"""What cells of ``reward`` measure: a policy on a synthetic instance, and what theory says."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.cell import Result
from benchmarks.study.instances import Points
from benchmarks.study.run import Run, run_policy, warm_policy
from benchmarks.study.scheme import policy_of
from models.reward import RewardInstance
from models.reward.load import load
from models.reward.reward import slot_reward
from online.reward.theory import gradient_bound
from solvers.reward.projection import algorithm_1, project

__all__ = ["concavity", "curve", "draw", "edges", "first_steps", "gradients", "projections"]
__all__ += ["seconds", "slot_table", "totals"]

_MOST = 100  # points of a curve
_POINTS = Points("reward", (), ("scheme",))

Record = dict[str, Any]


def draw(*, ports: int, beta_low: float, beta_high: float, **settings: Any) -> RewardInstance:
    """Draw an instance; settings are fields of :class:`benchmarks.reward.settings.Settings`."""
    found: RewardInstance = _POINTS.draw(jobs=ports, beta=[beta_low, beta_high], **settings)
    return found


def slot_table(run: Run) -> pd.DataFrame:
    """Gain, penalty and reward of every slot of a run, as the scorer saw them.

    One row per slot: ``slot`` (from 0), ``gain``, ``penalty``, ``reward`` (gain minus penalty),
    ``average`` (mean reward of the slots up to this one).
    """
    # Both events of a slot leave a row; the second knows what the slot was worth.
    rows = [row for row in run.trace.decisions if "gain" in row]
    table = pd.DataFrame(rows, columns=["gain", "penalty"])
    table.insert(0, "slot", np.arange(len(table)))
    table["reward"] = table["gain"] - table["penalty"]
    table["average"] = table["reward"].cumsum() / (table["slot"] + 1)
    return table


def _of_run(
    cell: Record, tell: Callable[[RewardInstance, Run, float], list[Record]]
) -> Callable[[], Result]:
    """Draw and compile; then records of the run and its seconds, after what says which it is."""
    scheme, instance = cell["scheme"], draw(**cell)
    policy, parameters = policy_of("reward", scheme["policy"]), scheme["parameters"]
    warm_policy("reward", scheme["policy"])
    settings = {name: value for name, value in cell.items() if name != "scheme"}
    head = {**settings, "load": load(instance), "policy": scheme["name"]}

    def measure() -> Result:
        begin = time.perf_counter()
        found = run_policy(instance, policy, **parameters)
        seconds = time.perf_counter() - begin
        return Result([{**head, **record} for record in tell(instance, found, seconds)])

    return measure


def totals(**cell: Any) -> Callable[[], Result]:
    """Prepare a run.

    ``reward`` is accumulated; ``average``, ``gain`` and ``penalty`` are means per slot; and
    ``negative`` is the share of the slots with a reward below 0.
    """
    return _of_run(cell, lambda instance, run, _: [_sums(run)])


def first_steps(**cell: Any) -> Callable[[], Result]:
    """Prepare the same, with ``initial`` and ``factor`` of the steps of a policy that has them."""
    steps = {name: cell["scheme"]["parameters"].get(name) for name in ("initial", "factor")}
    return _of_run(cell, lambda instance, run, _: [{**steps, **_sums(run)}])


def _sums(run: Run) -> dict[str, float]:
    slots = slot_table(run)
    means = {"average": "reward", "gain": "gain", "penalty": "penalty"}
    return {
        "reward": float(slots["reward"].sum()),
        **{name: float(slots[column].mean()) for name, column in means.items()},
        "negative": float((slots["reward"] < 0).mean()),
    }


def curve(**cell: Any) -> Callable[[], Result]:
    """Prepare a run: ``average`` and accumulated ``reward`` after each of some numbers of slots."""

    def tell(instance: RewardInstance, run: Run, _: float) -> list[Record]:
        table = slot_table(run)
        points = np.unique(np.linspace(0, len(table), _MOST + 1).round().astype(int))[1:]
        chosen = table.assign(slot=table["slot"] + 1, reward=table["reward"].cumsum())
        return chosen[["slot", "average", "reward"]].iloc[points - 1].to_dict("records")

    return _of_run(cell, tell)


def gradients(**cell: Any) -> Callable[[], Result]:
    """Prepare a run of a policy with gradient steps.

    ``growth`` is the mean step of the last tenth of the slots over that of the first, minus 1;
    ``share`` the largest squared gradient as a part of (22).
    """

    def tell(instance: RewardInstance, run: Run, _: float) -> list[Record]:
        rows = pd.DataFrame([row for row in run.trace.decisions if "step" in row])
        steps, most = rows["step"].to_numpy(), gradient_bound(instance.cluster) ** 2
        tenth = max(1, len(steps) // 10)
        growth = float(steps[-tenth:].mean() / steps[:tenth].mean() - 1.0)
        return [{"growth": growth, "share": float(rows["gradient_square"].max()) / most}]

    return _of_run(cell, tell)


def seconds(**cell: Any) -> Callable[[], Result]:
    """Prepare a run that is timed: ``seconds``."""
    return _of_run(cell, lambda instance, run, seconds: [{"seconds": seconds}])


def concavity(*, pairs: int, seed: int, **settings: Any) -> Callable[[], Result]:
    """Proposition 1: reward of a slot in the middle of two feasible allocations, minus the mean.

    ``least`` over random pairs.
    """
    cluster = draw(**settings, seed=seed).cluster
    rng = np.random.default_rng(seed)
    arrived = np.ones(len(cluster.copies), dtype=np.int64)

    def point() -> np.ndarray:
        wanted = rng.uniform(0.0, 2.0, cluster.shape) * cluster.upper * rng.random()
        return project(wanted, cluster.upper, cluster.capacities, cluster.server_start)

    def gain() -> float:
        one, two = point(), point()
        ends = (slot_reward(cluster, y, arrived)[0] for y in (one, two))
        return float(slot_reward(cluster, 0.5 * (one + two), arrived)[0] - 0.5 * sum(ends))

    return lambda: Result([{"pairs": pairs, "least": min(gain() for _ in range(pairs))}])


def projections(
    *, z: Sequence[float], most: Sequence[float], capacity: float, seed: int
) -> Callable[[], Result]:
    """A point of one (r, k) projected by Alg. 1, as ``printed``, and ``exact``."""
    point, upper, room = np.array(z), np.array(most), np.array([[capacity]])

    def measure() -> Result:
        exact = project(point[:, None].copy(), upper[:, None], room, np.array([0, len(z)]))[:, 0]
        printed = algorithm_1(point, upper, capacity)
        return Result([{"z": list(z), "printed": printed.tolist(), "exact": exact.tolist()}])

    return measure


def edges(*, ports: int, servers: int, degree: int, seed: int) -> Callable[[], Result]:
    """Number of ``edges`` of a right regular graph: every server has as many ports."""
    pairs = {((server + k) % ports, server) for server in range(servers) for k in range(degree)}
    record = {"ports": ports, "servers": servers, "degree": degree, "edges": len(pairs)}
    return lambda: Result([record])
