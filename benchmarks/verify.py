"""``python -m benchmarks.verify``: check a schedule and a certificate against an instance.

Imports no solver, so that what it says of a bound rests on none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchmarks.cli import Parser, run_command
from benchmarks.study.interval import Bound, Incumbent, offline_interval
from models.problem import problem, read_instance
from models.scoring import Score
from solvers.certificate import Verdict
from solvers.contract import offline_solver
from solvers.result import relative_gap

__all__ = ["main"]

_EXAMPLES = """
  python -m benchmarks.verify instance.json schedule.json
      prints the objective; exit code 0 if no constraint is broken, 1 if any is, 2 for bad input
  python -m benchmarks.ratio --instance one.json --policy oasis --out one
  python -m benchmarks.verify one.json one/instances/*/schedules/oasis.json.gz
      a schedule to check: every policy's, and offline.json.gz, the best one known, are kept
  python -m benchmarks.verify one.json --certificate one/instances/*/certificate.json.gz
      recomputes the bound from stored prices, with no solver; exit code 0 if they prove the
      bound that the file states, 1 if they do not or the file was changed, 2 for bad input
  python -m benchmarks.verify one.json one/instances/*/offline.json.gz \\
      --certificate one/instances/*/certificate.json.gz
      both, and the interval that the optimum is in
  python -m benchmarks.verify results/ratio-utility/instances/NAME/instance.json.gz \\
      results/ratio-utility/instances/NAME/schedules/fifo.json.gz
      any schedule of a results folder; the files are described in models/schemas
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print what was found; 0 if all of it holds, 1 if not."""
    parser = Parser(
        "benchmarks.verify",
        "Score a schedule file by the one scorer: its objective and every violated constraint. "
        "Recompute the bound of a certificate from its prices.",
        _EXAMPLES,
    )
    parser.add_argument("instance", metavar="INSTANCE", help="instance file")
    parser.add_argument(
        "schedule", metavar="SCHEDULE", nargs="?", help="schedule file of that instance"
    )
    parser.add_argument(
        "--certificate", metavar="FILE", help="certificate file of that instance: prices, a bound"
    )
    args = parser.parse_args(argv)
    if args.schedule is None and args.certificate is None:
        parser.error("nothing to verify: give SCHEDULE, --certificate FILE or both")
    instance = read_instance(args.instance)
    kind = problem(instance.problem)
    schedule = verdict = None
    if args.schedule is not None:
        schedule = kind.read_schedule(args.schedule, instance)
    if args.certificate is not None:
        verdict = offline_solver(kind.name).check(args.certificate, instance)
    good = True
    if schedule is not None:
        score = kind.score(instance, schedule)
        _print_score(score)
        good = score.feasible
    if verdict is not None:
        # A bound that is refused is not one: nobody shall read it off this line.
        print(f"{'bound' if verdict.accepted else 'states'} {verdict.stored!r}")
        print(f"certificate {verdict}")
        good = good and verdict.accepted
    if good and schedule is not None and verdict is not None:
        _print_interval(verdict, score, schedule)
    return 0 if good else 1


def _print_score(score: Score) -> None:
    completed = int((score.completion >= 0).sum())
    print(f"objective {score.objective!r}")
    print(f"jobs completed {completed} of {len(score.completion)}")
    print(f"violations {len(score.violations)}")
    for equation, count in Counter(item.equation for item in score.violations).items():
        print(f"  constraint {equation}: {count}")
    for violation in score.violations:
        print(f"  {violation}")


def _print_interval(verdict: Verdict, score: Score, schedule: Any) -> None:
    bound = Bound(verdict.recomputed, "prices")
    found = offline_interval(verdict.sense, [Incumbent(score.objective, schedule)], [bound])
    gap = relative_gap(verdict.sense, score.objective, bound.value)
    print(f"optimum between {found.lower!r} and {found.upper!r}, gap {100 * (gap or 0.0):.3g} %")


if __name__ == "__main__":
    run_command(main)
