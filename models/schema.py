"""JSON Schemas of the files, generated from the code: ``python -m models.schema`` writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from models.files import write_atomic
from models.problem import own_problem_names, problem

__all__ = ["json_schema", "kept_schemas"]

_FOLDER = Path(__file__).parent / "schemas"


def json_schema(file_type: type[msgspec.Struct], title: str) -> dict[str, Any]:
    """JSON Schema (2020-12) of one file type.

    It states what the decoder checks key by key; rules across keys (arrivals before the
    horizon, lengths of the resource vectors) are checked by the instance.
    """
    schema = msgspec.json.schema(file_type)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **schema}


def kept_schemas() -> dict[Path, str]:
    """Path and text of every schema kept in the repository."""
    texts = {}
    for name in own_problem_names():
        kind = problem(name)
        file_types = {
            "instance": kind.instance_file,
            "schedule": kind.schedule_file,
            "certificate": kind.certificate_file,
        }
        for what, file_type in file_types.items():
            if file_type is not None:
                schema = json_schema(file_type, f"{what} file of the problem '{name}'")
                texts[_FOLDER / f"{name}-{what}.json"] = json.dumps(schema, indent=1) + "\n"
    return texts


if __name__ == "__main__":
    _FOLDER.mkdir(exist_ok=True)
    for path, text in kept_schemas().items():
        write_atomic(path, text.encode())
        print(path.name)
