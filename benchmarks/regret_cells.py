"""The units of work of :mod:`benchmarks.regret`, from its options: one instance each."""

from __future__ import annotations

import hashlib
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.figure import Cell
from benchmarks.instances import parse_set
from benchmarks.regret_sizes import Study
from benchmarks.traces import Trace, read_trace
from benchmarks.workload.contract import Workload
from models.errors import InputError
from models.files import read_bytes
from models.problem import read_instance, sub_package

__all__ = ["TRACE", "drawn_cells", "given_cells", "study_of"]

TRACE = "trace"
"""Name of the arrivals of the trace itself."""


def given_cells(args: Namespace) -> tuple[list[Cell], Callable[[Cell], Any]]:
    """Cells of instance files.

    Returns
    -------
    list of Cell
    callable
        ``(cell) -> instance``.

    Raises
    ------
    InputError
        If a file is bad or stands twice, or an option does not go with files.
    """
    for name in ("base", "slots", "ports", "servers", "seeds", "arrivals", "set", "quick"):
        if getattr(args, name):
            raise InputError(f"--{name} does not go with --instance: the file says it")
    found: dict[str, Any] = {}
    cells = []
    for path in (path for group in args.instance for path in group):
        instance = read_instance(path, expect=args.problem)
        if instance.hash in found:
            raise InputError(f"{path}: the same instance as '{found[instance.hash].name}'")
        found[instance.hash] = instance
        cells.append({"instance": instance.hash, "arrivals": instance.name})
    return cells, lambda cell: found[cell["instance"]]


def study_of(args: Namespace, study: Study) -> Study:
    """The study asked for: what is not given is that of the size."""
    workload: Workload = sub_package("benchmarks", args.problem).WORKLOAD
    slots, ports = args.slots or study.slots, args.ports or study.ports
    base = args.base
    if base is None:
        middle = study.base[0] if study.base[0] in ports else min(ports)
        base = (middle, max(slots))
    return Study(
        base=base,
        slots=tuple(sorted({*slots, base[1]})),
        ports=tuple(sorted({*ports, base[0]})),
        servers=workload.parse_servers(args.servers) if args.servers else study.servers,
        seeds=tuple(args.seeds or study.seeds),
        arrivals=tuple(dict.fromkeys(args.arrivals or ([TRACE] if args.trace else study.arrivals))),
    )


def drawn_cells(
    args: Namespace, study: Study, part: Any
) -> tuple[list[Cell], Callable[[Cell], Any]]:
    """Cells of drawn instances; what cannot be drawn is found before anything is measured.

    Returns
    -------
    list of Cell
    callable
        ``(cell) -> instance``.

    Raises
    ------
    InputError
        If a setting, a size or the trace is bad.
    """
    workload: Workload = sub_package("benchmarks", args.problem).WORKLOAD
    settings = parse_set(workload, args.set)
    if "arrivals" in settings:
        raise InputError("--set arrivals=...: say --arrivals here")
    if TRACE in study.arrivals and not args.trace:
        raise InputError(f"arrivals '{TRACE}': there is no --trace")
    trace = read_trace(args.trace) if args.trace else None

    def draw(cell: Cell) -> Any:
        return workload.draw(**cell["draw"], trace=trace)[0]

    cells = []
    for arrivals in study.arrivals:
        pattern = {} if arrivals == TRACE else {"arrivals": arrivals}
        for point in study.points(args.scaling):
            more = part.scaled({**settings, **pattern}, study, point.factor)
            size = {"jobs": point.ports, "slots": point.slots, "servers": study.servers}
            for seed in study.seeds:
                cells.append(
                    {
                        "arrivals": arrivals,
                        "draw": {**size, "seed": seed, **more},
                        "trace": None if trace is None else _digest(trace),
                    }
                )
            draw(cells[-1])
    return cells, draw


def _digest(trace: Trace) -> dict[str, str]:
    """What is in the files of a trace."""
    files = [file for name in trace.names for file in trace.table(name).files]
    return {Path(file).name: hashlib.sha256(read_bytes(file)).hexdigest() for file in files}
