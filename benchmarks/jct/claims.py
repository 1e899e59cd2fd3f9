"""The checkable claims of the edge-cloud paper.

Every test was written down before its claim was measured at the default size. *Better* means
throughout: the 95 % bootstrap interval of the mean paired difference over seeds lies above 0.

The paper does not say how many workers a job asks SRTF, Tiresias-L and BatchSche for, beyond "the
number of GPUs" of its trace, and that number decides. So what is said of them is judged in four
readings (:data:`benchmarks.jct.figures_common.READINGS`): as many as GPUs in the trace, and under
names with ``-uniform``, ``-chunks`` and ``-edge``, the others.

What the paper says is in ``claims_*``, section by section; how it is judged, in
``claim_judges_*``.
"""

from __future__ import annotations

from benchmarks.claim import Claim
from benchmarks.jct.claims_simulation import SIMULATION
from benchmarks.jct.claims_testbed import TESTBED
from benchmarks.jct.claims_theory import THEORY

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (*THEORY, *TESTBED, *SIMULATION)
"""In the order of the paper's sections; those of the abstract with Sec. V-C."""
