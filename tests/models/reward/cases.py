"""Random instances of the ``reward`` problem for the tests of its solvers."""

from __future__ import annotations

import numpy as np

from models.reward.files import RewardFile, Utilities
from models.reward.instance import RewardInstance
from models.reward.utilities import KINDS

__all__ = ["random_reward"]


def random_reward(
    rng: np.random.Generator,
    *,
    ports: int = 4,
    servers: int = 5,
    devices: int = 3,
    slots: int = 6,
    density: float = 2.0,
    most: int = 1,
    kind: str | None = None,
    alpha: tuple[float, float] = (1.0, 1.5),
    beta: tuple[float, float] = (0.3, 0.5),
    contention: float = 3.0,
    zeros: bool = False,
    gangs: bool = False,
) -> RewardInstance:
    """An instance with utilities of all kinds, or of one; some capacities and requests 0.

    Parameters
    ----------
    density : float
        Mean number of ports per server.
    most : int
        Jobs that may arrive at a port in a slot.
    alpha : tuple of float
        Range of the parameters of the utilities; logarithms are uniform.
    contention : float
        Requests on a server compared to its capacities, about.
    zeros : bool
        Whether some capacities and requests are 0.
    gangs : bool
        Whether jobs consist of two components, which have to run both.
    """
    capacities = rng.integers(1, 20, (servers, devices)).astype(float)
    requests = np.ceil(rng.uniform(0.2, 1.0, (ports, devices)) * 10 * contention / density)
    if zeros:
        capacities[rng.random((servers, devices)) < 0.2] = 0.0
        requests[rng.random((ports, devices)) < 0.2] = 0.0
        requests[:, 0] = np.maximum(requests[:, 0], 1.0)
    edges = np.argwhere(rng.random((ports, servers)) < density / ports)
    kinds = rng.choice(KINDS, (servers, devices)).tolist()
    parameters = np.exp(rng.uniform(*np.log(alpha), (servers, devices)))
    components = None
    if gangs:
        first = np.floor(requests / 2.0)
        first[:, 0] = requests[:, 0] / 2.0
        components = [[a.tolist(), (b - a).tolist()] for a, b in zip(first, requests, strict=True)]
    return RewardInstance.from_file(
        RewardFile(
            format="1",
            problem="reward",
            name="random",
            slots=slots,
            devices=[f"d{k}" for k in range(devices)],
            capacities=capacities.tolist(),
            requests=requests.tolist(),
            edges=[(int(port), int(server)) for port, server in edges],
            utilities=Utilities(kind or kinds, parameters.tolist()),
            beta=rng.uniform(*beta, devices).tolist(),
            arrivals=rng.binomial(most, 0.7, (slots, ports)).tolist(),
            components=components,
            minimum_running=[2] * ports if gangs else None,
        )
    )
