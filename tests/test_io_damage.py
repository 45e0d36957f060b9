"""Nothing is lost unnoticed: parts that are missing, cut short or changed are named before anything is computed, or left out by name at the end."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import h5py
import io_scene as scene
import numpy as np
import pytest
from damage import FRAMES, VELOCITY, cut, place, remove, rewrite, scramble
from mpi4py import MPI

from pardem import cli
from pardem.errors import FileError
from pardem.io.results import series
from pardem.io.results.output_path import go_on_from
from pardem.io.results.paths import damaged_of, parts_of
from pardem.io.state.checkpoint import newest_valid_checkpoint
from pardem.io.state.manifest import entry_of, read_manifest
from pardem.io.state.shared_errors import UnreadableError
from pardem.io.views.compare import compare
from pardem.io.views.info import info

SELF = MPI.COMM_SELF
PROGRAM = Path(scene.__file__)
STEPS = list(range(0, 110, 10))


def steps(path: Path, name: str = "particles/grains/velocity") -> list[int]:
    with h5py.File(path) as file:
        return list(file[f"{name}/step"][:])


def listing(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def test_a_checkpoint_notes_every_part(stopped_run: Path) -> None:
    parts = parts_of(stopped_run)
    manifest = read_manifest(parts / "checkpoint-000000000060.h5")
    assert manifest is not None
    assert manifest.parts == {p.name: entry_of(p) for p in parts.glob("s*.h5")}
    assert manifest.parts[FRAMES] | {"checksum": 0} == {
        "size": (parts / FRAMES).stat().st_size, "checksum": 0, "frames": 4, "observables": 0, "steps": [0, 30]
    }  # fmt: skip
    assert manifest.parts["segment-000001-observables.h5"]["observables"] == 3
    earlier = read_manifest(parts / "checkpoint-000000000030.h5")
    assert earlier is not None
    assert set(manifest.parts) - set(earlier.parts) == {"segment-000001-frames.h5", "segment-000001-observables.h5"}
    assert manifest.lost(parts) == []


@pytest.mark.parametrize(
    ("harm", "name", "said"),
    [
        (remove, FRAMES, f"{FRAMES} is missing (4 frames, steps 0 to 30)"),
        (remove, "segment-000001-observables.h5", "segment-000001-observables.h5 is missing (observables, steps 40 to 60)"),
        (cut, "segment-000001-frames.h5", "segment-000001-frames.h5 has 3000 bytes and had "),
        (lambda path: cut(path, 0), FRAMES, f"{FRAMES} has 0 bytes and had "),
        (rewrite, FRAMES, f"{FRAMES} holds other checksums or rows than those that were written (4 frames, steps 0 to 30)"),
        (rewrite, "segment-000000-observables.h5", "segment-000000-observables.h5 "),
        (remove, "static.h5", "static.h5 is missing"),
        (cut, "static.h5", "static.h5 cannot be read ("),
    ],
)
def test_going_on_is_refused_with_the_choice_and_changes_nothing(out: Path, harm: Callable[[Path], None], name: str, said: str) -> None:
    harm(parts_of(out) / name)
    before = listing(parts_of(out))
    with pytest.raises(FileError) as caught:
        newest_valid_checkpoint(SELF, parts_of(out), scene.HASH)
    assert said in str(caught.value)
    assert "put back what is missing, from a copy, or add --accept-loss to --resume" in str(caught.value)
    with pytest.raises(FileError, match="--accept-loss"):
        scene.writer(SELF, out, 60)
    assert listing(parts_of(out)) == before
    assert cli.main(["verify", str(out)]) == 1


@pytest.mark.parametrize(
    ("ranks", "harm", "name", "frames", "rows"),
    [
        pytest.param(3, remove, FRAMES, STEPS[4:], STEPS, marks=pytest.mark.slow),
        (2, cut, "segment-000001-frames.h5", STEPS[:4] + STEPS[7:], STEPS),
        (1, cut, "segment-000001-observables.h5", STEPS, STEPS[:4] + STEPS[7:]),
    ],
    ids=["removed", "cut", "observables"],
)
def test_accepted_losses_are_in_the_result(
    out: Path, run_mpi: Callable, ranks: int, harm: Callable[[Path], None], name: str, frames: list[int], rows: list[int]
) -> None:
    part = parts_of(out) / name
    harm(part)
    left = part.read_bytes() if part.exists() else None
    refused = run_mpi(ranks, PROGRAM, out, 100, "--resume", check=False)
    assert refused.returncode == 3
    assert refused.stdout.count("--accept-loss") == ranks
    done = run_mpi(ranks, PROGRAM, out, 100, "--resume", "--accept-loss")
    assert f"going on without what is lost: {name} " in done.stdout
    assert steps(out) == frames
    assert steps(out, "observables/contacts") == rows
    (loss,) = info(out)["losses"]
    assert loss.startswith(f"{name} ")
    assert not parts_of(out).exists()
    # nothing unreadable is deleted
    assert (damaged_of(out) / name).read_bytes() == left if left is not None else not damaged_of(out).exists()
    # what there is, is what was written
    with h5py.File(out) as file:
        for k, step in enumerate(frames):
            assert np.array_equal(file[VELOCITY][k], scene.fields(step)["velocity"])
    assert cli.main(["verify", str(out)]) == 1  # not everything is there


def test_what_was_given_up_is_not_asked_about_again_and_not_forgotten(out: Path) -> None:
    parts = parts_of(out)
    (parts / FRAMES).unlink()
    scene.writer(SELF, out, 60, accept_loss=True)  # killed before its first checkpoint
    assert newest_valid_checkpoint(SELF, parts, scene.HASH).losses == []
    scene.run(SELF, out, 90, resume=True, finish=False)
    manifest = read_manifest(parts / "checkpoint-000000000090.h5")
    assert manifest is not None
    assert [loss.part for loss in manifest.losses] == [FRAMES]
    assert FRAMES not in manifest.parts
    (parts / "static.h5").unlink()
    with pytest.raises(FileError, match=r"static\.h5 is missing"):
        newest_valid_checkpoint(SELF, parts, scene.HASH)
    scene.run(SELF, out, 100, resume=True, accept_loss=True)
    assert info(out)["losses"] == [f"{FRAMES} is missing (4 frames, steps 0 to 30)"]
    scene.run(SELF, out, 120, resume=True)  # nor when the result is prolonged
    assert info(out)["losses"] == [f"{FRAMES} is missing (4 frames, steps 0 to 30)"]
    assert steps(out) == list(range(40, 130, 10))


def test_the_static_part_is_written_anew_where_that_is_accepted(out: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.h5"
    scene.run(SELF, whole, 100)
    (parts_of(out) / "static.h5").unlink()
    scene.run(SELF, out, 100, resume=True, accept_loss=True)
    assert compare(out, whole) is None
    assert "losses" not in info(out)


@pytest.mark.parametrize("harm", [remove, lambda path: scramble(path, "particles/grains/species")])
def test_the_static_part_is_mended_while_its_run_lives(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    out, whole = tmp_path / "out.h5", tmp_path / "whole.h5"
    scene.run(SELF, whole, 60)
    results = scene.run(SELF, out, 60, finish=False)
    harm(parts_of(out) / "static.h5")
    assert results.finish(scene.state(SELF, 60)) == []
    assert compare(out, whole) is None
    assert cli.main(["verify", str(out)]) == 0


@pytest.mark.parametrize("ranks", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_frame_found_damaged_at_the_end_is_left_out_by_name(out: Path, run_mpi: Callable, ranks: int) -> None:
    """Random bytes in the velocities of frame 20, where no header shows it."""
    part = parts_of(out) / FRAMES
    scramble(part, VELOCITY, row=2)
    harmed = part.read_bytes()
    assert newest_valid_checkpoint(SELF, parts_of(out), scene.HASH).losses == []
    done = run_mpi(ranks, PROGRAM, out, 100, "--resume")
    said = f"{FRAMES} is damaged: the checksum of velocity is wrong (1 frame, steps 20 to 20)"
    assert f"lost {said}" in done.stdout
    assert steps(out) == [s for s in STEPS if s != 20]
    assert steps(out, "observables/contacts") == STEPS
    assert info(out)["losses"] == [said]
    assert (damaged_of(out) / FRAMES).read_bytes() == harmed
    with h5py.File(out) as file:
        for k, step in enumerate(steps(out)):
            for name in scene.fields(0):
                assert np.array_equal(file[f"particles/grains/{name}/value"][k], scene.fields(step)[name])
        assert np.array_equal(file["VTKHDF/Steps/Values"][:], file["particles/grains/velocity/time"][:])


def test_parts_that_vanish_while_their_run_lives_are_named_at_its_end(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    results = scene.run(SELF, out, 60, finish=False)
    (parts_of(out) / FRAMES).unlink()
    cut(parts_of(out) / "segment-000001-observables.h5")
    losses = results.finish(scene.state(SELF, 60))
    assert sorted(loss.part for loss in losses) == [FRAMES, "segment-000001-observables.h5"]
    assert steps(out) == [40, 50, 60]
    assert steps(out, "observables/contacts") == [0, 10, 20, 30]
    assert [p.name for p in damaged_of(out).iterdir()] == ["segment-000001-observables.h5"]


def test_the_clock_of_a_frame_and_the_observables_are_watched_as_well(out: Path) -> None:
    parts = parts_of(out)
    at = place(parts / FRAMES, "particles/grains/position/time", 1)
    content = bytearray((parts / FRAMES).read_bytes())
    content[at + 6] ^= 16
    (parts / FRAMES).write_bytes(content)
    scramble(parts / "segment-000001-observables.h5", "observables/layers/value")
    results = scene.writer(SELF, out, 60)
    said = sorted(map(str, results.finish(scene.state(SELF, 60))))
    assert said == [
        f"{FRAMES} is damaged: the checksum of the clock of frame 1 is wrong (1 frame)",
        "segment-000001-observables.h5 is damaged: the checksum of observables/layers/value is wrong (observables)",
    ]
    assert steps(out) == [0, 20, 30, 40, 50, 60]


def test_nothing_unreadable_is_deleted(out: Path) -> None:
    """A segment that no checkpoint knows, damaged later checkpoints, and a stranger's file are set apart when the run goes on."""
    parts = parts_of(out)
    (parts / "segment-000007-frames.h5").write_bytes(b"half a segment")
    (parts / "checkpoint-000000000060.h5").write_bytes(b"half a checkpoint")
    damaged_of(out).mkdir()
    (damaged_of(out) / "segment-000007-frames.h5").write_bytes(b"an older one")
    scene.run(SELF, out, 100, resume=True)
    assert steps(out) == STEPS
    assert listing(damaged_of(out)) == {
        "segment-000007-frames.h5": b"an older one", "segment-000007-frames.h5.1": b"half a segment",
        "checkpoint-000000000060.h5": b"half a checkpoint",
    }  # fmt: skip


