"""A server that forks the processes of policies: each is fresh, and has the toolkit loaded.

To start an interpreter and load the toolkit takes two seconds of processor time, and a run on a
small instance takes less. So one process loads what the policies of a problem import, once, and
waits. It is told of no instance, and loads no policy from outside. For each run it forks a process,
which inherits nothing else.

The server runs this module: ``python -m online.fork_server SOCKET LIFE``, which are numbers of file
descriptors. The first message through SOCKET is the name of the problem; each other brings the
descriptors of a process and where it works, and the number of the process goes back. The server
ends when SOCKET is closed. It has no second thread: what forks should have one only.
"""

from __future__ import annotations

import atexit
import os
import pickle
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from online.child_process import Child, ChildProcess, end_with_parent, import_paths
from online.contract import answer_types
from online.isolated_child import serve
from online.messages import receive, send
from online.process_tree import end_tree
from online.registry import find_policy, policy_names

__all__ = ["ForkedChild"]

_NUMBER = 8  # bytes
_PATIENCE = 300.0  # seconds for the server to load and fork, and to tell of an end
_LAYERS = ("models", "solvers", "online")
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
                told = os.read(self._ends, _NUMBER)  # nothing if the server has been killed
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


# ---- the server ----------------------------------------------------------------------------------


def _serve_forks(talk: socket.socket) -> None:
    """Fork a process for each message, and tell whoever waits for it how it has ended."""
    problem_name = receive(talk).decode()
    with suppress(Exception):  # whatever it is, the process of the policy will say it
        answer_types(problem_name)
        for name in policy_names(problem_name):
            find_policy(problem_name, name)
    waiting: dict[int, int] = {}  # for the end of a process: descriptors

    def reap(*which: object) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                code = os.waitstatus_to_exitcode(ended[1])
                with suppress(KeyError, OSError), os.fdopen(waiting.pop(ended[0]), "wb") as tells:
                    tells.write(code.to_bytes(_NUMBER, "big", signed=True))

    signal.signal(signal.SIGCHLD, reap)
    loaded = False
    while True:
        try:
            _, given, *_ = socket.recv_fds(talk, 1, 4)
            runs, *where = pickle.loads(receive(talk))
        except EOFError:
            for pid in [*waiting]:  # each would end by itself, but a busy one may never look
                end_tree(pid)
            return
        if runs and not loaded:
            _load_kernels()
            loaded = True
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if pid == 0:
            for other in (talk.detach(), given[3], *waiting.values()):
                os.close(other)
            _be_policy(given, where)
        waiting[pid] = given[3]
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        for other in given[:3]:
            os.close(other)
        send(talk, pid.to_bytes(_NUMBER, "big"))


def _load_kernels() -> None:
    """Load what earlier runs have compiled, for which each process would need a second."""
    modules = [found for name, found in sys.modules.items() if name.split(".")[0] in _LAYERS]
    every = [one for module in modules for one in vars(module).values()]
    kernels: Iterator[Any] = (one for one in every if isinstance(one, Dispatcher))
    for kernel in kernels:
        # These names are numba's own. Without them each process loads what it needs, later.
        with suppress(Exception):
            here = kernel.targetctx.codegen().magic_tuple()
            for signature, machine, _ in kernel._cache._cache_file._load_index():
                if machine == here:
                    kernel.compile(signature)


def _be_policy(given: list[int], where: Any) -> None:
    """What the forked process does, to its end."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        os.setsid()
        talk, life, said, _ = given
        for standard in (1, 2):
            os.dup2(said, standard)
        for other in (said, int(sys.argv[2])):
            os.close(other)
        np.random.seed()  # noqa: NPY002 - of policies that use it: not the same in all processes
        folder, sys.path[:], environment = where
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        threading.Thread(target=end_with_parent, args=(life,), daemon=True).start()
        serve(socket.socket(fileno=talk))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve_forks(socket.socket(fileno=int(sys.argv[1])))
