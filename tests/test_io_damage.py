"""Nothing is lost unnoticed: parts that are missing, cut short or changed are named before anything is computed, or left out by name at the end."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import h5py
import io_scene as scene
import numpy as np
import pytest
from damage import anywhere, as_format_1, cut, place, scramble
from mpi4py import MPI

from pardem import cli
from pardem.errors import FileError
from pardem.io.results.assemble import assemble
from pardem.io.results.output_path import go_on_from
from pardem.io.results.paths import damaged_of, parts_of
from pardem.io.state.checkpoint import newest_valid_checkpoint
from pardem.io.state.manifest import entry_of, read_manifest
from pardem.io.views.compare import compare
from pardem.io.views.info import info

SELF = MPI.COMM_SELF
PROGRAM = Path(scene.__file__)
VELOCITY = "particles/grains/velocity/value"
FRAMES = "segment-000000-frames.h5"
STEPS = list(range(0, 110, 10))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that stopped at step 60 with two segments, its checkpoints at 30 and 60."""
    out = tmp_path_factory.mktemp("kept") / "out.h5"
    scene.run(SELF, out, 60, finish=False)
    return out


@pytest.fixture
def out(kept: Path, tmp_path: Path) -> Path:
    """A copy of it to be damaged."""
    shutil.copy(kept, tmp_path / "out.h5")
    shutil.copytree(parts_of(kept), parts_of(tmp_path / "out.h5"))
    return tmp_path / "out.h5"


def remove(path: Path) -> None:
    path.unlink()


def rewrite(path: Path) -> None:
    """Another file of the same size under the name of a part."""
    with h5py.File(path, "r+") as file:
        data = file["pardem/checksums/frames"] if "pardem/checksums/frames" in file else file["pardem/checksums/observables"]
        at = data.id.get_chunk_info(0).byte_offset if data.chunks else data.id.get_offset()
    content = bytearray(path.read_bytes())
    content[at + 21] ^= 1
    path.write_bytes(content)


def steps(path: Path, name: str = "particles/grains/velocity") -> list[int]:
    with h5py.File(path) as file:
        return list(file[f"{name}/step"][:])


