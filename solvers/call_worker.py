"""The child process of a call: ``python -m solvers.call_worker``.

It reads one pickled ``(function, arguments)`` from standard input and writes one pickled pair to
standard output: ("result", value) or ("error", exception). Standard input stays open as long as
the parent lives; its end is the child's end.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading

__all__ = ["main"]


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    """Make one call."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up in the reply
    function, arguments = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        reply = "result", function(*arguments)
    except Exception as error:  # for the one who asks for the result
        reply = "error", error
    pickle.dump(reply, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()
    os._exit(0)  # the watching thread holds standard input's lock


if __name__ == "__main__":
    main()
