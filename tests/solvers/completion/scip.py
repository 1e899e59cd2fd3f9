"""The optimum over enumerated schedules by SCIP: another model, another solver."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pyscipopt

from models.completion import CompletionInstance
from models.completion.column import Column
from models.tolerance import tolerant

__all__ = ["scip_optimum"]


def scip_optimum(ins: CompletionInstance, found: list[Column]) -> float:
    """Least weighted completion time of one column for each job."""
    model = pyscipopt.Model()
    model.hideOutput()
    model.setParam("limits/gap", 0.0)
    chosen = [model.addVar(vtype="B", obj=-column.value) for column in found]
    use: dict[tuple[int, int, int], list[Any]] = defaultdict(list)
    of_job: dict[int, list[Any]] = defaultdict(list)
    for x, column in zip(chosen, found, strict=True):
        of_job[column.job].append(x)
        servers, amounts = column.servers, column.amounts(ins.cluster)
        for t in range(column.start, column.completion):
            for h, row in zip(servers.tolist(), amounts.tolist(), strict=True):
                for r, amount in enumerate(row):
                    use[t, h, r].append(amount * x)
    for group in of_job.values():
        model.addCons(pyscipopt.quicksum(group) == 1)
    room = tolerant(ins.cluster.servers)
    for (_, h, r), terms in use.items():
        model.addCons(pyscipopt.quicksum(terms) <= float(room[h, r]))
    model.optimize()
    assert model.getStatus() == "optimal"
    return float(model.getObjVal())
