"""What a generator of ``utility`` did: how many draws were kept, why not the others, what was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.utility.draw import FACTORS
from benchmarks.utility.rejection import Kept
from benchmarks.utility.servers import RESOURCES
from benchmarks.workload.report import WorkloadReport, distribution_of
from models.utility import UtilityInstance
from models.utility.load import load

__all__ = ["UtilityReport"]


@dataclass(frozen=True, kw_only=True)
class UtilityReport(WorkloadReport):
    """What was drawn and kept, and the distribution of the instance's jobs.

    Parameters
    ----------
    kept : Kept
    """

    kept: Kept

    about = "accepted jobs"

    @property
    def counts(self) -> tuple[str, ...]:
        """Draws accepted, and why not the others."""
        accepted, draws = self.kept.accepted, self.kept.draws
        return (
            f"accepted {accepted:,} of {draws:,} draws ({100 * (accepted / draws):.3g} %)",
            *(f"rejected {count:,}: {why}" for why, count in self.kept.rejected.items()),
        )

    @classmethod
    def build(cls, instance: UtilityInstance, kept: Kept) -> UtilityReport:
        """Describe an instance and the jobs that it was made of."""
        jobs = kept.jobs
        fields = {name: jobs[name] for name in ("arrival", "work", "chunks")}
        fields["most workers n_max"] = jobs["n_max"]
        fields["shortest duration ceil(W/n_max)"] = -(-jobs["work"] // jobs["n_max"])
        fields |= {name: jobs[name] for name in FACTORS if name in jobs}
        for side in ("worker", "ps"):
            fields |= {f"{side} {name}": jobs[side][:, r] for r, name in enumerate(RESOURCES)}
        fields["requested_workers"] = np.minimum(jobs["requested"], jobs["n_max"])
        notes = (kept.note,)
        return cls(
            load=load(instance), distribution=distribution_of(fields), notes=notes, kept=kept
        )
