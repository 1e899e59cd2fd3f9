"""Measure competitive ratios over a grid of settings, as a file says.

It names problems, settings that vary, readings, seeds, policies and a time limit; all its keys are
in benchmarks/study/file.py. Writes rows (csv and parquet), and a table and a picture for each
setting that varies.

Examples
--------
python -m benchmarks.sweep load.toml
    every cell of the study; what is finished in DIR is not run again
python -m benchmarks.sweep load.toml --workers 2 --out results/load
python -m benchmarks.sweep load.toml --cluster tcp://10.0.0.1:8786
    on the workers of a Dask scheduler (docs/studies.md)

a study file:
  seeds = 3
  time_limit = 10                                # seconds for the optimum of an instance
  [[study]]
  problem = "utility"
  policies = ["oasis", "rrh", "my_file.py:MyPolicy"]
  base = { jobs = 10, slots = 10, servers = "5+5" }
  vary = { load = [0.5, 1.0, 2.0] }
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cli import Parser, engine_of, isolation_of, run_command
from benchmarks.study.instances import show_servers

if TYPE_CHECKING:
    import pandas as pd

    from benchmarks.study.study import Study


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study, write rows, tables and pictures; returns the exit code."""
    parser = Parser("benchmarks.sweep", __doc__)
    parser.add_argument("study", metavar="STUDY.toml", help="the study file")
    parser.add_isolation()
    parser.add_engine()
    parser.add_out("results/sweep-STUDY", runs=True)
    args = parser.parse_args(argv)
    # What is heavy is imported once the options are known to be right.
    import pandas as pd

    from benchmarks.runs import Runs
    from benchmarks.study.file import read_study_file
    from benchmarks.study.ratio import asked as asked_column
    from benchmarks.study.rows import records_of
    from benchmarks.study.store import Store
    from benchmarks.study.study import frames_of

    asked = read_study_file(args.study, isolation_of(args))
    out = args.out or Path("results") / f"sweep-{Path(args.study).stem}"
    isolated = {} if args.isolate is None else {"isolate": args.isolate}
    runs = Runs(out, {**asked.asked, **isolated}, args.run)
    plans = [(study.measure, study.trials("default", asked.seeds)) for study in asked.studies]
    with engine_of(args, threads=asked.threads) as engine:
        found = frames_of(plans, store=Store(runs.path / "cells"), engine=engine, progress="sweep")
    frames = [frame.apply(_readable) for frame in found]
    for study, frame in zip(asked.studies, frames, strict=True):
        frame.insert(0, "study", study.name)
    for study, axes, frame in zip(asked.studies, asked.axes, frames, strict=True):
        for axis, held in axes.items():
            shown = frame
            for name, value in held.items():  # the other settings stay where they are
                name = asked_column(name)
                same = shown[name].isna() if value is None else shown[name] == _plain(name, value)
                shown = shown[same]
            _show(study, asked_column(axis), shown, runs.folder)
    rows = pd.concat(frames, ignore_index=True)
    runs.finish(records_of(rows), {"rows.parquet": _packed(rows)})
    print(runs.words)
    return int(bool(engine.failed))


def _readable(column: pd.Series) -> list[Any]:
    """A column of numbers and texts."""
    return [_plain(str(column.name), value) for value in column]


def _plain(column: str, value: Any) -> Any:
    """A value as a command line writes it."""
    from benchmarks.study.ratio import asked as asked_column

    if column == asked_column("servers"):
        return show_servers(value)
    return ":".join(f"{part:g}" for part in value) if isinstance(value, (list, tuple)) else value


def _packed(frame: pd.DataFrame) -> bytes:
    """Rows as parquet."""
    from pandas.api.types import infer_dtype

    # A column of parquet has one type: where values of several come together, all are texts.
    mixed = [name for name in frame if infer_dtype(frame[name]) in ("mixed", "mixed-integer")]
    texts = {name: frame[name].map(str, na_action="ignore") for name in mixed}
    packed = io.BytesIO()
    frame.assign(**texts).to_parquet(packed, index=False)
    return packed.getvalue()


def _mean(group: pd.DataFrame) -> str:
    """The mean of the runs of a policy at a point; none where one failed, as in all tables."""
    from benchmarks.study.study import has_failed

    failed = int(has_failed(group).sum())
    return f"failed {failed}/{len(group)}" if failed else f"{group['ratio_upper'].mean():.3f}"


def _show(study: Study, axis: str, frame: pd.DataFrame, out: Path) -> None:
    """The table and the picture of one setting that varies."""
    from benchmarks.pictures.intervals import plot_intervals
    from benchmarks.pictures.style import save_picture
    from benchmarks.study.study import has_failed, succeeded

    failed = int(has_failed(frame).sum())
    lost = f", {failed} of them failed" if failed else ""
    print(f"{study.problem}: mean ratio (upper end) by {axis}, {len(frame)} runs{lost}")
    frame = frame.assign(**{axis: frame[axis].astype(object).where(frame[axis].notna(), "none")})
    reading = ["reading"] if "reading" in frame else []
    cells = frame.groupby([*reading, "policy", axis], sort=False).apply(_mean)
    print(cells.unstack(axis, sort=False).to_string())
    frame = succeeded(frame)
    if frame.empty:
        print("no run is left to show\n")
        return
    who = frame["policy"] + (" (" + frame["reading"] + ")" if reading else "")
    how: dict[str, Any] = {"lower": "ratio_lower", "upper": "ratio_upper", "hue": "scheme"}
    how |= {"xlabel": axis, "ylabel": "competitive ratio", "level": 1.0, "title": study.problem}
    how["hue_title"] = "a mark is a run: certified interval"
    picture = plot_intervals(frame.assign(scheme=who), x=axis, **how)
    paths = save_picture(picture, frame, out / f"{study.name}-{axis}")
    print(f"{', '.join(map(str, paths))}\n")


if __name__ == "__main__":
    run_command(main)
