"""Every job to the cloud at once: a run worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.jct import WORKLOAD
from models.errors import InputError
from models.jct import CLOUD, score
from online.jct.all_cloud import AllCloud
from online.run import run
from tests.models.jct.small import instance, job, server


def test_a_run_by_hand() -> None:
    # a: 3 chunks, uploaded from slot 2 to 5, side by side for p_c = 2: slots 6 and 7. b arrives
    # with it and needs 1 + 4. The idle edge, where a would take 1 slot a chunk, is not used.
    ins = instance(
        [
            job(
                "a",
                2,
                upload=[0],
                chunks=3,
                cloud_chunk_slots=2,
                chunk_slots=2,
                cloud_upload_slots=4,
            ),
            job("b", 2, upload=[0], cloud_chunk_slots=4, chunk_slots=9, cloud_upload_slots=1),
        ],
        [server(3)],
        cloud=True,
    )
    trace = run(ins, AllCloud(), np.random.default_rng(0))
    assert trace.schedule.workers.tolist() == [
        [0, CLOUD, 0, 6, 8],
        [0, CLOUD, 1, 6, 8],
        [0, CLOUD, 2, 6, 8],
        [1, CLOUD, 0, 3, 7],
    ]
    assert trace.schedule.together.tolist() == [True, True]
    result = score(ins, trace.schedule)
    assert result.violations == () and result.value.tolist() == [6, 5]


def test_without_a_cloud_it_says_so() -> None:
    with pytest.raises(InputError, match="'all-cloud' needs a cloud, and there is none"):
        run(instance([job("a", upload=[0])], [server()]), AllCloud(), np.random.default_rng(0))


def test_it_is_not_in_the_default_table() -> None:
    assert WORKLOAD.policies is not None and "all-cloud" not in WORKLOAD.policies
