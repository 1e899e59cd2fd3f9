"""The packaging files agree with each other and name nothing but versions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PIN = re.compile(r"([\w.-]+)==([\w.+!]+)")


def pins() -> dict[str, str]:
    """Version of each package in constraints.txt; every line must be ``name==version``."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    matches = [(line, PIN.fullmatch(line)) for line in lines]
    assert [line for line, match in matches if match is None] == []
    return {canonicalize_name(match[1]): match[2] for _, match in matches if match}


def requirements() -> list[Requirement]:
    """Requirements of the core and of every extra."""
    extras = PROJECT["optional-dependencies"].values()
    return [Requirement(text) for text in sum(extras, PROJECT["dependencies"])]


def test_constraints_are_exact_and_leave_the_project_out() -> None:
    assert canonicalize_name(PROJECT["name"]) not in pins()


def test_every_requirement_is_pinned_within_its_bounds() -> None:
    versions = pins()
    unmet = [
        str(requirement)
        for requirement in requirements()
        if versions.get(canonicalize_name(requirement.name), "missing") == "missing"
        or versions[canonicalize_name(requirement.name)] not in requirement.specifier
    ]
    assert unmet == []


def test_libraries_with_known_faults_are_kept_out() -> None:
    bounds = {requirement.name: requirement.specifier for requirement in requirements()}
    # cvxpy 1.9.0 to 1.9.3 return wrong optima, and so does the presolve of highspy 1.14.0.
    assert not [v for v in ("1.9.0", "1.9.3") if v in bounds["cvxpy"]]
    assert "1.14.0" not in bounds["highspy"]


def test_one_version() -> None:
    version = PROJECT["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == version
