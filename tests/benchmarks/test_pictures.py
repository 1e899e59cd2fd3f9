"""Pictures: they draw the data they are given, where they are told, the same way each time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from benchmarks.pictures.intervals import plot_boxes, plot_intervals
from benchmarks.pictures.lines import plot_curves, plot_lines
from benchmarks.pictures.slots import (
    plot_decisions,
    plot_gantt,
    plot_heatmap,
    plot_queue,
    plot_utilisation,
)
from benchmarks.pictures.style import RANGES, caption, looks, panels, save_picture, tell_load, told
from benchmarks.utility.tables import blocks, decisions, price_table, usage
from models.errors import InputError
from models.utility import UtilitySchedule
from models.utility.resources import Resources
from online.run import run
from online.utility.oasis import OASiS
from tests.models.utility.small import constant, instance, job, random_instance

RUNS = pd.DataFrame(
    {
        "n": [1, 1, 2, 2, 1, 1, 2, 2],
        "y": [1.0, 3.0, 4.0, 8.0, 0.0, 0.0, 5.0, 5.0],
        "z": [2.0, 3.0, 4.0, 9.0, 1.0, 1.0, 5.0, 6.0],
        "who": ["a"] * 4 + ["b"] * 4,
        "kind": ["k", "l"] * 4,
    }
)
JOBS = pd.DataFrame(
    {
        "job": ["a", "b", "c"],
        "value": [1.0, 2.0, np.nan],
        "cost": [0.0, 3.0, np.nan],
        "admitted": [True, False, False],
    }
)
BLOCKS = pd.DataFrame(
    {
        "job": ["a", "b"],
        "server": [0, 0],
        "start": [0, 1],
        "stop": [2, 3],
        "count": [1, 2],
        "share": [0.5, 0.25],
    }
)
SHARES = pd.DataFrame({"slot": [0, 1], "resource": ["gpu", "gpu"], "share": [0.0, 1.0]})
QUEUE = pd.DataFrame(
    [
        (0, "a", 2, "uploads", 0, 1, False),
        (0, "a", 2, "trains", 1, 3, True),
        (0, "a", 2, "waits", 3, 5, False),
        (0, "a", 2, "trains", 5, 7, False),
        (0, "b", 1, "trains", 3, 5, False),
        (1, "b", 1, "trains", 2, 4, False),
    ],
    columns=["worker", "job", "chunks", "state", "start", "stop", "preempted"],
)

PICTURES: dict[str, Callable[..., Figure]] = {
    "boxes": lambda axes: plot_boxes(
        RUNS, axes, x="who", y="y", hue="kind", xlabel="x", ylabel="y", notes={("a", "k"): "n"}
    ),
    "curves": lambda axes: plot_curves(
        RUNS, axes, x="n", y="y", series="who", xlabel="x", ylabel="y", level=0.0
    ),
    "decisions": lambda axes: plot_decisions(JOBS, axes),
    "gantt": lambda axes: plot_gantt(BLOCKS, axes, servers=2, slots=4),
    "heatmap": lambda axes: plot_heatmap(
        pd.DataFrame([[0.0, 1.0], [2.0, 10.0]]), axes, label="price", ylabel="server", log=True
    ),
    "intervals": lambda axes: plot_intervals(
        RUNS, axes, x="who", lower="y", upper="z", hue="kind", xlabel="x", ylabel="y", level=1.0
    ),
    "lines": lambda axes: plot_lines(
        RUNS, axes, x="n", y="y", series="who", xlabel="x", ylabel="y", spacing="log"
    ),
    "queue": lambda axes: plot_queue(QUEUE, axes),
    "utilisation": lambda axes: plot_utilisation(SHARES, axes),
}


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_every_picture_takes_axes_or_makes_them(name: str) -> None:
    own = PICTURES[name](None)
    assert own.axes[0].get_xlabel()
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert PICTURES[name](right) is figure
    assert right.has_data() or right.patches
    assert not left.has_data()


@pytest.mark.usefixtures("rendered")
@pytest.mark.parametrize("name", ["boxes", "gantt", "heatmap", "queue"])
def test_same_data_same_bytes(name: str, tmp_path: Path) -> None:
    first = save_picture(PICTURES[name](None), RUNS, tmp_path / "one" / "p")
    again = save_picture(PICTURES[name](None), RUNS, tmp_path / "two" / "p")
    assert [path.name for path in first] == ["p.pdf", "p.png", "p.csv"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert b"CreationDate" not in first[0].read_bytes()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        save_picture(PICTURES["lines"](None), RUNS, tmp_path / "file" / "p")


def test_lines_draw_means() -> None:
    axes = PICTURES["lines"](None).axes[0]
    means = [np.asarray(bars.lines[0].get_ydata(), dtype=float) for bars in axes.containers]
    np.testing.assert_allclose(means, [[2.0, 6.0], [0.0, 5.0]])


def test_curves_draw_means_and_bars_that_do_not_hide_each_other() -> None:
    axes = PICTURES["curves"](None).axes[0]
    lines = [np.asarray(line.get_ydata(), dtype=float) for line in axes.lines[:-1]]
    np.testing.assert_allclose(lines, [[2.0, 6.0], [0.0, 5.0]])
    first = [path.vertices.tolist() for path in axes.collections[0].get_paths()]
    assert first == [[[1.0, 1.0], [1.0, 3.0]], [[2.0, 4.0], [2.0, 8.0]]]
    many = pd.concat([RUNS.assign(n=n) for n in range(50)])
    axes = plot_curves(many, x="n", y="y", series="who").axes[0]
    bars = [[path.vertices[0, 0] for path in one.get_paths()] for one in axes.collections]
    assert bars == [[0, 10, 20, 30, 40], [5, 15, 25, 35, 45]]


def test_a_series_looks_the_same_in_every_panel() -> None:
    alone = RUNS[RUNS["who"] == "b"]
    drawn = [
        plot(alone, x="n", y="y", series="who", xlabel="x", ylabel="y", among=("a", "b"))
        for plot in (plot_lines, plot_curves)
    ]
    for figure in drawn:
        assert figure.axes[0].lines[0].get_color() == looks(["a", "b"])["b"]["color"]


def test_intervals_leave_infinite_rows_out_and_say_so() -> None:
    rows = RUNS.assign(z=[np.inf, *RUNS["z"].iloc[1:]])
    figure = plot_intervals(rows, x="who", lower="y", upper="z", xlabel="x", ylabel="y")
    assert "1 infinite" in figure.axes[0].get_title(loc="left")
    drawn = figure.axes[0].lines[0].get_ydata()
    np.testing.assert_allclose(drawn, [3.0, 4.0, 9.0])


def test_gantt_stacks_jobs_of_one_server() -> None:
    axes = PICTURES["gantt"](None).axes[0]
    # a fills half of server 0 in slots 0 and 1, b a quarter of it in slots 1 and 2, above a.
    bars = sorted(
        (p.get_x() + 0.5, round(p.get_height() / 0.86, 9), round(p.get_y(), 9))
        for p in axes.patches
        if p.get_width() == 1.0 and p.get_zorder() > 0
    )
    assert [bar[:2] for bar in bars] == [(0.0, 0.5), (1.0, 0.25), (1.0, 0.5), (2.0, 0.25)]
    # y points down: the lower block starts at -0 (bottom half), the upper one ends there.
    assert bars[1][2] + 0.25 * 0.86 == pytest.approx(bars[2][2])
    nothing = pd.DataFrame(columns=BLOCKS.columns)
    assert plot_gantt(nothing, servers=2, slots=4).axes[0].get_xlabel() == "slot"


def test_queue_has_a_row_for_every_job_on_every_worker() -> None:
    axes = PICTURES["queue"](None).axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a (x2)", "b", "b"]
    assert [text.get_text() for text in axes.texts] == ["worker 0", "worker 1"]
    bars = [bar.get_bbox().bounds for bar in axes.patches if bar.get_zorder() == 2]
    # (first slot, number of slots) of every stretch, in its row; what is trained is thick.
    spans = [(x + 0.5, width, y + height / 2, height > 0.5) for x, y, width, height in bars]
    assert spans == [
        pytest.approx(row)
        for row in [
            *((0, 1, 0, False), (1, 2, 0, True), (3, 2, 0, False), (5, 2, 0, True)),
            *((3, 2, 1, True), (2, 2, 2, True)),
        ]
    ]
    # "a" is displaced at the end of slot 2.
    assert np.asarray(axes.collections[-1].get_offsets()).tolist() == [[2.5, 0]]
    assert plot_queue(QUEUE.iloc[:0]).axes[0].get_xlabel() == "slot"


def test_decisions_count_what_does_not_fit() -> None:
    axes = PICTURES["decisions"](None).axes[0]
    assert "1 with no schedule that fits" in axes.get_title(loc="left")
    assert [text.get_text() for text in axes.texts] == ["a", "b"]


def test_looks_differ_in_more_than_colour() -> None:
    nine = looks(range(9)).values()
    for part in zip(*(look.values() for look in nine), strict=True):
        assert len(set(part)) == 9


def test_panels_take_the_place_of_axes() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    parts = panels(right, 3, 1.0, 1.0)
    assert figure.axes == [left, *parts]
    table = panels(parts[0], 2, 1.0, 1.0, rows=2)
    assert figure.axes == [left, *parts[1:], *table]
    assert len(panels(None, 2, 4.0, 4.0, rows=3)) == 6


# ---- the tables behind them --------------------------------------------------------------


def two_jobs() -> Any:
    """Two GPUs on one server; a: 2 workers for 2 slots, b: 1 worker for 3 slots."""
    return instance(
        [
            job("a", chunks=2, work=4, worker=[1.0, 1.0], ps=[0.0, 2.0], utility=constant(3.0)),
            job("b", arrival=1, work=3, worker=[1.0, 1.0], ps=[0.0, 1.0], utility=constant(1.0)),
        ],
        slots=5,
        resources=["gpu", "bandwidth_gbps"],
        worker_servers=[[2.0, 4.0]],
        ps_servers=[[0.0, 4.0]],
    )


def schedule(ins: Any) -> UtilitySchedule:
    workers = [[0, 0, 0, 2], [0, 1, 0, 2], [1, 2, 0, 1], [1, 3, 0, 1], [1, 4, 0, 1]]
    ps = [[0, 0, 0, 1], [0, 1, 0, 1], [1, 2, 0, 1], [1, 3, 0, 1], [1, 4, 0, 1]]
    return UtilitySchedule.build(ins, np.array([True, True]), workers, ps)


def test_blocks_join_equal_slots() -> None:
    ins = two_jobs()
    table = blocks(ins, schedule(ins))
    # Share: a takes 2 of 2 GPUs (and 2 of 4 Gbps), b takes 1 of 2.
    assert table.values.tolist() == [["a", 0, 0, 2, 2, 1.0], ["b", 0, 2, 5, 1, 0.5]]
    on_ps = blocks(ins, schedule(ins), side="ps")  # 2 and 1 of 4 Gbps
    assert on_ps["share"].tolist() == [0.5, 0.25]
    empty = UtilitySchedule.build(ins, np.zeros(2, dtype=bool), [], [])
    assert blocks(ins, empty).empty


def test_usage_by_hand() -> None:
    ins = two_jobs()
    gpu = usage(ins, schedule(ins)).query("resource == 'gpu'")
    assert gpu["share"].tolist() == [1.0, 1.0, 0.5, 0.5, 0.5]
    # The parameter server has no GPU: nothing to use.
    assert set(usage(ins, schedule(ins), side="ps")["resource"]) == {"bandwidth_gbps"}


def test_price_table_by_hand() -> None:
    ins = two_jobs()
    worker = np.zeros((5, 1, 2))
    worker[3, 0] = [10.0, 0.5]  # 2 GPUs at 10, 4 Gbps at 0.5
    prices = Resources(worker, np.zeros((5, 1, 2)))
    assert price_table(ins, prices).loc[0].tolist() == [0, 0, 0, 22.0, 0]
    assert price_table(ins, prices, side="ps").to_numpy().sum() == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_decisions_are_those_of_the_policy(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed), jobs=6, slots=5)
    table = decisions(ins)
    trace = run(ins, OASiS.for_instance(ins), np.random.default_rng(0))
    rows = {row["job"]: row for row in trace.decisions if row["event"] == "arrival"}
    for row in table.itertuples():
        assert row.admitted == rows[row.job]["admitted"]
        if row.admitted:
            assert row.payoff == rows[row.job]["payoff"] == row.value - row.cost > 0


def test_gantt_gives_a_job_the_same_colour_in_every_picture() -> None:
    def legend(frame: pd.DataFrame) -> dict[str, object]:
        axes = plot_gantt(frame, servers=2, slots=4, jobs=["a", "b"]).axes[0]
        found = axes.get_legend()
        assert found is not None
        names = [text.get_text() for text in found.get_texts()]
        return dict(zip(names, [p.get_facecolor() for p in found.get_patches()], strict=True))

    both, alone = legend(BLOCKS), legend(BLOCKS[BLOCKS["job"] == "b"])
    assert list(both) == ["a", "b"]
    assert alone == {"b": both["b"]} != {"b": both["a"]}


def test_intervals_explain_their_marks() -> None:
    legend = PICTURES["intervals"](None).axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()][-1] == (
        "mean of all runs, 95 % bootstrap interval"
    )


def test_legends_tell_the_interval_and_the_seeds() -> None:
    assert told(pd.DataFrame({"seed": [0, 1, 1]})) == "mean of 2 seeds, 95 % bootstrap interval"
    assert told(pd.DataFrame({"seed": [3, 3]})) == "1 seed, no interval"
    files = pd.DataFrame({"seed": [None, None], "instance": ["a", "b"]})
    assert told(files, RANGES) == "mean of 2 instances, bars from the least to the most"


def test_long_words_stay_within_the_figure() -> None:
    figure = plot_lines(RUNS, x="n", y="y", series="who", title="a long title " * 12)
    caption(figure.axes[0], "a long note " * 20)
    assert max(map(len, figure.axes[0].get_title(loc="left").splitlines())) < 75
    assert max(map(len, figure.get_suptitle().splitlines())) < 95


def test_the_load_is_told_once() -> None:
    frame = pd.DataFrame({"load": [0.5, 1.25]})
    figure = Figure()
    axes = figure.add_subplot()
    caption(axes, "3 seeds")
    assert tell_load(figure, frame.assign(load=np.nan)).get_suptitle() == "3 seeds"
    assert tell_load(figure, frame).get_suptitle() == "3 seeds; load 0.5 to 1.2"
    assert tell_load(figure, frame + 1.0).get_suptitle() == "3 seeds; load 0.5 to 1.2"
