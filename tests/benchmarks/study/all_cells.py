"""All kinds of cells that experiments on a problem are made of."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.contract import ADAPTIVE, experiments_of, gap_methods
from benchmarks.study.cell import Cell, Effort
from benchmarks.study.gap import Gap
from benchmarks.study.instances import drawn
from benchmarks.study.offline import offline_cell
from benchmarks.study.regret import Regret
from benchmarks.study.run import run_cell
from benchmarks.study.scheme import schemes_of
from benchmarks.study.speed import Speed
from benchmarks.study.study import SIZES, Trial, trial_on
from models.reference import resolve
from online.registry import policy_names

__all__ = ["all_cells"]


def all_cells(problem: str) -> Iterator[Cell]:
    """Cells of every study at every size, and of ratio, speed, gap and regret."""
    experiments = experiments_of(problem)
    for study in resolve(experiments.studies):
        for size in SIZES:
            for trial in study.trials(size, [0]):
                yield from study.measure.cells(trial)
    size = experiments.workload.quick
    point = {"jobs": size.jobs, "slots": size.slots, "servers": size.servers}
    source = drawn(problem, **point, seed=0)
    schemes = schemes_of(problem, [*policy_names(problem), *experiments.plain_versions])
    trial = trial_on(source, schemes)
    yield offline_cell(source, Effort(1.0))
    yield from (run_cell(source, scheme) for scheme in schemes)
    yield from Speed({}).cells(trial)
    if experiments.gap:
        methods = tuple(gap_methods(problem).methods)
        yield from Gap(methods, (1.0,)).cells(Trial(problem, point, 0))
    if experiments.regret:
        yield from Regret(dynamic=1.0).cells(trial)
        yield from Regret().cells(trial_on(source, schemes, arrivals=ADAPTIVE))
