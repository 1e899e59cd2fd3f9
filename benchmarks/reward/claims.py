"""The checkable claims of the OGASched paper.

Every test was written down before its claim was measured at the default size. *Better* means
throughout: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.
Unless a claim says otherwise, OGASched is ``ogasched``, with the steps of the paper's experiments
(25, decay 0.9999). What is said of it as the best policy is also judged of
``ogasched-constant``, with the step of Theorem 1, under a name with ``-constant``.

Names with ``-generous`` take the baselines in their generous reading
(:data:`benchmarks.reward.figures_common.GENEROUS`), since the paper does not say how much of all
servers together they give a job. These were added, with the same tests, after the first reading
had been measured.

What the paper says is in ``claims_section*``, section by section; how it is judged, in
``claim_judges_*``, by figure.
"""

from __future__ import annotations

from benchmarks.claim import Claim
from benchmarks.reward.claims_section_4_1 import PERFORMANCE
from benchmarks.reward.claims_section_4_2 import SETTINGS
from benchmarks.reward.claims_sections_2_3 import THEORY

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (*THEORY, *PERFORMANCE, *SETTINGS)
"""In the order of the paper's sections."""
