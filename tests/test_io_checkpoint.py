"""Checkpoints: exact, the same for every number of ranks, never taken when damaged."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import h5py
import io_scene as scene
import numpy as np
import pytest
from mpi4py import MPI

from pardem.errors import FileError
from pardem.io.state import contact_blocks
from pardem.io.state.checkpoint import checkpoints, newest_valid_checkpoint, read_checkpoint, write_checkpoint
from pardem.io.state.full_state import ContactRows
from pardem.io.views.compare import compare

SELF = MPI.COMM_SELF


def datasets(path: Path, group: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with h5py.File(path) as file:
        file[group].visititems(lambda name, item: found.update({name: item[()].tobytes()}) if isinstance(item, h5py.Dataset) else None)
    return found


def check(comm: MPI.Comm, path: Path, step: int) -> None:
    expected = scene.state(comm, step)
    got = read_checkpoint(comm, path)
    assert got.header == expected.header
    assert got.layout == expected.layout
    assert all(isinstance(v, int) for v in got.header.totals)
    assert np.array_equal(got.small["motion"], expected.small["motion"])
    everything = scene.state(MPI.COMM_SELF, step)
    gid, grains = everything.grains
    order = np.argsort(gid)[got.grains.gid]
    assert set(got.grains.fields) == set(grains)
    for name, values in grains.items():
        assert got.grains.fields[name].dtype == values.dtype
        assert np.array_equal(got.grains.fields[name], values[order])
    # both owners of a pair need its history
    mine = np.isin(everything.contacts.lower, got.grains.gid) | np.isin(everything.contacts.higher, got.grains.gid)
    for values, written in zip(got.contacts, scene.contacts(step), strict=True):
        assert values.dtype == written.dtype
        assert np.array_equal(values, written[mine])


@pytest.mark.mpi
def test_what_is_read_is_what_was_written(mpi_tmp_path: Path) -> None:
    comm = MPI.COMM_WORLD
    path = write_checkpoint(comm, mpi_tmp_path, scene.state(comm, 40))
    check(comm, path, 40)
    comm.Barrier()


def test_one_rank_and_an_empty_set_of_contacts(tmp_path: Path) -> None:
    check(SELF, write_checkpoint(SELF, tmp_path, scene.state(SELF, 30)), 30)
    none = np.zeros(0, np.int64)
    without = scene.state(SELF, 60)._replace(contacts=ContactRows(none, none, none, np.zeros((0, 13)), np.zeros((0, 0))))
    got = read_checkpoint(SELF, write_checkpoint(SELF, tmp_path, without))
    assert got.contacts.floats.shape == (0, 13)
    assert got.contacts.ints.shape == (0, 0)


@pytest.mark.mpi(min_size=2)
def test_content_is_the_same_for_every_number_of_ranks(mpi_tmp_path: Path) -> None:
    comm = MPI.COMM_WORLD
    together = write_checkpoint(comm, mpi_tmp_path / "together", scene.state(comm, 20))
    if comm.rank == 0:
        alone = write_checkpoint(SELF, mpi_tmp_path / "alone", scene.state(SELF, 20))
        check(SELF, alone, 20)
        check(SELF, together, 20)
        assert datasets(together, "pardem") == datasets(alone, "pardem")


@pytest.mark.parametrize("remove", [True, False])
def test_contacts_are_found_by_blocks_of_ids_and_without(tmp_path: Path, remove: bool) -> None:
    path = write_checkpoint(SELF, tmp_path, scene.state(SELF, 30))
    lower = scene.contacts(30)[0]
    with h5py.File(path, "r+") as file:
        found = file["pardem/state/contacts"].attrs
        assert found["block_size"] == 1
        assert found["block_first"].tolist() == np.searchsorted(lower, np.arange(scene.COUNT + 1)).tolist()
        if remove:  # as earlier versions wrote it
            del found["block_first"], found["block_size"]
    check(SELF, path, 30)


@pytest.mark.parametrize(("size", "at_once"), [(1, 1), (4, 3), (64, 2), (64, 1000)])
def test_the_first_contact_of_an_id(monkeypatch: pytest.MonkeyPatch, size: int, at_once: int) -> None:
    monkeypatch.setattr(contact_blocks, "AT_ONCE", at_once)
    lower = np.sort(np.random.default_rng(size).integers(3, 40, 90))
    ids = np.arange(0, 41 + size, size)
    blocks = contact_blocks.ContactBlocks(size, np.searchsorted(lower, ids))
    for gid in range(42):
        assert contact_blocks.first_contact(lower, blocks, gid) == np.searchsorted(lower, gid)


def test_the_two_newest_are_kept(tmp_path: Path) -> None:
    for step in (10, 20, 30):
        write_checkpoint(SELF, tmp_path, scene.state(SELF, step))
    assert [p.name for p in checkpoints(tmp_path)] == ["checkpoint-000000000030.h5", "checkpoint-000000000020.h5"]
    assert len(list(tmp_path.iterdir())) == 2


def truncate(path: Path) -> None:
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size // 2)


def flip_a_bit(path: Path) -> None:
    with h5py.File(path) as file:
        at = file["pardem/state/grains/ft"].id.get_offset() + 101
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 4]))


def unseal(path: Path) -> None:
    with h5py.File(path, "r+") as file:
        del file["pardem/state/checksums"]


def foreign(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["x"] = 1.0


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (truncate, "is truncated"),
        (flip_a_bit, "the checksum of grains/ft is wrong"),
        (unseal, "no full state"),
        (foreign, "pardem did not write"),
        (lambda p: p.write_text("x" * 999), "is not an HDF5 file"),
        (lambda p: p.write_text(""), "is empty"),
    ],
    ids=["truncated", "bit", "unsealed", "foreign", "text", "empty"],
)
def test_a_damaged_checkpoint_is_passed_over(tmp_path: Path, damage: Callable[[Path], None], words: str) -> None:
    for step in (10, 20):
        write_checkpoint(SELF, tmp_path, scene.state(SELF, step))
    newest = tmp_path / "checkpoint-000000000020.h5"
    damage(newest)
    with pytest.raises(FileError, match=words):
        read_checkpoint(SELF, newest)
    found = newest_valid_checkpoint(SELF, tmp_path, scene.HASH)
    assert found.path == tmp_path / "checkpoint-000000000010.h5"
    assert len(found.warnings) == 1
    assert words in found.warnings[0]
    check(SELF, found.path, 10)


@pytest.mark.mpi(min_size=2)
def test_a_damaged_checkpoint_is_an_error_on_all_ranks(mpi_tmp_path: Path) -> None:
    comm = MPI.COMM_WORLD
    path = write_checkpoint(comm, mpi_tmp_path, scene.state(comm, 10))
    comm.Barrier()
    if comm.rank == 0:
        flip_a_bit(path)
    comm.Barrier()
    with pytest.raises(FileError, match="the checksum of grains/ft is wrong"):
        read_checkpoint(comm, path)


def test_none_and_one_of_another_case(tmp_path: Path) -> None:
    assert newest_valid_checkpoint(SELF, tmp_path / "nothing", scene.HASH) == (None, [], [], None)
    write_checkpoint(SELF, tmp_path, scene.state(SELF, 10))
    with pytest.raises(FileError, match=r"its hash is c0ffee, that of this case is decade.*--force"):
        newest_valid_checkpoint(SELF, tmp_path, "decade")


def test_ranks_that_disagree_on_a_contact(tmp_path: Path) -> None:
    once = scene.state(SELF, 10)
    twice = once._replace(contacts=ContactRows(*(np.concatenate([a, a[:5]]) for a in once.contacts)))
    path = write_checkpoint(SELF, tmp_path, twice)
    assert len(read_checkpoint(SELF, path).contacts.lower) == len(once.contacts.lower)
    twice.contacts.floats[-1, 2] += 1.0
    with pytest.raises(ValueError, match=rf"different histories of contact {once.contacts.lower[4]} to {once.contacts.higher[4]} "):
        write_checkpoint(SELF, tmp_path, twice)


def test_a_failed_write_leaves_the_former_checkpoint(tmp_path: Path) -> None:
    first = write_checkpoint(SELF, tmp_path, scene.state(SELF, 10))
    blocked = tmp_path / "checkpoint-000000000020.new"
    blocked.mkdir()
    with pytest.raises(FileError, match="could not be written"):
        write_checkpoint(SELF, tmp_path, scene.state(SELF, 20))
    check(SELF, first, 10)


def test_a_copy_compares_equal(tmp_path: Path) -> None:
    first = write_checkpoint(SELF, tmp_path, scene.state(SELF, 10))
    second = tmp_path / "copy.h5"
    shutil.copy(first, second)
    assert compare(first, second) is None
    flip_a_bit(second)
    difference = compare(first, second)
    assert difference is not None
    assert difference.where.startswith("grains/ft, full state, id 1, component 4")
