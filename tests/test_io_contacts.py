"""Contacts in the files of a run: nothing else changes for them, and damage, gaps and differences are named. That they come through every stage of a
run is part of ``test_io_results.check``.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import h5py
import io_scene as scene
import numpy as np
import pytest
from damage import scramble
from mpi4py import MPI

import pardem
from pardem import cli
from pardem.errors import FileError
from pardem.io.results.paths import parts_of
from pardem.io.state.manifest import read_manifest
from pardem.io.views.compare import compare
from pardem.io.views.info import info
from pardem.io.views.verify import verify

SELF = MPI.COMM_SELF
FRAMES = "segment-000000-frames.h5"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("contacts") / "out.h5"
    scene.run(SELF, out, 50)
    return out


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """One to be damaged."""
    return Path(shutil.copy(finished, tmp_path / "copy.h5"))


def names_in(path: Path) -> set[str]:
    """Paths of everything in a file, of what has several names all of them."""

    def below(group: h5py.Group) -> set[str]:
        return {name for item in group.values() for name in {item.name.strip("/"), *(below(item) if isinstance(item, h5py.Group) else ())}}

    with h5py.File(path) as file:
        return below(file)


def problems(path: Path) -> list[str]:
    return [text for verdict in verify(path) for text in verdict.problems]


@pytest.mark.parametrize("finish", [True, False])
def test_a_result_without_contacts_has_the_same_layout_but_for_them(tmp_path: Path, finish: bool) -> None:
    for name, contacts in (("with.h5", True), ("without.h5", False)):
        scene.run(SELF, tmp_path / name, 60, finish=finish, contacts=contacts)
    more = names_in(tmp_path / "with.h5") - names_in(tmp_path / "without.h5")
    assert {name.split("/")[0] for name in more - {"pardem/checksums/contacts"}} == {"contacts"}
    assert not names_in(tmp_path / "without.h5") - names_in(tmp_path / "with.h5")
    difference = compare(tmp_path / "with.h5", tmp_path / "without.h5")
    assert (difference.where, difference.first, difference.second) == ("contacts/bodies", "present", "absent")
    with pytest.raises(FileError, match=r"holds no contacts: put contacts = true into \[output\] of the case"):
        _ = pardem.open(tmp_path / "without.h5")[0].contacts


def row_of(path: Path, frame: int) -> int:
    """Row of the second contact of a frame."""
    with h5py.File(path) as file:
        return int(file["contacts/first"][frame]) + 1


@pytest.mark.parametrize("name", ["bodies", "sub", "point", "normal", "overlap", "force"])
def test_damage_to_an_array_is_found(copy: Path, name: str) -> None:
    scramble(copy, f"contacts/{name}", row=row_of(copy, 3) - 2 * (name in ("sub", "overlap")), count=8)
    row = 2 if name in ("sub", "overlap") else 3
    damaged = set(problems(copy))
    assert damaged <= {f"frame {k}: the checksum of contacts/{name} is wrong" for k in (row, 3)}
    assert damaged
    assert cli.main(["verify", str(copy)]) == 1


def test_damage_to_what_tells_the_rows_is_found(copy: Path) -> None:
    with h5py.File(copy, "r+") as file:
        file["contacts/known"][4] = 0
    assert problems(copy) == ["frame 4: the checksum of contacts/count is wrong"]
    with h5py.File(copy, "r+") as file:
        file["contacts/first"][4] += 1
    found = problems(copy)
    assert [text.split(":")[0] for text in found] == ["frame 3", "frame 4"]
    assert all("contacts/count" in text and "contacts/force" in text for text in found)
    with h5py.File(copy, "r+") as file:
        file["contacts/first"][6] += 1
    with pytest.raises(FileError, match="contacts/first does not fit its arrays of"):
        info(copy)


def test_damage_to_the_names_of_the_walls_is_found(copy: Path) -> None:
    with h5py.File(copy, "r+") as file:
        del file["contacts/walls"]
        file["contacts/walls"] = np.bytes_(b'["ceiling"]')
    assert problems(copy) == ["the checksum of contacts/walls is wrong"]


@pytest.mark.parametrize("ranks", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_frame_with_damaged_contacts_is_left_out_by_name(tmp_path: Path, run_mpi: Any, ranks: int) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 60, finish=False)
    part = parts_of(out) / FRAMES
    scramble(part, "contacts/force", row=row_of(part, 1))
    done = run_mpi(ranks, Path(scene.__file__), out, 100, "--resume")
    said = f"{FRAMES} is damaged: the checksum of contacts/force is wrong (1 frame, steps 10 to 10)"
    assert f"lost {said}" in done.stdout
    assert info(out)["losses"] == [said]
    result = pardem.open(out)
    assert result.steps.tolist() == [0, *range(20, 110, 10)]
    for frame in result:
        assert np.array_equal(frame.contacts.force, scene.touching(frame.step)["force"])


def test_a_frame_whose_number_of_contacts_is_damaged_is_left_out(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 60, finish=False)
    with h5py.File(parts_of(out) / FRAMES, "r+") as file:
        file["contacts/first"][2] += 1
    results = scene.run(SELF, out, 90, resume=True)
    assert sum("the number of contacts of frame" in text for text in results.notices) == 2
    assert pardem.open(out).steps.tolist() == [0, 30, *range(40, 100, 10)]


def test_the_manifest_knows_the_contacts(tmp_path: Path) -> None:
    """Another file of the same size, with other checksums of contacts, is not the one that was written."""
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 60, finish=False)
    parts = parts_of(out)
    manifest = read_manifest(parts / "checkpoint-000000000060.h5")
    assert manifest is not None
    assert manifest.lost(parts) == []
    with h5py.File(parts / FRAMES, "r+") as file:
        file["pardem/checksums/contacts"][1, 2] ^= 1
    (loss,) = manifest.lost(parts)
    assert loss.what == "holds other checksums or rows than those that were written"


def test_frames_written_without_contacts_say_so(tmp_path: Path) -> None:
    """The output of a run may change where it goes on; fields that some frames lack are not-a-number there."""
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 30, finish=False)
    scene.run(SELF, out, 60, resume=True, finish=False, contacts=False)
    scene.run(SELF, out, 80, resume=True)
    assert not problems(out)
    result = pardem.open(out)
    assert [frame.contacts.known for frame in result] == [True] * 4 + [False] * 3 + [True] * 2
    assert [len(frame.contacts) for frame in result[4:7]] == [0, 0, 0]
    assert np.array_equal(result[-1].contacts.point, scene.touching(80)["point"])
    assert result.walls == scene.WALLS


def test_contacts_that_were_not_looked_at_differ_from_none(tmp_path: Path) -> None:
    for name, known in (("looked.h5", True), ("not.h5", False)):
        results = scene.writer(SELF, tmp_path / name)
        gid, none = scene.owned(SELF, 20), scene.contact_frame(SELF, 20, known)
        assert not len(none.key)
        results.frame(20, 2.0, gid, {"position": scene.fields(20)["position"][gid]}, none)
        results.finish(scene.state(SELF, 20))
    assert str(compare(tmp_path / "looked.h5", tmp_path / "not.h5")) == (
        "number of contacts, step 20: 0 in the first file, 0, not looked at in the second"
    )


@pytest.mark.parametrize(
    ("name", "index", "where"),
    [
        ("force", (1, 2), "contacts/force, step 30, row 1, component 2"),
        ("overlap", 2, "contacts/overlap, step 30, row 2"),
        ("bodies", (0, 1), "contacts/bodies, step 30, row 0, component 1"),
    ],
)
def test_the_first_difference_is_found(finished: Path, copy: Path, name: str, index: Any, where: str) -> None:
    begin = row_of(copy, 3) - 1
    with h5py.File(copy, "r+") as file:
        row, *column = np.atleast_1d(index).tolist()
        file[f"contacts/{name}"][(begin + row, *column)] = 7
        file["particles/grains/velocity/value"][4, 0, 0] = 7.0  # later
    for pair in ((finished, copy), (copy, finished)):
        difference = compare(*pair)
        assert difference is not None
        assert difference.where == where


def test_floats_are_of_the_precision_of_the_frames(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 30, precision="single")
    with h5py.File(out) as file:
        kinds = {name: file[f"contacts/{name}"].dtype for name in scene.touching(0)}
    floats = {"point", "normal", "overlap", "force"}
    assert kinds == {name: np.dtype(np.float32 if name in floats else np.int64) for name in kinds}
    assert np.array_equal(pardem.open(out)[1].contacts.point, scene.touching(10)["point"].astype(np.float32))


def test_info_counts_them(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = [len(scene.touching(step)["sub"]) for step in range(0, 60, 10)]
    assert info(finished)["contacts"] == {"count": sum(counts), "last": counts[-1], "fields": ["point", "normal", "overlap", "force"]}
    cli.main(["info", str(finished)])
    assert f"contacts    {sum(counts)} in all frames, {counts[-1]} in the last one" in capsys.readouterr().out
