"""There is ``room`` for some of the things that come, one in a slot: keep what is worth most."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from models.files import canonical, decode, read_bytes, sha256, write_atomic
from models.instance import FileInstance
from models.problem import Problem
from models.scoring import Score, Violation


class ToyFile(msgspec.Struct, forbid_unknown_fields=True):
    """An instance file."""

    format: Literal["1"]
    problem: Literal["toy"]
    name: str
    room: Annotated[int, Meta(ge=1)]
    worth: list[float]
    seed: int | None = None
    origin: str = ""


class KeptFile(msgspec.Struct, forbid_unknown_fields=True):
    """A schedule file."""

    kept: list[int]


@dataclass(frozen=True)
class ToyInstance(FileInstance):
    """Room, and the worth of each thing in the order in which they come."""

    file: ToyFile
    hash: str
    problem: str = "toy"

    @classmethod
    def decode(cls, data: bytes, source: str) -> ToyInstance:
        file = decode(data, ToyFile, source=source)
        return cls(file, sha256(file))


@dataclass(frozen=True)
class Kept:
    """A schedule: which things are kept."""

    kept: tuple[int, ...]

    def write(self, path: str | Path) -> None:
        write_atomic(path, canonical(KeptFile(list(self.kept))))

    @classmethod
    def read(cls, path: str | Path, instance: Any) -> Kept:
        return cls(tuple(decode(read_bytes(path), KeptFile, source=str(path)).kept))


def score(instance: ToyInstance, schedule: Kept) -> Score:
    """Add up what is kept; (1): things that there are, each once, and room for all."""
    file, kept = instance.file, schedule.kept
    is_kept = np.isin(np.arange(len(file.worth)), kept)
    value = np.where(is_kept, file.worth, 0.0)
    broken = len(kept) > file.room or len(kept) > is_kept.sum()
    violations = (Violation("(1)", f"keeps {kept}, room for {file.room}"),) if broken else ()
    return Score(float(value.sum()), violations, np.where(is_kept, 0, -1), value)


def load(instance: ToyInstance) -> float:
    """Things that come over room for them."""
    return len(instance.file.worth) / instance.file.room


PROBLEM = Problem(
    name="toy",
    sense="max",
    title="things to keep",
    paper="none",
    instance_file=ToyFile,
    schedule_file=KeptFile,
    decode_instance=ToyInstance.decode,
    read_schedule=Kept.read,
    score=score,
    load=load,
)
