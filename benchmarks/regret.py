"""Measure regret: the reward of the best fixed decision in hindsight minus the reward achieved.

The former is certified. Around one base, growing horizons and growing numbers of ports; a power law
is fitted to each. Writes rows (csv, jsonl), curves and growth (csv) and two pictures.

Examples
--------
python -m benchmarks.regret
    the default: four kinds of arrivals, 5 seeds; five minutes or more
python -m benchmarks.regret --quick
    a small version, in seconds
python -m benchmarks.regret --arrivals coin,adaptive --policy ogasched-constant --seeds 20
    one policy on two adversarial sequences, the second made against it
python -m benchmarks.regret --base 10x8000 --slots 1000,2000,4000,8000 --ports 10
    growth with the horizon alone
python -m benchmarks.regret --trace alibaba:../shared/data
    machines, requests and arrivals from real traces
python -m benchmarks.regret --set contention=1 --set utilities=linear --dynamic 20
    small requests, with which (14) says more; and dynamic regret
python -m benchmarks.regret --instance one.json two.json.gz --format csv
    your own instances: no growth; a table for pandas
"""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.cli import (
    Parser,
    engine_of,
    isolation_of,
    parse_count,
    parse_list,
    parse_positive,
    run_command,
)
from benchmarks.contract import (
    ADAPTIVE,
    TRACE,
    RegretSizes,
    experiments_of,
    regret_parts,
    with_part,
)
from benchmarks.instances import (
    add_policy_argument,
    add_set_argument,
    add_source_arguments,
    sources_of_files,
    take_parameters,
)
from benchmarks.study.instances import instance_of, trace_digest
from benchmarks.study.scheme import Scheme, default_policies, schemes_of, with_parameters
from benchmarks.tables import add_table_arguments, layout_of, print_rows, wrap
from models.errors import InputError

if TYPE_CHECKING:
    from benchmarks.study.study import Trial

