"""Offline solvers of the ``jct`` problem: exact on small instances, bounds at full scale."""

from __future__ import annotations
