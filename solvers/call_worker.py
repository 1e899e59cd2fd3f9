"""The child process of a call: ``python -m solvers.call_worker``.

It reads one pickled function without arguments from standard input and writes one pickled pair to
standard output: ("result", value) or ("error", exception). Standard input stays open as long as
the parent lives; its end is the child's end.
"""

from __future__ import annotations

import os
import sys
import traceback

from solvers.highs.worker import open_pipes

__all__ = ["main"]


def main() -> None:
    """Make one call."""
    function, pipe = open_pipes()
    try:
        try:
            pipe.send("result", function())
        except Exception as error:  # for the one who asks for the result
            error.add_note(traceback.format_exc())
            pipe.send("error", error)
    except Exception:  # what it returns or raises cannot be pickled
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(0)  # the watching thread holds standard input's lock


if __name__ == "__main__":
    main()
