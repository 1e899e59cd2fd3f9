"""A package with a problem of its own: keep the dearest of the things that come by."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

__all__ = ["announce", "install"]

_MODELS = '''
    """There are `room` places for things that come one in a slot; keep what is worth most."""

    from dataclasses import dataclass

    import msgspec
    import numpy as np

    from models.files import canonical, decode, read_bytes, sha256, write_atomic
    from models.instance import FileInstance
    from models.problem import Problem
    from models.scoring import Score, Violation

    class ToyFile(msgspec.Struct, forbid_unknown_fields=True):
        format: str
        problem: str
        name: str
        room: int
        worth: list[float]
        seed: int | None = None
        origin: str = ""

    class KeptFile(msgspec.Struct):
        kept: list[int]

    @dataclass(frozen=True)
    class ToyInstance(FileInstance):
        file: ToyFile
        hash: str
        problem: str = "toy"

        @classmethod
        def decode(cls, data, source):
            file = decode(data, ToyFile, source=source)
            return cls(file, sha256(file))

    @dataclass(frozen=True)
    class Kept:
        kept: tuple[int, ...]

        def write(self, path):
            write_atomic(path, canonical(KeptFile(list(self.kept))))

        @classmethod
        def read(cls, path, instance):
            return cls(tuple(decode(read_bytes(path), KeptFile, source=str(path)).kept))

    def score(instance, schedule):
        file = instance.file
        kept = np.isin(np.arange(len(file.worth)), schedule.kept)
        value = np.where(kept, file.worth, 0.0)
        over = len(schedule.kept) > file.room
        broken = (Violation("(1)", f"{len(schedule.kept)} kept, room for {file.room}"),) * over
        return Score(float(value.sum()), broken, np.where(kept, 0, -1), value)

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
    )
'''
_SOLVERS = """
    from solvers.contract import OfflineSolver

    OFFLINE = OfflineSolver(solver="toyproblem.solvers.sorting:solve", starts=("first",))
"""
_SORTING = """
    from solvers.result import SolveResult
    from toyproblem.models import Kept, score

    def solve(instance, *, time_limit, threads=1, start=None):
        worth = instance.file.worth
        best = sorted(range(len(worth)), key=lambda i: -worth[i])[: instance.file.room]
        kept = Kept(tuple(sorted(best)))
        value = score(instance, kept).objective
        return SolveResult(
            status="optimal", objective=value, bound=value, schedule=kept, duals=None,
            seconds=0.0, solver="sorting", options={}, message="", bound_source="milp",
        )
"""
_ONLINE = """
    from online.contract import OnlineSide
    from toyproblem.online.world import ToyWorld

    ONLINE = OnlineSide(make_world=ToyWorld, policies={"first": "toyproblem.online.first:First"})
"""
_WORLD = """
    from dataclasses import dataclass
    from typing import ClassVar

    from online.run import InfeasibleDecision
    from toyproblem.models import Kept

    @dataclass(frozen=True)
    class Thing:
        slot: int
        worth: float
        kind: ClassVar[str] = "thing"
        job_id: ClassVar[None] = None
        label: ClassVar[str] = "a thing comes by"

    class ToyWorld:
        def __init__(self, instance):
            self.public, self._worth = instance.file.room, instance.file.worth
            self._kept, self._slot = [], 0

        def events(self):
            for self._slot, worth in enumerate(self._worth):
                yield Thing(self._slot, worth)

        def apply(self, decision):
            if decision.plans:
                if len(self._kept) == self.public:
                    raise InfeasibleDecision("(1) there is no more room")
                self._kept.append(self._slot)
            return {"keeps": bool(decision.plans)}

        def schedule(self):
            return Kept(tuple(self._kept))
"""
_FIRST = """
    from online.policy import Decision, Policy

    class First(Policy):
        name = "first"

        def reset(self, public, rng):
            self._left = public

        def step(self, event):
            if not self._left:
                return Decision()
            self._left -= 1
            return Decision({event.slot: True})
"""
_BENCHMARKS = """
    import numpy as np

    from benchmarks.instances import Size, Workload
    from toyproblem.models import ToyFile, ToyInstance

    def draw(*, jobs, slots, servers, seed, trace=None):
        worth = np.random.default_rng(seed).uniform(1, 2, jobs).tolist()
        file = ToyFile("1", "toy", f"toy-{seed}", int(servers), worth, seed, "made up")
        return ToyInstance.from_file(file), None

    WORKLOAD = Workload(
        default=Size(6, 6, "2", seeds=2),
        quick=Size(3, 3, "1", seeds=1),
        draw=draw,
        describe_mapping=lambda kind: "not at all",
    )
"""
_FILES = {
    "__init__.py": "",
    "models/__init__.py": _MODELS,
    "solvers/__init__.py": _SOLVERS,
    "solvers/sorting.py": _SORTING,
    "online/__init__.py": _ONLINE,
    "online/world.py": _WORLD,
    "online/first.py": _FIRST,
    "benchmarks/__init__.py": _BENCHMARKS,
}


def install(folder: Path) -> None:
    """Put the package and its metadata into a folder, which is then to join ``sys.path``."""
    for name, text in _FILES.items():
        file = folder / "toyproblem" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
    announce(folder, "toy-distribution", "toy = toyproblem")


def announce(folder: Path, distribution: str, *entries: str) -> None:
    """Write the metadata of a distribution with entry points of the toolkit's group."""
    info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(["[schedgap.problems]", *entries, ""]))
