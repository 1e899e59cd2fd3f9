"""Trace readers on small made files: what is kept, what is dropped and why, what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import trace as trace_command
from benchmarks.study import instances
from benchmarks.study.instances import trace_digest
from benchmarks.traces import Table, Trace, read_trace
from benchmarks.traces.table import NEGATIVE
from models.errors import InputError

START = 600_000_000  # microseconds; the Google trace starts at 600 s
AFTER = 2**63 - 1


def write(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(line + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def accounted(table: Table) -> Table:
    """Every row read is kept or counted."""
    assert table.rows == len(table.frame) + sum(table.dropped.values())
    return table


def job(time_us: int, job_id: int, event: int = 0, missing: str = "", cls: str = "1") -> str:
    return f"{time_us},{missing},{job_id},{event},user,{cls},name,logical"


GOOGLE_JOBS = [
    job(0, 1),
    job(START + 1_000_000, 2),
    job(START + 2_000_000, 2, event=1),
    job(START + 9_500_000, 2, event=4),
    job(START + 3_000_000, 3, missing="0"),
    job(START + 4_000_000, 2),
    job(START + 500_000, 4, cls=""),
    job(AFTER, 5),
]


def test_google_jobs(tmp_path: Path) -> None:
    path = write(tmp_path / "part-00000-of-00500.csv.gz", GOOGLE_JOBS)
    table = accounted(read_trace(f"google:{path}").table("job_events"))
    assert table.rows == 8
    assert sorted(table.dropped.values()) == [1, 1, 1, 1, 2]
    assert table.frame["job_id"].tolist() == [4, 2]
    assert table.frame["submit_s"].tolist() == [0.5, 1.0]
    assert table.frame["duration_s"].isna().tolist() == [True, False]
    assert table.frame["duration_s"].iloc[1] == 7.5  # 9.5 s - 2 s
    assert table.facts["jobs submitted"] == 5


def test_google_folder_and_table_by_width(tmp_path: Path) -> None:
    write(tmp_path / "job_submit_events_29d.csv.gz", [f"{START},,1,0,,3,,", f"{START},,2,0,,3,,"])
    write(tmp_path / "job_events" / "part-00000-of-00500.csv", GOOGLE_JOBS[:2])
    write(tmp_path / "job_events" / "part-00001-of-00500.csv", GOOGLE_JOBS[2:])
    tasks = [
        "0,,7,0,,0,u,1,9,0.5,0.25,0.1,0",
        f"{START + 1_000_000},,7,1,,0,u,1,9,0.5,0.25,,0",
        f"{START},,7,2,,1,u,1,9,0.5,0.25,0.1,0",
        f"{START},2,7,3,,0,u,1,9,,,,",
        f"{START},,7,4,,0,u,1,9,,,,",
    ]
    write(tmp_path / "task_events" / "part-00000-of-00500.csv", tasks)
    machines = ["0,11,0,p,0.5,0.25", "0,12,0,p,,", "5,11,1,p,0.5,0.25", "6,13,0,p,1,1"]
    write(tmp_path / "machine_events" / "part-00000-of-00001.csv", machines)
    trace = read_trace(f"google:{tmp_path}")
    assert trace.names == ("job_submit_events", "job_events", "task_events", "machine_events")
    assert [accounted(trace.table(name)).rows for name in trace.names] == [2, 8, 5, 4]
    assert trace.table("task_events").frame["submit_s"].isna().tolist() == [True, False]
    assert trace.table("machine_events").frame["machine_id"].tolist() == [11]
    assert trace.table("machine_events").facts["machines at time 0"] == 2
    digest = trace_digest(f"google:{tmp_path}")
    assert len(digest["files"]) == 5, "parts of two tables have the same name"
    assert "task_events/part-00000-of-00500.csv" in digest["files"]
    write(tmp_path / "task_events" / "part-00000-of-00500.csv", tasks[:2])
    instances._trace.cache_clear()
    assert trace_digest(f"google:{tmp_path}") != digest
    one = read_trace(f"google:{tmp_path / 'machine_events'}")
    assert one.names == ("machine_events",)
    with pytest.raises(InputError, match="no table job_events"):
        one.table("job_events")


PHILLY_HEADER = "timestamp,duration,num_gpus,gpu_time,cluster"
PHILLY_ROWS = [
    "2017-10-09 07:30:00,60.0,2,120.0,a",
    "2017-10-09 07:10:00,30.0,1,30.0,b",
    "2017-10-09 08:00:00,0.0,1,0.0,a",
    "2017-10-09 08:00:00,5.0,0,0.0,a",
    "2017-10-09 08:00:00,5.0,2,5.0,a",
]


def test_philly_csv(tmp_path: Path) -> None:
    path = write(tmp_path / "philly.csv.gz", [PHILLY_HEADER, *PHILLY_ROWS, "", ""])
    table = accounted(read_trace(f"philly:{path}").table("jobs"))
    assert table.rows == 5
    assert table.dropped == {
        "zero or negative duration": 1,
        "no GPU": 1,
        "gpu_time is not duration x num_gpus": 1,
    }
    assert table.frame["submit_s"].tolist() == [600.0, 1800.0]  # since 07:00, the full hour
    assert table.frame["gpus"].tolist() == [1, 2]
    assert table.frame["cluster"].tolist() == ["b", "a"]


def attempt(start: str | None, end: str | None, *gpus: int) -> dict:
    detail = [{"ip": f"m{i}", "gpus": [f"gpu{g}" for g in range(n)]} for i, n in enumerate(gpus)]
    return {"start_time": start, "end_time": end, "detail": detail}


def philly_job(name: str, attempts: list[dict], submitted: str = "2017-10-07 01:04:54") -> dict:
    return {
        "status": "Pass",
        "vc": "ee9e8c",
        "jobid": name,
        "user": "ce2f4c",
        "submitted_time": submitted,
        "attempts": attempts,
    }


def test_philly_json_is_read_as_the_csv_is(tmp_path: Path) -> None:
    jobs = [
        philly_job(
            "two attempts",
            [
                attempt("2017-10-07 01:10:00", "2017-10-07 01:11:00", 2, 2),
                attempt("2017-10-07 02:00:00", "2017-10-07 02:00:30", 8),
            ],
        ),
        philly_job("never", []),
        philly_job("running", [attempt("2017-10-07 01:10:00", None, 1)]),
        philly_job("unknown", [attempt("None", "2017-10-07 01:10:00", 1)]),
        philly_job("instant", [attempt("2017-10-07 01:10:00", "2017-10-07 01:10:00", 1)]),
        philly_job("cpu", [attempt("2017-10-07 01:10:00", "2017-10-07 01:20:00")]),
        philly_job("no time", [attempt("2017-10-07 01:10:00", "2017-10-07 01:20:00", 1)], ""),
    ]
    path = tmp_path / "cluster_job_log"
    path.write_text(json.dumps(jobs))
    table = accounted(read_trace(f"philly:{path}").table("jobs"))
    assert table.rows == 7
    assert table.dropped == {
        "no submission time": 1,
        "never started: no attempt": 1,
        "an attempt has no start or no end": 2,
        "zero or negative duration": 1,
        "no GPU": 1,
    }
    (row,) = table.frame.to_dict("records")
    assert row["submit_s"] == 294.0  # 01:04:54 since 01:00
    assert row["duration_s"] == 90.0
    assert row["gpus"] == 8
    assert row["gpu_seconds"] == 60 * 4 + 30 * 8
    assert row["status"] == "Pass"


@pytest.mark.parametrize(
    ("jobs", "message"),
    [
        ([philly_job("a", []), {"jobid": "b"}], r"missing required field .*\$\[1\]"),
        ([philly_job("a", [], "yesterday")], r"job 1 \('a'\): submitted_time 'yesterday'"),
        (
            [philly_job("a", []), philly_job("b", [attempt("x", None)])],
            r"job 2 \('b'\): start_time",
        ),
        ([philly_job("a", [{"start_time": 3}])], r"\$\[0\].attempts\[0\].start_time"),
    ],
)
def test_philly_json_names_the_job(tmp_path: Path, jobs: list, message: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(jobs))
    with pytest.raises(InputError, match=message):
        read_trace(f"philly:{path}").table("jobs")


def test_openb(tmp_path: Path) -> None:
    nodes = ["sn,cpu_milli,memory_mib,gpu,model", "n0,32000,262144,0,", "n1,96000,1024,8,G2"]
    write(tmp_path / "openb_node_list_all_node.csv", nodes)
    frame = accounted(read_trace(f"openb-nodes:{tmp_path}").table("nodes")).frame
    assert frame["cpu"].tolist() == [32.0, 96.0]
    assert frame["memory_gib"].tolist() == [256.0, 1.0]
    assert frame["gpu_model"].tolist() == ["", "G2"]
    short = "name,cpu_milli,memory_mib,num_gpu,gpu_milli"
    pods = [
        f"{short},gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time",
        "p0,12000,16384,1,460,,LS,Running,20,100,30",
        "p1,1000,1024,8,1000,G2|G3,BE,Pending,10,100,",
        "p2,1000,1024,0,0,,BE,Failed,5,30,30",
    ]
    write(tmp_path / "openb_pod_list_default.csv", pods)
    table = accounted(read_trace(f"openb-pods:{tmp_path}").table("pods"))
    assert table.dropped == {"never scheduled": 1, "zero or negative duration": 1}
    (row,) = table.frame.to_dict("records")
    assert (row["gpus"], row["submit_s"], row["duration_s"]) == (0.46, 20.0, 70.0)
    untimed = write(tmp_path / "multi.csv", [short, "p0,12000,16384,8,1000"])
    table = read_trace(f"openb-pods:{untimed}").table("pods")
    assert "submit_s" not in table.frame
    assert table.frame["gpus"].tolist() == [8.0]


def test_pai_machines_take_their_names_from_the_header_file(tmp_path: Path) -> None:
    path = write(tmp_path / "pai_machine_spec.csv", ["m0,CPU,96,512,0", "m1,T4,96,512,2"])
    with pytest.raises(InputError, match=r"pai_machine_spec\.header: cannot be read"):
        read_trace(f"pai-machines:{path}").table("machines")
    write(tmp_path / "pai_machine_spec.header", ["machine,gpu_type,cap_cpu,cap_mem,cap_gpu"])
    frame = accounted(read_trace(f"pai-machines:{tmp_path}").table("machines")).frame
    assert frame["gpus"].tolist() == [0, 2]
    assert frame["gpu_model"].tolist() == ["CPU", "T4"]


def test_negative_demands_are_dropped(tmp_path: Path) -> None:
    names = "name,cpu_milli,memory_mib,num_gpu,gpu_milli"
    pods = write(tmp_path / "pods.csv", [names, "a,-1,1,0,0", "b,1,1,-1,1000", "c,1,1,1,1000"])
    assert accounted(read_trace(f"openb-pods:{pods}").table("pods")).dropped == {NEGATIVE: 2}
    names = "sn,cpu_milli,memory_mib,gpu,model"
    nodes = write(tmp_path / "nodes.csv", [names, "a,1,1,-8,G2", "b,1,1,8,G2"])
    assert accounted(read_trace(f"openb-nodes:{nodes}").table("nodes")).dropped == {NEGATIVE: 1}
    task = f"{START},,1,{{}},,0,user,1,9,{{}},0.1,0.1,"
    tasks = write(tmp_path / "tasks.csv", [task.format(0, -0.1), task.format(1, 0.1)])
    table = accounted(read_trace(f"google:{tasks}").table("task_events"))
    assert table.dropped == {NEGATIVE: 1}


def test_windows_line_ends_and_missing_last_newline(tmp_path: Path) -> None:
    path = tmp_path / "philly.csv"
    path.write_text("\r\n".join([PHILLY_HEADER, *PHILLY_ROWS[:2]]), newline="")
    assert read_trace(f"philly:{path}").table("jobs").rows == 2


def test_header_without_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "philly.csv", [PHILLY_HEADER])
    assert len(accounted(read_trace(f"philly:{path}").table("jobs")).frame) == 0


def test_table_is_read_once() -> None:
    reads = []

    def load() -> Table:
        reads.append(1)
        return Table([], pd.DataFrame(), "id")

    trace = Trace("google", "x", {"t": load})
    assert reads == []
    assert trace.table("other", "t") is trace.table("t")
    assert reads == [1]


def test_audit_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "philly.csv", [PHILLY_HEADER, *PHILLY_ROWS])
    assert trace_command.main(["audit", f"philly:{path}", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    (table,) = record["tables"]
    assert (table["rows"], table["kept"], sum(table["dropped"].values())) == (5, 2, 3)
    assert table["arrivals"]["per_hour"]["mean"] == 2.0
    assert table["arrivals"]["span_hours"] == pytest.approx(20 / 60)
    assert table["demands"]["gpus"]["max"] == 2.0
    assert table["groups"]["cluster"] == {"a": 1, "b": 1}
    assert "N = num_gpus" in record["mapping"]["utility"]
    assert trace_command.main(["audit", f"philly:{path}"]) == 0
    text = capsys.readouterr().out
    assert "5 read, 2 kept" in text
    assert "1: no GPU" in text
    assert "mapping to `utility`" in text


def test_audit_of_nothing_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "job_events.csv", [job(0, 1), job(0, 2)])
    assert trace_command.main(["audit", f"google:{path}"]) == 0
    assert "arrivals     none" in capsys.readouterr().out
