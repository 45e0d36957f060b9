"""Exports of results, read back by the programs that they are for or by their libraries."""

from __future__ import annotations

import csv
import errno
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import drawn_scene as scene
import numpy as np
import pytest

import pardem
from pardem.errors import FileError
from pardem.io.views import export


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One grain of each shape and a second ball, twice as large."""
    return scene.zoo(tmp_path_factory.mktemp("exports") / "zoo.h5")


def test_tables_name_their_columns(zoo: Path) -> None:
    export.main(zoo, kind="csv")
    folder = zoo.with_suffix(".csv")
    assert sorted(path.name for path in folder.iterdir()) == ["frame-000000000000.csv", "observables.csv"]
    with (folder / "frame-000000000000.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    frame = pardem.open(zoo)[0]
    assert [row["species"] for row in rows] == frame.species.tolist()
    assert [int(row["id"]) for row in rows] == list(range(6))
    expected = {"time": 0.0, "mass": frame.mass, "radius": frame.radius, "position_z": frame.position[:, 2], "velocity_y": np.arange(6.0)}
    for name, values in expected.items():
        assert np.array_equal([float(row[name]) for row in rows], np.broadcast_to(values, 6)), name  # to the bit
    assert [float(row["orientation_w"]) for row in rows] == frame.orientation[:, 0].tolist()
    assert (folder / "observables.csv").read_text().splitlines() == ["time,step,taps", "0.0,0,0.0"]


def test_surfaces_are_where_the_grains_are(zoo: Path) -> None:
    pyvista = pytest.importorskip("pyvista")
    export.main(zoo, kind="vtk")
    folder, result = zoo.with_suffix(".vtk"), pardem.open(zoo)
    frame, catalogue = result[0], result.catalogue
    mesh = pyvista.read(folder / "frame-000000.vtp")
    assert np.unique(mesh["id"]).tolist() == list(range(6))
    for row in range(6):
        points = np.asarray(mesh.points)[mesh["id"] == row]
        away = np.linalg.norm(points - frame.position[row], axis=1)
        reach = (catalogue["core_radius"] + catalogue["radius"])[result.species_rows[row]] * frame.scale[row]
        assert away.max() == pytest.approx(reach, rel=0.02)
        assert (mesh["species"][mesh["id"] == row] == result.species_rows[row]).all()
        assert np.array_equal(mesh["velocity"][mesh["id"] == row], np.broadcast_to(frame.velocity[row], points.shape))
    assert mesh.volume == pytest.approx(float((catalogue["volume"][result.species_rows] * frame.scale**3).sum()), rel=0.15)  # coarse, not convex
    floor = pyvista.read(folder / "walls-000000.vtp")
    assert np.unique(floor["wall"]).tolist() == [0]
    np.testing.assert_allclose(floor.points[:, 2], 0.0, atol=1e-9)
    for name in ("frames.pvd", "walls.pvd"):
        assert pyvista.get_reader(folder / name).time_values == [0.0]


def test_points_for_glyphs_have_radii_and_names(zoo: Path) -> None:
    """Read by name as VTKHDF; the numbers are those of the result, of which there is no copy."""
    pyvista = pytest.importorskip("pyvista")
    export.main(zoo, kind="vtkhdf")
    target = zoo.with_suffix(".vtkhdf")
    assert target.stat().st_size < 0.5 * zoo.stat().st_size
    mesh, frame = pyvista.read(target), pardem.open(zoo)[0]
    assert np.array_equal(mesh.points, frame.position)
    assert np.array_equal(mesh["radius"], frame.radius)
    assert np.array_equal(mesh["orientation"], frame.orientation)
    assert mesh.field_data["species_names"].tolist() == [shape["name"] for shape in scene.SHAPES]
    balls = mesh.extract_points(mesh["species"] == 0).glyph(geom=pyvista.Sphere(radius=1.0), scale="radius", orient=False)
    assert np.ptp(balls.points[:, 2]) == pytest.approx(2.0 * scene.UNIT, rel=1e-3)


def test_a_disk_that_fails_is_a_sentence(zoo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HDF5 would not survive it."""
    monkeypatch.setattr(os, "pwrite", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    with pytest.raises(FileError, match=r"zoo\.vtkhdf could not be written .*No space left on device"):
        export.main(zoo, tmp_path / "zoo.vtkhdf", "vtkhdf")


def test_a_disk_that_is_full_is_a_sentence_for_surfaces_too(zoo: Path, tmp_path: Path) -> None:
    """VTK's own writer crashes there, so a process of its own tries it; it keeps no bytecode, which Python cuts short there without a word."""
    pytest.importorskip("pyvista")
    program = (
        "import sys; from resource import RLIMIT_FSIZE, setrlimit; from mpi4py import MPI; from pardem import cli;"
        "setrlimit(RLIMIT_FSIZE, (4096, 4096)); sys.exit(cli.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-B", "-c", program, "export", str(zoo), "-o", str(tmp_path / "zoo.vtk")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert re.search(r"zoo\.vtk could not be written \(.*File too large", done.stderr)


def test_gsd_has_shapes_at_their_sizes(zoo: Path) -> None:
    """As OVITO has it: a ball has its diameter, any other shape is multiplied by half the diameter of the grain."""
    gsd = pytest.importorskip("gsd.hoomd")
    export.main(zoo, kind="gsd")
    result = pardem.open(zoo)
    frame, catalogue = result[0], result.catalogue
    with gsd.open(zoo.with_suffix(".gsd")) as frames:
        assert len(frames) == 1
        found, box = frames[0].particles, frames[0].configuration.box
    np.testing.assert_allclose(box[:3], 12.0 * scene.UNIT, rtol=1e-6)
    np.testing.assert_allclose(found.position + 3.0 * scene.UNIT, frame.position, atol=1e-9)  # about the middle of the domain; single precision
    np.testing.assert_allclose(found.orientation, frame.orientation, atol=1e-6)
    np.testing.assert_allclose(found.velocity, frame.velocity, atol=1e-6)
    np.testing.assert_allclose(found.mass, frame.mass, rtol=1e-6)
    assert np.array_equal(found.image, frame.image)
    assert found.types == list(result.species_names)
    assert [shape["type"] for shape in found.type_shapes] == ["Sphere", "Mesh", "ConvexPolyhedron", "ConvexPolyhedron", "Mesh"]
    np.testing.assert_allclose(found.diameter[[0, 5]], [1.0 * scene.UNIT, 2.0 * scene.UNIT], rtol=1e-6)
    for row, shape in enumerate(found.type_shapes[1:], 1):
        half = 0.5 * float(found.diameter[row])
        points = half * np.array(shape["vertices"])
        radius = half * shape.get("rounding_radius", 0.0)
        assert np.linalg.norm(points, axis=1).max() + radius == pytest.approx(half, rel=0.01)
        if shape["type"] == "ConvexPolyhedron":
            first, last = catalogue["vertex_start"][row : row + 2]
            np.testing.assert_allclose(points, catalogue["vertices"][first:last], atol=1e-9)
            assert radius == pytest.approx(catalogue["radius"][row], rel=1e-6)


def test_grains_that_have_left_are_in_no_table(zoo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = np.array([True, False, True, True, False, True])
    monkeypatch.setattr("pardem.io.analysis.frame.Frame.present", there)
    export.main(zoo, tmp_path / "tables", kind="csv")
    lines = (tmp_path / "tables" / "frame-000000000000.csv").read_text().splitlines()
    assert [int(line.split(",")[1]) for line in lines[1:]] == [0, 2, 3, 5]
    pytest.importorskip("gsd.hoomd")
    export.main(zoo, tmp_path / "r.gsd", kind="gsd")
    import gsd.hoomd

    with gsd.hoomd.open(tmp_path / "r.gsd") as frames:
        assert frames[0].particles.typeid.tolist() == [0, 2, 3, 0]


def test_a_frame_without_grains_is_exported_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first grain is poured, or after the last one has left, its arrays are there and have no rows."""
    pyvista = pytest.importorskip("pyvista")
    from pardem.io.views import render
    from pardem.io.views.picture import Look

    zoo = scene.zoo(tmp_path / "zoo.h5")
    export.main(zoo, tmp_path / "full.vtk", kind="vtk")
    monkeypatch.setattr("pardem.io.analysis.frame.Frame.present", np.zeros(6, bool))
    for kind in export.FORMATS:
        export.main(zoo, kind=kind)
    full, empty = (pyvista.read(folder / "frame-000000.vtp") for folder in (tmp_path / "full.vtk", zoo.with_suffix(".vtk")))
    assert empty.n_points == 0
    kinds = [{name: (mesh[name].dtype, mesh[name].shape[1:]) for name in mesh.point_data} for mesh in (full, empty)]
    assert "velocity" in kinds[0]
    assert kinds[0] == kinds[1]
    assert pardem.open(zoo)[0].mesh().n_points == 0
    render.main(zoo, look=Look(size=(60, 60)))
    assert zoo.with_suffix(".png").exists()


def test_no_default_name_is_that_of_another_command(zoo: Path) -> None:
    """Everything that can be made of a result lies beside it at once."""
    pytest.importorskip("pyvista")
    from pardem.io.views import plot, render
    from pardem.io.views.picture import Look

    small = (60, 60)
    made = [
        lambda: render.main(zoo, look=Look(size=small)), lambda: render.main(zoo, look=Look(size=small, cut=True)),
        lambda: render.main(zoo, page=True), lambda: plot.main([zoo], observables=["taps"]),
        *(lambda kind=kind: export.main(zoo, kind=kind) for kind in export.FORMATS),
    ]  # fmt: skip
    before = set(zoo.parent.iterdir())
    for path in before - {zoo, zoo.with_name("zoo.h5.parts")}:
        path.rename(path.with_name(f"old-{path.name}"))
    names: list[str] = []
    for make in made:
        known = set(zoo.parent.iterdir())
        make()
        names += [path.name for path in set(zoo.parent.iterdir()) - known]
    assert sorted(names) == sorted(["zoo.png", "zoo.cut.png", "zoo.html", "zoo.observables.png", "zoo.vtk", "zoo.vtkhdf", "zoo.gsd", "zoo.csv"])


def test_a_result_without_frames_is_a_sentence(tmp_path: Path) -> None:
    path = scene.write(tmp_path / "empty.h5", scene.case_of(scene.SHAPES[:1], []), ["ball"], [(0, 0, 0)], frames=[])
    with pytest.raises(FileError, match=r"has no frames: set output\.frame_interval"):
        export.main(path)


CLIENTS = re.findall(r"^```python\n(.*?)^```$", (Path(__file__).parents[1] / "docs" / "clients.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", CLIENTS, ids=lambda text: re.search(r"(?:import|from) (\w+)", text)[1])
def test_what_the_page_on_clients_says_works(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE):
        pytest.importorskip(module)
    scene.zoo(tmp_path / "OUT.h5")
    monkeypatch.chdir(tmp_path)
    for kind in ("csv", "vtkhdf"):
        export.main(Path("OUT.h5"), kind=kind)
    found: dict[str, Any] = {}
    exec(compile(text, "clients.md", "exec"), found)
    x = scene.UNIT * np.array([1.6 * k - 2.0 for k in range(5)] + [6.0])
    for name, values in {"points": lambda: found["points"].points[:, 0], "last": lambda: found["last"].points[:, 0],
                         "grains": lambda: found["grains"]["position_x"]}.items():  # fmt: skip
        if name in found:
            np.testing.assert_allclose(values(), x, rtol=1e-6)
    if "u" in found:
        np.testing.assert_allclose(found["u"].atoms.positions[:, 0], x, rtol=1e-6)
        assert list(found["u"].atoms.names) == [*(shape["name"] for shape in scene.SHAPES), "ball"]
    assert len(found) > 2
