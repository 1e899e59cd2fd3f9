"""The JSON Schemas in the repository are those of the code, and agree with the reader."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from models.schema import kept_schemas
from tests.models.utility.small import random_instance

SCHEMAS = kept_schemas()


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_kept_schema_is_up_to_date(path: Path) -> None:
    assert path.read_text() == SCHEMAS[path], "run python -m models.schema"


def test_schema_accepts_what_we_write_and_refuses_what_we_refuse(tmp_path: Path) -> None:
    schema = next(json.loads(text) for path, text in SCHEMAS.items() if "utility-ins" in path.name)
    path = tmp_path / "instance.json"
    random_instance(np.random.default_rng(0)).write(path)
    data = json.loads(path.read_text())
    jsonschema.validate(data, schema)
    data["worker_servers"][0][0] = -1.0
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema)
    del data["worker_servers"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema)
