"""What a generator did: how many draws were kept, why not the others, and what was kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.utility.rejection import Kept
from benchmarks.utility.servers import RESOURCES

__all__ = ["WorkloadReport"]

_QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)


@dataclass(frozen=True)
class WorkloadReport:
    """Acceptance and the accepted distribution.

    Parameters
    ----------
    draws : int
        Jobs drawn (or rows of the trace looked at).
    accepted : int
        Jobs that passed the rejection rule. More than the instance holds if a trace's
        window was thinned afterwards.
    rejected : dict of str to int
        By reason.
    distribution : dict of str to dict
        Field -> its minimum, 10, 50, 90 % quantile and maximum over the instance's jobs.
    notes : tuple of str
        Where the arrivals come from.
    """

    draws: int
    accepted: int
    rejected: dict[str, int]
    distribution: dict[str, dict[str, float]]
    notes: tuple[str, ...] = ()

    @property
    def acceptance(self) -> float:
        """Share of the draws that were accepted."""
        return self.accepted / self.draws

    @classmethod
    def build(cls, kept: Kept, accepted: int, notes: tuple[str, ...]) -> WorkloadReport:
        """Describe the jobs of an instance."""
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
        distribution = {
            name: {
                f"q{100 * q:.0f}": float(value)
                for q, value in zip(_QUANTILES, np.quantile(values, _QUANTILES), strict=True)
            }
            for name, values in fields.items()
        }
        return cls(kept.draws, accepted, kept.rejected, distribution, notes)

    def __str__(self) -> str:
        lines = [*self.notes]
        lines.append(
            f"accepted {self.accepted:,} of {self.draws:,} draws ({100 * self.acceptance:.3g} %)"
        )
        lines += [f"rejected {count:,}: {why}" for why, count in self.rejected.items()]
        lines.append(
            f"{'accepted jobs':32}" + "".join(f"{f'{100 * q:.0f} %':>10}" for q in _QUANTILES)
        )
        for name, found in self.distribution.items():
            lines.append(f"{name:32}" + "".join(f"{value:10.5g}" for value in found.values()))
        return "\n".join(lines)
