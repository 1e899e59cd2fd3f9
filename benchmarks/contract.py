"""What the layer ``benchmarks`` offers of a problem, and where commands find it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.study.cell import Result
from benchmarks.workload.contract import Workload
from models.errors import InputError
from models.problem import all_offered, offered, problem_names
from models.reference import resolve
from solvers.result import SolveResult


@dataclass(frozen=True)
class Experiments:
    """Experiments on a problem: ``benchmarks.<problem>.EXPERIMENTS``.

    All but the workload is named by references (:mod:`models.reference`), so that a cell, which
    needs the workload, does not depend on pictures and claims. Empty: the problem has none.

    Studies, pictures and claims are sequences of :class:`benchmarks.study.study.Study`,
    :class:`benchmarks.study.claim.Picture` and :class:`benchmarks.study.claim.Claim`, in the order
    of the paper; readings are a :class:`benchmarks.study.multiverse.Multiverse`; gap is a
    :class:`GapMethods`, regret a :class:`RegretParts`. The plain versions
    are policies without compiled code, which ``benchmarks.speed`` times beside the others.
    """

    workload: Workload
    studies: str = ""
    pictures: str = ""
    claims: str = ""
    readings: str = ""
    gap: str = ""
    regret: str = ""
    plain_versions: tuple[str, ...] = ()


def experiments_of(problem_name: str) -> Experiments:
    """Experiments on a problem; InputError if there is no such problem, or it has none yet."""
    return offered("benchmarks", problem_name, "EXPERIMENTS", Experiments)


def with_part(part: str) -> list[str]:
    """Names of the problems whose experiments have a part, e.g. ``"gap"``."""
    every = all_offered("benchmarks", "EXPERIMENTS", Experiments)
    return [name for name, found in every.items() if getattr(found, part)]


def part_of(problem_name: str, part: str) -> Any:
    """What a part of a problem's experiments refers to; InputError if there is none."""
    fault = f"unknown problem '{problem_name}': choose from"
    if problem_name in problem_names():
        if reference := getattr(experiments_of(problem_name), part):
            return resolve(reference)
        fault = f"problem '{problem_name}' has no {part} part yet; those with one:"
    raise InputError(f"{fault} {', '.join(with_part(part)) or 'none'}")


@dataclass(frozen=True)
class GapMethod:
    """A way to bound or solve an instance offline, in words, and from nothing.

    ``solve(instance, time_limit=seconds, threads=number) -> SolveResult``; what solves no integer
    program has one thread, whatever is asked. ``bound_only``: it looks for no schedule.
    ``by_work``: given ``work_limit``, in units of its own, and no time limit, it finds the same in
    every run.
    ``package``: what of the extra ``check`` it needs.
    """

    words: str
    solve: Callable[..., SolveResult[Any]]
    bound_only: bool = False
    by_work: bool = False
    package: str = ""


@dataclass(frozen=True)
class GapMethods:
    """What ``benchmarks.gap`` compares on a problem: methods by name.

    ``default`` are those that are compared where none is asked for; ``sizes`` are texts
    ``JOBSxSLOTSxSERVERS``, under ``"default"`` and ``"quick"``.
    """

    methods: Mapping[str, GapMethod]
    default: tuple[str, ...]
    sizes: Mapping[str, tuple[str, ...]]


gap_methods: Callable[[str], GapMethods] = partial(part_of, part="gap")
"""What ``benchmarks.gap`` compares on a problem; InputError if it has none."""


TRACE = "trace"
"""Name of the arrivals of the trace itself, where regret is measured."""

ADAPTIVE = "adaptive"
"""Name of arrivals that adapt to each policy: an adversary sees its last decision."""


@dataclass(frozen=True)
class RegretSizes:
    """Horizons and numbers of ports around one base, (ports, slots); seeds and arrivals.

    Both ascend, that of the base among them: horizons (``slots``) at the ports of the base, numbers
    of ports at its slots. Servers are as a size of the workload has them.
    """

    base: tuple[int, int]
    slots: tuple[int, ...]
    ports: tuple[int, ...]
    servers: Any
    seeds: tuple[int, ...]
    arrivals: tuple[str, ...]

    @property
    def axes(self) -> dict[str, tuple[int, ...]]:
        """Sizes that growth is fitted over, by the column of the rows."""
        return {"slots": self.slots, "ports": self.ports}


@dataclass(frozen=True)
class RegretParts:
    """With what ``benchmarks.regret`` measures on a problem.

    Parameters
    ----------
    sizes : mapping of str to RegretSizes
        Under ``"default"`` and ``"quick"``.
    fixed, run : str
        Functions of cells, given ``instance``: the best fixed decision; and, given ``policy`` and
        ``parameters`` too, a run, with what a comparison needs.
    adaptive : str
        A function given the same as ``run``: the record of a run on arrivals that adapt to it, with
        what says of the instance which it is.
    compare : callable
        ``(result of fixed, results of runs, optimum) -> record of each run``; pure. The optimum is
        the result of the offline cell, or None.
    scaled : callable
        ``(settings, sizes, factor) -> settings``: with a multiple of the density of the base.
    """

    sizes: Mapping[str, RegretSizes]
    fixed: str
    run: str
    adaptive: str
    compare: Callable[[Result, Sequence[Result], Result | None], list[dict[str, Any]]]
    scaled: Callable[[Mapping[str, Any], RegretSizes, float], dict[str, Any]]


regret_parts: Callable[[str], RegretParts] = partial(part_of, part="regret")
"""With what ``benchmarks.regret`` measures on a problem; InputError if it has none."""
