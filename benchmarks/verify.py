"""``python -m benchmarks.verify``: check a schedule against an instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmarks.cli import Parser, run_command
from models.problem import problem, read_instance

__all__ = ["main"]

_EXAMPLES = """
  python -m benchmarks.verify instance.json schedule.json
      prints the objective; exit code 0 if no constraint is broken, 1 if any is, 2 for bad input
  python -m benchmarks.ratio --instance one.json --policy oasis --out one
  python -m benchmarks.verify one.json one/cells/*/schedules/oasis.json.gz
      a schedule to check: every policy's, and offline.json.gz, the best one known, are kept
  python -m benchmarks.verify results/ratio-utility/cells/KEY/instance.json.gz \\
      results/ratio-utility/cells/KEY/schedules/fifo.json.gz
      any schedule of a results folder; the file of a schedule is described in models/schemas
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print objective and violations; 0 valid, 1 infeasible."""
    parser = Parser(
        "benchmarks.verify",
        "Score a schedule file by the one scorer: its objective and every violated constraint.",
        _EXAMPLES,
    )
    parser.add_argument("instance", metavar="INSTANCE", help="instance file")
    parser.add_argument("schedule", metavar="SCHEDULE", help="schedule file of that instance")
    args = parser.parse_args(argv)
    instance = read_instance(args.instance)
    kind = problem(instance.problem)
    score = kind.score(instance, kind.read_schedule(args.schedule, instance))
    completed = int((score.completion >= 0).sum())
    print(f"objective {score.objective!r}")
    print(f"jobs completed {completed} of {len(score.completion)}")
    print(f"violations {len(score.violations)}")
    for equation, count in Counter(item.equation for item in score.violations).items():
        print(f"  constraint {equation}: {count}")
    for violation in score.violations:
        print(f"  {violation}")
    return 0 if score.feasible else 1


if __name__ == "__main__":
    run_command(main)