_NOT_WITH_FILES = ("base", "slots", "ports", "servers", "seeds", "arrivals", "set", "quick")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, write rows and pictures, print; returns the exit code, 1 if a cell has failed."""
    args = _parser().parse_args(argv)
    # What is heavy is imported once the options are known to be right.
    from benchmarks.regret_report import COLUMNS, CURVE, report
    from benchmarks.runs import Runs
    from benchmarks.study.regret import Regret
    from benchmarks.study.rows import records_of
    from benchmarks.study.store import Store
    from benchmarks.study.study import frames_of, trial_on

    layout = layout_of(args, COLUMNS)
    usual = regret_parts(args.problem).sizes["quick" if args.quick else "default"]
    policies = args.policy or default_policies(args.problem)
    schemes = schemes_of(args.problem, policies, isolation_of(args))
    schemes = with_parameters(args.problem, schemes, take_parameters(args))
    if args.instance:
        files, sizes = sources_of_files(args, _NOT_WITH_FILES), None
        trials = [trial_on(one, schemes, arrivals=one["name"]) for one in files.instances]
        measure, asked = Regret(args.dynamic, files.data), dict(files.asked)
    else:
        sizes = _sizes_asked(args, usual)
        trials, measure = _drawn(args, sizes, schemes), Regret(args.dynamic)
        asked = {"problem": args.problem, **vars(sizes), "settings": args.set}
        asked |= {"scaling": args.scaling, "trace": trials[0].entries[0].settings.get("trace")}
    asked |= {"policies": {one.name: one.policy for one in schemes}, "dynamic": args.dynamic}
    runs = Runs(args.out or f"results/regret-{args.problem}", asked, args.run)
    words = f"regret of {args.problem}"
    with engine_of(args) as engine:
        store = Store(runs.path / "cells")
        (frame,) = frames_of([(measure, trials)], store=store, engine=engine, progress=words)
    rows = frame.drop(columns=list(CURVE), errors="ignore")
    texts, pictures = report(frame, sizes, args.scaling, layout, runs.folder)
    runs.finish(records_of(rows))
    if texts:
        title = f"{args.problem}, regret against the best fixed decision in hindsight"
        written = f"{runs.words}; pictures: {', '.join(map(str, pictures))}"
        print_rows(records_of(rows), layout, wrap([title], layout), *texts, wrap([written], layout))
    else:
        print("no policy on no instance could be compared", file=sys.stderr)
    return int(bool(engine.failed))


def _sizes_asked(args: Namespace, usual: RegretSizes) -> RegretSizes:
    """What is not given is that of the size."""
    slots, ports = args.slots or usual.slots, args.ports or usual.ports
    middle = usual.base[0] if usual.base[0] in ports else min(ports)
    base = args.base or (middle, max(slots))
    parse_servers = experiments_of(args.problem).workload.parse_servers
    arrivals = args.arrivals or ([TRACE] if args.trace else usual.arrivals)
    return RegretSizes(
        base=base,
        slots=tuple(sorted({*slots, base[1]})),
        ports=tuple(sorted({*ports, base[0]})),
        servers=parse_servers(args.servers) if args.servers else usual.servers,
        seeds=tuple(args.seeds or usual.seeds),
        arrivals=tuple(dict.fromkeys(arrivals)),
    )


def _drawn(args: Namespace, sizes: RegretSizes, schemes: Sequence[Scheme]) -> list[Trial]:
    """Trials on drawn instances; what cannot be drawn raises InputError here."""
    from benchmarks.study.regret import sources_around
    from benchmarks.study.study import trial_on

    settings = experiments_of(args.problem).workload.parse_set(args.set)
    if "arrivals" in settings:
        raise InputError("--set arrivals=...: say --arrivals here")
    if TRACE in sizes.arrivals and not args.trace:
        raise InputError(f"arrivals '{TRACE}': there is no --trace")
    trace = trace_digest(args.trace) if args.trace else None
    sources = list(sources_around(args.problem, sizes, settings, args.scaling, trace))
    for _, one in sources[:: len(sizes.seeds)]:
        instance_of(one)
    return [trial_on(one, schemes, arrivals=arrivals) for arrivals, one in sources]


def _base(text: str) -> tuple[int, int]:
    ports, _, slots = text.partition("x")
    if not (ports.isdecimal() and slots.isdecimal() and int(ports) and int(slots)):
        raise ArgumentTypeError(f"'{text}' is not PORTSxSLOTS, e.g. 10x2000")
    return int(ports), int(slots)


def _parser() -> Parser:
    parser = Parser("benchmarks.regret", __doc__)
    add, known = parser.add_argument, with_part("regret")
    add("--problem", default=known[0], help=f"one of {', '.join(known)} (default: {known[0]})")
    add_source_arguments(parser)
    base = "size that the others are around (default: usual or fewest ports, longest horizon)"
    add("--base", type=_base, metavar="PORTSxSLOTS", help=base)
    counts = parse_list(parse_count)
    add("--slots", type=counts, metavar="T,...", help="horizons, at the ports of the base")
    add("--ports", type=counts, metavar="L,...", help="numbers of ports, at the slots of the base")
    add("--servers", help="servers of all instances")
    parser.add_seeds()
    arrivals = f"patterns of `--set arrivals`; {ADAPTIVE}: by an adversary that sees each policy's "
    arrivals += f"last decision; or {TRACE}: of the trace (the default with --trace)"
    add("--arrivals", type=parse_list(str), metavar="NAME,...", help=arrivals)
    scaling = "what stays the same as ports are added: the servers of a port (default; the density "
    scaling += "grows with the ports, and (14) with their root), or the density (the servers of a "
    scaling += "port become fewer, and ports enter (14) through the largest request alone)"
    add("--scaling", choices=("degree", "density"), default="degree", help=scaling)
    add_policy_argument(parser, *known)
    parser.add_isolation()
    add_set_argument(parser, *known)
    dynamic = "dynamic regret, too, with so long for the optima of the slots (default: not)"
    add("--dynamic", type=parse_positive, metavar="SECONDS", help=dynamic)
    parser.add_engine()
    add("--quick", action="store_true", help="small sizes, few seeds")
    add_table_arguments(parser)
    parser.add_out("results/regret-PROBLEM", runs=True)
    return parser


if __name__ == "__main__":
    run_command(main)
