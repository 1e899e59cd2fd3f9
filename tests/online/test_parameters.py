"""Parameters of policies: unknown names and values of another type are refused."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest

from models.errors import InputError
from models.problem import own_problem_names
from online.parameters import check_parameters, knows_future
from online.policy import Policy
from online.registry import find_policy, policy_names


class Mine(Policy):
    name = "mine"

    def __init__(
        self,
        *,
        bold: bool = True,
        tries: int = 3,
        share: float | None = 0.5,
        order: Literal["first", "last", 2] = "first",
        label: str = "",
        weights: list[float] | None = None,
        eager: Literal[True, None] = None,
        scale: float = None,  # type: ignore[assignment] # noqa: RUF013
        kinds: [] = "a",  # type: ignore[valid-type]
        other=None,  # type: ignore[no-untyped-def]
    ) -> None: ...

    def reset(self, public: Any, rng: np.random.Generator) -> None: ...

    def step(self, event: Any) -> Any: ...


@pytest.mark.parametrize(
    "good",
    [
        {"bold": False, "tries": 0, "share": 1, "order": "last", "label": "x"},
        {"bold": np.bool_(True), "tries": np.int64(2), "share": np.float32(0.5), "order": 2},
        {"share": None, "weights": "not looked at", "other": "nor this", "kinds": 1},
        {"scale": None, "share": Fraction(1, 2)},  # None: the default, whatever the annotation
        {},
    ],
)
def test_values_of_their_types_are_taken(good: dict[str, Any]) -> None:
    check_parameters(Mine, good)


@pytest.mark.parametrize(
    ("name", "value", "want"),
    [
        ("bold", "False", "true or false"),
        ("bold", 0, "true or false"),
        ("tries", 2.5, "a whole number"),
        ("tries", True, "a whole number"),
        ("share", "abc", "a number or null"),
        ("share", False, "a number or null"),
        ("order", "middle", "'first' or 'last' or 2"),
        ("order", 2.0, "'first' or 'last' or 2"),
        ("label", None, "a text"),
        ("eager", False, "true or null"),
        ("scale", "1", "a number"),
    ],
)
def test_others_are_refused_with_what_is_wanted(name: str, value: Any, want: str) -> None:
    with pytest.raises(InputError) as caught:
        check_parameters(Mine, {name: value})
    assert str(caught.value) == f"policy 'mine': parameter '{name}': {value!r}: want {want}"


def test_an_annotation_that_cannot_be_understood_is_not_checked() -> None:
    class Odd(Mine):
        def __init__(self, *, bold: Missing = True, tries: int = 3) -> None: ...  # type: ignore[name-defined] # noqa: F821

    check_parameters(Odd, {"bold": "False"})
    with pytest.raises(InputError, match="'tries': 's': want a whole number"):
        check_parameters(Odd, {"tries": "s"})  # the others are checked all the same


@pytest.mark.parametrize("problem", own_problem_names())
def test_truth_values_of_registered_policies_are_checked(problem: str) -> None:
    for name in policy_names(problem):
        policy = find_policy(problem, name)
        takes = policy.for_instance if knows_future(policy) else policy
        for one in inspect.signature(takes).parameters.values():
            if isinstance(one.default, bool):
                with pytest.raises(InputError, match=f"'{one.name}': 'no': want true or false"):
                    check_parameters(policy, {one.name: "no"})
