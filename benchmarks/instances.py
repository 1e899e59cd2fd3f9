"""Which instances a command works on, files or drawn, and with which policies."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.cli import Parser, parse_count, parse_list
from benchmarks.contract import Experiments, experiments_of
from benchmarks.study.instances import Source, drawn, given, instance_of, trace_digest
from benchmarks.workload.contract import Size, Workload
from models.errors import InputError
from models.problem import all_offered, problem_names, problem_of_file, read_instance
from online.contract import OnlineSide

USUAL = "utility"
"""The problem of a command that is given none."""


@dataclass(frozen=True)
class Sources:
    """Instances as cells name them, and what cells need with them.

    ``asked`` is the same in few words, in JSON types, for the record of a run; ``data`` has the
    file of an instance by its hash.
    """

    instances: tuple[Source, ...]
    asked: Mapping[str, Any]
    data: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)


def add_instance_arguments(parser: Parser) -> None:
    """Options that choose the instances, for :func:`sources_from`, and the policies.

    No problem is the default: :func:`settle_problem` says which it is.
    """
    add_source_arguments(parser)
    add_drawing_arguments(parser, usual=f"that of the instance file, else {USUAL}")
    parser.set_defaults(problem=None)
    parser.add_seeds()
    parser.add_argument("--quick", action="store_true", help="small instances, few seeds")
    add_policy_argument(parser)


def settle_problem(args: argparse.Namespace) -> bool:
    """Fill in the problem where none is asked for: that of the first file, else the usual one.

    Returns whether it is the usual one because nothing says which. InputError if the file cannot
    be read, or is of no problem.
    """
    unasked = args.problem is None and not args.instance
    if args.problem is None:
        args.problem = problem_of_file(args.instance[0]) if args.instance else USUAL
    return unasked


def add_source_arguments(parser: Parser) -> None:
    """``--instance`` or ``--trace``."""
    files = "instance files instead of generated ones"
    trace = "take arrivals (and what else it has) from a real trace; "
    trace += "see python -m benchmarks.trace --help"
    add = parser.add_mutually_exclusive_group().add_argument
    add("--instance", action="extend", nargs="+", default=[], metavar="FILE", help=files)
    add("--trace", metavar="KIND:PATH", help=trace)


def add_drawing_arguments(parser: Parser, *, usual: str = USUAL) -> None:
    """The problem, the size and the settings of what is drawn, for :func:`drawing_asked`.

    ``usual`` says in words which problem is the default.
    """
    known = ", ".join(problem_names("benchmarks"))
    told = f"one of {known} (default: {usual})"
    parser.add_argument("--problem", default=USUAL, help=told)
    jobs, slots = _of_each(lambda load: load.words.jobs), _of_each(lambda load: load.words.slots)
    parser.add_argument("--jobs", type=parse_count, help=f"how many ({jobs})")
    parser.add_argument("--slots", type=parse_count, help=f"how many ({slots})")
    kinds = _of_each(lambda load: str(load.servers))
    parser.add_argument("--servers", help=f"how many of each kind ({kinds})")
    add_set_argument(parser)


def add_set_argument(parser: Parser, *problems: str) -> None:
    """Option for the further settings of a workload, read by its ``parse_set``.

    Its help is of these problems, by default of all.
    """
    known = _of_each(
        lambda load: ", ".join(f"{k}={value}" for k, value in load.examples.items()), problems
    )
    told = f"a setting of the workload; repeat for several ({known}); ratio and regret "
    told += "take POLICY.PARAMETER=VALUE, too"
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=told)


def take_parameters(args: argparse.Namespace) -> list[str]:
    """Take what is set of policies, ``POLICY.PARAMETER=VALUE``, out of ``--set``."""
    of_policies = [text for text in args.set if "." in text.partition("=")[0]]
    args.set = [text for text in args.set if text not in of_policies]
    return of_policies


def add_policy_argument(parser: Parser, *problems: str) -> None:
    """Option that chooses the policies: a list of references; with help on problems as above."""
    sides = all_offered("online", "ONLINE", OnlineSide)
    run = problems or problem_names("benchmarks")
    known = "; ".join(f"{name}: {', '.join(sides[name].policies)}" for name in run if name in sides)
    variants = _of_each(lambda load: ", ".join(load.variants), problems)
    fewer = _of_each(lambda load: ", ".join(load.policies or ()), problems)
    told = f"registered policies ({known}), variants of them ({variants}), "
    told += "module:Class or file.py:Class; several joined by "
    told += f"commas, or in several --policy (default: all registered{fewer and f'; {fewer}'})"
    words: dict[str, Any] = {"action": "extend", "type": parse_list(str), "default": []}
    parser.add_argument("--policy", metavar="NAME,...", help=told, **words)


def _of_each(say: Callable[[Workload], str], problems: Sequence[str] = ()) -> str:
    """What there is to say of the workload of each problem, by default of all, by its name."""
    sides = all_offered("benchmarks", "EXPERIMENTS", Experiments)
    chosen = problems or sides
    said = {name: say(sides[name].workload) for name in chosen}
    return "; ".join(f"{name}: {text}" for name, text in said.items() if text)


def drawing_asked(args: argparse.Namespace, default: Size) -> dict[str, Any]:
    """``jobs``, ``slots``, ``servers``, else those of the default, and ``settings``."""
    workload = experiments_of(args.problem).workload
    settings = workload.parse_set(args.set)
    return {
        "jobs": args.jobs or default.jobs,
        "slots": args.slots or default.slots,
        "servers": workload.parse_servers(args.servers) if args.servers else default.servers,
        "settings": workload.with_usual(settings, traced=args.trace is not None),
    }


def sources_from(args: argparse.Namespace) -> Sources:
    """Instances that the options of :func:`add_instance_arguments` ask for.

    Files are read, and the first instance is drawn, so that bad input (InputError) shows before
    anything runs.
    """
    workload = experiments_of(args.problem).workload
    if args.instance:
        return sources_of_files(args, ("jobs", "slots", "servers", "seeds", "quick", "set"))
    default = workload.quick if args.quick else workload.default
    seeds = list(args.seeds or range(default.seeds))
    asked = drawing_asked(args, default)
    asked["trace"] = trace_digest(args.trace) if args.trace else None
    sources = tuple(drawn(args.problem, seed=seed, **asked) for seed in seeds)
    instance_of(sources[0])
    return Sources(sources, {"problem": args.problem, "seeds": seeds, **asked})


def sources_of_files(args: argparse.Namespace, refused: Sequence[str]) -> Sources:
    """The instances of ``--instance``, which goes with none of the options that are refused.

    InputError if one of these is given, or a file cannot be read, is of another problem, or is
    there twice, itself or its name.
    """
    for name in refused:
        if getattr(args, name):
            raise InputError(f"--{name} does not go with --instance: the file says it")
    sources, data, seen = list[Source](), dict[str, Mapping[str, bytes]](), dict[str, str]()
    for path in args.instance:
        instance = read_instance(path, expect=args.problem)
        for what, key in (("instance", instance.hash), ("name", instance.name)):
            if key in seen:
                raise InputError(f"{path}: the same {what} as in {seen[key]}")
            seen[key] = path
        source, data[instance.hash] = given(instance)
        sources.append(source)
    files = {source["name"]: source["file"] for source in sources}
    return Sources(tuple(sources), {"problem": args.problem, "files": files}, data)
