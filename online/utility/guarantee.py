"""Whether the ratio 2 alpha of Theorem 4 is proven for a run of OASiS: assumption by assumption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from models.utility.instance import UtilityInstance
from models.utility.resources import Resources
from online.policy import Guarantee
from solvers.utility.oracle import best_schedule, full_capacity

__all__ = ["check_guarantee", "evidence_of_run"]

_SMALL_DEMAND = 1.1
_RELATIVE = 1e-9


def evidence_of_run(
    instance: UtilityInstance,
    *,
    first_admitted: bool,
    alpha: float,
    alphas: Sequence[float],
    payoffs: Sequence[float],
    prices: Resources,
    initial_dual: float,
) -> dict[str, Any]:
    """What :func:`check_guarantee` needs to know of a run, in JSON's types.

    Parameters
    ----------
    instance : UtilityInstance
    first_admitted : bool
        Whether the first job was admitted, or there is none; Appendix A says that it always is.
    alpha : float
        ``max(1, ln U_1^r/L_1, ln U_2^r/L_2)``.
    alphas : sequence of float
        ``alpha_i`` of the accepted jobs.
    payoffs : sequence of float, length I
        ``mu_i`` of all jobs, 0 if rejected.
    prices : Resources
        Final prices.
    initial_dual : float
        ``D_0``.

    Returns
    -------
    dict
        ``first_admitted``; ``alpha``; ``largest_alpha_i``, 0 if no job was accepted;
        ``dual_violation``, by how much (20) fails at most, and ``violating_job``, where (empty if
        nowhere); ``initial_dual``.
    """
    worst, job_id = _dual_violation(instance, payoffs, prices)
    return {
        "first_admitted": first_admitted,
        "alpha": float(alpha),
        "largest_alpha_i": float(max(alphas, default=0.0)),
        "dual_violation": float(worst),
        "violating_job": job_id,
        "initial_dual": float(initial_dual),
    }


def check_guarantee(evidence: Mapping[str, Any], best_known: float) -> Guarantee:
    """Check the assumptions of the proof of Theorem 4 (appendix E) on one run.

    1. Small demands: the proof lets demands be infinitesimal. For an accepted job the step
       inequality holds with ``alpha_i``; asked for is ``alpha_i <= 1.1 alpha``.
    2. Dual feasibility: (20) at the final prices, over all schedules that fit in *full*
       capacities. Alg. 1 only maximises over schedules that fit beside the jobs already
       admitted, so a price below U can leave (20) violated.
    3. ``D_0 <= OPT / 2``; checked with the best known objective in place of OPT.

    Parameters
    ----------
    evidence : Mapping[str, Any]
        Of :func:`evidence_of_run`.
    best_known : float
        Best objective known.

    Returns
    -------
    Guarantee
        ``2 max(alpha, alpha_i)``. It is proven when nothing but the first assumption fails,
        and is the paper's ``2 alpha`` when no ``alpha_i`` is larger.
    """
    fails = []
    alpha, largest = evidence["alpha"], evidence["largest_alpha_i"]
    if largest > _SMALL_DEMAND * alpha:
        fails.append(f"small demands (alpha_i up to {largest:.4g}, alpha {alpha:.4g})")
    if (worst := evidence["dual_violation"]) > 0.0:
        job_id = evidence["violating_job"]
        fails.append(f"dual feasibility (job '{job_id}' would gain {worst:.4g} more)")
    if (initial_dual := evidence["initial_dual"]) > best_known / 2:
        fails.append(f"D_0 <= OPT/2 ({initial_dual:.4g} > {best_known / 2:.4g})")
    return Guarantee(2 * max(alpha, largest), not fails, "; ".join(fails))


def _dual_violation(
    instance: UtilityInstance, payoffs: Sequence[float], prices: Resources
) -> tuple[float, str]:
    """Largest excess of a payoff at the final prices over mu_i, and the job that has it.

    Over all schedules that the scorer accepts, since the optimum may use its tolerance.
    """
    full = full_capacity(instance.cluster.tolerant)
    worst, job_id = 0.0, ""
    for job, payoff in zip(instance.jobs, payoffs, strict=True):
        column = best_schedule(job, prices, full)
        if column is None:
            continue
        excess = column.payoff - payoff
        if excess > _RELATIVE * (column.value + column.cost) and excess > worst:
            worst, job_id = excess, job.id
    return worst, job_id
