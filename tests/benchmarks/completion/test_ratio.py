"""Ratios on `completion`: elastic schedules have a bound of their own, and certificates theirs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.study.cell import Effort
from benchmarks.study.compute import compute
from benchmarks.study.instances import given
from benchmarks.study.offline import CERTIFICATE, offline_cell
from benchmarks.study.ratio import join
from benchmarks.study.run import run_cell, run_policy
from benchmarks.study.scheme import Scheme, policy_of, schemes_of
from benchmarks.verify import main as verify
from online.registry import find_policy, policy_names
from tests.models.completion.small import random_instance

ELASTIC = {"drf", "antman", "tiresias"}


@pytest.mark.parametrize("seed", [0, 1])
def test_elastic_schedules_have_a_bound_of_their_own(seed: int) -> None:
    ins = random_instance(np.random.default_rng(seed), allreduce=seed == 1, jobs=4)
    source, data = given(ins)
    schemes = [Scheme(name, name) for name in policy_names("completion")]
    cells = [offline_cell(source, Effort(5.0), data=data)]
    cells += [run_cell(source, scheme, data=data) for scheme in schemes]
    offline, *runs = compute(cells)
    assert offline.result is not None
    bounds = offline.result.value["bounds"]
    own = [bound["value"] for bound in bounds if bound.get("own") or bound["source"] == "milp"]
    (wider,) = [b["value"] for b in bounds if b["source"] == "prices" and not b.get("own")]
    assert wider <= max(own) * (1 + 1e-9)
    rows = {row.policy: row for row in join("completion", schemes, runs, offline, seed=seed).rows}
    for name, row in rows.items():
        assert row.error == ""
        assert row.offline_allows == ("elastic" if name in ELASTIC else "")
        assert 1.0 - 1e-9 <= row.ratio_lower <= row.ratio_upper
    assert rows["drf"].offline_lower <= rows["fifo"].offline_lower * (1 + 1e-9)


def test_a_certificate_says_nothing_of_an_elastic_schedule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ins = random_instance(np.random.default_rng(3), jobs=4)
    source, data = given(ins)
    (offline,) = compute([offline_cell(source, Effort(5.0), data=data)])
    assert offline.result is not None
    names = {"instance": "ins.json", "certificate": "cert.json.gz", "schedule": "plan.json.gz"}
    paths = {name: tmp_path / file for name, file in names.items()}
    ins.write(paths["instance"])
    paths["certificate"].write_bytes(offline.result.files[CERTIFICATE])
    for name in ("fifo", "drf"):
        schedule = run_policy(ins, find_policy("completion", name)).trace.schedule
        schedule.write(paths["schedule"])
        files = [str(paths["instance"]), str(paths["schedule"])]
        assert verify([*files, "--certificate", str(paths["certificate"])]) == 0
        printed = capsys.readouterr().out
        assert ("optimum between" in printed) != schedule.elastic
        assert ("no interval: the schedule is elastic" in printed) == schedule.elastic


def test_variants_that_a_command_knows_by_name() -> None:
    # The guarantee is of the literal variant alone, and has to be seen without a line of Python.
    ins = random_instance(np.random.default_rng(1), jobs=4)
    names = ["a-online-literal", *(f"{name}-fixed" for name in ELASTIC)]
    for scheme in schemes_of("completion", names):
        found = run_policy(ins, policy_of("completion", scheme.policy), **scheme.parameters)
        assert not found.trace.schedule.elastic and found.score.feasible
        promised = found.policy.evidence(ins, found.trace)
        assert (promised is not None) == (scheme.name == "a-online-literal")
