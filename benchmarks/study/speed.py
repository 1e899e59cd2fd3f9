"""The measure of speed: how long policies take to decide, event by event, and their memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.contract import experiments_of
from benchmarks.study.cell import Cell, Needs, Outcome, Result
from benchmarks.study.instances import Source, instance_of
from benchmarks.study.run import run_cell, run_policy, warm_policy
from benchmarks.study.scheme import policy_of
from benchmarks.study.study import Trial, rows_of
from online.process_tree import PeakMemory


@dataclass(frozen=True)
class Speed:
    """Times of the schemes of a trial, as :func:`benchmarks.study.study.trial_on` makes them.

    What is measured is this machine now, so no cell is kept. The data are, by the file hash of a
    source, what its cells need with it.
    """

    data: Mapping[str, Mapping[str, bytes]]
    needs: Needs = Needs(alone=True)

    def cells(self, trial: Trial) -> list[Cell]:
        """One for each scheme."""
        function, source = "benchmarks.study.speed:time_policy", trial.entries[0].settings
        data = self.data.get(source.get("file", ""))
        schemes = [entry.scheme for entry in trial.entries]
        runs = [run_cell(source, scheme, data=data, function=function) for scheme in schemes]
        return [replace(run, needs=self.needs, kept=False) for run in runs]

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """A row for each scheme."""
        return [{**trial.point, **row} for row in rows_of(trial, outcomes)]


def time_policy(
    *,
    instance: Source,
    policy: str,
    parameters: Mapping[str, Any],
    data: Mapping[str, bytes] | None = None,
) -> Callable[[], Result]:
    """Prepare a run: draw the instance, and compile what the policy needs on a small one.

    The value of its result is one record: ``policy_s`` (time inside the policy's reset and
    decisions), ``run_s`` (with its construction, the runner and the scorer), ``peak_mb`` (rise of
    the process's memory meanwhile, with the schedule that is kept, beyond what earlier runs have
    left free; None where the system does not tell); of each kind of event number, median and worst.
    """
    chosen = policy_of(instance["problem"], policy)
    warm_policy(instance["problem"], policy)
    known = instance_of(instance, data)
    events = experiments_of(known.problem).workload.words.events

    def measure() -> Result:
        memory, begin = PeakMemory(), time.perf_counter()
        run = run_policy(known, chosen, **parameters)
        whole = time.perf_counter() - begin
        risen = memory.risen
        value = {
            "instance": known.name,
            "policy": run.policy.name,
            "policy_s": float(run.trace.seconds.sum()),
            "run_s": whole,
            "peak_mb": None if risen is None else risen / 1e6,
        }
        milliseconds = 1e3 * run.trace.seconds[1:]  # the first is the reset
        kinds = np.array([row["event"] for row in run.trace.decisions], dtype=str)
        for kind in events:
            times = milliseconds[kinds == kind]
            value[f"{kind}s"] = len(times)
            value[f"{kind}_median_ms"] = float(np.median(times)) if len(times) else 0.0
            value[f"{kind}_worst_ms"] = float(np.max(times, initial=0.0))
        return Result([value])

    return measure
