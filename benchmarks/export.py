"""Write the offline problem of an instance as a model file for other solvers.

Examples
--------
python -m benchmarks.export one.json --out one.lp
    an exact model, which any MILP solver solves to the offline optimum
python -m benchmarks.export one.json --formulation compact-lp --out one.mps.gz
    its LP relaxation in free MPS format, packed
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.cli import Parser, parse_path, run_command
from models.errors import InputError
from models.export import write_model
from models.problem import problem_names, read_instance, sub_package


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line, write the file, print its size; returns the exit code."""
    parser = Parser("benchmarks.export", __doc__)
    parser.add_argument("instance", metavar="INSTANCE", help="instance file")
    known = ", ".join(problem_names("models", "formulations"))
    told = f"one of those of the instance's problem ({known}), by default the first; a wrong one "
    told += "is told the right ones"
    parser.add_argument("--formulation", metavar="NAME", help=told)
    told = ".lp or .mps, also with .gz"
    parser.add_argument("--out", required=True, type=parse_path, metavar="FILE", help=told)
    args = parser.parse_args(argv)
    instance = read_instance(args.instance)
    formulations = _formulations(instance.problem)
    if not formulations:
        raise InputError(f"problem '{instance.problem}' has no linear model to write")
    name = next(iter(formulations)) if args.formulation is None else args.formulation
    if name not in formulations:
        raise InputError(f"unknown formulation '{name}': choose from {', '.join(formulations)}")
    model = formulations[name](instance)
    write_model(model, args.out)
    size = f"{model.nvariables()} variables, {model.nconstraints()} constraints"
    print(f"{args.out}: {name} of {instance.name}, {size}")
    return 0


def _formulations(problem_name: str) -> Mapping[str, Callable[[Any], Any]]:
    found: Mapping[str, Any] = sub_package("models", problem_name, "formulations").FORMULATIONS
    return found


if __name__ == "__main__":
    run_command(main)
