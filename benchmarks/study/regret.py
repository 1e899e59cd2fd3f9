"""The measure of regret: runs, the best fixed decision of each instance, and their comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.contract import ADAPTIVE, TRACE, RegretSizes, regret_parts
from benchmarks.study.cell import Cell, Effort, Outcome
from benchmarks.study.instances import Source, drawn, instance_roots
from benchmarks.study.offline import offline_cell
from benchmarks.study.run import label_of, run_cell
from benchmarks.study.study import Trial

_SHARED = ("best fixed decision: ", "optima of slots: ")  # what all runs are compared with


@dataclass(frozen=True)
class Regret:
    """Regret of the schemes of a trial, as :func:`benchmarks.study.study.trial_on` makes them.

    The data are, by the file hash of a source, what its cells need with it.
    """

    dynamic: float | None = None  # seconds for the optima of the slots; None = no dynamic regret
    data: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)

    def cells(self, trial: Trial) -> list[Cell]:
        """The best fixed decision, the optima of the slots if asked for, and a run each.

        Of arrivals that adapt, each run has its own, and there are no optima of the slots.
        """
        parts, source = regret_parts(trial.problem), trial.entries[0].settings
        data = self.data.get(source.get("file", ""), {})
        schemes = [entry.scheme for entry in trial.entries]
        if "file" not in source and trial.point.get("arrivals") == ADAPTIVE:
            return [run_cell(source, one, function=parts.adaptive) for one in schemes]
        instance, label = {"instance": dict(source)}, f"best fixed decision of {label_of(source)}"
        roots = instance_roots(trial.problem)
        cells = [Cell(parts.fixed, instance, roots=roots, data=data, label=label)]
        if self.dynamic is not None:
            cells.append(offline_cell(source, Effort(self.dynamic), data=data))
        return cells + [run_cell(source, one, data=data, function=parts.run) for one in schemes]

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """A row for each scheme: the instance, and its record or an error."""
        many = len(outcomes) - len(trial.entries)
        shared, runs = outcomes[:many], outcomes[many:]
        source = trial.entries[0].settings
        known = shared[0].result.value if shared and shared[0].result else {}
        head = {
            "problem": trial.problem,
            "instance": known.get("instance", label_of(source)),
            "instance_hash": known.get("instance_hash", ""),
            "seed": source["seed"],
            **trial.point,
            "load": known.get("load"),
        }
        found = [one.result for one in shared if one.result is not None]
        lost = [what + one.error for what, one in zip(_SHARED, shared, strict=False) if one.error]
        done = [run.result for run in runs if run.result is not None]
        records: Iterator[dict[str, Any]] = iter([run.value for run in done])
        if shared and not lost:
            optimum = found[1] if self.dynamic is not None else None
            records = iter(regret_parts(trial.problem).compare(found[0], done, optimum))
        where = {"ports": source.get("jobs"), "slots": source.get("slots")}
        rows = []
        for entry, run in zip(trial.entries, runs, strict=True):
            name, errors = entry.scheme.name, "; ".join(filter(None, [*lost, run.error]))
            of_run = {"policy": name, **where, "error": errors} if errors else next(records)
            rows.append({**head, **of_run, "policy": name})
        return rows


def sources_around(
    problem_name: str,
    sizes: RegretSizes,
    settings: Mapping[str, Any],
    scaling: str,
    trace: Mapping[str, Any] | None = None,
) -> Iterator[tuple[str, Source]]:
    """Arrivals and source of each instance: all horizons and numbers of ports, each with all seeds.

    The settings of the workload are those of all instances, and so is the trace, by its digest
    (:func:`benchmarks.study.instances.trace_digest`). ``scaling`` is what stays the same as ports
    are added: "degree", the servers of a port, so that the density grows with the ports; or
    "density", so that the servers of a port become fewer.
    """
    scaled, (ports, slots) = regret_parts(problem_name).scaled, sizes.base
    around = [(ports, horizon) for horizon in sizes.slots]
    around += [(count, slots) for count in sizes.ports if count != ports]
    for arrivals in sizes.arrivals:
        pattern = {} if arrivals in (TRACE, ADAPTIVE) else {"arrivals": arrivals}
        for count, horizon in around:
            factor = count / ports if scaling == "degree" else 1.0
            told = scaled({**settings, **pattern}, sizes, factor)
            size = {"jobs": count, "slots": horizon, "servers": sizes.servers}
            for seed in sizes.seeds:
                yield arrivals, drawn(problem_name, **size, seed=seed, settings=told, trace=trace)
