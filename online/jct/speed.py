"""Speed augmentation by ``epsilon = a/b``, in finer slots so that it is not rounded away."""

from __future__ import annotations

import msgspec

from models.errors import InputError
from models.jct.files import JobRecord
from models.jct.instance import JctInstance

__all__ = ["augmented", "refined"]


def refined(instance: JctInstance, a: int, b: int) -> JctInstance:
    """The same instance in slots of ``1/(a + b)`` of the length: every time is a + b times as much.

    Chunks take ``(a + b) p`` slots. Whatever runs on the instance runs here too, with all slots
    cut into a + b; divide a JCT by a + b to compare it.

    Parameters
    ----------
    instance : JctInstance
    a, b : int
        ``epsilon = a/b``, a not negative and b positive.

    Raises
    ------
    InputError
        If a or b is out of range, or the refined times are.
    """
    return _with_times(instance, a, b, a + b)


def augmented(instance: JctInstance, a: int, b: int) -> JctInstance:
    """:func:`refined`, at ``1 + a/b`` times the speed (Definition 1): chunks take ``b p`` slots.

    On it the online algorithm runs; the optimum that it is compared with is that of
    :func:`refined`, which is a + b times that of the instance or less, since the finer slots
    allow more. Upload delays are not sped up.

    Raises
    ------
    InputError
        If a or b is out of range, or the refined times are.

    Notes
    -----
    The average processing rate is ``1/(p D)`` here, from the whole slots p.
    """
    return _with_times(instance, a, b, b)


def _with_times(instance: JctInstance, a: int, b: int, scale: int) -> JctInstance:
    if a < 0 or b < 1:
        raise InputError(f"epsilon = {a}/{b}: a has to be at least 0, b at least 1")
    fine = a + b
    file = instance.file
    jobs: list[JobRecord] = []
    for record, job in zip(file.jobs, instance.jobs, strict=True):
        cloud = record.cloud_upload_slots
        jobs.append(
            JobRecord(
                id=record.id,
                arrival=fine * record.arrival,
                chunks=record.chunks,
                worker_type=record.worker_type,
                ps_type=record.ps_type,
                upload_slots=[fine * delay for delay in record.upload_slots],
                requested_workers=record.requested_workers,
                chunk_slots=scale * job.chunk_slots,
                cloud_chunk_slots=scale * job.cloud_chunk_slots,
                cloud_upload_slots=None if cloud is None else fine * cloud,
                chunk_gb=record.chunk_gb,
            )
        )
    changed = msgspec.structs.replace(
        file, jobs=jobs, slots=fine * file.slots, slot_seconds=file.slot_seconds / fine
    )
    return JctInstance.from_file(changed, source=f"{instance.name} at speed 1 + {a}/{b}")
