"""What a policy promises of a run, judged as it is from a stored one."""

from __future__ import annotations

import json
from typing import Any

from online.policy import Guarantee, Policy
from online.run import Trace

__all__ = ["promise"]


def promise(policy: Policy, instance: Any, trace: Trace, best_known: float) -> Guarantee | None:
    """The guarantee by evidence that went through JSON, without the policy object."""
    evidence = policy.evidence(instance, trace)
    if evidence is None:
        return None
    stored = json.loads(json.dumps(evidence, allow_nan=False))
    assert stored == evidence
    return type(policy).applies(stored, best_known)
