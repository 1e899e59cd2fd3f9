"""What our notes of PD-ORS leave open, how it can be read, and where that is judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from benchmarks.study.choice import read_choices
from benchmarks.study.grid import Grid
from benchmarks.study.multiverse import Multiverse

__all__ = ["BASELINES", "LOADS", "MULTIVERSE", "OWN", "SPLIT", "VARIANTS"]

OWN, SPLIT = "pd-ors", "oasis"
BASELINES = ("fifo", "drf", "dorm")
"""The other schemes of Figures 6 and 7; Figures 8 and 9 have OASiS alone."""

_POLICY = read_choices("""
placement | (23)-(26) | how a job is placed on several machines | it is the paper's
- rounding | randomised rounding of the relaxation
- greedy placement | the cheapest machines first | {"pd-ors": {"placement": "greedy"}}
- exact placement | at least cost | {"pd-ors": {"placement": "exact"}}
G | (31), (32) | the factor of the rounding; the notes omit its formulas | they hardly ever apply
- 1 | G = 1
- G covering | by the bound for covering rows | {"pd-ors": {"gain": "covering"}}
- G packing | by the bound for packing rows | {"pd-ors": {"gain": "packing"}}
tries | Alg. 4 | S, how often is rounded | more find hardly anything else
- 20 | 20 times
- 1 try | once | {"pd-ors": {"tries": 1}}
- 100 tries | 100 times | {"pd-ors": {"tries": 100}}
units | Alg. 3 | how finely progress is counted | by samples, as printed, nobody could compute it
- 10 | 10 units in an external worker-slot
- 1 unit | 1 unit | {"pd-ors": {"units": 1}}
- 100 units | 100 units | {"pd-ors": {"units": 100}}
L | (14) | mu, which the notes do not define | it is read as eta in OASiS
- 1 / (2 mu) | (14) with this mu
- L / 100 | a hundredth of it | {"pd-ors": {"level": 0.01}}
- 100 L | a hundred times it | {"pd-ors": {"level": 100.0}}
resources | (14) | units of resources, of which L has one sum | results should not depend on them
- normalised | in mean capacities of a machine
- resources as counted | as the instance has them | {"pd-ors": {"units_of": "raw"}}
""")

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "registered": {},
    **{one.name: one.parameters[OWN] for choice in _POLICY for one in choice.readings[1:]},
}
"""Readings of PD-ORS: one parameter each is another than registered."""

_LOAD, *_OTHERS = read_choices("""
load | numerical results | capacities and slots, and so the load | it takes ranges by their word
- paper | samples as drawn | {"scale": 1.0} | numerical results, first table
- moderate | samples scaled down | {"scale": 0.25} | capacities and slots are not in the notes; \
with ours the ranges overload the machines
bandwidth | Fact 1 | b_int and b_ext | as a bus beside a network
- 10 | b_int = 10 b_ext
+ 3 | b_int = 3 b_ext | {"internal_times": 3.0}
+ 100 | b_int = 100 b_ext | {"internal_times": 100.0}
arrivals | numerical results | when jobs arrive | OASiS, with which it is compared, has that trace
- google | as fitted to the Google trace of 2011
+ uniform | every slot alike | {"arrivals": "uniform"}
""")
_PAPER, _MODERATE = _LOAD.readings

LOADS = (_PAPER, structs.replace(_MODERATE, settings={}))
"""How much there is to train. The first takes the ranges by their word; in the other, samples are
multiplied by what the point says."""

_BASE = {"preset": "paper", "slots": 12, "samples": [10_000, 200_000]}
_MACHINES = Grid(({**_BASE, "jobs": 12, "judged_on": 12},)) * Grid.cross(servers=[4, 8, 12])
_JOBS = Grid(({**_BASE, "servers": 8},)) * Grid.cross(jobs=[6, 12, 24])
_ONE = Grid(({**_BASE, "jobs": 12, "servers": 8},))

MULTIVERSE = Multiverse(
    (_LOAD, *_POLICY, *_OTHERS),
    {
        "colocated-machines": _MACHINES,
        "colocated-jobs": _JOBS,
        "colocated-split-jobs": _JOBS,
        "colocated-split-machines": _MACHINES,
        "colocated-times": _ONE,
        "colocated-bandwidth": _ONE * Grid.cross(internal_times=[1.0, 10.0, 100.0]),
    },
    headlines=("fig6-best", "fig7-best", "fig8-best"),
)
"""12 jobs, 8 machines and 12 slots, or around that; fewer samples than the paper's, so that jobs
can complete in these slots. Load about 6 as drawn, and 1.5 where it is moderate."""
