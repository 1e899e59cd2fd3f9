"""What the OGASched paper leaves open, how it can be read, and where that is judged."""

from __future__ import annotations

from benchmarks.reward.claims import CLAIMS
from benchmarks.study.choice import read_choices
from benchmarks.study.grid import Grid
from benchmarks.study.multiverse import Multiverse

__all__ = ["MULTIVERSE"]

# "sees" and "step" concern ogasched alone: the step of ogasched-constant is that of Theorem 1.
_CHOICES = read_choices("""
sees | Def. 2, Alg. 1 | whether OGASched sees x(t) before it allocates | (11) makes y(t) of what \
came before
- commits | y(t) is made of x(1), ..., x(t - 1)
+ zeroed | it sees x(t); who is absent loses all | {"ogasched": {"policy": "ogasched-seeing"}} | \
the authors' code
+ kept | so, but who is absent keeps all | {"ogasched": {"policy": "ogasched-seeing", "absent": \
"kept"}}
+ arrived | so, and who came shares all | {"ogasched": {"policy": "ogasched-seeing", "absent": \
"arrived"}}
baselines | Sec. 4 | how much of all servers together a job is given; among whom is divided | as \
it is written
- capped | a job has its request in total; FAIRNESS divides among all ports
+ generous | its request on every server; FAIRNESS divides among ports with a job | {"drf": \
{"per_server": true}, "fairness": {"arrived_only": true}, "binpacking": {"per_server": true}, \
"spreading": {"per_server": true}} | (3); Table 2 has BINPACKING and SPREADING nearly equal
+ fair arrived | of these, FAIRNESS alone | {"fairness": {"arrived_only": true}} | Sec. 4.1: "to \
each non-empty port"
step | Table 1 | the unit of the first step, and so its size | the numbers of the table
- 25 | 25 x 0.9999^t
+ 5 | 5 x 0.9999^t | {"ogasched": {"initial": 5.0}}
+ falling | 25 x 0.995^t | {"ogasched": {"factor": 0.995}} | Fig. 4(b): the best range
start | Alg. 1 | y(1), which is "well designed" | feasible without knowing arrivals
- shares | proportional shares of all ports
+ nothing | nothing | {"ogasched": {"start": "zero"}, "ogasched-constant": {"start": "zero"}, \
"ogasched-literal": {"start": "zero"}}
contention | Sec. 4 | the range of requests, which contention multiplies | contention 1 is a server
- 1 | up to the largest capacity of a server
+ 0.1 | up to a tenth of it | {"requests": 0.1}
+ 2.5 | up to 2.5 times it: load 2, where contention is 10 | {"requests": 2.5}
density | Sec. 4 | the density of the graph, but for Table 2 | the middle of Table 2
- 2.5 | 2.5 ports at a server | {"density": 2.5}
+ 2 | 2 | {"density": 2.0}
+ 4 | 4 | {"density": 4.0}
utilities | Sec. 4 | which kinds of (27) there are, but for Figure 7 | all of them have a range
- mixed | one of the four for each server and device type | {"utilities": "mixed"}
+ linear | all linear | {"utilities": "linear"}
+ log | all logarithmic | {"utilities": "log"}
arrivals | Sec. 4 | the pattern of the trace, which rho thins | rho is all that is told
- bernoulli | a job in every slot, thinned
+ bursty | ports are busy half of the time | {"arrivals": "bursty"}
""")

_TABLE_1 = {"contention": 10.0, "probability": 0.7, "beta_low": 0.3, "beta_high": 0.5}
_BASE, _CROSS = Grid(({"ports": 6, "servers": 64, "slots": 100, **_TABLE_1},)), Grid.cross
_FIGURE_2 = _CROSS(slots=[400], contention=[11.0], beta_low=[0.4], beta_high=[0.6])
_FIGURE_5 = _CROSS(ports=[20], servers=[128], slots=[50], contention=[5.0], beta_low=[0.01])
_CONTENTION = _BASE + _BASE * _CROSS(contention=[0.1, 1.0])
_TABLE_2 = _BASE + _BASE * _CROSS(slots=[50, 200])
_TABLE_2 += _BASE * (_CROSS(probability=[0.3, 0.5, 0.9]) + _CROSS(density=[2.0, 2.5, 3.0]))

MULTIVERSE = Multiverse(
    _CHOICES,
    {
        "reward-2": _BASE * _FIGURE_2,
        "reward-3": _CONTENTION + _BASE * (_CROSS(servers=[32, 128]) + _CROSS(ports=[4, 12])),
        "reward-4": _BASE,
        "reward-5": _BASE * _FIGURE_5 * _CROSS(beta_high=[0.015]),
        "reward-6": _CONTENTION,
        "reward-7": _BASE * _CROSS(utilities=["linear", "poly", "log", "reciprocal"]),
        "reward-table-2": _TABLE_2,
        "reward-gradients": _BASE,
    },
    headlines=("fig2-best", "fig7-best", "tab2-lead-fairness"),
    theory=("eq22-gradient", *(one.name for one in CLAIMS if one.name.endswith("-generous"))),
)
"""6 ports, 64 servers and T = 100, or around that: the load is 0.8 to 1.0, a little more than that
of Table 1. Against generous baselines claims are judged where these are the reading."""
