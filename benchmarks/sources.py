"""Which instances the cells of a command work on: files, or drawn, synthetic or from a trace."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.contract import experiments_of
from benchmarks.instances import parse_set, read_files
from benchmarks.study.instances import Source, drawn, given, instance_of, trace_digest
from models.errors import InputError
from models.problem import problem

__all__ = ["Sources", "sources_from"]


@dataclass(frozen=True)
class Sources:
    """Instances as cells name them.

    Parameters
    ----------
    asked : mapping
        The same in few words, in JSON types, for the record of a run.
    data : mapping
        By the file hash of a source, what its cells need with it.
    """

    instances: tuple[Source, ...]
    asked: Mapping[str, Any]
    data: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)


def sources_from(args: argparse.Namespace) -> Sources:
    """Instances that the options of ``add_instance_arguments`` ask for.

    Files are read, and the first instance is drawn, so that bad input shows before anything runs.

    Raises
    ------
    InputError
        If a file, trace or setting is bad, or an option does not go with the others.
    """
    problem(args.problem)  # a clear error for an unknown problem
    if args.instance:
        return _of_files(args)
    workload = experiments_of(args.problem).workload
    default = workload.quick if args.quick else workload.default
    seeds = list(args.seeds or range(default.seeds))
    asked: dict[str, Any] = {
        "jobs": args.jobs or default.jobs,
        "slots": args.slots or default.slots,
        "servers": workload.parse_servers(args.servers) if args.servers else default.servers,
        "settings": parse_set(workload, args.set),
        "trace": trace_digest(args.trace) if args.trace else None,
    }
    sources = tuple(drawn(args.problem, seed=seed, **asked) for seed in seeds)
    instance_of(sources[0])
    return Sources(sources, {"problem": args.problem, "seeds": seeds, **asked})


def _of_files(args: argparse.Namespace) -> Sources:
    options = ("jobs", "slots", "servers", "seeds", "quick", "set")
    refused = [f"--{name}" for name in options if getattr(args, name)]
    if refused:
        raise InputError(f"{refused[0]} does not go with --instance: the file says it")
    found = [
        given(instance)
        for instance in read_files(
            [path for group in args.instance for path in group], args.problem
        )
    ]
    return Sources(
        tuple(source for source, _ in found),
        {"problem": args.problem, "files": {source["name"]: source["file"] for source, _ in found}},
        {source["file"]: data for source, data in found},
    )
