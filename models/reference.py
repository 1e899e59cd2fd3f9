"""References: ``module:name`` names a thing of a module, which is imported when it is used.

What is referred to so is not imported by whoever names it: a list of twenty policies loads none of
them, and the list of what a problem offers loads no solver.
"""

from __future__ import annotations

import importlib
from typing import Any

from models.errors import InputError

__all__ = ["resolve"]


def resolve(reference: str) -> Any:
    """Import what a reference names.

    Parameters
    ----------
    reference : str
        ``module:name``, e.g. ``"online.utility.oasis:OASiS"``.

    Raises
    ------
    InputError
        If it is not of that form, there is no such module, or the module has no such name. What
        else goes wrong while the module is imported goes through.
    """
    module_name, _, name = reference.partition(":")
    if not (module_name and name):
        raise InputError(f"reference '{reference}': want module:name")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # something that the module needs
        raise InputError(f"reference '{reference}': there is no module '{error.name}'") from None
    if not hasattr(module, name):
        raise InputError(f"reference '{reference}': module '{module_name}' has no '{name}'")
    return getattr(module, name)
