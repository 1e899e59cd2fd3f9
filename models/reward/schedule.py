"""Schedule of the ``reward`` problem: allocations, each in force until the next."""

from __future__ import annotations

import io
import itertools
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.errors import InputError
from models.files import write_atomic
from models.instance import check_made_for
from models.reward.instance import RewardInstance
from models.scoring import Score

__all__ = ["MOST_BYTES", "RewardSchedule", "path_length"]

MOST_BYTES = 256 * 2**20
"""Allocations of a schedule that take more memory are not kept."""

_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,  # encrypted, or packed in a way that is not known
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
_NOTE = "the allocations took more than 256 MB and were not kept: rewards of the slots only"


@dataclass(frozen=True, eq=False)
class RewardSchedule:
    """The decisions y(1)...y(T), piecewise constant.

    A schedule whose allocations would take more than 256 MB is kept without them: it carries
    the score that :class:`models.reward.score.ScoreStream` gave it slot by slot.

    Parameters
    ----------
    instance_hash : str
        Hash of the instance it belongs to.
    starts : ndarray of int64, shape (n,)
        Slots from which on an allocation holds, ascending, 0-based. Nothing is allocated before
        the first.
    allocations : ndarray, shape (n, C, K), or None
        ``y``; None if they were too large to keep.
    streamed : Score, optional
        The score of a schedule without allocations.
    rewards : ndarray, shape (T,), optional
        Reward of each slot of a schedule without allocations.
    """

    instance_hash: str
    starts: np.ndarray
    allocations: np.ndarray | None
    streamed: Score | None = None
    rewards: np.ndarray | None = None

    @classmethod
    def build(
        cls, instance: RewardInstance, starts: np.ndarray | list[int], allocations: np.ndarray
    ) -> RewardSchedule:
        """Make a schedule for an instance.

        The arrays are taken over and locked, not copied.

        Raises
        ------
        InputError
            If they do not fit the instance.
        """
        first = np.array(starts, dtype=np.int64)
        table = np.ascontiguousarray(allocations, dtype=float)
        _check_shape(instance, first, table.shape, "schedule")
        for array in (first, table):
            array.setflags(write=False)
        return cls(instance.hash, first, table)

    @classmethod
    def constant(cls, instance: RewardInstance, y: np.ndarray) -> RewardSchedule:
        """One allocation, shape (C, K), in all slots."""
        return cls.build(instance, [0], np.array(y, dtype=float)[None])

    @classmethod
    def read(cls, path: str | Path, instance: RewardInstance) -> RewardSchedule:
        """Read a schedule file that belongs to an instance.

        Raises
        ------
        InputError
            If it is malformed, made for another instance, or holds no allocations.
        """
        source = str(path)
        try:
            with zipfile.ZipFile(source) as archive:
                return cls._from_archive(archive, instance, source)
        except InputError:
            raise
        except KeyError as error:
            raise InputError(f"{source}: not a schedule: {error.args[0]}") from None
        except _UNREADABLE as error:
            reason = getattr(error, "strerror", None) or " ".join(str(error).split())
            raise InputError(f"{source}: cannot be read: {reason}") from None

    @classmethod
    def _from_archive(
        cls, archive: zipfile.ZipFile, instance: RewardInstance, source: str
    ) -> RewardSchedule:
        for key, wanted in (("format", "1"), ("problem", "reward")):
            found = _read_text(archive, key, source)
            if found != wanted:
                raise InputError(f"{source}: {key} '{found}', not '{wanted}' - at `{key}`")
        check_made_for(instance, _read_text(archive, "instance", source), source, "instance")
        if "note.npy" in archive.namelist():
            raise InputError(f"{source}: {_NOTE}, so there is nothing to verify - at `note`")
        slots = instance.cluster.slots
        starts = _read_array(archive, "starts", np.dtype(np.int64), 8 * slots, source)
        shape, _ = _header(archive, "allocations")
        _check_shape(instance, starts, shape, source)
        table = _read_array(archive, "allocations", np.dtype(float), MOST_BYTES, source)
        return cls.build(instance, starts, table)

    def write(self, path: str | Path) -> None:
        """Write the schedule file, an ``.npz`` archive, whole or not at all.

        Without allocations it holds the rewards of the slots and a note that says so.
        """
        members = {
            "format": np.array("1"),
            "problem": np.array("reward"),
            "instance": np.array(self.instance_hash),
        }
        if self.allocations is not None:
            members |= {"starts": self.starts, "allocations": self.allocations}
        elif self.rewards is not None:
            members |= {"note": np.array(_NOTE), "rewards": self.rewards}
        buffer = io.BytesIO()
        # Members opened by name carry the date 1980-01-01: equal schedules give equal bytes.
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, array in members.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                    np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
        write_atomic(path, buffer.getvalue())


def path_length(content: bytes) -> float | None:
    """Path length of the allocations in the content of a schedule file.

    The sum of the Euclidean distances between those of neighbouring slots; None if the file holds
    no allocations.
    """
    with np.load(io.BytesIO(content)) as archive:
        if "allocations" not in archive:
            return None
        pairs = itertools.pairwise(archive["allocations"])
        return sum(float(np.linalg.norm(after - before)) for before, after in pairs)


def _check_shape(
    instance: RewardInstance, starts: np.ndarray, shape: tuple[int, ...], source: str
) -> None:
    slots, wanted = instance.cluster.slots, (len(starts), *instance.cluster.shape)
    if starts.ndim != 1 or (np.diff(starts) <= 0).any():
        raise InputError(f"{source}: slots are not in ascending order - at `starts`")
    if starts.size and not 0 <= starts[0] <= starts[-1] < slots:
        raise InputError(f"{source}: a slot is not in 0..{slots - 1} - at `starts`")
    if shape != wanted:
        raise InputError(
            f"{source}: shape {shape}, not {wanted} (starts, channels, device types) - at "
            f"`allocations`"
        )


def _header(archive: zipfile.ZipFile, name: str) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type of a member, without its data."""
    with archive.open(f"{name}.npy") as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError(f"`{name}` is not an array of format 1.0")
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
        if by_columns and len(shape) > 1:
            raise ValueError(f"`{name}` is stored by columns")
        return shape, dtype


def _read_array(
    archive: zipfile.ZipFile, name: str, dtype: np.dtype, most_bytes: int, source: str
) -> np.ndarray:
    shape, found = _header(archive, name)
    if found != dtype:
        raise InputError(f"{source}: numbers of type {found}, not {dtype} - at `{name}`")
    if np.prod(shape, dtype=float) * dtype.itemsize > most_bytes:
        raise InputError(f"{source}: more than {most_bytes} bytes - at `{name}`")
    with archive.open(f"{name}.npy") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _read_text(archive: zipfile.ZipFile, name: str, source: str) -> str:
    shape, dtype = _header(archive, name)
    if shape != () or dtype.kind != "U" or dtype.itemsize > 4096:
        raise InputError(f"{source}: not a short text - at `{name}`")
    with archive.open(f"{name}.npy") as stream:
        return str(np.lib.format.read_array(stream, allow_pickle=False))
