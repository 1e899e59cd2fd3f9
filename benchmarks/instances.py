"""Which instances a command works on: files, or drawn, synthetic or from a trace."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.cli import Parser, parse_count
from benchmarks.contract import Experiments, experiments_of
from benchmarks.study.instances import Source, drawn, given, instance_of, trace_digest
from benchmarks.workload.contract import Size, Workload
from models.errors import InputError
from models.problem import all_offered, problem, problem_names, read_instance

__all__ = [
    "Sources",
    "add_drawing_arguments",
    "add_instance_arguments",
    "add_set_argument",
    "add_source_arguments",
    "parse_set",
    "parse_size",
    "size_asked",
    "sources_from",
    "sources_of_files",
]


@dataclass(frozen=True)
class Sources:
    """Instances as cells name them.

    Parameters
    ----------
    instances : tuple of Source
    asked : mapping
        The same in few words, in JSON types, for the record of a run.
    data : mapping
        By the file hash of a source, what its cells need with it.
    """

    instances: tuple[Source, ...]
    asked: Mapping[str, Any]
    data: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)


def add_instance_arguments(parser: Parser) -> None:
    """Options that choose the instances, for :func:`sources_from`."""
    add_source_arguments(parser)
    add_drawing_arguments(parser)
    parser.add_seeds()
    parser.add_argument("--quick", action="store_true", help="small instances, few seeds")


def add_source_arguments(parser: Parser) -> None:
    """``--instance`` or ``--trace``."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--instance",
        action="append",
        nargs="+",
        default=[],
        metavar="FILE",
        help="instance files instead of generated ones",
    )
    source.add_argument(
        "--trace",
        metavar="KIND:PATH",
        help="take arrivals (and what else it has) from a real trace; "
        "see python -m benchmarks.trace --help",
    )


def add_drawing_arguments(parser: Parser) -> None:
    """The problem, the size and the settings of what is drawn."""
    parser.add_argument(
        "--problem", default="utility", help=f"one of {', '.join(problem_names())} (default)"
    )
    parser.add_argument("--jobs", type=parse_count, help="jobs of an instance; reward: ports")
    parser.add_argument(
        "--slots", type=parse_count, help="slots of the timespan; jct: in which jobs arrive"
    )
    parser.add_argument(
        "--servers", help="servers, e.g. 5+5: workers + parameter servers; reward, jct: e.g. 128"
    )
    add_set_argument(parser)


def add_set_argument(parser: Parser) -> None:
    """Option for the further settings of a workload, read by :func:`parse_set`."""
    named = "; ".join(
        f"{name}: {', '.join(f'{key}={value}' for key, value in side.workload.examples.items())}"
        for name, side in all_offered("benchmarks", "EXPERIMENTS", Experiments).items()
        if side.workload.examples
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"a setting of the workload; repeat for several ({named})",
    )


def parse_set(workload: Workload, given: Sequence[str]) -> dict[str, Any]:
    """Settings of a workload from ``NAME=VALUE`` texts.

    Raises
    ------
    InputError
        If a text is no such pair, a name is unknown or stands twice, or a value is bad.
    """
    texts: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set {text}: want NAME=VALUE")
        if name in texts:
            raise InputError(f"--set {text}: '{name}' is set twice")
        texts[name] = value
    return workload.read_settings(texts)


def parse_size(workload: Workload, text: str) -> Size:
    """Size of one instance, from ``JOBSxSLOTSxSERVERS``; InputError if it is not that."""
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x(.+)", text)
    if match is None:
        example = f"20x20x{workload.show_servers(workload.servers.example)}"
        raise InputError(f"size '{text}': want JOBSxSLOTSxSERVERS, e.g. {example}")
    return Size(int(match[1]), int(match[2]), workload.parse_servers(match[3]), seeds=1)


def size_asked(args: argparse.Namespace, workload: Workload, default: Size) -> dict[str, Any]:
    """``jobs``, ``slots`` and ``servers``: those of the options, else of the default."""
    return {
        "jobs": args.jobs or default.jobs,
        "slots": args.slots or default.slots,
        "servers": workload.parse_servers(args.servers) if args.servers else default.servers,
    }


def sources_from(args: argparse.Namespace) -> Sources:
    """Instances that the options of :func:`add_instance_arguments` ask for.

    Files are read, and the first instance is drawn, so that bad input shows before anything runs.

    Raises
    ------
    InputError
        If a file, trace or setting is bad, or an option does not go with the others.
    """
    problem(args.problem)  # a clear error for an unknown problem
    if args.instance:
        return sources_of_files(args, ("jobs", "slots", "servers", "seeds", "quick", "set"))
    workload = experiments_of(args.problem).workload
    default = workload.quick if args.quick else workload.default
    seeds = list(args.seeds or range(default.seeds))
    asked: dict[str, Any] = {
        **size_asked(args, workload, default),
        "settings": workload.with_usual(
            parse_set(workload, args.set), traced=args.trace is not None
        ),
        "trace": trace_digest(args.trace) if args.trace else None,
    }
    sources = tuple(drawn(args.problem, seed=seed, **asked) for seed in seeds)
    instance_of(sources[0])
    return Sources(sources, {"problem": args.problem, "seeds": seeds, **asked})


def sources_of_files(args: argparse.Namespace, refused: Sequence[str]) -> Sources:
    """The instances of ``--instance``.

    Raises
    ------
    InputError
        If one of the options is given that do not go with it, or a file cannot be read, is of
        another problem, or is there twice, itself or its name.
    """
    for name in refused:
        if getattr(args, name):
            raise InputError(f"--{name} does not go with --instance: the file says it")
    found: list[tuple[Source, dict[str, bytes]]] = []
    seen: dict[str, str] = {}
    for path in (path for group in args.instance for path in group):
        instance = read_instance(path, expect=args.problem)
        for what, key in (("instance", instance.hash), ("name", instance.name)):
            if key in seen:
                raise InputError(f"{path}: the same {what} as in {seen[key]}")
            seen[key] = path
        found.append(given(instance))
    return Sources(
        tuple(source for source, _ in found),
        {"problem": args.problem, "files": {source["name"]: source["file"] for source, _ in found}},
        {source["file"]: data for source, data in found},
    )
