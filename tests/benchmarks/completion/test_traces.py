"""Instances of `completion` from traces: what is taken from the rows, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.completion import WORKLOAD
from benchmarks.completion.traces import MAPPINGS
from benchmarks.ratio import main as ratio
from benchmarks.traces import Table, Trace, read_trace
from models.completion import CompletionInstance
from models.errors import InputError

HOUR = 3600.0


def table_of(columns: list[str], rows: list[tuple[Any, ...]]) -> Table:
    return Table([], pd.DataFrame(rows, columns=columns), columns[0])


def trace_of(kind: str, **tables: Table) -> Trace:
    return Trace(kind, "made", {name: lambda t=table: t for name, table in tables.items()})


def draw(trace: Trace, **changes: Any) -> CompletionInstance:
    size: dict[str, Any] = {"jobs": 3, "slots": 8, "servers": 2, "worker_types": 2, "ps_types": 2}
    found: CompletionInstance = WORKLOAD.draw(**{**size, **changes}, seed=0, trace=trace)[0]
    return found


def philly(*hours: float) -> Trace:
    rows = [(f"j{i}", (4.2 + i) * HOUR, h * HOUR, 2 + i) for i, h in enumerate(hours)]
    rows += [("late", 11.5 * HOUR, 60.0, 1)]
    return trace_of("philly", jobs=table_of(["job", "submit_s", "duration_s", "gpus"], rows))


def test_philly_gives_arrivals_gpus_and_times() -> None:
    ins = draw(philly(3.0, 3.0, 3.0), slots=8, jobs=3, chunks=(5, 9), epochs=(5, 5))
    for job, record in zip(ins.jobs, ins.file.jobs, strict=True):
        gpus = job.requested_workers
        assert gpus is not None
        # As many workers as GPUs take as long as the trace's job: 3 hours, in the mean over types.
        hours = job.work * np.mean(record.minibatch_slots) / gpus
        assert hours == pytest.approx(3.0, rel=1e-3) or hours < 0.1
    assert "jobs: from " in ins.origin


def test_the_time_of_a_minibatch_keeps_to_its_range() -> None:
    short = draw(philly(1e-4, 1e-4, 1e-4))
    for record in short.file.jobs:
        assert np.mean(record.minibatch_slots) == pytest.approx(0.001, rel=1e-3)


def test_openb_nodes_give_shares_of_the_capacity() -> None:
    rows = [("a", 96.0, 512.0, 8, "V100"), ("b", 32.0, 64.0, 2, "T4"), ("c", 64.0, 64.0, 0, "")]
    table = table_of(["node", "cpu", "memory_gib", "gpus", "gpu_model"], rows)
    servers = draw(trace_of("openb-nodes", nodes=table)).cluster.servers
    np.testing.assert_allclose(servers[0] / servers[1], [4.0, 3.0, 3.0], rtol=1e-2)
    with pytest.raises(InputError, match="2 nodes with GPUs, fewer than the 3 asked for"):
        draw(trace_of("openb-nodes", nodes=table), servers=3)


def test_speeds_decide_how_fast_types_are() -> None:
    table = table_of(["job", "gpus", "k80", "p100", "v100"], [("m", 1, 1.0, 4.0, 8.0)])
    ins = draw(trace_of("gavel", speeds=table), worker_types=6)
    gpus = ins.cluster.worker_types[:, 0]
    for record in ins.file.jobs:
        speed = 1.0 / np.array(record.minibatch_slots) / gpus
        ratio_to_slowest = speed / speed.min()
        assert all(min(abs(r - k) for k in (1, 2, 4, 8)) < 1e-3 * r for r in ratio_to_slowest)
        assert max(record.minibatch_slots) <= 0.05


def test_what_the_trace_has_cannot_be_asked_for() -> None:
    with pytest.raises(InputError, match="gives arrivals, but arrivals=uniform takes their place"):
        draw(philly(1.0, 1.0, 1.0), arrivals="uniform")
    with pytest.raises(InputError, match="no mapping to `completion`; those with one are philly"):
        draw(trace_of("google"))
    several = table_of(["job", "gpus", "k80", "p100", "v100"], [("m", 2, 1.0, 4.0, 8.0)])
    with pytest.raises(InputError, match="no speed on one GPU"):
        draw(trace_of("gavel", speeds=several))


def gavel_file(tmp_path: Path, **speeds: Any) -> Path:
    every = {"k80": {}, "p100": {}, "v100": {}, **speeds}
    path = tmp_path / "speeds.json"
    path.write_text(json.dumps(every))
    return path


def test_reading_gavel(tmp_path: Path) -> None:
    pair = {"('A', 1)": [1.0, 2.0]}
    k80 = {"('A (batch size 2)', 1)": {"null": 2.0, **pair}, "('B', 2)": {"null": 0.0}}
    fast = {"('A (batch size 2)', 1)": {"null": 9.0}, "('B', 2)": {"null": 1.0}}
    path = gavel_file(tmp_path, k80=k80, p100=fast, v100=fast)
    table = read_trace(f"gavel:{path}").table("speeds")
    assert table.frame.to_dict("records") == [
        {"job": "A (batch size 2)", "gpus": 1, "k80": 2.0, "p100": 9.0, "v100": 9.0}
    ]
    assert table.dropped == {"does not run on every type of GPU": 1}
    lonely = gavel_file(tmp_path, k80=k80)
    dropped = read_trace(f"gavel:{lonely}").table("speeds").dropped
    assert dropped == {"not measured on every type of GPU": 2}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "truncated|unexpected"),
        ('{"k80": 1}', "Expected `object`"),
        ('{"k80": {}, "p100": {}}', "no speeds on 'v100'"),
        ('{"k80": {"A": {}}, "p100": {}, "v100": {}}', "is not of the form"),
    ],
)
def test_gavel_refused(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "speeds.json"
    path.write_text(text)
    with pytest.raises(InputError, match=fault):
        read_trace(f"gavel:{path}").table("speeds")


# ---- the real ones -------------------------------------------------------------------------


def test_the_real_table_of_gavel(shared_data: Path) -> None:
    table = read_trace(f"gavel:{shared_data / 'gavel'}").table("speeds")
    assert (table.rows, len(table.frame)) == (83, 80)
    one = table.frame[(table.frame["gpus"] == 1)].set_index("job")
    assert one.loc["ResNet-50 (batch size 64)"].round(2).tolist()[1:] == [0.62, 2.62, 4.39]


@pytest.mark.parametrize("kind", [kind for kind in MAPPINGS if kind != "csv"])
def test_every_mapping_on_real_data(shared_data: Path, kind: str) -> None:
    folder = {
        "philly": "philly",
        "openb-nodes": "alibaba-gpu-v2023",
        "gavel": "gavel",
        "gpu-cluster": "",
    }[kind]
    trace = read_trace(f"{kind}:{shared_data / folder}")
    ins, report = WORKLOAD.draw(jobs=8, slots=20, servers=4, seed=1, trace=trace)
    again, _ = WORKLOAD.draw(jobs=8, slots=20, servers=4, seed=1, trace=trace)
    assert ins.hash == again.hash and report.load > 0
    assert kind in ins.name


@pytest.mark.usefixtures("guarded_here")
def test_the_command_on_a_trace(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["--problem", "completion", "--trace", f"gpu-cluster:{shared_data}", "--seeds", "1"]
    argv += ["--jobs", "2", "--slots", "8", "--servers", "2", "--time-limit", "2"]
    argv += ["--set", "worker_types=2", "--set", "ps_types=2", "--workers", "1"]
    assert ratio([*argv, "--out", str(tmp_path)]) == 0
    assert "a-online" in capsys.readouterr().out
