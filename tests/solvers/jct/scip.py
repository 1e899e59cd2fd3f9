"""The chunk model of `jct` written down once more, plainly, for SCIP."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyscipopt

from models.jct.instance import JctInstance

__all__ = ["scip_optimum"]


def scip_optimum(ins: JctInstance) -> float | None:
    """Least total JCT, or None if there is no schedule; chunks may also be split edge and cloud.

    ``late[j, t]`` says that job j is not complete when slot t begins; it replaces
    C_j >= (t + 1) y[j,w,t] and is what makes SCIP quick. No symmetry is broken, no window cut.
    """
    cluster, model = ins.cluster, pyscipopt.Model()
    model.hideOutput()
    model.setParam("limits/gap", 0.0)
    horizon = range(cluster.slots)
    workers = range(len(cluster.worker_type))
    y: dict[tuple[int, int, int], Any] = {}
    late: dict[tuple[int, int], Any] = {}
    stored = []
    for job in ins.jobs:
        j, p, r = job.index, job.chunk_slots, job.arrival
        for t in range(r, cluster.slots):
            late[j, t] = model.addVar(vtype="B")
            if t > r:
                model.addCons(late[j, t] <= late[j, t - 1])
        zeta = model.addVar(vtype="B", ub=1.0 if cluster.cloud else 0.0)
        in_cloud = model.addVar(vtype="I", ub=job.chunks if cluster.cloud else 0)
        k = {}
        for w in workers:
            able = cluster.worker_type[w] == job.worker_type
            k[w] = model.addVar(vtype="I", ub=job.chunks if able else 0)
            ready = r + int(job.upload_slots[cluster.worker_server[w]])
            for t in range(ready, cluster.slots) if able else ():
                y[j, w, t] = model.addVar(vtype="B")
                model.addCons(y[j, w, t] <= late[j, t])
            mine = [y[j, w, t] for t in horizon if (j, w, t) in y]
            model.addCons(pyscipopt.quicksum(mine) == p * k[w])
        model.addCons(pyscipopt.quicksum(k.values()) + in_cloud == job.chunks * (1 - zeta))
        if cluster.cloud:
            arrived = r + job.cloud_upload_slots
            whole, part = arrived + job.cloud_chunk_slots - 1, arrived + p - 1
            model.addCons(zeta <= (late[j, whole] if whole < cluster.slots else 0))
            bound = late[j, part] if part < cluster.slots else 0
            model.addCons(in_cloud <= job.chunks * bound)
        stored.append(k)
    for w in workers:
        for t in horizon:
            model.addCons(
                pyscipopt.quicksum(y[j, w, t] for j in range(len(ins.jobs)) if (j, w, t) in y) <= 1
            )
    if not cluster.cloud:
        _parameter_servers(ins, model, y)
    if cluster.has_storage_limits:
        _storage(ins, model, late, stored)
    model.setObjective(pyscipopt.quicksum(late.values()))
    model.optimize()
    return round(model.getObjVal()) if model.getStatus() == "optimal" else None


def _parameter_servers(ins: JctInstance, model: Any, y: dict[tuple[int, int, int], Any]) -> None:
    runs: dict[tuple[int, int], Any] = {}
    for (j, _, t), one in y.items():
        if (j, t) not in runs:
            runs[j, t] = model.addVar(vtype="B")
        model.addCons(one <= runs[j, t])
    for kind in range(len(ins.cluster.ps_types)):
        for t in range(ins.cluster.slots):
            needing = [
                run for (j, s), run in runs.items() if s == t and ins.jobs[j].ps_type == kind
            ]
            model.addCons(pyscipopt.quicksum(needing) <= int((ins.cluster.ps_type == kind).sum()))


def _storage(
    ins: JctInstance, model: Any, late: dict[tuple[int, int], Any], stored: list[dict[int, Any]]
) -> None:
    """A chunk is kept in slot t >= r while its job is not complete when t begins."""
    cluster = ins.cluster
    for s in np.flatnonzero(np.isfinite(cluster.storage_gb)).tolist():
        here = [w for w in range(len(cluster.worker_type)) if cluster.worker_server[w] == s]
        for t in range(cluster.slots):
            held = []
            for job in ins.jobs:
                if t < job.arrival:
                    continue
                kept = model.addVar(lb=0.0)
                chunks = pyscipopt.quicksum(stored[job.index][w] for w in here)
                model.addCons(kept >= chunks - job.chunks * (1 - late[job.index, t]))
                held.append(job.chunk_gb * kept)
            model.addCons(pyscipopt.quicksum(held) <= float(cluster.storage_gb[s]))
