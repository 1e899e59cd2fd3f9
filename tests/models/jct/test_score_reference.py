"""The scorer of `jct`, which works on intervals, against one that looks at every slot."""

from __future__ import annotations

import numpy as np
import pytest

from models.jct import CLOUD, JctInstance, JctSchedule, score
from models.jct.files import ServerRecord
from tests.models.jct.small import instance, job

SLOTS = 12


def drawn(rng: np.random.Generator) -> tuple[JctInstance, JctSchedule]:
    """Three jobs, and rows that may break anything but the rules of `JctSchedule.build`."""
    servers = [
        ServerRecord(workers=["a", "b"], ps=["a", "b"], storage_gb=4.0),
        ServerRecord(workers=["a"], ps=["a"], storage_gb=3.0),
    ]
    records = [
        job(
            f"j{j}",
            arrival=int(rng.integers(0, 3)),
            upload=rng.integers(0, 3, 2).tolist(),
            cloud_upload_slots=3,
            chunks=int(rng.integers(1, 4)),
            chunk_slots=int(rng.integers(1, 4)),
            worker_type=str(rng.choice(["a", "a", "b"])),
            ps_type=str(rng.choice(["a", "b"])),
            chunk_gb=float(rng.integers(0, 3)),
        )
        for j in range(3)
    ]
    example = instance(records, servers, cloud=True, slots=SLOTS)
    units = [(0, 0), (0, 1), (1, 0), (CLOUD, 0), (CLOUD, 1)]
    tables = []
    for count in (int(rng.integers(0, 8)), int(rng.integers(0, 8))):
        rows = []
        for _ in range(count):
            server, unit = units[rng.integers(len(units))]
            start = int(rng.integers(0, SLOTS))
            stop = int(rng.integers(start + 1, SLOTS + 1))
            rows.append((int(rng.integers(3)), server, unit, start, min(stop, start + 4)))
        tables.append(rows)
    flags = rng.random(3) < 0.3
    migration = bool(rng.random() < 0.5)
    return example, JctSchedule.build(example, flags, *tables, migration=migration)


def broken(example: JctInstance, schedule: JctSchedule) -> set[tuple[str, str | None]]:
    """(equation, job) of every constraint that is broken in some slot."""
    cluster, jobs = example.cluster, example.jobs
    found: set[tuple[str, str | None]] = set()
    kinds = {(0, 0): "a", (0, 1): "b", (1, 0): "a"}
    # y and z by job, (server, unit) and slot; units of the cloud are the job's own.
    y = np.zeros((3, 5, SLOTS), dtype=int)
    z = np.zeros((3, 5, SLOTS), dtype=int)
    places = [*kinds, (CLOUD, 0), (CLOUD, 1)]
    for table, rows in ((y, schedule.workers), (z, schedule.ps)):
        for j, server, unit, start, stop in rows.tolist():
            table[j, places.index((server, unit)), start:stop] += 1
    for one in jobs:
        j, record = one.index, example.file.jobs[one.index]
        p = 1 if schedule.together[j] else one.chunk_slots
        edge_y, edge_z = y[j, :3], z[j, :3]
        for u, (server, _) in enumerate(places):
            if server != CLOUD and y[j, u].any() and kinds[places[u]] != record.worker_type:
                found.add(("(2a)", one.id))
            ready = one.arrival + (3 if server == CLOUD else record.upload_slots[server])
            if y[j, u, :ready].any():
                found.add(("(2i)", one.id))
        slots_on = y[j].sum(axis=1)
        done = slots_on.sum() >= p * one.chunks and not (slots_on[3:] % p).any()
        if not schedule.migration:
            done = (slots_on // p).sum() >= one.chunks
            if (-(-slots_on // p)).sum() > one.chunks:
                found.add(("(7c)", one.id))
        if not done:
            found.add(("(2b)", one.id))
        if (y[j].sum(axis=0) > one.chunks).any():
            found.add(("(2c)", one.id))
        able = [u for u, at in enumerate(places) if kinds.get(at, record.ps_type) == record.ps_type]
        if ((y[j].sum(axis=0) > 0) & (z[j, able].sum(axis=0) != 1)).any():
            found.add(("(2e)", one.id))
        if y[j].any() and schedule.together[j] and (edge_y.any() or edge_z.any()):
            found.add(("(2h)", one.id))
        if y[j].any() and not schedule.together[j] and not (edge_y.any() or edge_z.any()):
            found.add(("(2g)", one.id))
        if (y[j] > 1).any() or (z[j] > 1).any():
            found.add(("(2k)", one.id))
    if ((y[:, :3] > 0).sum(axis=0) > 1).any():
        found.add(("(2d)", None))
    if ((z[:, :3] > 0).sum(axis=0) > 1).any():
        found.add(("(2f)", None))
    stored = np.zeros((2, SLOTS))
    for one in jobs:
        j, p = one.index, 1 if schedule.together[one.index] else one.chunk_slots
        busy = np.flatnonzero(y[j].any(axis=0))
        for server, units in ((0, [0, 1]), (1, [2])):
            here = y[j, units]
            if here.any():
                first = np.flatnonzero(here.any(axis=0))[0] if schedule.migration else one.arrival
                chunks = (-(-here.sum(axis=1) // p)).sum()
                if schedule.migration:
                    chunks = here.sum(axis=0).max()
                stored[server, first : busy[-1] + 1] += chunks * one.chunk_gb
    if (stored > cluster.storage_gb[:, None] + 1e-6).any():
        found.add(("(7b)", None))
    return found


@pytest.mark.parametrize("block", range(10))
def test_same_constraints_are_broken(block: int) -> None:
    rng = np.random.default_rng(block)
    for _ in range(60):
        example, schedule = drawn(rng)
        result = score(example, schedule)
        found = {
            (one.equation, None if one.equation in ("(2d)", "(2f)") else one.job)
            for one in result.violations
        }
        assert found == broken(example, schedule)
        last = [
            max((row[4] for row in schedule.workers.tolist() if row[0] == j), default=0)
            for j in range(3)
        ]
        for one in example.jobs:
            complete = ("(2b)", one.id) not in found
            assert result.completion[one.index] == (last[one.index] - 1 if complete else -1)
