"""What the edge-cloud paper leaves open, its readings, and where they are judged."""

from __future__ import annotations

from benchmarks.study.choice import read_choices
from benchmarks.study.grid import Grid
from benchmarks.study.multiverse import Multiverse
from benchmarks.study.scheme import Reading

__all__ = ["BASELINES", "GANGS", "MULTIVERSE", "OWN", "READINGS"]

OWN = ("a-online", "a-online-e")
"""The paper's own schemes. They choose how many workers a job has."""

BASELINES = ("srtf", "tiresias-l", "batchsche")
"""What they are compared with. A job asks these for a number of workers."""

GANGS = ("srtf", "tiresias-l")
"""The gang schedulers among them, which have no batches."""

_CHOICES = read_choices("""
requested | Sec. V-A | how many workers a job asks the baselines for | the words, taken literally
- gpus | a job asks for as many workers as GPUs in a trace, most often 1 | {"requested": "gpus"} | \
Sec. V-A: "computed according to the number of GPUs" of the trace, and no more
- uniform | a job asks for 1 to D workers | {"requested": "uniform"}
- chunks | a job asks for D workers | {"requested": "chunks"}
gangs | Sec. V-A | whether SRTF and Tiresias-L use the cloud | so do all the other schemes
- cloud | a gang that the edge has no room for goes to the cloud
- edge | gangs stay at the edge, with all of it where they ask for more | {"srtf": {"use_cloud": \
false}, "tiresias-l": {"use_cloud": false}} | Fig. 7 has a category without the cloud
m | Sec. V-A | the hours of a mini-batch: as printed a chunk takes days | as printed
- printed | m in [0.001, 0.05] h
+ short | m in [0.001, 0.005] h | {"minibatch_hours": [0.001, 0.005]}
types | Sec. V-A | how many types of workers there are | as printed, with types of their own
- drawn | 8 to 10
+ one | one type | {"worker_types": [1, 1]}
arrivals | Sec. V-A | in how many slots jobs arrive, but for Figures 12, 13 | as in the figures
- 1000 | in 1000 slots | {"slots": 1000}
+ 100 | in 100 slots | {"slots": 100}
+ 5000 | in 5000 slots | {"slots": 5000}
clock | Sec. V-A | when BatchSche closes a batch | as in the paper that it is from
- doubling | in slots 2^i
+ one by one | when the last batch is done | {"batchsche": {"clock": "one-by-one"}}
delay | Sec. V-A | how the delay to the cloud compares with a chunk | as printed
- 10 to 15 | 10 to 15 slots
+ far | 100 to 150 slots | {"cloud_upload": [100, 150]}
slot | Sec. V-A | the length of a slot | hours are the unit of m
- 1 h | an hour
+ 10 h | ten hours | {"slot_seconds": 36000.0}
later | Alg. 2, lines 12-16 | which chunks follow one to the cloud | Sec. IV-C: "subsequent"
- rest | those after it
+ all | all of the job, as printed | {"a-online": {"later": "all"}}
gamma | Alg. 2 | whether the weights have whole slots | the analysis does not round
- exact | E B / n
+ whole | p, which is rounded up | {"a-online": {"gamma": "whole"}, "a-online-e": {"gamma": \
"whole"}}
threshold | Sec. V-A | where Tiresias-L parts its queues | neither queue is empty
- median | the median service of all jobs, also of those to come
+ past | of the jobs completed so far | {"tiresias-l": {"threshold": "past"}}
upload | Sec. III | whether upload delays are of a job and a server, or of a server | as printed
- job | drawn for each job and server
+ server | for each server, as the proof of Lemma 4 has it | {"upload": "server"}
""")

_REQUESTED = _CHOICES[0].readings
_EDGE = "a job asks for D workers or all of the edge, gangs stay there"
_STAY = _CHOICES[1].readings[1].parameters

READINGS = (*_REQUESTED, Reading("edge", _EDGE, _REQUESTED[-1].settings, _STAY))
"""The axis of the studies: how many workers a job asks the baselines for; the first takes the paper
literally. In the last, SRTF and Tiresias-L send no job to the cloud, and give it all workers of its
type where it asks for more."""

_FEW = {"slots": 10, "chunks": [1, 3], "epochs": [1, 3], "requested": "gpus", "time_limit": 5.0}
_SOLVED, _EIGHT = Grid((_FEW,)), Grid.cross(servers=[8])

MULTIVERSE = Multiverse(
    _CHOICES,
    {
        "jct-testbed": _EIGHT * Grid.cross(scale=["testbed"], jobs=[6, 12], worker_types=[None]),
        "jct-jobs": _EIGHT * Grid.cross(jobs=[10, 20, 40]),
        "jct-servers": Grid.cross(jobs=[20], servers=[4, 8, 12]),
        "jct-utilisation": _EIGHT * Grid.cross(jobs=[20], arrivals=["peaks"]),
        "jct-speeds-jobs": _SOLVED * Grid.cross(servers=[2], jobs=[2, 4]),
        "jct-speeds-servers": _SOLVED * Grid.cross(jobs=[3], servers=[1, 3]),
    },
    headlines=("fig7-best", "upto-srtf", "fig12-below"),
    theory=("thm2-primal",),
)
"""10 to 40 jobs on 4 to 12 servers; 2 to 4 of at most 3 chunks where the optimum is solved, so few
that lemmas and ratios hardly depend on the readings. The testbed has types of its own. Schedules
that break a constraint are refused in every reading."""
