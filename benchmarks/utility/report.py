"""What a generator of ``utility`` did: how many draws were kept, why not the others, what was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.utility.rejection import Taken
from benchmarks.utility.servers import RESOURCES
from benchmarks.workload.report import WorkloadReport, distribution_of
from models.utility import UtilityInstance
from models.utility.load import load

__all__ = ["UtilityReport"]


@dataclass(frozen=True, kw_only=True)
class UtilityReport(WorkloadReport):
    """Acceptance, and the distribution of the instance's jobs.

    Parameters
    ----------
    draws : int
        Jobs drawn (or rows of the trace looked at).
    accepted : int
        Jobs that passed the rejection rule. More than the instance holds if a trace's
        window was thinned afterwards.
    rejected : dict of str to int
        By reason.
    """

    draws: int
    accepted: int
    rejected: dict[str, int]

    about = "accepted jobs"

    @property
    def acceptance(self) -> float:
        """Share of the draws that were accepted."""
        return self.accepted / self.draws

    @property
    def counts(self) -> tuple[str, ...]:
        """Draws accepted, and why not the others."""
        share = f"{100 * self.acceptance:.3g} %"
        return (
            f"accepted {self.accepted:,} of {self.draws:,} draws ({share})",
            *(f"rejected {count:,}: {why}" for why, count in self.rejected.items()),
        )

    @classmethod
    def build(cls, instance: UtilityInstance, taken: Taken) -> UtilityReport:
        """Describe an instance and the jobs that it was made of."""
        kept = taken.kept
        jobs = kept.jobs
        fields: dict[str, np.ndarray] = {
            "arrival": jobs.arrival,
            "work": jobs.work,
            "chunks": jobs.chunks,
            "most workers n_max": kept.n_max,
            "shortest duration ceil(W/n_max)": -(-jobs.work // kept.n_max),
            **jobs.training,
        }
        for side, demand in (("worker", jobs.worker), ("ps", jobs.ps)):
            fields |= {f"{side} {name}": demand[:, r] for r, name in enumerate(RESOURCES)}
        fields["requested_workers"] = np.minimum(jobs.requested, kept.n_max)
        return cls(
            load=load(instance),
            distribution=distribution_of(fields),
            notes=(taken.note,),
            draws=kept.draws,
            accepted=taken.accepted,
            rejected=kept.rejected,
        )