def test_starting_anew_keeps_an_index_whose_static_part_is_gone(out: Path) -> None:
    for path in [*parts_of(out).glob("checkpoint-*"), parts_of(out) / "static.h5"]:
        path.unlink()
    scene.run(SELF, out, 30, resume=True)
    assert steps(out) == [0, 10, 20, 30]
    assert (out.parent / "out.old1.h5.parts" / FRAMES).exists()


def test_an_index_without_its_parts_is_an_error_for_every_reader(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, harm, said in (
        ("static.h5", remove, "out.h5.parts/static.h5 is missing"),
        ("static.h5", cut, "out.h5.parts/static.h5 has 3000 of its "),
        (FRAMES, cut, f"out.h5.parts/{FRAMES} has 3000 of its "),
        ("segment-000001-observables.h5", remove, "out.h5.parts/segment-000001-observables.h5 is missing"),
    ):
        part = parts_of(out) / name
        content = part.read_bytes()
        harm(part)
        for command in (["export", "--format", "csv"], ["info"], ["compare", str(out)]):
            assert cli.main([*command, str(out)]) == 1
            assert said in capsys.readouterr().err
        part.write_bytes(content)
    assert info(out)["frames"]["count"] == 7


def test_a_damaged_manifest_does_not_count(out: Path) -> None:
    path = parts_of(out) / "checkpoint-000000000060.h5"
    scramble(path, "manifest", count=3)
    found = newest_valid_checkpoint(SELF, parts_of(out), scene.HASH)
    assert found.path == parts_of(out) / "checkpoint-000000000030.h5"
    assert "the checksum of manifest is wrong" in found.warnings[0]


def test_segments_of_a_later_step_are_removed_and_earlier_ones_kept(out: Path) -> None:
    found = go_on_from(out, 30)
    assert found.number == 1
    assert sorted(found.manifest.parts) == [FRAMES, "segment-000000-observables.h5", "static.h5"]
    assert not list(parts_of(out).glob("segment-000001-*"))
    assert [p.name for p in damaged_of(out).iterdir()] == ["checkpoint-000000000060.h5"]


def put(path: Path, name: str, value: object) -> None:
    """Replace what a file holds under a name."""
    with h5py.File(path, "r+") as file:
        if name in file:
            del file[name]
        file[name] = value


UNKNOWN = ["there are no checksums of its frames (pardem/checksums/frames) (5 frames)", "there are no checksums of its observables"]


@pytest.mark.parametrize(
    ("harm", "said", "frames", "rows"),
    [
        (("particles/grains/position", np.zeros(3)), ["its frames lack position (5 frames)"], 0, 5),
        (("observables/layers", np.zeros(3)), ["its observables lack layers"], 5, 0),
        (("pardem/checksums", "no checksums"), UNKNOWN, 0, 0),
    ],
    ids=["frames", "observables", "checksums"],
)
def test_a_finished_result_that_is_damaged_is_a_choice(tmp_path: Path, harm: tuple[str, object], said: list[str], frames: int, rows: int) -> None:
    out, part = tmp_path / "out.h5", "segment-000000-result.h5"
    scene.run(SELF, out, 40)
    put(out, *harm)
    content = out.read_bytes()
    assert cli.main(["verify", str(out)]) == 1
    for going_on in (lambda: newest_valid_checkpoint(SELF, parts_of(out), scene.HASH), lambda: go_on_from(out, 40)):
        with pytest.raises(FileError, match="--accept-loss") as caught:
            going_on()
        assert str(caught.value).startswith(f"{out} is damaged: {said[0]}")
        assert out.read_bytes() == content
        assert not parts_of(out).exists()
    scene.writer(SELF, out, 40, accept_loss=True)  # killed before its first checkpoint
    assert newest_valid_checkpoint(SELF, parts_of(out), scene.HASH).losses == []  # it does not ask again
    done = scene.run(SELF, out, 60, resume=True)
    assert not any(text.startswith("lost ") for text in done.notices)  # and what was accepted is no loss at the end
    assert info(out)["losses"] == [f"{part} is damaged: {text}" for text in said]
    assert (damaged_of(out) / part).read_bytes() == content
    assert not parts_of(out).exists()
    assert steps(out) == [*STEPS[:frames], 50, 60]
    assert steps(out, "observables/contacts") == [*STEPS[:rows], 50, 60]
    with h5py.File(out) as file:
        for k, step in enumerate(steps(out)):
            assert np.array_equal(file[VELOCITY][k], scene.fields(step)["velocity"])
    scene.run(SELF, out, 70, resume=True)  # nor is it forgotten
    assert info(out)["losses"] == [f"{part} is damaged: {text}" for text in said]


def test_what_does_not_change_is_written_anew_where_a_result_has_it_damaged(tmp_path: Path) -> None:
    out, whole = tmp_path / "out.h5", tmp_path / "whole.h5"
    for path in (out, whole):
        scene.run(SELF, path, 40)
    scramble(out, "particles/grains/species")
    content = out.read_bytes()
    with pytest.raises(FileError, match=r"out\.h5 is damaged: the checksum of particles/grains/species is wrong: put back"):
        scene.run(SELF, out, 40, resume=True)
    scene.run(SELF, out, 40, resume=True, accept_loss=True)
    assert compare(out, whole) is None
    assert "losses" not in info(out)
    assert (damaged_of(out) / "segment-000000-result.h5").read_bytes() == content


@pytest.mark.parametrize("value", [99, [0, 1, 2], "text"])
def test_nothing_is_lost_with_the_base_step_of_a_result(tmp_path: Path, value: object) -> None:
    out, whole = tmp_path / "out.h5", tmp_path / "whole.h5"
    scene.run(SELF, out, 40)
    with h5py.File(out, "r+") as file:
        file.attrs["base_step"] = value
    assert cli.main(["verify", str(out)]) == 1
    scene.run(SELF, out, 60, resume=True)
    scene.run(SELF, whole, 60)
    assert compare(out, whole) is None
    assert cli.main(["verify", str(out)]) == 0


def test_a_result_that_the_system_does_not_read_has_lost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, whole = tmp_path / "out.h5", tmp_path / "whole.h5"
    scene.run(SELF, out, 40)
    content = out.read_bytes()

    def failing(file: h5py.File) -> None:
        raise OSError(f"Can't synchronously read data (file read failed: time = now, errno = {errno.EIO}, error message = 'x')")

    with monkeypatch.context() as patch:
        patch.setattr(series, "read_table", failing)
        for going_on in (lambda: newest_valid_checkpoint(SELF, parts_of(out), scene.HASH, accept_loss=True), lambda: go_on_from(out, 40, True)):
            with pytest.raises(UnreadableError, match="Input/output error"):
                going_on()
    assert out.read_bytes() == content
    scene.run(SELF, out, 60, resume=True)
    scene.run(SELF, whole, 60)
    assert compare(out, whole) is None


def test_frames_of_other_shapes_are_accepted_as_lost_once(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 40, contacts=False)
    with h5py.File(out, "r+") as file:
        grains = file["particles/grains"]
        for name in (*scene.fields(0), "id", "species", "scale", "mass", "radius"):  # of half of the grains
            where = f"{name}/value" if name in scene.fields(0) else name
            values = grains[where][()]
            del grains[where]
            grains[where] = values[:, ::2] if name in scene.fields(0) else values[::2]
    done = scene.run(SELF, out, 60, resume=True, accept_loss=True, contacts=False)
    assert not any(text.startswith("lost ") for text in done.notices)
    assert len(info(out)["losses"]) == 1
    assert steps(out) == [50, 60]
