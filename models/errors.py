"""The one exception that means "the input is at fault"."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input: a file, an option or an argument that breaks a stated rule.

    The message is one line and names the file or option, the key, the index and the rule.
    Commands print it as ``error: ...`` and end with exit code 2.
    """
