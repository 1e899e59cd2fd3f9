"""``python -m benchmarks.regret``: regret of online policies, and how it grows."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from benchmarks.cli import Parser, parse_positive, parse_words, run_command
from benchmarks.contract import RegretSizes, experiments_of, regret_parts, with_part
from benchmarks.engines import add_engine_arguments, engine_of
from benchmarks.instances import (
    add_set_argument,
    add_source_arguments,
    parse_set,
    sources_of_files,
)
from benchmarks.pictures.save import save_picture
from benchmarks.ratio import add_policy_argument
from benchmarks.regret_report import (
    COLUMNS,
    format_growth,
    format_regret,
    growths,
    plot_curves,
    plot_growth,
)
from benchmarks.study.closure import versions_and_machine
from benchmarks.study.instances import Source, drawn, instance_of, trace_digest
from benchmarks.study.regret import TRACE, Regret, at_base, sizes_grid
from benchmarks.study.rows import records_of, to_json_lines
from benchmarks.study.scheme import Scheme, default_policies, schemes_of
from benchmarks.study.store import Store
from benchmarks.study.study import Entry, Trial, frames_of, succeeded
from benchmarks.tables import Layout, add_table_arguments, format_records, layout_of, wrap
from models.errors import InputError
from models.files import write_atomic

__all__ = ["main"]

_EXAMPLES = """
  python -m benchmarks.regret
      the default: 10 ports, 128 servers, up to 2000 slots, and up to 40 ports; Bernoulli and
      adversarial arrivals, 5 seeds; five minutes or more
  python -m benchmarks.regret --quick
      a small version, in seconds
  python -m benchmarks.regret --arrivals alternating,coin --policy ogasched-constant --seeds 20
      one policy on two adversarial sequences
  python -m benchmarks.regret --base 10x8000 --slots 1000,2000,4000,8000 --ports 10
      growth with the horizon alone
  python -m benchmarks.regret --trace alibaba:../shared/data
      machines, requests and arrivals from real traces
  python -m benchmarks.regret --set contention=1 --set utilities=linear --dynamic 20
      small requests, with which (14) says more; and dynamic regret, with 20 s for the optima
      of an instance's slots
  python -m benchmarks.regret --instance one.json two.json.gz --format csv
      your own instances: no growth; a table for pandas
"""

_SIZE = ("jobs", "slots", "servers")
_CURVE = ("curve_slots", "curve_regret")
_INSTANCE = ("instance", "seed", "arrivals", "ports", "slots", "servers", "density")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, write rows and pictures, print; returns the exit code, 1 if a cell has failed."""
    args = _parser().parse_args(argv)
    layout = layout_of(args, COLUMNS)
    parts = regret_parts(args.problem)
    schemes = schemes_of(args.problem, args.policy or default_policies(args.problem))
    sizes = None
    if args.instance:
        measure, trials = _of_files(args, schemes)
    else:
        sizes = _sizes_asked(args, parts.sizes["quick" if args.quick else "default"])
        measure, trials = _drawn(args, sizes, schemes)
    out = Path(args.out or Path("results") / f"regret-{args.problem}")
    engine = engine_of(args)
    store = Store(out / "cells")
    (frame,) = frames_of(
        [(measure, trials)], store=store, engine=engine, progress=f"regret of {args.problem}"
    )
    settings = {
        "options": {name: value for name, value in vars(args).items() if name != "out"},
        "study": None if sizes is None else vars(sizes),
        **versions_and_machine(),
    }
    text = json.dumps(settings, indent=1, default=list) + "\n"
    write_atomic(out / "settings.json", text.encode())
    rows = frame.drop(columns=list(_CURVE), errors="ignore")
    write_atomic(out / "rows.jsonl", to_json_lines(records_of(rows)).encode())
    found = succeeded(frame)
    if found.empty:
        print("no policy on no instance could be compared", file=sys.stderr)
        return engine.end()
    _show(args, layout, found, frame, sizes, out)
    return engine.end()


def _show(
    args: Namespace,
    layout: Layout,
    found: pd.DataFrame,
    frame: pd.DataFrame,
    sizes: RegretSizes | None,
    out: Path,
) -> None:
    """Draw and print."""
    base = found if sizes is None else found[at_base(found, sizes)]
    curves = base.explode(list(_CURVE)).rename(columns={"curve_slots": "slot"})
    curves["regret"] = curves["curve_regret"].astype(float)
    curves = curves[[*_INSTANCE, "policy", "slot", "regret"]]
    pictures = save_picture(plot_curves(curves), curves, out / "curves")
    rows = frame.drop(columns=list(_CURVE))
    if sizes is not None:
        growth = growths(rows, sizes)
        pictures += save_picture(plot_growth(succeeded(rows), sizes), growth, out / "growth")
    if args.format in ("csv", "json"):
        sys.stdout.write(format_records(records_of(rows), args.format))
    else:
        title = f"{args.problem}, regret against the best fixed decision in hindsight"
        print(f"{wrap([title], layout)}\n\n{format_regret(rows, sizes, layout)}")
        if sizes is not None:
            print(f"\n{format_growth(growth, sizes, args.scaling, layout)}")
        written = f"rows: {out / 'rows.jsonl'}; pictures: {', '.join(map(str, pictures))}"
        print(f"\n{wrap([written], layout)}")


