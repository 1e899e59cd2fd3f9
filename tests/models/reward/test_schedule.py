"""Schedules of `reward`: files, what is refused, and what is too large to keep."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.errors import InputError
from models.problem import problem
from models.reward import RewardInstance, RewardSchedule, score
from models.reward import schedule as schedule_module
from models.reward.record import Recorder
from models.reward.score import stream
from tests.models.reward.cases import random_reward


@pytest.fixture
def ins() -> RewardInstance:
    return random_reward(np.random.default_rng(3), slots=6)


def some(ins: RewardInstance, count: int) -> np.ndarray:
    """Feasible allocations: every channel gets the same share."""
    shares = np.linspace(0.1, 0.2, count)[:, None, None]
    degree = np.diff(ins.cluster.server_start)[ins.cluster.server][:, None]
    room = ins.cluster.capacities[ins.cluster.server] / degree
    return shares * np.minimum(ins.cluster.upper, room)


def test_round_trip(ins: RewardInstance, tmp_path: Path) -> None:
    schedule = RewardSchedule.build(ins, [0, 1, 4], some(ins, 3))
    path = tmp_path / f"schedule{problem('reward').schedule_suffix}"
    schedule.write(path)
    again = problem("reward").read_schedule(path, ins)
    assert np.array_equal(again.starts, schedule.starts)
    assert np.array_equal(again.allocations, schedule.allocations)
    assert score(ins, again).objective == score(ins, schedule).objective > 0
    assert score(ins, again).violations == ()
    with np.load(path) as archive:  # a plain archive of arrays for whoever reads it
        assert archive["instance"] == ins.hash
        assert archive["allocations"].shape == (3, *ins.cluster.shape)


def test_same_content_same_bytes(ins: RewardInstance, tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        RewardSchedule.build(ins, [0, 1, 4], some(ins, 3)).write(tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert {info.date_time[0] for info in archive.infolist()} == {1980}


def test_arrays_are_locked(ins: RewardInstance) -> None:
    schedule = RewardSchedule.constant(ins, some(ins, 1)[0])
    assert schedule.allocations is not None
    with pytest.raises(ValueError, match="read-only"):
        schedule.allocations[0, 0, 0] = 1.0


def test_another_instance(ins: RewardInstance, tmp_path: Path) -> None:
    other = random_reward(np.random.default_rng(3), slots=6, beta=(0.1, 0.2))
    schedule = RewardSchedule.constant(ins, some(ins, 1)[0])
    schedule.write(tmp_path / "s.npz")
    with pytest.raises(InputError, match=r"made for another instance .* - at `instance`"):
        RewardSchedule.read(tmp_path / "s.npz", other)
    for judge in (score, stream):
        with pytest.raises(InputError, match="made for another instance"):
            judge(other, schedule)


def members(ins: RewardInstance, **changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "format": "1",
        "problem": "reward",
        "instance": ins.hash,
        "starts": np.array([0, 2]),
        "allocations": some(ins, 2),
    }
    return {**fields, **changes}


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("format", {"format": "2"}, "format '2', not '1' - at `format`"),
    ("problem", {"problem": "utility"}, "problem 'utility', not 'reward'"),
    ("number for text", {"instance": np.array(1.0)}, "not a short text - at `instance`"),
    ("descending", {"starts": np.array([2, 0])}, "not in ascending order - at `starts`"),
    ("twice", {"starts": np.array([2, 2])}, "not in ascending order - at `starts`"),
    ("past the horizon", {"starts": np.array([0, 6])}, r"not in 0\.\.5 - at `starts`"),
    ("before 0", {"starts": np.array([-1, 2])}, r"not in 0\.\.5 - at `starts`"),
    ("fractions", {"starts": np.array([0.0, 2.0])}, "type float64, not int64 - at `starts`"),
    ("too many", {"starts": np.arange(7)}, "more than 48 bytes - at `starts`"),
    ("a table", {"starts": np.array([[0, 2]])}, "at `starts`"),
    ("other shape", {"allocations": np.zeros((2, 1, 3))}, r"shape \(2, 1, 3\), not .*allocations"),
    ("pickled", {"allocations": np.array([{}, {}], dtype=object)}, "allocations"),
]


@pytest.mark.parametrize(("changes", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_files_are_refused(
    ins: RewardInstance, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = tmp_path / "bad.npz"
    np.savez(path, **members(ins, **changes))
    with pytest.raises(InputError, match=message) as error:
        RewardSchedule.read(path, ins)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_broken_files_are_refused(ins: RewardInstance, tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    with pytest.raises(InputError, match="cannot be read: No such file"):
        RewardSchedule.read(path, ins)
    path.write_bytes(b"not an archive")
    with pytest.raises(InputError, match="cannot be read"):
        RewardSchedule.read(path, ins)
    np.savez(path, **{key: a for key, a in members(ins).items() if key != "starts"})
    with pytest.raises(InputError, match=r"no item named 'starts\.npy'"):
        RewardSchedule.read(path, ins)
    RewardSchedule.build(ins, [0, 2], some(ins, 2)).write(path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            again = RewardSchedule.read(path, ins)
        except InputError:
            continue
        assert np.array_equal(again.allocations, some(ins, 2))  # nothing that matters was hit


def test_a_header_that_claims_gigabytes_costs_none(ins: RewardInstance, tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for key, item in members(ins).items():
            with archive.open(f"{key}.npy", "w") as file:
                if key == "starts":
                    head = {"shape": (10**12,), "fortran_order": False, "descr": "<i8"}
                    np.lib.format.write_array_header_1_0(file, head)
                else:
                    np.lib.format.write_array(file, np.asarray(item))
    with pytest.raises(InputError, match="more than 48 bytes - at `starts`"):
        RewardSchedule.read(path, ins)


def test_recorder_keeps_what_changes(ins: RewardInstance) -> None:
    first, second = some(ins, 2)
    recorder = Recorder(ins)
    buffer = first.copy()
    for y in (first, first, second, second, second, first):
        buffer[:] = y  # a policy may use one array again and again
        assert recorder.add(buffer) == []
    schedule = recorder.schedule()
    assert schedule.starts.tolist() == [0, 2, 5]
    assert np.array_equal(schedule.allocations, [first, second, first])
    assert score(ins, schedule).objective == recorder.scorer.result().objective
    assert stream(ins, schedule).rewards == pytest.approx(recorder.scorer.rewards)


def test_recorder_wants_all_slots(ins: RewardInstance) -> None:
    recorder = Recorder(ins)
    recorder.add(some(ins, 1)[0])
    with pytest.raises(InputError, match="only 1 of 6 slots"):
        recorder.schedule()


def test_recorder_reports_violations(ins: RewardInstance) -> None:
    recorder = Recorder(ins)
    assert {v.equation for v in recorder.add(ins.cluster.upper + 1.0)} >= {"(3)"}


def test_too_large_to_keep(ins: RewardInstance, tmp_path: Path) -> None:
    six = some(ins, 6)
    whole = RewardSchedule.build(ins, list(range(6)), six)
    for most in (0, 5 * six[0].nbytes):
        recorder = Recorder(ins, most_bytes=most)
        for y in six:
            recorder.add(y)
        schedule = recorder.schedule()
        assert schedule.allocations is None
        expected = score(ins, whole)
        assert score(ins, schedule).objective == expected.objective
        assert np.array_equal(score(ins, schedule).value, expected.value)
        with pytest.raises(InputError, match="too large to keep"):
            stream(ins, schedule)
        path = tmp_path / "large.npz"
        schedule.write(path)
        with np.load(path) as archive:
            assert archive["rewards"] == pytest.approx(stream(ins, whole).rewards)
            assert "not kept" in str(archive["note"])
        with pytest.raises(InputError, match=r"not kept.*nothing to verify - at `note`"):
            RewardSchedule.read(path, ins)
    kept = Recorder(ins, most_bytes=6 * six[0].nbytes)
    for y in six:
        kept.add(y)
    assert kept.schedule().allocations is not None


def test_reading_is_limited_too(
    ins: RewardInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = RewardSchedule.build(ins, [0, 2], some(ins, 2))
    schedule.write(tmp_path / "s.npz")
    monkeypatch.setattr(schedule_module, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="more than 100 bytes - at `allocations`"):
        RewardSchedule.read(tmp_path / "s.npz", ins)
