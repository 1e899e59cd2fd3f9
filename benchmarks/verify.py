"""Check a schedule and a certificate against an instance.

The one scorer gives the objective of a schedule and every violated constraint; the bound of a
certificate is recomputed from its prices. No solver is imported, so that what is said of a bound
rests on none.

Exit code: 0 if all holds. 1 if something is refused: a constraint is broken, a bound is not what
its prices prove, or a certificate was changed. Where nothing could be checked, and so nothing is
said of the files: 2 for a file that cannot be read, is malformed or belongs to another instance,
and for bad options; 3 if the check itself failed, for lack of memory, say.

Examples
--------
python -m benchmarks.ratio --instance one.json --policy oasis --out one
python -m benchmarks.verify one.json one/instances/*/schedules/oasis.json.gz
    a schedule to check: every policy's, and offline.json.gz, the best one known, are kept; the
    files are described in models/schemas
python -m benchmarks.verify one.json --certificate one/instances/*/certificate.json.gz
    whether the stored prices prove the bound that the file states, and nobody changed it
python -m benchmarks.verify one.json one/instances/*/offline.json.gz --certificate c.json.gz
    both, and the interval that the optimum is in
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from benchmarks.cli import Parser, run_command
from benchmarks.study.interval import Bound, ContradictedBound, Incumbent, offline_interval
from models.errors import InputError
from models.problem import problem, read_instance
from solvers.contract import offline_solver
from solvers.interrupts import kernels_interruptible
from solvers.result import relative_gap

_NOT_CHECKED = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Print what was found; returns the exit code."""
    parser = Parser("benchmarks.verify", __doc__)
    parser.add_argument("instance", metavar="INSTANCE", help="instance file")
    files = "schedule file of that instance", "certificate file of that instance: prices, a bound"
    parser.add_argument("schedule", metavar="SCHEDULE", nargs="?", help=files[0])
    parser.add_argument("--certificate", metavar="FILE", help=files[1])
    args = parser.parse_args(argv)
    if args.schedule is None and args.certificate is None:
        parser.error("nothing to verify: give SCHEDULE, --certificate FILE or both")
    try:
        with kernels_interruptible():
            return _verify(args)
    except InputError:
        raise
    except Exception as error:  # whatever it is, the code of a refusal would be a false verdict
        reason = " ".join(str(error).split())
        print(f"error: not checked: {type(error).__name__}: {reason}", file=sys.stderr)
        return _NOT_CHECKED


def _verify(args: argparse.Namespace) -> int:
    """Print what was found; 0 if all of it holds, 1 if not."""
    instance = read_instance(args.instance)
    kind = problem(instance.problem)
    score = verdict = None
    passes = False  # whether the schedule may pass the bound of a certificate
    if args.schedule is not None:
        schedule = kind.read_schedule(args.schedule, instance)
        score = kind.score(instance, schedule)
        passes = kind.is_wider(schedule) and offline_solver(kind.name).wider != ""
    if args.certificate is not None:
        verdict = offline_solver(kind.name).check(args.certificate, instance)
    if score is not None:
        counts = Counter(violation.equation for violation in score.violations)
        lines = [f"constraint {equation}: {count}" for equation, count in counts.items()]
        print(f"objective {score.objective!r}")
        print(f"jobs completed {(score.completion >= 0).sum()} of {len(score.completion)}")
        print(f"violations {len(score.violations)}")
        for line in (*lines, *score.violations):
            print(f"  {line}")
    if verdict is not None:
        # A bound that is refused is not one: nobody shall read it off this line.
        print(f"{'bound' if verdict.accepted else 'states'} {verdict.stored!r}")
        print(f"certificate {verdict}")
    good = (score is None or score.feasible) and (verdict is None or verdict.accepted)
    if good and passes and verdict is not None:
        print(
            f"no interval: the schedule is {kind.wider}, the certificate is not of such schedules"
        )
    elif good and score is not None and verdict is not None:
        nothing, bound = kind.negligible(instance), verdict.recomputed
        known = [Incumbent(score.objective, None)], [Bound(bound, "prices")]
        try:
            found = offline_interval(kind.sense, *known, negligible=nothing)
        except ContradictedBound as error:
            print(f"contradiction: {error}")
            return 1
        gap = relative_gap(kind.sense, score.objective, bound, negligible=nothing) or 0.0
        print(f"optimum between {found.lower!r} and {found.upper!r}, gap {100 * gap:.3g} %")
    return 0 if good else 1


if __name__ == "__main__":
    run_command(main)
