"""What the OASiS paper leaves open, how it can be read, and where that is judged."""

from __future__ import annotations

from benchmarks.study.choice import read_choices
from benchmarks.study.grid import Grid
from benchmarks.study.multiverse import Multiverse

__all__ = ["MULTIVERSE"]

_CHOICES = read_choices("""
duration | Sec. V-A | slots that a job may take alone; most draws are impossible | fewest redrawn
- 20 | min(20, 0.6 T)
+ 6 | at most 6, as the jobs of Sec. V-B | {"max_duration": 6}
+ 3 | at most 3 | {"max_duration": 3}
load | Sec. V-A | how much there is to do | what the ranges and the rule above give
- drawn | as drawn
+ 1 | work scaled to load 1 | {"load": 1.0}
priority | Sec. V-A | the range of priorities, which Figure 5 varies | the widest that it names
- 1 to 100 | gamma_1 in [1, 100]
+ equal | all jobs alike | {"priority": [1.0, 1.0]}
mix | Sec. V-A | shares of insensitive, sensitive and critical jobs, but for Figure 4 | it has them
- 10/55/35 | as in the text
+ no critical | 20 %, 80 %, none | {"mix": [0.2, 0.8, 0.0]}
arrivals | Sec. V-A | when jobs arrive | it names the trace
- google | as fitted to the Google trace of 2011
+ uniform | every slot alike | {"arrivals": "uniform"}
L | (25), (26) | whether L has the factor 1/(4 eta), and what utility is the least | as printed
- printed | (25), (26)
+ no eta | without 1/(4 eta), which the prose does not have | {"oasis": {"eta": false}}
+ target | so, and the utility at the target delay | {"oasis": {"eta": false, \
"smallest": "target"}}
floor | (25), (26) | the least utility that counts: it may underflow | it is hardly felt
- 1e-6 | of the largest
+ 1e-2 | of the largest | {"oasis": {"floor": 0.01}}
units | (25), (26) | units of resources, of which L has one sum | results should not depend on them
- normalised | in mean capacities of a server
+ raw | as the instance has them | {"oasis": {"units": "raw"}}
known | Sec. IV | where U and L come from | they are given there
- exact | of all jobs, those to come, too
+ estimated | of the jobs so far | {"oasis": {"estimated": true}}
rrh | Sec. V-A | how RRH admits, and whether jobs pause | "continue running or pause"
- preemptive | jobs pause; candidates by reward
+ running on | no job pauses | {"rrh": {"preempt": false}}
+ queue | candidates by arrival | {"rrh": {"queue": "arrival"}}
+ threshold | admits from a gain of 10 on | {"rrh": {"threshold": 10.0}}
wrong | Fig. 6 | whether U or L is wrong in a wrong U/L | U sees the jobs to come
- U | U moves
+ L | L moves | {"oasis": {"moved": "L"}}
""")

# Where jobs take at most 3 slots, fewer jobs, more slots or fewer servers cannot make a load of 1.
_LARGE, _CROSS = Grid.cross(slots=[20], servers=[10]), Grid.cross
_SCALES = [0.01, 0.1, 0.5, 2.0, 10.0, 100.0]

MULTIVERSE = Multiverse(
    _CHOICES,
    {
        "utility-3": _LARGE * _CROSS(jobs=[20, 30, 40]),
        "utility-4": _LARGE * _CROSS(jobs=[40], mix=[[0.0, 0.5, 0.5]]),
        "utility-5": _CROSS(
            jobs=[6], slots=[8], servers=[5, 8], priority=[10.0, 1000.0], time_limit=[20.0]
        ),
        "utility-6": _LARGE * _CROSS(jobs=[40], scales=[_SCALES]),
        "utility-8": Grid(),
        "utility-9": Grid(),
    },
    headlines=("fig3-highest", "fig5-band", "fig6-under"),
    theory=("thm2-primal", "thm2-dual", "thm4-ratio", "appA-first", "appE-dual"),
)
"""20 to 40 jobs, T = 20 and 10 + 10 servers; 6 jobs, T = 8 and 5 + 5 or 8 + 8 in Figure 5. Of
the testbed, where the workload is fixed, only what concerns policies can be read otherwise."""
