"""The measured process of :mod:`benchmarks.gap`: ``python -m benchmarks.gap_worker CELL``.

CELL is JSON. The process writes two lines of JSON to standard output: ``null`` when it has loaded
and compiled everything, from where on its time counts, and what it has found. Standard
input stays open as long as the parent lives; its end is the process's end.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

from benchmarks.evaluate import InfeasibleSchedule
from benchmarks.instances import parse_set
from benchmarks.workload.contract import Size, Workload
from models.problem import problem, sub_package
from solvers.result import SolveResult, relative_gap

__all__ = ["main"]

_WARM_UP = 10.0  # seconds, at most


def main(text: str) -> None:
    """Solve one cell."""
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints must not end up among the messages
    threading.Thread(target=_end_with_parent, daemon=True).start()
    cell = json.loads(text)
    name = cell["problem"]
    workload: Workload = sub_package("benchmarks", name).WORKLOAD
    _, method = sub_package("benchmarks", name, "gap").METHODS[cell["method"]]
    method(_draw(workload, workload.quick), _WARM_UP, cell["threads"])
    servers = workload.parse_servers(cell["servers"])
    size = Size(cell["jobs"], cell["slots"], servers, seeds=1)
    settings = parse_set(workload, cell.get("set", []))
    instance = _draw(workload, size, cell["seed"], **settings)
    print("null", file=pipe, flush=True)
    began, worked = time.perf_counter(), _cpu_seconds()
    result = method(instance, cell["time_limit"], cell["threads"])
    times = {"seconds": time.perf_counter() - began, "cpu_seconds": _cpu_seconds() - worked}
    found = {"load": problem(name).load(instance), **times, **_outcome(instance, result)}
    print(json.dumps(found), file=pipe, flush=True)


def _draw(workload: Workload, size: Size, seed: int = 0, **settings: Any) -> Any:
    return workload.draw(
        jobs=size.jobs,
        slots=size.slots,
        servers=size.servers,
        seed=seed,
        trace=None,
        **settings,
    )[0]


def _cpu_seconds() -> float:
    """Of this process and the children it has waited for."""
    return sum(os.times()[:4])


def _outcome(instance: Any, result: SolveResult[Any]) -> dict[str, Any]:
    known, objective = problem(instance.problem), None
    if result.schedule is not None:
        judged = known.score(instance, result.schedule)
        if judged.violations:
            raise InfeasibleSchedule(f"{instance.name}: {judged.violations[0]}")
        objective = judged.objective
    nothing = known.negligible(instance)
    gap = relative_gap(known.sense, objective, result.bound, negligible=nothing)
    return {
        "objective": objective,
        "bound": result.bound,
        "gap": 1.0 if gap is None else min(gap, 1.0),
        "bound_source": None if result.bound is None else result.bound_source,
        "status": result.status,
        "message": result.message,
    }


def _end_with_parent() -> None:
    while os.read(0, 1):  # not through sys.stdin, whose lock the end of the process needs
        pass
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
