"""A child process of its own group: what it prints is caught, and its end leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Pipe
from pathlib import Path

from online.process_tree import end_tree

__all__ = ["Child", "ChildProcess", "end_with_parent", "import_paths"]

_ROOT = str(Path(__file__).resolve().parents[1])
_SAID = 1_000_000  # bytes that a child may print before they are dropped
_GRACE = 60.0  # seconds that a child may live on which has let go of its parent


class Child(ABC):
    """A process that leads a group of its own, and ends with this one."""

    def __init__(self) -> None:
        self._life, self._watched = Pipe()
        self._said = tempfile.TemporaryFile(buffering=0)

    @property
    @abstractmethod
    def pid(self) -> int:
        """Number of the process, which leads its group."""

    @abstractmethod
    def wait(self, seconds: float | None) -> int | None:
        """Its exit code, as of :class:`subprocess.Popen`; None if it lives on for so long."""

    @property
    def lives(self) -> bool:
        """Whether it has not ended."""
        return self.wait(0.0) is None

    def end(self) -> None:
        """End it with all that it has started."""
        end_tree(self.pid)
        self.wait(None)
        self._life.close()
        self._said.close()

    def said(self) -> str:
        """What it has printed since that was forgotten."""
        size = os.fstat(self._said.fileno()).st_size
        return os.pread(self._said.fileno(), size, 0).decode(errors="replace").strip()

    def forget_what_was_said(self, above: int = 0) -> None:
        """Drop what it has printed, if that is more than so many bytes."""
        if os.fstat(self._said.fileno()).st_size > above:
            self._said.seek(0)  # of the process, too, which has the same position in the file
            self._said.truncate()

    def keep_what_is_said_short(self) -> None:
        """Drop what it has printed if that is too much for the disk."""
        self.forget_what_was_said(_SAID)

    def last_words(self) -> str:
        """How it ended, and the last line that it printed."""
        code = self.wait(_GRACE)
        if code is None:  # it has let go of its parent and lives on
            os.kill(self.pid, signal.SIGKILL)
            code = self.wait(None)
        assert code is not None
        how = f"its process ended with code {code}"
        if code < 0:
            with suppress(ValueError):
                how = f"its process was killed by {signal.Signals(-code).name}"
        return ": ".join([how, *self.said().splitlines()[-1:]])


class ChildProcess(Child):
    """A fresh interpreter that runs a module of the toolkit: it has nothing of this process.

    Parameters
    ----------
    module : str
        Is run as ``python -m module INHERITED... LIFE``, which are numbers of file descriptors.
        LIFE is for :func:`end_with_parent`.
    inherited : sequence of int
        Descriptors that it gets.
    environment : Mapping[str, str]
        Variables that it has where this process does not set them.
    """

    def __init__(
        self, module: str, inherited: Sequence[int], environment: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        given = (*inherited, self._watched.fileno())
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *map(str, given)],
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            pass_fds=given,
            env={
                **(environment or {}),
                **os.environ,
                "PYTHONPATH": os.pathsep.join(import_paths()),
            },
            start_new_session=True,  # a Ctrl-C on the terminal is for this process to handle
        )
        self._watched.close()

    @property
    def pid(self) -> int:
        """Number of the process, which leads its group."""
        return self._process.pid

    def wait(self, seconds: float | None) -> int | None:
        """Its exit code; None if it lives on for so long."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None


def import_paths() -> list[str]:
    """Where a child looks for modules: the folder of the user, where policies lie, as here."""
    return [_ROOT, *(path for path in sys.path if path and path != _ROOT)]


def end_with_parent(life: int) -> None:
    """Wait until the parent of this process has ended; then end it with all it has started."""
    while os.read(life, 1):
        pass
    end_tree(os.getpid())
