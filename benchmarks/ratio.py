"""Measure competitive ratios of online policies.

Instances are solved offline, online policies run on the same instances, one scorer scores all, and
the table says what is proven about the ratios.

Examples
--------
python -m benchmarks.ratio
    the default: every policy of `utility` on the synthetic workload; a first line on stderr names
    the other problems
python -m benchmarks.ratio --jobs 20 --slots 20 --servers 10+10 --seeds 20
    larger instances, seeds 0 to 19
python -m benchmarks.ratio --seeds 7:8 --policy oasis,my_file.py:MyPolicy
    one seed; a registered policy against one from my_file.py in this folder
python -m benchmarks.ratio --compare oasis,rrh --compare oasis,dorm
    and the difference of two policies on the same instances, seed by seed, as often as asked for
python -m benchmarks.ratio --trace google:PATH --seeds 5
    arrivals from a real trace
python -m benchmarks.ratio --problem reward --slots 500 --set arrivals=drifting
    another problem, and a setting of its workload
python -m benchmarks.ratio --policy oasis,rrh --set oasis.floor=0.01 --set load=2
    a parameter of a policy, and a setting of the workload
python -m benchmarks.ratio --instance one.json two.json.gz --out one --format csv
    your own instances (docs/instances.md), of the problem that they name; a table for pandas. The
    schedules are one/instances/*/schedules/*, the best ones known one/instances/*/offline.*
python -m benchmarks.ratio --seeds 0:50 --out both --run first
python -m benchmarks.ratio --seeds 50:100 --out both --run second
    two runs in one folder, at the same time or one after the other: both/all.csv has the rows
    of both
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cli import (
    Parser,
    engine_of,
    isolation_of,
    parse_list,
    parse_positive,
    run_command,
)
from benchmarks.instances import (
    USUAL,
    add_instance_arguments,
    settle_problem,
    sources_from,
    take_parameters,
)
from benchmarks.study.cell import Effort
from benchmarks.study.scheme import Scheme, schemes_of, with_parameters
from benchmarks.tables import Layout, add_table_arguments, layout_of, print_rows, wrap
from models.errors import InputError
from models.problem import problem, problem_names

if TYPE_CHECKING:
    import pandas as pd


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and print the table; returns the exit code."""
    args = _parser().parse_args(argv)
    # What is heavy is imported once the options are known to be right.
    import pandas as pd

    from benchmarks.door import measure
    from benchmarks.pairs import format_pairs, paired
    from benchmarks.runs import Runs
    from benchmarks.study.rows import Row, Timing, join, to_json_lines
    from benchmarks.study.store import Store
    from benchmarks.study.study import faults
    from benchmarks.table import COLUMNS, draws_of

    unasked = settle_problem(args)
    layout = layout_of(args, COLUMNS)
    parameters = take_parameters(args)
    sources = sources_from(args)
    schemes = schemes_of(args.problem, args.policy or None, isolation_of(args))
    schemes = with_parameters(args.problem, schemes, parameters)
    pairs = _pairs_asked(args.compare, schemes)
    asked = {
        **sources.asked,
        "policies": {scheme.name: scheme.policy for scheme in schemes},
        "time_limit": args.time_limit,
        "threads": args.threads,
    }
    runs = Runs(args.out or Path("results") / f"ratio-{args.problem}", asked, args.run)
    effort = Effort(args.time_limit, args.threads)
    rows, timings, origins = list[Row](), list[Timing](), dict[str, str]()
    draws: list[Sequence[int] | None] = []
    with engine_of(args, threads=args.threads) as engine:
        store = Store(runs.path / "cells")
        how = {"store": store, "engine": engine, "progress": f"ratio of {args.problem}"}
        if unasked:
            others = "|".join(name for name in problem_names("benchmarks") if name != USUAL)
            print(f"{USUAL}; others: --problem {others}", file=sys.stderr, flush=True)
        try:
            found = measure(sources.instances, schemes, effort, sources.data, **how)
        finally:
            store.discard_empty()
        for _, outcomes, joined in found:
            rows += joined.rows
            timings += joined.timings
            engine.failed += faults([asdict(row) for row in joined.rows], outcomes)
            values = [outcome.result.value for outcome in outcomes if outcome.result]
            origins[joined.rows[0].instance] = values[0]["origin"] if values else ""
            draws.append(values[0].get("draws") if values else None)
        records = join(rows, timings)
        frame = pd.DataFrame(records)
        texts = _texts(frame, origins, draws_of(draws), layout)
        files: dict[str, bytes | None] = {"paired.csv": None}
        if pairs:
            compared = pd.concat([paired(frame, *pair) for pair in pairs], ignore_index=True)
            files["paired.csv"] = compared.to_csv(index=False).encode()
            texts.append(format_pairs(compared, problem(args.problem).sense, layout))
        try:
            for cells, _, joined in found:
                runs.keep_instance(store, cells, joined)
            runs.finish(rows, {"timings.jsonl": to_json_lines(timings).encode(), **files})
        except InputError as error:  # a folder that is only read, say: the table can be shown
            print_rows(records, layout, *texts)
            raise InputError(f"the results could not be written: {error}") from None
        written = f"{runs.words}; schedules: {runs.path / 'instances'}/*/schedules"
        print_rows(records, layout, *texts, wrap([written], layout))
    return int(bool(engine.failed))


def _texts(
    frame: pd.DataFrame, origins: Mapping[str, str], draws: str, layout: Layout
) -> list[str]:
    from benchmarks.table import common_origin, format_table, loads_of, summarise

    many = "1 instance" if len(origins) == 1 else f"{len(origins)} instances"
    origin = common_origin(origins)
    told = [many, loads_of(frame), draws if " draws" not in origin else ""]
    title = f"{frame['problem'].iloc[0]}: {', '.join(filter(None, told))}: {origin}"
    return [wrap([title], layout), format_table(summarise(frame), frame, layout)]


def _pairs_asked(asked: Sequence[Sequence[str]], schemes: Sequence[Scheme]) -> list[list[str]]:
    """Names of the policies to compare; InputError if they are not two of those that run."""
    names = {key: scheme.name for scheme in schemes for key in (scheme.policy, scheme.name)}
    for pair in asked:
        if len(set(pair)) != 2 or len(pair) != 2 or not set(pair) <= set(names):
            known = ", ".join(scheme.name for scheme in schemes)
            raise InputError(f"--compare {','.join(pair)}: want two of {known}")
    return [[names[key] for key in pair] for pair in asked]


def _parser() -> Parser:
    parser = Parser("benchmarks.ratio", __doc__)
    add_instance_arguments(parser)
    parser.add_isolation()
    limit = "for the offline solve of one instance (default: 30); what is not proven by then is "
    limit += "reported as an interval"
    add = parser.add_argument
    add("--time-limit", type=parse_positive, default=30.0, metavar="SECONDS", help=limit)
    pair = "two of the policies: their paired difference over the instances, below the table and "
    pair += "in paired.csv; repeat for several pairs"
    words: dict[str, Any] = {"action": "append", "type": parse_list(str), "default": []}
    add("--compare", metavar="FIRST,SECOND", help=pair, **words)
    parser.add_threads("of the offline solver")
    parser.add_engine()
    add_table_arguments(parser)
    parser.add_out("results/ratio-PROBLEM", runs=True)
    return parser


if __name__ == "__main__":
    run_command(main)
