"""Which instances a command works on: files, a real trace, or the default workload."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

from benchmarks.cli import Parser, parse_count, parse_range
from benchmarks.contract import Experiments, experiments_of
from benchmarks.traces import read_trace
from benchmarks.workload.contract import Size, Workload
from models.errors import InputError
from models.problem import (
    all_offered,
    problem,
    problem_names,
    read_instance,
)

__all__ = [
    "add_instance_arguments",
    "add_set_argument",
    "instances_from",
    "parse_set",
    "parse_size",
    "read_files",
]


def add_instance_arguments(parser: Parser) -> None:
    """Options that choose the instances."""
    parser.add_argument(
        "--problem", default="utility", help=f"one of {', '.join(problem_names())} (default)"
    )
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
    parser.add_argument("--jobs", type=parse_count, help="jobs of an instance; reward: ports")
    parser.add_argument(
        "--slots", type=parse_count, help="slots of the timespan; jct: in which jobs arrive"
    )
    parser.add_argument(
        "--servers", help="servers, e.g. 5+5: workers + parameter servers; reward, jct: e.g. 128"
    )
    add_set_argument(parser)
    parser.add_argument(
        "--seeds", type=parse_range, metavar="N|FIRST:LAST", help="seeds 0..N-1, or a range"
    )
    parser.add_argument("--quick", action="store_true", help="small instances, few seeds")


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
    """Size of one instance, from ``JOBSxSLOTSxSERVERS``.

    Raises
    ------
    InputError
        If it is not that, with servers as the workload has them.
    """
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x(.+)", text)
    if match is None:
        example = f"20x20x{workload.show_servers(workload.servers.example)}"
        raise InputError(f"size '{text}': want JOBSxSLOTSxSERVERS, e.g. {example}")
    return Size(int(match[1]), int(match[2]), workload.parse_servers(match[3]), seeds=1)


def instances_from(args: argparse.Namespace) -> list[Any]:
    """Instances that the options ask for.

    Raises
    ------
    InputError
        If a file or trace is bad, or an option does not go with the others.
    """
    problem(args.problem)  # a clear error for an unknown problem
    sizes = {name: getattr(args, name) for name in ("jobs", "slots", "servers", "seeds")}
    if args.instance:
        given = [f"--{name}" for name in (*sizes, "quick", "set") if getattr(args, name)]
        if given:
            raise InputError(f"{given[0]} does not go with --instance: the file says it")
        return read_files([path for group in args.instance for path in group], args.problem)
    workload = experiments_of(args.problem).workload
    trace = read_trace(args.trace) if args.trace else None
    default: Size = workload.quick if args.quick else workload.default
    servers = workload.parse_servers(args.servers) if args.servers else default.servers
    settings = workload.with_usual(parse_set(workload, args.set), traced=args.trace is not None)
    return [
        workload.draw(
            jobs=sizes["jobs"] or default.jobs,
            slots=sizes["slots"] or default.slots,
            servers=servers,
            seed=seed,
            trace=trace,
            **settings,
        )[0]
        for seed in sizes["seeds"] or range(default.seeds)
    ]


def read_files(paths: Sequence[str], problem_name: str) -> list[Any]:
    """Instances of a problem from files.

    Raises
    ------
    InputError
        If one cannot be read, is of another problem, or two have the same name.
    """
    instances: list[Any] = []
    seen: dict[str, str] = {}
    for path in paths:
        instance = read_instance(path, expect=problem_name)
        for what, key in (("instance", instance.hash), ("name", instance.name)):
            if key in seen:
                raise InputError(f"{path}: the same {what} as in {seen[key]}")
            seen[key] = path
        instances.append(instance)
    return instances
