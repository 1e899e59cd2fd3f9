"""Trace files that are refused: the file and the line of the fault are named."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from benchmarks.traces import read_trace
from models.errors import InputError
from tests.benchmarks.traces.test_traces import PHILLY_HEADER, PHILLY_ROWS, START, job, write

BAD_GOOGLE = [
    (f"{START},,1,0,u,1,n", "line 3: 7 fields where 8"),
    (f"{START},,1,0,u,1,n,l,x", "line 3: 9 fields where 8"),
    ("", "line 3: 1 fields where 8"),
    ("soon,,1,0,u,1,n,l", "line 3: time 'soon' is not an integer"),
    ("1.5,,1,0,u,1,n,l", "line 3: time '1.5' is not an integer"),
    (",,1,0,u,1,n,l", "line 3: time is missing"),
    (f"{2**63},,1,0,u,1,n,l", "line 3: time .* is out of range"),
    (f"{START},,one,0,u,1,n,l", "line 3: job_id 'one'"),
    (f"{START},nan,1,0,u,1,n,l", "line 3: missing_info 'nan' is not a number"),
    (f"{START},1e999,1,0,u,1,n,l", "line 3: missing_info '1e999' is not finite"),
    (f"{START},,1,0,u,inf,n,l", "line 3: scheduling_class 'inf' is not a number"),
]
BAD_PHILLY = [
    ("2017-10-09 07:30:00,60.0,2,120.0", "line 3: 4 fields where 5"),
    ("2017-10-09 07:30:00,minute,2,120.0,a", "line 3: duration 'minute' is not a number"),
    ("2017-10-09 07:30:00,60.0,2.5,120.0,a", "line 3: num_gpus '2.5' is not an integer"),
    ("2017-10-09 07:30:00,,2,120.0,a", "line 3: duration is missing"),
    ("2017-10-09 07:30:00,inf,2,inf,a", "line 3: duration 'inf' is not a number"),
    ("9 Oct 2017,60.0,2,120.0,a", "line 3: timestamp '9 Oct 2017' is not"),
]


def refused(kind: str, path: Path, message: str) -> None:
    with pytest.raises(InputError, match=rf"{path.name}: {message}"):
        trace = read_trace(f"{kind}:{path}")
        trace.table(*trace.names)


@pytest.mark.parametrize(("row", "message"), BAD_GOOGLE)
def test_unreadable_google_row_is_named(tmp_path: Path, row: str, message: str) -> None:
    good = job(START, 1)
    refused("google", write(tmp_path / "job_events.csv", [good, good, row, good]), message)


@pytest.mark.parametrize(("row", "message"), BAD_PHILLY)
def test_unreadable_philly_row_is_named(tmp_path: Path, row: str, message: str) -> None:
    lines = [PHILLY_HEADER, PHILLY_ROWS[0], row]
    refused("philly", write(tmp_path / "philly.csv", lines), message)


@pytest.mark.parametrize(
    ("kind", "row", "message"),
    [
        ("openb-nodes", "n1,many,1024,8,G2", "line 3: cpu_milli 'many' is not a number"),
        ("openb-nodes", "n1,96000,nan,8,G2", "line 3: memory_mib 'nan' is not a number"),
        ("openb-pods", "p1,1000,1024,x,1000", "line 3: num_gpu 'x' is not an integer"),
        ("openb-pods", "p1,1000,1024,8", "line 3: 4 fields where 5"),
        ("pai-machines", "m1,T4,,512,2", "line 2: cap_cpu is missing"),
        ("pai-machines", "m1,T4,96,512,2.5", "line 2: cap_gpu '2.5' is not an integer"),
    ],
)
def test_unreadable_alibaba_row_is_named(tmp_path: Path, kind: str, row: str, message: str) -> None:
    good = {
        "openb-nodes": ["sn,cpu_milli,memory_mib,gpu,model", "n0,32000,262144,0,"],
        "openb-pods": ["name,cpu_milli,memory_mib,num_gpu,gpu_milli", "p0,12000,16384,8,1000"],
        "pai-machines": ["m0,CPU,96,512,0"],
    }
    write(tmp_path / "list.header", ["machine,gpu_type,cap_cpu,cap_mem,cap_gpu"])
    refused(kind, write(tmp_path / "list.csv", [*good[kind], row]), message)


def test_not_text(tmp_path: Path) -> None:
    path = tmp_path / "philly.csv"
    path.write_bytes(f"{PHILLY_HEADER}\n2017-10-09 07:30:00,60.0,2,120.0,".encode() + b"\xff\n")
    with pytest.raises(InputError, match=r"line 2: not UTF-8"):
        read_trace(f"philly:{path}").table("jobs")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("google", "want KIND:PATH"),
        ("borg:x", "want KIND:PATH, with KIND one of google"),
        ("google:nowhere", "no file or folder 'nowhere'"),
        ("google:{}", "no file of the Google 2011 trace"),
        ("google:{}/one.csv", "line 1: 1 fields; the tables have: job_events 8"),
        ("google:{}/empty.csv", "the file is empty"),
        ("google:{}/cut.csv.gz", "cannot be read"),
        ("philly:{}/one.csv", "line 1: no column timestamp, duration"),
        ("philly:{}", r"philly\.csv\.gz: cannot be read: No such file"),
        ("csv:{}", "cannot be read: Is a directory"),
        ("openb-nodes:{}", "openb_node_list_all_node.csv: cannot be read"),
    ],
)
def test_bad_paths(tmp_path: Path, spec: str, message: str) -> None:
    write(tmp_path / "one.csv", ["x"])
    write(tmp_path / "empty.csv", [])
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"1,2,3\n" * 100)[:-9])
    with pytest.raises(InputError, match=message):
        trace = read_trace(spec.format(tmp_path))
        for name in trace.names:
            trace.table(name)
