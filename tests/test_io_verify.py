"""`pardem verify` reads everything there is, and names what is damaged or missing."""

from __future__ import annotations

from pathlib import Path

import io_scene as scene
import pytest
from damage import FRAMES, VELOCITY, cut, scramble
from mpi4py import MPI

from pardem import cli
from pardem.io.results.assemble import assemble
from pardem.io.results.paths import parts_of

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
