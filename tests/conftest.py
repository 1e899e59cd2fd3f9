"""What every test shares: a headless backend, reproducible Hypothesis runs, the trace folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")

# The same examples in every run; no deadline, since a first call may compile a kernel.
settings.register_profile("schedgap", derandomize=True, deadline=None)
settings.load_profile("schedgap")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real traces, or skip: ``SCHEDULING_DATA``, else ``../shared/data``."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SCHEDULING_DATA") or beside)
    if not folder.is_dir():
        pytest.skip(f"no trace folder {folder}: set SCHEDULING_DATA")
    return folder
