"""Reading files: packed or plain, and no more of them than the limit."""

from __future__ import annotations

import gzip
import math
import tracemalloc
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest

from models.errors import InputError
from models.files import MOST_BYTES, check_finite, decode, read_bytes
from models.problem import read_instance


def test_a_file_of_the_size_of_the_limit_is_read_and_a_longer_one_is_not(tmp_path: Path) -> None:
    data = bytes(range(256)) * 8
    for name, content in (("plain.json", data), ("packed.json.gz", gzip.compress(data))):
        path = tmp_path / name
        path.write_bytes(content)
        assert read_bytes(path, most=len(data)) == data
        how = ", unpacked" if name.endswith(".gz") else ""
        with pytest.raises(InputError, match=rf"{name}: has more than [\d.]+ MiB{how}, the most"):
            read_bytes(path, most=len(data) - 1)


def test_members_of_a_packed_file_are_read_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "two.gz"
    path.write_bytes(gzip.compress(b"one ") + gzip.compress(b"two"))
    assert read_bytes(path) == b"one two"


def test_a_small_file_that_unpacks_to_a_large_one_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(bytes(2**26), compresslevel=1))
    assert path.stat().st_size < 2**19
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="has more than 2 MiB, unpacked"):
            read_bytes(path, most=2**21)
        assert tracemalloc.get_traced_memory()[1] < 2**23
    finally:
        tracemalloc.stop()


def test_instances_have_the_limit(tmp_path: Path) -> None:
    assert MOST_BYTES == 256 * 2**20
    with pytest.raises(InputError, match="zero: has more than 256 MiB, the most that is read"):
        link = tmp_path / "zero"
        link.symlink_to("/dev/zero")
        read_instance(link)


def test_the_first_number_that_is_not_fine_is_named() -> None:
    rows: Any = {"a": [1.0, 2], "b": [[0.0, 1.0], [3.0, 1e-13, 1e-14]], "c": 1e-15}
    check_finite(rows, source="file")
    with pytest.raises(InputError, match=r"file: 1e-13 is closer to 0 .* at `\$.b\[1\]\[1\]`"):
        check_finite(rows, source="file", least=1e-12)
    rows["a"] = [1, math.inf]  # whole numbers among them
    with pytest.raises(InputError, match=r"file: number is not finite - at `\$.a\[1\]`"):
        check_finite(rows, source="file", least=1e-12)


def test_what_is_wrong_with_a_text_is_told_by_place_or_key() -> None:
    kind = Annotated[list[int], msgspec.Meta(max_length=10)]
    with pytest.raises(InputError, match="length <= 10"):
        decode(b"[" + b"0," * 10 + b"0]", kind, source="file")
    # What is no JSON is told with its place, and what is not a number with its key.
    with pytest.raises(InputError, match=r"file: not JSON: .*line 1 column 5"):
        decode(b"[1,2", kind, source="file")
    with pytest.raises(InputError, match=r"file: number is not finite - at `\$\[1\]`"):
        decode(b"[1, NaN]", kind, source="file")
