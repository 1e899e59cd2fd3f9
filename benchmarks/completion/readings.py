"""What the paper on heterogeneous jobs leaves open, its readings, and where they are judged."""

from __future__ import annotations

from benchmarks.study.choice import read_choices, star_of
from benchmarks.study.grid import Grid
from benchmarks.study.multiverse import Multiverse

__all__ = ["BASELINES", "LOADS", "MULTIVERSE", "OWN", "READINGS"]

OWN = "a-online"
BASELINES = ("fifo", "drf", "antman", "tiresias")

# "blocks" and "order" concern A_online alone, "placement" and "preemption" the baselines.
_CHOICES = read_choices("""
capacity | Sec. 7 | a range of capacities is given, the load is not | it takes the text by its word
- paper | capacity as drawn | {"preset": "paper"} | Sec. 7: capacities are "approximately [0.2, \
0.5]" of the summed ideal demand
- moderate | load 0.9 to 1.1 | {"preset": "moderate"} | Sec. 1: "especially in systems with \
resource shortage"
+ overload | load 1.5 | {"load": 1.5}
placement | (2) | whether baselines keep to constant placements | their own papers have them so
- elastic | baselines may move and resize jobs
- fixed | baselines with constant placement | {"drf": {"fixed": true}, "antman": {"fixed": true}, \
"tiresias": {"fixed": true}} | (2) knows only constant placements; the paper does not say that \
baselines keep to it
preemption | Sec. 7.1 | what it costs to stop, move or resize a job | (2) knows no such cost
- free | preemption costs nothing
- delay | a slot lost by who is stopped, moved or resized | {"drf": {"delay": 1}, "antman": \
{"delay": 1}, "tiresias": {"delay": 1}} | Sec. 7.1: durations are "lengthened due to frequent \
preemption", not by how much
blocks | Alg. 1, 2 | whether jobs wait for the block that they are planned in | with alpha in the \
hundreds, almost all time would be waiting
- compact | A_online starts jobs as early as the others of the round allow
- blocks | A_online in blocks as planned | {"a-online": {"compact": false}} | Alg. 1 and 2 run \
blocks of tau_i slots one after the other
- literal | A_online with one alpha, from alpha tau on | {"a-online": {"literal": true}} | Alg. 1 \
and 2 run blocks of tau_i slots one after the other, from alpha tau_i on
order | Alg. 2 | in which order jobs of a batch are taken | as jobs of one slot in other problems
- arrival | in the order of arrival
+ weight | the heaviest first | {"a-online": {"order": "weight"}}
arrivals | Sec. 7 | when jobs arrive | other papers take that trace
- google | as fitted to the Google trace of 2011
+ uniform | every slot alike | {"arrivals": "uniform"}
types | Sec. 7 | which worker types there are, apart from Figure 9 | the text has the ranges
- drawn | from the ranges
+ ec2 | the four of Figure 9 | {"types": "ec2"}
duration | Sec. 7 | how long a job may take alone on the cluster | jobs have to complete, no more
- horizon | until T
+ short | 12 slots | {"max_duration": 12}
""")

READINGS = tuple(reading for reading in star_of(_CHOICES) if not reading.later)
"""The axis of the studies. The first takes the paper by its word; in the others one thing is
different. A_online is compacted but for the last two."""

LOADS = READINGS[:2]
"""Those that concern A_online alone."""

_BASE = {"worker_types": 4, "ps_types": 4, "chunks": [1, 12], "slots": 40}
_BASE["minibatch_slots"] = [0.0003, 0.013]
# With fewer jobs, or more servers, a server of the overload has no room for one worker.
_JOBS = Grid(({**_BASE, "servers": 4},)) * Grid.cross(jobs=[24, 32, 40])
_SERVERS = Grid(({**_BASE, "jobs": 32},)) * Grid.cross(servers=[2, 4, 6])
_ONE = Grid(({**_BASE, "jobs": 32, "servers": 4},))
_PS, _RING = (Grid.cross(architecture=[name]) for name in ("ps", "allreduce"))
_FACTORS = Grid.cross(factors=[[0.001, 0.1, 1.0, 10.0, 1000.0]], moves=["prices", "weights"])
_BATCH = Grid.cross(deadline=[16])

MULTIVERSE = Multiverse(
    _CHOICES,
    {
        "completion-jobs-ps": _JOBS * _PS,
        "completion-servers-ps": _SERVERS * _PS,
        "completion-jobs-allreduce": _JOBS * _RING,
        "completion-servers-allreduce": _SERVERS * _RING,
        "completion-bounds": _ONE * _FACTORS,
        "completion-batch-jobs": _JOBS * _BATCH,
        "completion-types": _ONE
        * Grid.cross(types=["ec2"], architecture=["ps", "allreduce"], only_type=[None, 0, 1, 2, 3]),
        "completion-workers": _ONE * Grid.cross(most_workers=[1, 3, 6, 12]),
        "completion-batch-bounds": _ONE * _FACTORS * _BATCH,
        "completion-batch-servers": _SERVERS * Grid.cross(jobs=[24, 32, 40]) * _BATCH,
    },
    headlines=("fig2-best", "fig2-30", "fig5-best"),
)
"""32 jobs, 4 servers and 40 slots, or around that; up to 12 workers a job, 4 + 4 types; shorter
mini-batches by as much as T is, so that the load is that of the paper's size."""
