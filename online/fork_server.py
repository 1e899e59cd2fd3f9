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

import os
import pickle
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from online.child_process import end_with_parent
from online.contract import answer_types
from online.isolated_child import serve
from online.messages import NUMBER_BYTES, receive, send
from online.process_tree import end_tree
from online.registry import find_policy, policy_names

__all__: list[str] = []

_LAYERS = ("models", "solvers", "online")


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
                    tells.write(code.to_bytes(NUMBER_BYTES, "big", signed=True))

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
        send(talk, pid.to_bytes(NUMBER_BYTES, "big"))


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
