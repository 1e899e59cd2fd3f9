"""Processes of policies, as the runner sees them; :mod:`online.fork_server` forks them."""

from __future__ import annotations

import atexit
import os
import pickle
import select
import signal
import socket
import threading
import time
from contextlib import suppress

from online.child_process import Child, ChildProcess, import_paths
from online.messages import NUMBER_BYTES, receive, send

__all__ = ["ForkedChild"]

_PATIENCE = 300.0  # seconds for the server to load and fork, and to tell of an end
_asking = threading.Lock()
_servers: dict[tuple[int, str], tuple[ChildProcess, socket.socket]] = {}  # by owner and problem


class ForkedChild(Child):
    """A process that answers the questions about one policy (:mod:`online.isolated_child`).

    Parameters
    ----------
    problem_name : str
    talk : socket
        Its end of the socket through which it is asked.
    runs : bool
        Whether it is to run the policy, so that it needs compiled kernels.
    """

    def __init__(self, problem_name: str, talk: socket.socket, runs: bool) -> None:
        super().__init__()
        self._code: int | None = None
        self._ends, tells = os.pipe()
        given = [talk.fileno(), self._watched.fileno(), self._said.fileno(), tells]
        try:
            self._pid = _forked(problem_name, given, runs)
        finally:
            os.close(tells)
            self._watched.close()

    @property
    def pid(self) -> int:
        """Number of the process, which leads its group."""
        return self._pid

    def wait(self, seconds: float | None) -> int | None:
        """Its exit code, as of :class:`subprocess.Popen`; None if it lives on for so long."""
        if self._code is None:
            if select.select([self._ends], [], [], _PATIENCE if seconds is None else seconds)[0]:
                told = os.read(self._ends, NUMBER_BYTES)  # nothing if the server has been killed
            elif seconds is None:
                told = b""  # it has been stopped
            else:
                return None
            self._code = int.from_bytes(told, "big", signed=True) if told else -signal.SIGKILL
            os.close(self._ends)
        return self._code


def _forked(problem_name: str, given: list[int], runs: bool) -> int:
    """Have a process forked; by another server if the first one has been killed."""
    key = (os.getpid(), problem_name)
    where = pickle.dumps((runs, os.getcwd(), import_paths(), dict(os.environ)))
    with _asking:
        for _ in range(2):
            if key not in _servers:
                _servers[key] = _started(problem_name)
            server, talk = _servers[key]
            pid, began = 0, time.monotonic()

            def waiting(began: float = began) -> None:
                if time.monotonic() - began > _PATIENCE:
                    raise TimeoutError

            try:
                with suppress(OSError, EOFError):
                    socket.send_fds(talk, [b"\0"], given)
                    send(talk, where)
                    pid = int.from_bytes(receive(talk, waiting), "big")
                    return pid
            finally:
                if not pid:  # it has been killed or stopped, or who asks is interrupted
                    del _servers[key]
                    _close(server, talk)
    raise ChildProcessError("no process of a policy could be forked")


def _close(server: ChildProcess, talk: socket.socket) -> None:
    talk.close()
    server.end()


@atexit.register
def _close_all() -> None:
    for (owner, _), both in _servers.items():
        if owner == os.getpid():
            _close(*both)


def _started(problem_name: str) -> tuple[ChildProcess, socket.socket]:
    talk, theirs = socket.socketpair()
    with theirs:
        server = ChildProcess("online.fork_server", [theirs.fileno()])
    talk.settimeout(_PATIENCE)
    with suppress(OSError):  # it has ended: who asks will hear it
        send(talk, problem_name.encode())
    return server, talk
