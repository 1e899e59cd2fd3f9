"""What the instances of all problems share: how they are named, read, built and written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

from models.errors import InputError
from models.files import canonical, check_finite, read_bytes, write_atomic

__all__ = ["Faults", "FileInstance", "check_ids", "check_made_for", "known_jobs", "refuse"]

Faults = Iterator[tuple[str, str]]
"""What is wrong, and the key where it stands."""


class FileInstance(ABC):
    """An instance made of a file: ``file``, as it stands there, and its ``hash``.

    A subclass is a frozen dataclass that says what else there is, and how it is decoded.
    """

    file: Any
    hash: str

    @classmethod
    @abstractmethod
    def decode(cls, data: bytes, source: str) -> Self:
        """Build from JSON text; raises InputError naming ``source``."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read an instance file; raises InputError."""
        return cls.decode(read_bytes(path), str(path))

    @classmethod
    def from_file(cls, file: Any, *, source: str = "instance") -> Self:
        """Build from a struct made in Python, with the same checks as a file.

        Raises
        ------
        InputError
            Naming the key, the index and the rule.
        """
        check_finite(file, source=source)  # encoding would turn NaN into null
        return cls.decode(canonical(file), source)

    @property
    def name(self) -> str:
        """Name of the instance."""
        return str(self.file.name)

    @property
    def seed(self) -> int | None:
        """Seed it was drawn with, if any."""
        seed: int | None = self.file.seed
        return seed

    @property
    def origin(self) -> str:
        """Where it comes from, free text."""
        return str(self.file.origin)

    def write(self, path: str | Path) -> None:
        """Write the canonical instance file (gzip-ed by ending), whole or not at all."""
        write_atomic(path, canonical(self.file))


def check_made_for(instance: FileInstance, found: str, source: str, at: str | None = None) -> None:
    """Refuse what belongs to another instance.

    Parameters
    ----------
    instance : FileInstance
    found : str
        Hash of the instance that it was made for.
    source : str
        What it is, or its file.
    at : str, optional
        Key of the hash there.

    Raises
    ------
    InputError
    """
    if found != instance.hash:
        where = "" if at is None else f" - at `{at}`"
        raise InputError(
            f"{source}: made for another instance ({found[:12]}..., not {instance.hash[:12]}...)"
            f"{where}"
        )


def check_ids(jobs: Iterable[Any], source: str) -> None:
    """Refuse an instance file with an ``id`` that two of its jobs have; raises InputError."""
    seen: set[str] = set()
    for index, record in enumerate(jobs):
        if record.id in seen:
            raise InputError(f"{source}: id '{record.id}' used twice - at `$.jobs[{index}].id`")
        seen.add(record.id)


def refuse(faults: Faults, path: str, source: str) -> None:
    """Refuse a part of an instance file that has a fault; raises InputError naming its key."""
    for fault, key in faults:
        raise InputError(f"{source}: {fault} - at `{path}.{key}`")


def known_jobs(jobs: Iterable[Any], instance: Any, source: str) -> Iterator[tuple[str, int, Any]]:
    """Jobs of a schedule file, each with its path there and its index in the instance.

    Raises
    ------
    InputError
        At a job that the instance does not have, or that stands twice.
    """
    index = {job.id: job.index for job in instance.jobs}
    seen: set[str] = set()
    for place, job in enumerate(jobs):
        at = f"$.jobs[{place}]"
        if job.id not in index:
            raise InputError(f"{source}: no job '{job.id}' in the instance - at `{at}.id`")
        if job.id in seen:
            raise InputError(f"{source}: job '{job.id}' stands twice - at `{at}.id`")
        seen.add(job.id)
        yield at, index[job.id], job
