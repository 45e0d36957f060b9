"""`pardem verify` reads everything there is, and names what is damaged or missing."""

from __future__ import annotations

from pathlib import Path

import h5py
import io_scene as scene
import numpy as np
import pytest
from damage import FRAMES, VELOCITY, cut, scramble
from mpi4py import MPI

from pardem import cli
from pardem.errors import FileError
from pardem.io.results.assemble import assemble
from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import write_checkpoint
from pardem.io.state.full_state import ContactRows
from pardem.io.views.compare import compare

SELF = MPI.COMM_SELF


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


def put(path: Path, name: str, value: object) -> None:
    """Replace what a file holds under a name, or delete it."""
    with h5py.File(path, "r+") as file:
        if name in file:
            del file[name]
        if value is not None:
            file[name] = value


LACKS = {
    "result": [
        ("pardem/final", None, "lacks the full state"), ("pardem", np.zeros(3), "no checksums of its frames"),
        ("pardem/checksums", "text", "no checksums of its observables"), ("pardem/checksums/static", b"{}", "no checksums of grains"),
        ("pardem/checksums/static", b'{"particles/grains/id": 1}', "no checksum of parameters/pardem"),
        ("pardem/checksums/observables", b"{}", "no checksums of its observables"),
        ("pardem/checksums/contacts", None, "no checksums of the contacts"),
        ("pardem/final/checksums", b"{}", "is damaged"), ("pardem/final/small/more", np.zeros(3), "no checksum of small/more"),
        ("particles/grains/box/edges", None, "it lacks its box, or the edges"),
        ("particles/grains/box/edges/value", np.ones((5, 3)), "is not what its box"),
        ("particles/grains/position", np.zeros(3), "frames lack position"), ("observables/more/value", np.zeros(5), "no checksum of more"),
    ],
    "checkpoint-000000000060.h5": [("pardem", None, "lacks the full state"), ("manifest", None, "has lost its manifest")],
    FRAMES: [("pardem/checksums", "text", "no checksums of its frames"), ("particles", None, "frames lack")],
    "segment-000000-observables.h5": [
        ("pardem/checksums", "text", "no checksums of its observables"), ("pardem", None, "no checksums of its observables"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", LACKS)
def test_what_is_gone_with_its_checksum_is_missed(out: Path, tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = parts_of(out) / kind
    if kind == "result":
        path = tmp_path / "finished.h5"
        scene.run(SELF, path, 40)
    content = path.read_bytes()
    for name, value, said in LACKS[kind]:
        put(path, name, value)
        assert cli.main(["verify", str(path)]) == 1, name
        assert said in capsys.readouterr().out
        path.write_bytes(content)
    assert cli.main(["verify", str(path)]) == 0


@pytest.mark.parametrize(("name", "value"), [("lower", np.zeros(0)), ("floats", np.zeros(0)), ("ints", np.zeros((0, 2)))])
def test_a_table_without_contacts_has_its_type(tmp_path: Path, name: str, value: np.ndarray, capsys: pytest.CaptureFixture[str]) -> None:
    """The checksum of no rows is the same for all types."""
    state = scene.state(SELF, 60)
    path = write_checkpoint(SELF, tmp_path, state._replace(contacts=ContactRows(*(values[:0] for values in state.contacts))))
    assert cli.main(["verify", str(path)]) == 0
    put(path, f"pardem/state/contacts/{name}", value)
    assert cli.main(["verify", str(path)]) == 1
    assert f"contacts/{name} is of another shape or type" in capsys.readouterr().out


def test_zeros_among_what_names_the_parts_of_a_result_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where `verify` finds nothing, all is there."""
    path, whole = tmp_path / "out.h5", tmp_path / "whole.h5"
    scene.run(SELF, whole, 20)
    content = whole.read_bytes()
    for at in range(0, 4096, 48):
        path.write_bytes(content[:at] + bytes(64) + content[at + 64 :])
        if cli.main(["verify", str(path)]) == 0:
            try:
                assert compare(path, whole) is None, at
            except FileError as error:
                pytest.fail(f"at {at}: {error}")
