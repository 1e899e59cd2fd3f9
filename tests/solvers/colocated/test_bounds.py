"""Bounds from prices: no prices prove less than the optimum."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest

from models.colocated import ColocatedInstance, score
from models.errors import InputError
from models.files import canonical
from models.sigmoid import Sigmoid
from solvers.certificate import seal
from solvers.colocated.certificate import Certificate, certify, check
from solvers.colocated.pool_bound import PoolOracle, pool_bound, rounded
from solvers.colocated.pooled import PooledProblem
from solvers.column_generation import ColumnGeneration
from tests.models.colocated.small import NOTHING, constant, instance, job, random_instance

TOLERANT = 1e-5  # bounds reckon with 1e-6 more of every capacity


def random_prices(ins: ColocatedInstance, rng: np.random.Generator) -> np.ndarray:
    shape = ins.cluster.slots, len(ins.cluster.resources)
    scale = 10.0 ** rng.uniform(-3, 1.5)
    return scale * rng.random(shape) * (rng.random(shape) < rng.choice([0.2, 0.6, 1.0]))


def generated_prices(ins: ColocatedInstance) -> np.ndarray:
    problem = PooledProblem(ins)
    return problem.prices(ColumnGeneration(problem, gap=0.0).run().duals)