def listing(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def test_a_checkpoint_notes_every_part(kept: Path) -> None:
    parts = parts_of(kept)
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


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize(
    ("harm", "name", "frames", "rows"),
    [
        (remove, FRAMES, STEPS[4:], STEPS),
        (cut, "segment-000001-frames.h5", STEPS[:4] + STEPS[7:], STEPS),
        (cut, "segment-000001-observables.h5", STEPS, STEPS[:4] + STEPS[7:]),
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


@pytest.mark.parametrize("ranks", [1, 2, 3])
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


def rows(path: Path) -> dict[tuple[str, int], bytes]:
    """Every row of every frame and of the observables, and what does not change."""
    with h5py.File(path) as file:
        grains = file["particles/grains"]
        found = {(name, -1): grains[name][()].tobytes() for name in ("id", "species", "scale", "mass")}
        for name, clock in [("velocity", "velocity"), ("position", "position"), ("image", "image"), ("orientation", "orientation")]:
            if name in grains:
                found |= {(name, int(s)): grains[name]["value"][k].tobytes() for k, s in enumerate(grains[clock]["step"][()])}
        for name in ("contacts", "energy/kinetic"):
            if f"observables/{name}" in file:
                rows = file[f"observables/{name}"]
                found |= {(name, int(s)): rows["value"][k].tobytes() for k, s in enumerate(rows["step"][()])}
        found["final", -1] = file["pardem/final/grains/ft"][()].tobytes()
    return found


@pytest.mark.parametrize("seed", range(12))
def test_random_bytes_anywhere_change_no_row_and_lose_none_unnoticed(out: Path, kept: Path, seed: int) -> None:
    whole = kept.parent / "whole.h5"
    if not whole.exists():
        scene.run(SELF, whole, 100)
    random = np.random.default_rng(seed)
    parts = sorted(parts_of(out).glob("*.h5"))
    anywhere(parts[random.integers(len(parts))], random)
    assert cli.main(["verify", str(out)]) in (0, 1)
    done = scene.run(SELF, out, 100, resume=True, accept_loss=True)
    expected, found = rows(whole), rows(out)
    assert {key for key in found if found[key] != expected[key]} == set()
    if found.keys() != expected.keys():
        assert any("lost" in text for text in done.notices)
        assert info(out)["losses"]


# --- pardem verify -------------------------------------------------------------------------------------------------------------------------


def test_verify_reads_everything_there_is(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finished = tmp_path / "finished.h5"
    scene.run(SELF, finished, 40)
    for path in (out, parts_of(out), parts_of(out) / "checkpoint-000000000060.h5", parts_of(out) / FRAMES, parts_of(out) / "static.h5", finished):
        assert cli.main(["verify", str(path)]) == 0
        assert "damaged" not in capsys.readouterr().out
    names = {
        **{f"particles/grains/{name}/value": name for name in scene.fields(0)}, "particles/grains/id": "grains/id",
        "particles/grains/species": "species", "particles/grains/mass": "mass", "parameters/pardem/catalogue/radius": "radius",
        "particles/grains/position/step": "clock", "particles/grains/position/time": "clock", "observables/layers/value": "layers",
        "observables/contacts/value": "contacts", "pardem/final/grains/x": "grains/x", "pardem/final/header": "header",
    }  # fmt: skip
    content = finished.read_bytes()
    for name, said in names.items():
        scramble(finished, name, count=4)
        assert cli.main(["verify", str(finished)]) == 1, name
        assert said in capsys.readouterr().out
        finished.write_bytes(content)
    cut(finished, len(content) // 2)
    assert cli.main(["verify", str(finished)]) == 1
    assert "truncated" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "data"), [(FRAMES, VELOCITY), ("segment-000001-observables.h5", "observables/layers/value")])
def test_verify_finds_what_no_header_shows(out: Path, name: str, data: str, capsys: pytest.CaptureFixture[str]) -> None:
    scramble(parts_of(out) / name, data, row=1)
    assert cli.main(["verify", str(out)]) == 1
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("damaged")]
    assert len(said) == 1
    assert name in said[0]


def test_verify_names_what_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, said in ((tmp_path / "none.h5", "does not exist"), (tmp_path, "holds no parts of a run")):
        assert cli.main(["verify", str(path)]) == 1
        assert said in capsys.readouterr().err
    (tmp_path / "text.h5").write_text("no HDF5")
    assert cli.main(["verify", str(tmp_path / "text.h5")]) == 1
    assert "is not an HDF5 file" in capsys.readouterr().out


def test_a_killed_run_is_whole_up_to_its_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 50, finish=False)  # frames 40 and 50 came after the checkpoint of step 30
    assert cli.main(["verify", str(out)]) == 0
    assert "written after the newest checkpoint" in capsys.readouterr().out
    assert assemble(out) == []


# --- earlier formats -----------------------------------------------------------------------------------------------------------------------


def test_results_and_checkpoints_of_format_1_are_read_and_gone_on_with(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, old = tmp_path / "whole.h5", tmp_path / "old.h5"
    scene.run(SELF, whole, 100, contacts=False)
    scene.run(SELF, old, 60, contacts=False)
    for path in (old, out, *parts_of(out).glob("*.h5")):
        as_format_1(path)
    assert info(old)["format"] == 1
    assert info(old)["frames"]["count"] == 7
    assert cli.main(["verify", str(old)]) == 0
    assert "format 1: frames and observables have no checksums" in capsys.readouterr().out
    assert info(out)["frames"]["count"] == 7
    for path in (out, old):
        scene.run(SELF, path, 100, resume=True, contacts=False)
        assert compare(path, whole) is None
        assert cli.main(["verify", str(path)]) == 0


def test_an_index_of_format_1_without_its_static_part_is_an_error(out: Path) -> None:
    as_format_1(out)
    (parts_of(out) / "static.h5").unlink()
    with pytest.raises(FileError, match=r"static\.h5 is missing"):
        info(out)


def test_a_later_format_is_refused(out: Path) -> None:
    path = parts_of(out) / "checkpoint-000000000060.h5"
    with h5py.File(path, "r+") as file:
        file.attrs["pardem_format"] = 3
    with pytest.raises(FileError, match="has format 3 and this pardem reads formats up to 2"):
        info(path)


def test_segments_of_a_later_step_are_removed_and_earlier_ones_kept(out: Path) -> None:
    found = go_on_from(out, 30)
    assert found.number == 1
    assert sorted(found.manifest.parts) == [FRAMES, "segment-000000-observables.h5", "static.h5"]
    assert not list(parts_of(out).glob("segment-000001-*"))
    assert [p.name for p in damaged_of(out).iterdir()] == ["checkpoint-000000000060.h5"]
