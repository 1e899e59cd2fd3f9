"""The checkable claims of the OGASched paper.

Every test was written down before its claim was measured at the default size. *Better* means
throughout: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.
Unless a claim says otherwise, OGASched is ``ogasched``, with the steps of the paper's experiments
(25, decay 0.9999). What is said of it as the best policy is also judged of
``ogasched-constant``, with the step of Theorem 1, under a name with ``-constant``.

Names with ``-generous`` take the baselines in their generous reading
(:data:`benchmarks.reward.studies.GENEROUS`), since the paper does not say how much of all servers
together they give a job. These were added, with the same tests, after the first reading had been
measured.
"""

from __future__ import annotations

from benchmarks.reward.claims_performance import PERFORMANCE
from benchmarks.reward.claims_settings import SWEEPS
from benchmarks.reward.claims_theory import THEORY
from benchmarks.study.claim import Claim

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (*THEORY, *PERFORMANCE, *SWEEPS)
"""In the order of the paper's sections."""
