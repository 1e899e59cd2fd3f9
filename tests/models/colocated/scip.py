"""The optimum of `colocated` by SCIP: Fact 1 as a product of variables, on plain totals."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pyscipopt

from models.colocated import ColocatedInstance
from models.tolerance import tolerant

__all__ = ["scip_optimum"]

_ROUND_OFF = 1 - 1e-9


def scip_optimum(ins: ColocatedInstance) -> float:
    """Greatest total utility.

    ``on[h]`` says that a job has workers or parameter servers on server h in the slot, ``one`` that
    it has them on one server only: ``one + on[h] + on[k] <= 2`` for all pairs. A slot trains
    ``sum w (1 / external + (1 / internal - 1 / external) one)`` samples, a product. ``end`` is
    where the job completes; after it nothing runs.
    """
    model, slots = pyscipopt.Model(), range(ins.cluster.slots)
    model.hideOutput()
    model.setParam("limits/gap", 0.0)
    room, servers = tolerant(ins.cluster.servers), range(len(ins.cluster.servers))
    use: dict[tuple[int, int], list[tuple[Any, Any]]] = {(t, h): [] for t in slots for h in servers}
    worth = []
    for job in ins.jobs:
        end = [model.addVar(vtype="B") for _ in slots]
        model.addCons(pyscipopt.quicksum(end) <= 1)
        trained = []
        for t in slots:
            w, s = ([model.addVar(vtype="I", lb=0) for _ in servers] for _ in range(2))
            on, one = [model.addVar(vtype="B") for _ in servers], model.addVar(vtype="B")
            workers = pyscipopt.quicksum(w)
            running = pyscipopt.quicksum(end[t:]) if t >= job.arrival else 0
            model.addCons(workers <= job.max_workers * running)
            model.addCons(workers * _ROUND_OFF <= job.gamma * pyscipopt.quicksum(s))
            most_ps = job.ps_needed(job.max_workers)
            for h in servers:
                model.addCons(w[h] <= job.max_workers * on[h])
                model.addCons(s[h] <= most_ps * on[h])
                use[t, h] += [(job.worker, w[h]), (job.ps, s[h])]
            for h, k in combinations(servers, 2):
                model.addCons(one + on[h] + on[k] <= 2)
            external, internal = 1.0 / job.external_slots, 1.0 / job.internal_slots
            trained.append(workers * external + (internal - external) * workers * one)
        done = job.samples * _ROUND_OFF * pyscipopt.quicksum(end)
        model.addCons(pyscipopt.quicksum(trained) >= done)
        worth += [u * e for u, e in zip(job.values(len(slots)).tolist(), end, strict=True)]
    for (_, h), terms in use.items():
        for r, capacity in enumerate(room[h].tolist()):
            amounts = [float(demand[r]) * count for demand, count in terms]
            model.addCons(pyscipopt.quicksum(amounts) <= capacity)
    model.setObjective(pyscipopt.quicksum(worth), "maximize")
    model.optimize()
    assert model.getStatus() == "optimal"
    return float(model.getObjVal())
