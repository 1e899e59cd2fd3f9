"""What a study file may not say: each fault is one line, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import sweep
from models.errors import InputError
from tests.conftest import Refuses


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


UTILITY = '[[study]]\nproblem = "utility"\n'
JCT = '[[study]]\nproblem = "jct"\n'

BAD_STUDIES = {
    "an unknown key": (
        "seed = 3\n" + UTILITY,
        "unknown field `seed`: choose from study, seeds, time_limit, threads",
    ),
    "an unknown key of a study": (
        UTILITY + "bsae = 1\n",
        "unknown field `bsae` - at `$.study[0]`: choose from problem, policies, base, vary, ",
    ),
    "an unknown key of a scheme": (
        UTILITY + '[[study.scheme]]\nname = "a"\npolicy = "oasis"\nparameter = {}\n',
        "`$.study[0].scheme[0]`: choose from name, policy, parameters, ignores",
    ),
    "a study in single brackets": (
        '[study]\nproblem = "utility"\n',
        "got `object` - at `$.study`: write [[study]], in double brackets",
    ),
    "a reading in single brackets": (
        UTILITY + '[study.reading]\nname = "a"\n',
        "at `$.study[0].reading`: write [[study.reading]], in double brackets",
    ),
    "no TOML": ("seeds = \n", "is not TOML: Invalid value"),
    "nothing": ("", "missing required field `study`"),
    "seeds of a wrong type": ('seeds = "3"\n' + UTILITY, "got `str` - at `$.seeds`"),
    "no seeds": (
        "seeds = 0\n" + UTILITY,
        "want 1 to 1000000 seeds in 0..2**63-1, as a number or a list, none twice - at `$.seeds`",
    ),
    "too many seeds": (f"seeds = {10**12}\n" + UTILITY, "want 1 to 1000000 seeds"),
    "a seed that is too large": (f"seeds = [{2**63}]\n" + UTILITY, "seeds in 0..2**63-1"),
    "a seed twice": ("seeds = [0, 1, 0]\n" + UTILITY, "none twice - at `$.seeds`"),
    "a negative seed": ("seeds = [-1]\n" + UTILITY, "none twice - at `$.seeds`"),
    "no time": ("time_limit = 0\n" + UTILITY, "want positive seconds - at `$.time_limit`"),
    "no number": ("time_limit = nan\n" + UTILITY, "want positive seconds - at `$.time_limit`"),
    "threads": ("threads = 3\n" + UTILITY, "want 1, 2, 4 or 8 - at `$.threads`"),
    "a problem": ('[[study]]\nproblem = "util"\n', "unknown problem 'util': choose from"),
    "a policy": (UTILITY + 'policies = ["oasys"]\n', "unknown policy 'oasys' for 'utility'"),
    "a policy twice": (UTILITY + 'policies = ["fifo", "fifo"]\n', "two policies are named 'fifo'"),
    "no file": (UTILITY + 'policies = ["none.py:P"]\n', "there is no file 'none.py'"),
    "a file that leaves": (UTILITY + 'policies = ["leaves.py:P"]\n', "imported: SystemExit: 0"),
    "a setting": (UTILITY + "base = { job = 3 }\n", "unknown setting 'job': choose from jobs,"),
    "an axis": (UTILITY + "vary = { speed = [1] }\n", "unknown setting 'speed'"),
    "an empty axis": (UTILITY + "vary = { load = [] }\n", "`vary.load` is empty"),
    "an axis that is no list": (
        UTILITY + "vary = { load = 1 }\n",
        "`vary.load` is 1: want a list of values, e.g. [1] - at `$.study[0]`",
    ),
    "an unknown key of a reading": (
        UTILITY + '[[study.reading]]\nname = "a"\nsetting = {}\n',
        "unknown field `setting` - at `$.study[0].reading[0]`: choose from name, words, settings,",
    ),
    "part of a job": (UTILITY + "base = { jobs = 2.5 }\n", "setting jobs is 2.5: expected `int`"),
    "no jobs": (JCT + "base = { jobs = 0 }\n", "jobs is 0, but has to be at least 1"),
    "an impossible size": (JCT + "base = { jobs = 3000000000 }\n", "are more than 20000000 pairs"),
    "an impossible size on an axis": (JCT + "vary = { slots = [100, -1] }\n", "slots is -1, but"),
    "servers": (UTILITY + "base = { servers = 5 }\n", "servers 5: want (5, 5), for example"),
    "servers as text": (
        JCT + 'base = { servers = "5+5" }\n',
        "servers '5+5': want a number above 0",
    ),
    "a date": (UTILITY + "base = { load = 1979-05-27 }\n", "setting load is datetime.date(1979"),
    "half a range": (UTILITY + "base = { priority = 3 }\n", "want e.g. priority=1:100"),
    "text in a range": (UTILITY + 'base = { priority = [1, "a"] }\n', "want e.g. priority=1:100"),
    "a word": (JCT + 'base = { requested = "x" }\n', "requested 'x': choose from gpus,"),
    "a load out of reach": (
        UTILITY + 'base = { jobs = 4, slots = 6, servers = "3+3", load = 1e9 }\n',
        "load 1e+09: with the jobs drawn on these servers it can be between",
    ),
    "a design": (
        UTILITY + 'vary = { load = [1] }\ndesign = "all"\n',
        "design 'all': want \"cross\"",
    ),
    "a trace": (UTILITY + 'trace = "google:nowhere"\n', "no file or folder 'nowhere'"),
    "a reading twice": (UTILITY + 2 * '[[study.reading]]\nname = "a"\n', "two readings have"),
    "a reading that sets what is varied": (
        JCT + 'vary = { requested = ["chunks", "gpus"] }\n'
        '[[study.reading]]\nname = "a"\nsettings = { requested = "uniform" }\n',
        "`vary.requested` is set by the reading 'a', too - at `$.study[0]`",
    ),
    "a reading of no scheme": (
        UTILITY + '[[study.reading]]\nname = "a"\nparameters = { me = { a = 1 } }\n',
        "parameters of a reading are of 'me': no such scheme",
    ),
    "a scheme without a name": (
        UTILITY + '[[study.scheme]]\nname = ""\npolicy = "oasis"\n',
        "Expected `str` of length >= 1 - at `$.study[0].scheme[0].name`",
    ),
    "a parameter of no policy": (
        UTILITY + '[[study.scheme]]\nname = "a"\npolicy = "oasis"\nparameters = { b = 1 }\n',
        "policy 'oasis': parameters: got an unexpected keyword argument 'b'",
    ),
    "what a scheme ignores": (
        UTILITY + '[[study.scheme]]\nname = "a"\npolicy = "oasis"\nignores = ["b"]\n',
        "unknown setting 'b'",
    ),
}


@pytest.mark.parametrize(("text", "fault"), BAD_STUDIES.values(), ids=BAD_STUDIES)
def test_a_bad_study_is_one_line_and_nothing_is_written(
    text: str, fault: str, here: Path, refuses: Refuses
) -> None:
    Path("leaves.py").write_text("import sys\n\nsys.exit(0)\n")
    Path("bad.toml").write_text(text)
    refuses("sweep", ["bad.toml"], fault)
    with pytest.raises(InputError, match=r"^bad\.toml: "):
        sweep.main(["bad.toml"])
