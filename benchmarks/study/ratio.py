"""The measure of competitive ratios: runs, the offline side of each instance, and their join."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from benchmarks.study.cell import Cell, Effort, Outcome
from benchmarks.study.instances import Source, drawn, instance_of
from benchmarks.study.join import Joined, join
from benchmarks.study.offline import offline_cell
from benchmarks.study.rows import Row
from benchmarks.study.run import label_of, run_cell
from benchmarks.study.scheme import policy_of
from benchmarks.study.study import Entry, Study, Trial
from online.registry import check_parameters

__all__ = ["Ratio", "asked", "check_ratios", "source_of"]

_COLUMNS = {item.name for item in fields(Row)}


def source_of(
    trial: Trial, settings: Mapping[str, Any], trace: Mapping[str, Any] | None = None
) -> Source:
    """Source of the instance of a trial: ``jobs``, ``slots``, ``servers``, and more settings."""
    more = {name: value for name, value in settings.items() if name != "time_limit"}
    sizes = {name: more.pop(name) for name in ("jobs", "slots", "servers")}
    return drawn(trial.problem, **sizes, seed=trial.seed, settings=more, trace=trace)


def asked(setting: str) -> str:
    """Column of a setting of a point in the rows of :class:`Ratio`."""
    return f"asked_{setting}" if setting in _COLUMNS else setting


@dataclass(frozen=True)
class Ratio:
    """Competitive ratios of the schemes of a trial.

    Parameters
    ----------
    effort, starts
        Of :func:`benchmarks.study.offline.offline_cell`; by default each point says the effort as
        ``time_limit``, in seconds.
    source : callable
        ``(trial, settings) -> Source``.
    data : mapping
        By the file hash of a source, what its cells need with them: instances that are given.
    record : callable, optional
        ``(trial, row, evidence of the run) -> record``, where a study's frame is not made of rows.
    """

    effort: Effort | None = None
    starts: tuple[str, ...] | None = None
    source: Callable[[Trial, Mapping[str, Any]], Source] = source_of
    data: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    record: Callable[[Trial, Row, Mapping[str, Any]], dict[str, Any]] | None = None

    def cells(self, trial: Trial) -> list[Cell]:
        """Of each instance the offline cell, and then a run cell for each scheme."""
        cells = []
        effort = self.effort or Effort(trial.point["time_limit"])
        for source, entries in self._instances(trial):
            data = self.data.get(source.get("file", ""))
            cells.append(offline_cell(source, effort, starts=self.starts, data=data))
            cells += [run_cell(source, entry.scheme, data=data) for entry in entries]
        return cells

    def rows(self, trial: Trial, outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
        """Rows of :class:`benchmarks.study.rows.Row`, with the point and the reading in front.

        A setting of the point whose name is a column of the rows, too, is ``asked_<name>``: what
        was asked for need not be what was drawn (``load``) or what is counted (``jobs``).
        """
        rows = []
        point = {asked(name): value for name, value in trial.point.items()}
        for entries, joined in self.join(trial, outcomes):
            for entry, row, evidence in zip(entries, joined.rows, joined.evidence, strict=True):
                reading = {"reading": entry.reading} if entry.reading else {}
                if self.record is None:
                    rows.append({**point, **reading, **asdict(row)})
                elif row.error:
                    told = {"seed": trial.seed, "policy": row.policy, "error": row.error}
                    rows.append({**trial.point, **reading, **told})
                else:
                    rows.append({**reading, **self.record(trial, row, evidence or {})})
        return rows

    def join(
        self, trial: Trial, outcomes: Sequence[Outcome]
    ) -> list[tuple[Sequence[Entry], Joined]]:
        """The schemes and what is known, instance by instance."""
        found: list[tuple[Sequence[Entry], Joined]] = []
        left = iter(outcomes)
        for source, entries in self._instances(trial):
            offline, runs = next(left), [next(left) for _ in entries]
            schemes = [entry.scheme for entry in entries]
            about = {"seed": source["seed"], "name": label_of(source)}
            found.append((entries, join(trial.problem, schemes, runs, offline, **about)))
        return found

    def _instances(self, trial: Trial) -> list[tuple[Source, list[Entry]]]:
        """Instances of a trial, which readings may draw differently, and who runs on each."""
        found: dict[str, tuple[Source, list[Entry]]] = {}
        for entry in trial.entries:
            source = self.source(trial, entry.settings)
            found.setdefault(json.dumps(source, sort_keys=True), (source, []))[1].append(entry)
        return list(found.values())


def check_ratios(study: Study, size: str, seed: int) -> None:
    """Find out before anything is run what cannot be drawn or built, at every point with a seed.

    InputError if a setting is bad, or a policy has no such parameter.
    """
    assert isinstance(study.measure, Ratio)
    for trial in study.trials(size, [seed]):
        for entry in trial.entries:
            check_parameters(policy_of(study.problem, entry.scheme.policy), entry.scheme.parameters)
            instance_of(study.measure.source(trial, entry.settings))
