"""What real traces give to instances of ``colocated``, in words."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["MAPPINGS"]

_WINDOW = (
    "those of a window of T whole slots, chosen by the seed among those that hold at least `jobs` "
    "of them, in random order; one whose job cannot complete by T is left out, and taken up again, "
    "drawn anew, once all have been"
)
_ARRIVALS = f"`arrivals` are {_WINDOW}"
_JOBS = (
    "`jobs` give `requested_workers` (GPUs, at most F) and K (so that as many workers as "
    "GPUs, external, run as long as the job did, before the samples are multiplied)"
)
_NODES = "`nodes` with GPUs, each at most once, are the machines, with 1,000 GB of storage"
_TEXTS = {
    "google": _ARRIVALS,
    "philly": f"{_JOBS}, and arrivals, {_WINDOW}",
    "csv": f"{_JOBS}, and arrivals, {_WINDOW}; `weight` gives theta_1",
    "openb-nodes": _NODES,
    "google-philly": f"{_ARRIVALS}; {_JOBS}, in random order; {_NODES}",
}

MAPPINGS: Mapping[str, str] = {
    kind: f"{text}. All else is drawn as in the synthetic workload."
    for kind, text in _TEXTS.items()
}
"""Kinds of traces that are used, and what they give."""
