"""Problems of other packages, which announce them by an entry point.

A distribution adds a problem with an entry point of the group ``schedgap.problems``: its name is
the problem's, and its value a package that holds the four layers, ``<package>.models`` and so on::

    [project.entry-points."schedgap.problems"]
    toy = "toyproblem"

Here nothing is imported, only read from the metadata of what is installed.
"""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["GROUP", "OutsideProblem", "outside_problems"]

GROUP = "schedgap.problems"


@dataclass(frozen=True)
class OutsideProblem:
    """One problem of another package.

    Parameters
    ----------
    name : str
        Of the problem.
    package : str
        Dotted name of the package that holds its layers.
    distributions : tuple of str
        Which distributions announce it: one, unless they clash.
    fault : str
        Why it cannot be used, as far as the metadata tell; else empty.
    """

    name: str
    package: str
    distributions: tuple[str, ...]
    fault: str = ""

    @property
    def label(self) -> str:
        """The problem and where it comes from, for messages."""
        return f"problem '{self.name}' of distribution {_listed(self.distributions)}"


@functools.cache
def outside_problems() -> Mapping[str, OutsideProblem]:
    """Problems of other packages, by name; the metadata are read once."""
    announced: dict[str, list[tuple[str, str]]] = {}
    for distribution in importlib.metadata.distributions():
        try:
            if GROUP not in (distribution.read_text("entry_points.txt") or ""):
                continue
            entries = [
                (item.name, item.value) for item in distribution.entry_points.select(group=GROUP)
            ]
            for name, value in entries:
                entry = (value.strip(), distribution.metadata["Name"] or "without a name")
                if entry not in announced.setdefault(name, []):  # twice on the path
                    announced[name].append(entry)
        except Exception:  # metadata that cannot be read may be of anything
            continue
    return {name: _outside(name, entries) for name, entries in announced.items()}


def _outside(name: str, entries: list[tuple[str, str]]) -> OutsideProblem:
    package, _ = entries[0]
    distributions = tuple(sorted({distribution for _, distribution in entries}))
    fault = ""
    if len(entries) > 1:
        fault = "is announced more than once: uninstall all but one"
    elif not name.isidentifier():
        fault = "needs a name of letters, digits and underscores"
    elif not all(part.isidentifier() for part in package.split(".")):
        fault = f"has an entry point '{package}', which is no package"
    return OutsideProblem(name, package, distributions, fault)


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(f"'{name}'" for name in names)