def _of_files(args: Namespace, schemes: Sequence[Scheme]) -> tuple[Regret, list[Trial]]:
    """Measure and trials of instance files; raises InputError."""
    refused = ("base", "slots", "ports", "servers", "seeds", "arrivals", "set", "quick")
    sources = sources_of_files(args, refused)
    trials = [_trial(source, source["name"], schemes) for source in sources.instances]
    return Regret(args.dynamic, sources.data), trials


def _trial(source: Source, arrivals: str, schemes: Sequence[Scheme]) -> Trial:
    entries = tuple(Entry(scheme, "", source) for scheme in schemes)
    return Trial(source["problem"], {"arrivals": arrivals}, source["seed"] or 0, entries)


def _sizes_asked(args: Namespace, usual: RegretSizes) -> RegretSizes:
    """What is not given is that of the size."""
    slots, ports = args.slots or usual.slots, args.ports or usual.ports
    servers = usual.servers
    if args.servers:
        servers = experiments_of(args.problem).workload.parse_servers(args.servers)
    base = args.base
    if base is None:
        middle = usual.base[0] if usual.base[0] in ports else min(ports)
        base = (middle, max(slots))
    return RegretSizes(
        base=base,
        slots=tuple(sorted({*slots, base[1]})),
        ports=tuple(sorted({*ports, base[0]})),
        servers=servers,
        seeds=tuple(args.seeds or usual.seeds),
        arrivals=tuple(dict.fromkeys(args.arrivals or ([TRACE] if args.trace else usual.arrivals))),
    )


def _drawn(
    args: Namespace, sizes: RegretSizes, schemes: Sequence[Scheme]
) -> tuple[Regret, list[Trial]]:
    """Measure and trials of drawn instances; what cannot be drawn raises InputError here."""
    settings = parse_set(experiments_of(args.problem).workload, args.set)
    if "arrivals" in settings:
        raise InputError("--set arrivals=...: say --arrivals here")
    if TRACE in sizes.arrivals and not args.trace:
        raise InputError(f"arrivals '{TRACE}': there is no --trace")
    trace = trace_digest(args.trace) if args.trace else None
    trials = []
    for point in sizes_grid(args.problem, sizes, settings, args.scaling):
        arrivals, size = point["arrivals"], {name: point[name] for name in _SIZE}
        more = {name: value for name, value in point.items() if name not in _SIZE}
        if arrivals == TRACE:
            del more["arrivals"]
        for seed in sizes.seeds:
            source = drawn(args.problem, **size, seed=seed, settings=more, trace=trace)
            trials.append(_trial(source, arrivals, schemes))
        instance_of(source)
    return Regret(args.dynamic), trials


def _sizes(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.isdecimal() and int(word) for word in words):
        raise ArgumentTypeError(f"'{text}' are not positive whole numbers, e.g. 250,500,1000")
    return [int(word) for word in words]


def _base(text: str) -> tuple[int, int]:
    ports, _, slots = text.partition("x")
    if not (ports.isdecimal() and slots.isdecimal() and int(ports) and int(slots)):
        raise ArgumentTypeError(f"'{text}' is not PORTSxSLOTS, e.g. 10x2000")
    return int(ports), int(slots)


def _parser() -> Parser:
    parser = Parser(
        "benchmarks.regret",
        "Measure regret: the reward of the best fixed decision in hindsight, certified, minus the "
        "reward achieved. Around one base, growing horizons and growing numbers of ports; a power "
        "law is fitted to each. Writes rows (jsonl), curves and growth (csv) and two pictures.",
        _EXAMPLES,
    )
    known = ", ".join(with_part("regret"))
    parser.add_argument("--problem", default="reward", help=f"one of {known} (default: reward)")
    add_source_arguments(parser)
    parser.add_argument(
        "--base",
        type=_base,
        metavar="PORTSxSLOTS",
        help="the size that the others are around (default: 10 ports, or the fewest given; the "
        "longest horizon)",
    )
    parser.add_argument(
        "--slots", type=_sizes, metavar="T,...", help="horizons, at the ports of the base"
    )
    parser.add_argument(
        "--ports", type=_sizes, metavar="L,...", help="numbers of ports, at the slots of the base"
    )
    parser.add_argument("--servers", help="e.g. 128")
    parser.add_seeds()
    parser.add_argument(
        "--arrivals",
        type=parse_words,
        metavar="NAME,...",
        help="arrival patterns, those of `--set arrivals`, which this replaces; "
        f"{TRACE} for those of the trace (the default with --trace)",
    )
    parser.add_argument(
        "--scaling",
        choices=("degree", "density"),
        default="degree",
        help="what stays the same as ports are added: the servers of a port (default; the density "
        "grows with the ports, and (14) with their root), or the density (the servers of a port "
        "become fewer, and ports enter (14) through the largest request alone)",
    )
    add_policy_argument(parser)
    add_set_argument(parser)
    parser.add_argument(
        "--dynamic",
        type=parse_positive,
        metavar="SECONDS",
        help="measure dynamic regret, too, with so many seconds for the optima of an instance's "
        "slots (default: not)",
    )
    add_engine_arguments(parser)
    parser.add_argument("--quick", action="store_true", help="small sizes, few seeds")
    add_table_arguments(parser)
    parser.add_out("results/regret-PROBLEM")
    return parser


if __name__ == "__main__":
    run_command(main)
