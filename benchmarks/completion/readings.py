"""What the paper on heterogeneous jobs leaves open, its readings, and where they are judged."""

from __future__ import annotations

from benchmarks.study.choice import Choice, star_of
from benchmarks.study.grid import Grid
from benchmarks.study.multiverse import Multiverse
from benchmarks.study.scheme import Reading

__all__ = ["BASELINES", "LOADS", "MULTIVERSE", "OWN", "READINGS"]

OWN = "a-online"
BASELINES = ("fifo", "drf", "antman", "tiresias")

_FIXED = {name: {"fixed": True} for name in BASELINES if name != "fifo"}
_BLOCKS = "Alg. 1 and 2 run blocks of tau_i slots one after the other"

CHOICES = (
    Choice(
        "capacity",
        "how scarce capacity is: a range is given, the load that it makes is not",
        "Sec. 7",
        (
            Reading(
                "paper",
                "capacity as drawn",
                {"preset": "paper"},
                {},
                'Sec. 7: capacities are "approximately [0.2, 0.5]" of the summed ideal demand',
            ),
            Reading(
                "moderate",
                "load 0.9 to 1.1",
                {"preset": "moderate"},
                {},
                'Sec. 1: "especially in systems with resource shortage"',
            ),
            Reading("overload", "load 3", {"preset": "overload"}, later=True),
        ),
        "it takes the text by its word",
    ),
    Choice(
        "placement",
        "whether baselines keep to constant placements",
        "(2)",
        (
            Reading("elastic", "baselines as their own papers have them"),
            Reading(
                "fixed",
                "baselines with constant placement",
                {},
                _FIXED,
                "(2) knows only constant placements; the paper does not say that baselines keep to "
                "it",
            ),
        ),
        "they are preemptive, or change sizes",
    ),
    Choice(
        "blocks",
        "whether jobs wait for the block that they are planned in",
        "Alg. 1, 2",
        (
            Reading("compact", "A_online starts jobs as early as the others of the round allow"),
            Reading(
                "blocks",
                "A_online in blocks as planned",
                {},
                {OWN: {"compact": False}},
                _BLOCKS,
            ),
            Reading(
                "literal",
                "A_online with one alpha, from alpha tau on",
                {},
                {OWN: {"literal": True}},
                f"{_BLOCKS}, from alpha tau_i on",
            ),
        ),
        "with alpha in the hundreds almost all time would be waiting",
    ),
    Choice(
        "order",
        "in which order the jobs of a batch are taken",
        "Alg. 2",
        (
            Reading("arrival", "in the order of arrival"),
            Reading("weight", "the heaviest first", {}, {OWN: {"order": "weight"}}, later=True),
        ),
        "it is that of the file, which the other problems take, too",
    ),
    Choice(
        "arrivals",
        "when jobs arrive",
        "Sec. 7",
        (
            Reading("google", "as fitted to the Google trace of 2011"),
            Reading("uniform", "every slot alike", {"arrivals": "uniform"}, later=True),
        ),
        "the other papers name that trace",
    ),
    Choice(
        "types",
        "which worker types there are, apart from Figure 9",
        "Sec. 7",
        (
            Reading("drawn", "eight, drawn from the ranges"),
            Reading("ec2", "the four of Figure 9", {"types": "ec2"}, later=True),
        ),
        "the text gives the ranges",
    ),
    Choice(
        "duration",
        "how long a job may be at its fastest on the empty cluster",
        "Sec. 7",
        (
            Reading("horizon", "until T"),
            Reading("short", "12 slots", {"max_duration": 12}, later=True),
        ),
        "jobs that cannot complete by T are drawn again, and no others",
    ),
)
"""A_online alone is concerned by the third and the fourth, the baselines by the second."""

READINGS = tuple(reading for reading in star_of(CHOICES) if not reading.later)
"""The axis of the studies. The first takes the paper by its word; in the others one thing is
different. A_online is compacted but for the last two."""

LOADS = READINGS[:2]
"""Those that concern A_online alone."""

_BASE = {"worker_types": 4, "ps_types": 4, "chunks": [1, 12], "slots": 40}
_JOBS = Grid(({**_BASE, "servers": 8},)) * Grid.cross(jobs=[8, 16, 24])
_SERVERS = Grid(({**_BASE, "jobs": 16},)) * Grid.cross(servers=[4, 8, 12])
_ONE = Grid(({**_BASE, "jobs": 16, "servers": 8},))
_FACTORS = {"factors": [0.001, 0.1, 1.0, 10.0, 1000.0]}
_MOVED = _ONE * Grid.cross(moves=["prices", "weights"]) * Grid((_FACTORS,))
_BATCH = Grid(({"deadline": 16},))
_EC2 = {"types": "ec2", "jobs": 16, "servers": 8}

MULTIVERSE = Multiverse(
    CHOICES,
    {
        "completion-jobs-ps": _JOBS * Grid(({"architecture": "ps"},)),
        "completion-servers-ps": _SERVERS * Grid(({"architecture": "ps"},)),
        "completion-jobs-allreduce": _JOBS * Grid(({"architecture": "allreduce"},)),
        "completion-servers-allreduce": _SERVERS * Grid(({"architecture": "allreduce"},)),
        "completion-bounds": _MOVED,
        "completion-batch-jobs": _JOBS * _BATCH,
        "completion-types": Grid(({**_BASE, **_EC2},))
        * Grid.cross(architecture=["ps", "allreduce"], only_type=[None, 0, 1, 2, 3]),
        "completion-workers": _ONE * Grid.cross(most_workers=[1, 3, 6, 12]),
        "completion-batch-bounds": _MOVED * _BATCH,
        "completion-batch-servers": _SERVERS * Grid.cross(jobs=[8, 16, 24]) * _BATCH,
    },
    headlines=("fig2-best", "fig2-30", "fig5-best"),
)
"""16 jobs, 8 servers and 40 slots, or around that; up to 12 workers a job, 4 + 4 types."""
