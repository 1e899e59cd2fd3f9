"""The console command: ``schedgap ratio ...`` is ``python -m benchmarks.ratio ...``.

The name is the toolkit's own, and the packages are those beside this file: a ``models`` in the
current folder, on ``PYTHONPATH`` or among the installed packages does not hide the toolkit's.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command that the command line names."""
    beside = str(Path(__file__).resolve().parent)
    sys.path.insert(0, beside)
    from benchmarks import commands  # with it come the other packages

    sys.path.remove(beside)
    commands.main()


if __name__ == "__main__":
    main()
