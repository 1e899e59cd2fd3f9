"""Which instances a command works on: files, a real trace, or the default workload."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.cli import Parser, parse_count, parse_range
from benchmarks.traces import read_trace
from models.errors import InputError
from models.problem import problem, problem_names, read_instance, sub_package

__all__ = ["Size", "Workload", "add_instance_arguments", "instances_from"]


@dataclass(frozen=True)
class Size:
    """Size of generated instances.

    Parameters
    ----------
    jobs, slots : int
    servers : str
        As on the command line, e.g. ``"5+5"``.
    seeds : int
        How many.
    """

    jobs: int
    slots: int
    servers: str
    seeds: int


@dataclass(frozen=True)
class Workload:
    """What the commands need to know of a problem's instances: its ``benchmarks.X.WORKLOAD``.

    Parameters
    ----------
    default, quick : Size
        Sizes where none are asked for, without and with ``--quick``.
    draw : callable
        ``(*, jobs, slots, servers, seed, trace) -> (instance, report)``; trace is None for the
        synthetic workload, and the report prints what was drawn and kept.
    describe_mapping : callable
        ``(kind of trace) -> str``: how such a trace becomes an instance, in words.
    """

    default: Size
    quick: Size
    draw: Callable[..., tuple[Any, object]]
    describe_mapping: Callable[[str], str]


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
    parser.add_argument("--jobs", type=parse_count, help="jobs of an instance")
    parser.add_argument("--slots", type=parse_count, help="slots of the timespan")
    parser.add_argument("--servers", help="servers, e.g. 5+5: workers + parameter servers")
    parser.add_argument(
        "--seeds", type=parse_range, metavar="N|FIRST:LAST", help="seeds 0..N-1, or a range"
    )
    parser.add_argument("--quick", action="store_true", help="small instances, few seeds")


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
        given = [f"--{name}" for name in (*sizes, "quick") if getattr(args, name)]
        if given:
            raise InputError(f"{given[0]} does not go with --instance: the file says it")
        return _read_all([path for group in args.instance for path in group], args.problem)
    workload: Workload = sub_package("benchmarks", args.problem).WORKLOAD
    trace = read_trace(args.trace) if args.trace else None
    default: Size = workload.quick if args.quick else workload.default
    return [
        workload.draw(
            jobs=sizes["jobs"] or default.jobs,
            slots=sizes["slots"] or default.slots,
            servers=sizes["servers"] or default.servers,
            seed=seed,
            trace=trace,
        )[0]
        for seed in sizes["seeds"] or range(default.seeds)
    ]


def _read_all(paths: Sequence[str], problem_name: str) -> list[Any]:
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
