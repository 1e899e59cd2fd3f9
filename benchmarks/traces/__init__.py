"""Readers of public cluster traces: ``read_trace("KIND:PATH")``.

| kind | what | PATH |
|---|---|---|
| ``google`` | Google 2011: jobs, tasks, machines | folder or file |
| ``philly`` | Microsoft Philly jobs | csv or the original JSON |
| ``openb-nodes``, ``openb-pods`` | Alibaba openb (GPU trace 2023) | csv, or its folder |
| ``pai-machines`` | Alibaba PAI machine list (GPU trace 2020) | csv, or its folder |
| ``alibaba-2018`` | an hour of Alibaba's batch jobs (2018) | csv, or its folder |
| ``alibaba`` | machines, pods and jobs of the three Alibaba traces | the folder of their folders |
| ``edge-cloud`` | Philly, Alibaba 2018 and openb nodes at once | the folder of their folders |

A row that cannot be read is an error; a row that can but is of no use is dropped and
counted by reason. A new kind is one module and one line in ``KINDS``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.traces.alibaba import (
    read_alibaba_2018,
    read_openb_nodes,
    read_openb_pods,
    read_pai_machines,
)
from benchmarks.traces.google import read_google
from benchmarks.traces.mixed import read_alibaba, read_edge_cloud
from benchmarks.traces.philly import read_philly
from benchmarks.traces.table import Table, Trace
from models.errors import InputError

__all__ = ["KINDS", "Table", "Trace", "read_trace"]

KINDS: dict[str, Callable[[str], Trace]] = {
    "google": read_google,
    "philly": read_philly,
    "openb-nodes": read_openb_nodes,
    "openb-pods": read_openb_pods,
    "pai-machines": read_pai_machines,
    "alibaba-2018": read_alibaba_2018,
    "alibaba": read_alibaba,
    "edge-cloud": read_edge_cloud,
}


def read_trace(spec: str) -> Trace:
    """Open a trace named ``KIND:PATH``.

    Raises
    ------
    InputError
        If the kind is unknown, nothing is at the path, or a row cannot be read (naming the
        file and the line, counted from 1).
    """
    kind, colon, path = spec.partition(":")
    if not colon or kind not in KINDS:
        raise InputError(f"trace '{spec}': want KIND:PATH, with KIND one of {', '.join(KINDS)}")
    if not Path(path).exists():
        raise InputError(f"trace '{spec}': no file or folder '{path}'")
    return KINDS[kind](path)
