"""Draw an instance, write it to a file, and say how it was drawn.

Prints how many draws were accepted, why the others were not, and the distribution of what was.

Examples
--------
python -m benchmarks.generate --jobs 10 --slots 10 --servers 5+5 --seed 0 --out one.json
    the synthetic workload; the same seed gives the same bytes
python -m benchmarks.generate --jobs 300 --slots 300 --servers 50+50 --out large.json.gz
    packed by file ending
python -m benchmarks.generate --trace google:../shared/data/google-2011 --out google.json
    arrivals from a real trace; python -m benchmarks.trace says what is taken from it
python -m benchmarks.generate --problem reward --slots 100 --set density=3 --out reward.json
    sizes not given are those of the problem's default
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks.cli import Parser, run_command
from benchmarks.contract import experiments_of
from benchmarks.instances import add_drawing_arguments, drawing_asked
from benchmarks.traces import read_trace


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number >= 0")
    return int(text)


def _instance_file(text: str) -> str:
    if not text.endswith((".json", ".json.gz")):
        raise argparse.ArgumentTypeError(f"'{text}' ends neither in .json nor in .json.gz")
    return text


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line, write the file, print the report; returns the exit code."""
    parser = Parser("benchmarks.generate", __doc__)
    add_drawing_arguments(parser)
    parser.add_argument("--seed", type=_seed, default=0, help="(default: 0)")
    parser.add_argument("--trace", metavar="KIND:PATH", help="take arrivals from a real trace")
    told = ".json, or .json.gz packed"
    parser.add_argument("--out", required=True, type=_instance_file, metavar="FILE", help=told)
    args = parser.parse_args(argv)
    workload = experiments_of(args.problem).workload
    asked = drawing_asked(args, workload.default)
    trace = read_trace(args.trace) if args.trace else None
    settings = asked.pop("settings")
    instance, report = workload.draw(**asked, **settings, seed=args.seed, trace=trace)
    instance.write(args.out)
    print(f"{args.out}: {instance.name}\nsha256   {instance.hash}\n{report}")
    return 0


if __name__ == "__main__":
    run_command(main)
