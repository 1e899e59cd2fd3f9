"""``python -m benchmarks.export``: write an instance's model as an LP or MPS file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.cli import Parser, run_command
from models.errors import InputError
from models.export import write_model
from models.problem import read_instance, sub_package

__all__ = ["main"]

_EXAMPLES = """
  python -m benchmarks.export one.json --out one.lp
      the compact ILP, solved by any MILP solver to the offline optimum
  python -m benchmarks.export one.json --formulation compact-lp --out one.mps.gz
      its LP relaxation in free MPS format, packed
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line, write the file, print its size; returns the exit code."""
    parser = Parser(
        "benchmarks.export",
        "Write the offline problem of an instance as a model file for other solvers.",
        _EXAMPLES,
    )
    parser.add_argument("instance", metavar="INSTANCE", help="instance file")
    parser.add_argument(
        "--formulation",
        help="one of those of the instance's problem, by default the first. utility: compact, "
        "compact-lp (its relaxation), compact-plain and compact-plain-lp (without the "
        "strengthening rows). jct: chunk, chunk-lp, literal, fractional, flow-lp, flow-dual, "
        "capacitated, capacitated-lp, capacitated-dual",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help=".lp or .mps, also with .gz")
    args = parser.parse_args(argv)
    instance = read_instance(args.instance)
    formulations: Mapping[str, Callable[[Any], Any]] = sub_package(
        "models", instance.problem, "formulations"
    ).FORMULATIONS
    if not formulations:
        raise InputError(f"problem '{instance.problem}' has no linear model to write")
    name = next(iter(formulations)) if args.formulation is None else args.formulation
    if name not in formulations:
        raise InputError(f"unknown formulation '{name}': choose from {', '.join(formulations)}")
    model = formulations[name](instance)
    write_model(model, args.out)
    print(
        f"{args.out}: {name} of {instance.name}, {model.nvariables()} variables, "
        f"{model.nconstraints()} constraints"
    )
    return 0


if __name__ == "__main__":
    run_command(main)
