"""Which instances a command works on: files, a real trace, or the default workload."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.cli import Parser, parse_count, parse_range
from benchmarks.traces import read_trace
from models.errors import InputError
from models.problem import (
    has_sub_package,
    problem,
    problem_names,
    read_instance,
    sub_package,
)

__all__ = [
    "Size",
    "Words",
    "Workload",
    "add_instance_arguments",
    "add_set_argument",
    "instances_from",
    "parse_set",
    "parse_size",
]


@dataclass(frozen=True)
class Size:
    """Size of generated instances.

    Parameters
    ----------
    jobs, slots : int
        What they count depends on the problem: for ``reward``, ``jobs`` are ports, job types; for
        ``jct``, ``slots`` are those in which jobs arrive.
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
class Words:
    """What a problem calls things in tables.

    Parameters
    ----------
    done : str
        Heading of the share of jobs that count as completed.
    events : tuple of str
        Kinds of events that its policies answer.
    """

    done: str = "jobs done"
    events: tuple[str, ...] = ("arrival", "slot")


@dataclass(frozen=True)
class Workload:
    """What the commands need to know of a problem's instances: its ``benchmarks.X.WORKLOAD``.

    Parameters
    ----------
    default, quick : Size
        Sizes where none are asked for, without and with ``--quick``.
    draw : callable
        ``(*, jobs, slots, servers, seed, trace, **settings) -> (instance, report)``; trace is
        None for the synthetic workload, and the report prints what was drawn and kept.
    describe_mapping : callable
        ``(kind of trace) -> str``: how such a trace becomes an instance, in words.
    options : mapping of str to str
        Further settings of ``draw`` that a command line may give as ``--set NAME=VALUE``, and an
        example of a value.
    parse_options : callable
        ``(texts by name) -> settings``; raises InputError.
    words : Words
    load : callable
        ``(instance) -> float or None``: how much there is to do; None where it is not defined.
    """

    default: Size
    quick: Size
    draw: Callable[..., tuple[Any, object]]
    describe_mapping: Callable[[str], str]
    options: Mapping[str, str] = field(default_factory=dict)
    parse_options: Callable[[Mapping[str, str]], dict[str, Any]] = lambda given: {}
    words: Words = Words()
    load: Callable[[Any], float | None] = lambda instance: None


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
        f"{name}: {', '.join(f'{key}={value}' for key, value in workload.options.items())}"
        for name in problem_names()
        if has_sub_package("benchmarks", name)
        and (workload := sub_package("benchmarks", name).WORKLOAD).options
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"a setting of the workload; repeat for several ({named})",
    )


def parse_set(workload: Workload, problem_name: str, given: Sequence[str]) -> dict[str, Any]:
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
        if not workload.options:
            raise InputError(f"--set {text}: the workload of '{problem_name}' has no settings")
        if name in texts:
            raise InputError(f"--set {text}: '{name}' is set twice")
        texts[name] = value
    return workload.parse_options(texts)


def parse_size(text: str) -> Size:
    """Size of one instance, from ``JOBSxSLOTSxSERVERS``.

    Raises
    ------
    InputError
        If it is not that; what servers look like is the workload's to say.
    """
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x(.+)", text)
    if match is None:
        raise InputError(f"size '{text}': want JOBSxSLOTSxSERVERS, e.g. 20x20x10+10")
    return Size(int(match[1]), int(match[2]), match[3], seeds=1)


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
        return _read_all([path for group in args.instance for path in group], args.problem)
    workload: Workload = sub_package("benchmarks", args.problem).WORKLOAD
    trace = read_trace(args.trace) if args.trace else None
    default: Size = workload.quick if args.quick else workload.default
    settings = parse_set(workload, args.problem, args.set)
    return [
        workload.draw(
            jobs=sizes["jobs"] or default.jobs,
            slots=sizes["slots"] or default.slots,
            servers=sizes["servers"] or default.servers,
            seed=seed,
            trace=trace,
            **settings,
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
