"""Packages from outside the toolkit, installed into a folder without an installer."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

__all__ = ["TOY", "announce", "install_toy"]

TOY = Path(__file__).parent / "toy"
"""A problem in a package of its own, made from CONTRIBUTING.md alone."""


def install_toy(folder: Path) -> None:
    """Put the toy problem and its metadata into a folder, which is then to join ``sys.path``."""
    project = tomllib.loads((TOY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(TOY / "toyproblem", folder / "toyproblem", ignore=ignored)
    entries = project["entry-points"]["schedgap.problems"]
    announce(folder, project["name"], *(f"{name} = {value}" for name, value in entries.items()))


def announce(folder: Path, distribution: str, *entries: str) -> None:
    """Write the metadata of a distribution with entry points of the toolkit's group."""
    info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(["[schedgap.problems]", *entries, ""]))
