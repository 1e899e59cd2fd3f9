"""What every test shares: backend, Hypothesis profile, the trace folder, how commands refuse."""

from __future__ import annotations

import gc
import os
import runpy
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from xdist.scheduler import LoadScopeScheduling

from tests.highs_here import solve_here

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

os.environ.setdefault("MPLBACKEND", "Agg")

Refuses = Callable[[str, list[str], str], None]
"""(command, arguments, what the error says) -> None"""

# The same examples in every run; no deadline, since a first call may compile a kernel.
settings.register_profile("schedgap", derandomize=True, deadline=None)
settings.load_profile("schedgap")


# Each of these files has a fixture that takes long: one worker runs all of its tests.
_TOGETHER = ("tests/benchmarks/jct/test_scale.py", "tests/benchmarks/test_sweep_interrupted.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """With ``--dist loadgroup`` tests go to any worker, but those of a file of ``_TOGETHER``.

    The mark ``xdist_group`` of pytest-xdist 3.8 is lost on the way: pytest 9.2 keeps names of tests
    where it does not look.
    """
    return _Together(config, log) if config.getvalue("dist") == "loadgroup" else None


class _Together(LoadScopeScheduling):
    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if file in _TOGETHER else nodeid


def pytest_collection_finish() -> None:
    """What is loaded by now stays: garbage collections need not look through it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def kernels_are_compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Of two workers that need the same kernel one compiles it; the other waits and loads it."""
    if fcntl is None or "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    folder = tmp_path_factory.getbasetemp().parent  # of all workers of this run
    compile_kernel, held = Dispatcher.compile, set[str]()

    def compile_alone(kernel: Dispatcher, signature: Any) -> Any:
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}"
        # In one process it is one thread at a time. A kernel locks those that it calls, too: as no
        # two call each other, no two workers wait for each other.
        with global_compiler_lock:
            if isinstance(kernel._cache, NullCache) or name in held:
                return compile_kernel(kernel, signature)
            held.add(name)
            try:
                with (folder / f"{name}.lock").open("w") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    return compile_kernel(kernel, signature)
            finally:
                held.discard(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", compile_alone)
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real traces, or skip: ``SCHEDULING_DATA``, else ``../shared/data``."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SCHEDULING_DATA") or beside)
    if not folder.is_dir():
        pytest.skip(f"no trace folder {folder}: set SCHEDULING_DATA")
    return folder


@pytest.fixture
def short_local_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The offline solver of `utility` without most of its local search.

    On tiny instances that takes nearly all of the time, and changes neither proofs nor bounds.
    """
    monkeypatch.setattr("solvers.utility.offline._MOST_MOVES", 100)


@pytest.fixture
def highs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that a child process would solve are solved in this process.

    That children keep their limits, and what they find, is tested in `tests/solvers/highs`.
    """
    solve_here(monkeypatch.setattr)


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """SIGINT is a KeyboardInterrupt, also where the shell had it ignored: in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def commands_run_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands have one worker unless they are told otherwise: no process is started for a cell."""
    monkeypatch.setattr("benchmarks.cli.default_workers", lambda threads: 1)


@pytest.fixture
def refuses(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Refuses:
    """Run a command as ``python -m`` does, and check that it refuses as it should.

    ``here``, of the module that asks, makes the current folder.
    """

    def run_refused(command: str, arguments: list[str], fault: str) -> None:
        before = contents()
        monkeypatch.setattr(sys, "argv", [command, *arguments])
        with pytest.raises(SystemExit) as end, warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the module is imported already
            runpy.run_module(f"benchmarks.{command}", run_name="__main__")
        out, error = capsys.readouterr()
        assert end.value.code == 2
        assert error.startswith("error: ")
        assert error.count("\n") == 1
        assert fault in error
        assert out == ""
        assert contents() == before

    return run_refused


def contents() -> dict[Path, bytes | None]:
    """All files and folders below the current one; what Python keeps of imports is no result."""
    return {
        path: path.read_bytes() if path.is_file() else None
        for path in Path().rglob("*")
        if "__pycache__" not in path.parts
    }
