"""Rules on instance files that go across keys; those of single keys stand in the file types."""

from __future__ import annotations

from models.errors import InputError
from models.rounding import ceil_tolerant
from models.utility.files import JobRecord, UtilityFile

__all__ = ["check_sizes", "check_states", "work_of"]

# Sizes of arrays: prices per slot, server and resource; numbers per job and slot; the oracle's
# table per slot and worker-slot. A few of each are in memory at once.
_MOST_PRICES = 2 * 10**7
_MOST_JOB_SLOTS = 5 * 10**7
_MOST_STATES = 25 * 10**6
_MOST_STEPS = 10**9  # of the oracle, in its innermost loop: about a second


def check_sizes(file: UtilityFile, source: str) -> None:
    """Refuse instances whose arrays would not fit into memory."""
    if len(file.jobs) * file.slots > _MOST_JOB_SLOTS:
        raise InputError(
            f"{source}: {len(file.jobs)} jobs x {file.slots} slots are more than "
            f"{_MOST_JOB_SLOTS} - at `$.jobs`"
        )
    servers = len(file.worker_servers) + len(file.ps_servers)
    resources = len(file.resources)
    if file.slots * servers * resources > _MOST_PRICES:
        raise InputError(
            f"{source}: {file.slots} slots x {servers} servers x {resources} resources are more "
            f"than {_MOST_PRICES} - at `$.slots`"
        )


def check_states(record: JobRecord, work: int, room: int, path: str, source: str) -> None:
    """Refuse a job that could run, but only after hours and gigabytes of the oracle.

    Parameters
    ----------
    record : JobRecord
    work : int
        Worker-slots W.
    room : int
        Slots from the arrival to the horizon.
    path, source : str
        For messages.
    """
    if record.chunks * room >= work > _MOST_STATES // room:
        key = "epochs" if record.work is None else "work"
        raise InputError(
            f"{source}: {work} worker-slots x {room} slots are more than {_MOST_STATES} - at "
            f"`{path}.{key}`"
        )
    steps = work * min(record.chunks, work) * room
    if record.chunks * room >= work and steps > _MOST_STEPS:
        raise InputError(
            f"{source}: {work} worker-slots x {record.chunks} chunks x {room} slots are more than "
            f"{_MOST_STEPS} - at `{path}.chunks`"
        )


def work_of(record: JobRecord, b: float, slot_seconds: float, path: str, source: str) -> int:
    """Worker-slots W: ``ceil(E N M (tau + 2 e / b))`` with e in MB and b in Gbps."""
    if record.work is not None:
        return record.work
    for key in ("epochs", "minibatches", "minibatch_slots", "gradient_mb"):
        if getattr(record, key) is None:
            raise InputError(
                f"{source}: missing, and there is no `work` to replace it - at `{path}.{key}`"
            )
    assert record.epochs and record.minibatches and record.minibatch_slots is not None
    assert record.gradient_mb is not None
    transfer_slots = 16.0 * record.gradient_mb / (1000.0 * b * slot_seconds)
    batches = record.epochs * record.chunks * record.minibatches
    work = batches * (record.minibatch_slots + transfer_slots)
    if not work < 2**53:
        raise InputError(f"{source}: work of {work:g} worker-slots is out of range - at `{path}`")
    return max(1, ceil_tolerant(work))
