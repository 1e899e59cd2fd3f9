"""Speed augmentation by ``epsilon = a/b``, in finer slots so that it is not rounded away."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from models.jct.instance import JctInstance

__all__ = ["augmented"]


def augmented(instance: JctInstance, a: int, b: int) -> JctInstance:
    """The same instance, on which policies run at ``1 + a/b`` times the speed (Definition 1).

    Its slots are ``1/(a + b)`` of the length, so every time is a + b times as much: divide a JCT by
    a + b to compare it. Chunks take ``(a + b) p`` slots offline and ``b p`` online. The optimum is
    a + b times that of the instance or less, since the finer slots allow more. Upload delays are
    not sped up.

    Parameters
    ----------
    instance : JctInstance
        Not augmented itself.
    a, b : int
        ``epsilon = a/b``; a = 0 gives the instance.

    Raises
    ------
    InputError
        If a or b is out of range, or the refined times are.
    """
    file = replace(instance.file, epsilon=(a, b) if a else UNSET)
    return JctInstance.from_file(file, source=f"{instance.name} at speed 1 + {a}/{b}")
