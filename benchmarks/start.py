"""What is seen to before anything else of the toolkit is imported, in ``benchmarks/__init__``."""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import sys
from pathlib import Path

__all__ = ["hear_interrupts", "is_console", "prepare"]

_ROOT = Path(__file__).resolve().parents[1]
_CANNOT = 2  # exit code: as for bad input
_INTERRUPTED = 130  # exit code: as a shell has it


def prepare() -> None:
    """Import the packages of the other layers, so that nothing hides them from here on.

    Raises
    ------
    ImportError
        If a package of somebody else has the name of one of them, and is found first. Where a
        command is started, that is one line and exit code 2.
    """
    is_command = sys.argv[:1] == ["-m"] or is_console()  # "-m": as long as packages are imported
    if is_command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_quietly)
    for layer in ("models", "solvers", "online"):
        spec = importlib.util.find_spec(layer)
        found = None if spec is None else spec.origin
        if found is None or Path(found).resolve() != _ROOT / layer / "__init__.py":
            fault = f"{found or 'nothing'} is found as '{layer}', and hides the toolkit's package"
            if not is_command:
                raise ImportError(f"{fault}: rename it, or start Python in another folder")
            way = "call `schedgap`, or `python -P -m`, which does not look into this folder"
            print(f"error: {fault}: {way}", file=sys.stderr)
            sys.exit(_CANNOT)
        importlib.import_module(layer)


def is_console() -> bool:
    """Whether this process was started as ``schedgap``."""
    return bool(sys.argv) and Path(sys.argv[0]).stem == "schedgap"


def hear_interrupts() -> None:
    """From here on a Ctrl-C raises KeyboardInterrupt again: the imports are over."""
    if signal.getsignal(signal.SIGINT) is _end_quietly:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end_quietly(*_: object) -> None:
    """End at once: nothing has been begun, and an error raised amid imports may be swallowed."""
    os.write(2, b"interrupted\n")
    os._exit(_INTERRUPTED)
