"""What is measured of randomised rounding in one slot."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.colocated.measures_theory import trials_of
from tests.solvers.colocated.test_rounding import many_machines


@pytest.mark.parametrize("delta", [0.1, 0.5, 1.0])
def test_trials_hold_what_theory_promises(delta: float) -> None:
    """Each side, and the cost, alone; both sides hold together only by luck."""
    rng, least = np.random.default_rng(2), 1.0 - delta / 3.0
    for gain, scale in (("covering", 1.0), ("packing", 40.0), (1.0, 1.0)):
        problem = many_machines(1, scale)
        found = trials_of(*problem, 25, gain, delta, 300, rng)  # type: ignore[arg-type]
        assert found["exact"] >= 1.0 - 1e-9
        assert found["mean"] == pytest.approx(found["gain"], rel=0.05)
        assert found["cheap"] >= least
        assert found["all"] <= min(found["covers"], found["packs"], found["cheap"])
        if gain == "covering":
            assert found["gain"] > 1.0 and found["covers"] >= least
        elif gain == "packing":
            assert found["gain"] < 1.0 and found["packs"] >= least
    none = trials_of(*many_machines(1), 25, "packing", 0.5, 9, rng)
    assert set(none.values()) == {None}
