"""Pictures and exports of a small result, really made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pardem import cli


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    case = Path(__file__).parent.parent / "jobs" / "smoke.toml"
    short = ["--set", "stage.settle.max_time=0.004", "--set", "stage.vibrate.taps=1", "--set", "insert.rods.count=80"]
    assert cli.main(["run", str(case), "-o", str(folder / "r.h5"), *short]) == 0
    return folder / "r.h5"


def pixels(path: Path) -> np.ndarray:
    import matplotlib.image

    return np.asarray(matplotlib.image.imread(path))[:, :, :3]


def test_whole_and_cut_pictures_show_grains_and_differ(result: Path) -> None:
    from pardem.io.views import render

    whole, cut = result.with_name("whole.png"), result.with_name("cut.png")
    render.main(result, out=whole, size=(400, 500))
    render.main(result, out=cut, cut=True, size=(400, 500))
    a, b = pixels(whole), pixels(cut)
    assert a.shape == (500, 400, 3)
    for picture in (a, b):
        coloured = np.ptp(picture, axis=2) > 0.15
        assert 0.01 < coloured.mean() < 0.9
    assert np.abs(a - b).mean() > 0.005


def test_the_colour_bar_spans_the_right_angle(result: Path) -> None:
    from pardem.io.views.picture import Painter
    from pardem.io.views.render import bounds_of, read_frame

    frame = read_frame(result, -1)
    plotter = Painter(bounds_of(frame.position), False, (200, 260))._plotter(frame)
    (bar,) = plotter.scalar_bars.values()
    assert tuple(bar.GetLookupTable().GetRange()) == (0.0, 90.0)
    plotter.close()


def test_a_lying_rod_covers_its_own_area() -> None:
    """The surface of a spherocylinder has the area of a cylinder and a sphere."""
    from pardem.io.views.picture import grain_mesh

    catalogue = {"vertex_start": np.array([0, 2]), "vertices": np.array([[0, 0, -1.0], [0, 0, 1.0]]), "radius": np.array([0.3])}
    mesh = grain_mesh(catalogue, 0, smoothness=60)
    assert mesh.area == pytest.approx(2 * np.pi * 0.3 * 2.0 + 4 * np.pi * 0.09, rel=5e-3)
    assert mesh.volume == pytest.approx(np.pi * 0.09 * 2.0 + 4 / 3 * np.pi * 0.027, rel=5e-3)


def test_a_wall_that_is_a_body_is_drawn_where_its_case_says() -> None:
    """A bent plate, turned, scaled and displaced: its surface reaches as far as its core and its radius."""
    from pardem.case import Case
    from pardem.io.views.picture import Frame, body_mesh
    from pardem.setup.preparation import build_scene

    plate = {"name": "plate", "shape": "skeleton", "density": 1.0, "radius": 0.1,
             "vertices": [(1, 0, 0), (3, 0, 0), (3, 1, 0), (1, 1, 0), (3, 0, 2), (3, 1, 2)], "faces": [(0, 1, 2, 3), (1, 4, 5, 2)]}  # fmt: skip
    ball = {"name": "ball", "shape": "sphere", "density": 1.0, "radius": 0.2}
    wall = {"name": "chute", "kind": "body", "species": "plate", "position": (5.0, 0.0, 0.0), "orientation": (1.0, 0.0, 0.0, 1.0), "scale": 2.0}
    case = Case(time={"step": 1e-4}, species=[ball, plate], contact={"contact_time": 1e-2, "restitution": 0.5}, wall=[wall],
                grain=[{"species": "ball", "position": (0, 0, 9)}], stage=[{"name": "go", "kind": "run", "steps": 1}])  # fmt: skip
    catalogue = build_scene(case, {"ball": 1.0}, {"ball": 1.0}).catalogue._asdict()
    nothing = np.empty((0, 3))
    tables, there = case.model_dump(exclude_none=True), np.empty(0, bool)
    frame = Frame(nothing, nothing, np.empty(0, int), np.empty(0), catalogue, tables, {}, 0.0, {"chute": np.pi}, there)
    mesh = body_mesh(frame, frame.case["wall"][0], np.array([0.0, 0.0, 0.5]))
    turning = frame.case["wall"][0] | {"motion": {"kind": "rotation", "rate": 1.0}}
    centre = np.array([5.0, 0.0, 0.5]) + 2.0 * np.array([-1.0, 1.0, 1.0]) * catalogue["centre"][1][[1, 0, 2]]
    over = body_mesh(frame, turning, np.array([0.0, 0.0, 0.5])).points
    np.testing.assert_allclose(over[:, :2], 2.0 * centre[:2] - mesh.points[:, :2], atol=1e-6)  # pictures hold single precision
    np.testing.assert_allclose(over[:, 2], mesh.points[:, 2], atol=1e-6)
    # a quarter turn about z takes (x, y) to (-y, x)
    assert mesh.points.min(axis=0) == pytest.approx([5.0 - 2.2, 1.8, 0.3], abs=0.02)
    assert mesh.points.max(axis=0) == pytest.approx([5.2, 6.2, 4.7], abs=0.02)


def test_a_frame_that_is_not_there_is_refused(result: Path) -> None:
    from pardem.errors import FileError
    from pardem.io.views import render

    with pytest.raises(FileError, match="--frame 999"):
        render.main(result, out=result.with_name("no.png"), frame=999)


def test_a_picture_without_a_display_says_nothing_else(result: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "VTK_DEFAULT_OPENGL_WINDOW")}
    command = [sys.executable, "-m", "pardem", "render", str(result), "-o", str(result.with_name("quiet.png")), "--size", "200x200"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    assert done.stdout.split() == [str(result.with_name("quiet.png"))]


@pytest.mark.parametrize("kind", ["mp4", "gif"])
def test_a_film_shows_all_frames(result: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    import h5py
    import imageio.v2 as imageio

    from pardem.io.views import render

    with h5py.File(result) as file:
        count = len(file["particles/grains/position/value"])
    film = result.with_name(f"film.{kind}")
    assert render.main(result, out=film, size=(201, 260), fps=10.0) == 0
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [f"frame {count} of {count}"]
    assert captured.out.split() == [str(film)]
    with imageio.get_reader(film) as reader:
        pictures = [np.asarray(picture)[..., :3].astype(float) for picture in reader]
    assert len(pictures) == count
    assert pictures[0].shape == (260, 200, 3)
    assert np.abs(pictures[0] - pictures[-1]).mean() > 0.5


def test_a_picture_that_cannot_be_written_is_a_sentence(result: Path) -> None:
    from pardem.errors import FileError
    from pardem.io.views import render

    for name in ("no/such/folder.png", "no/such/film.mp4"):
        with pytest.raises(FileError, match="is no folder"):
            render.main(result, out=result.with_name("x") / name)
    with pytest.raises(FileError, match="could not be written"):
        render.main(result, out=result.with_name("picture.docx"), size=(100, 100))


def test_exports(result: Path) -> None:
    import pyvista

    from pardem.io.views import export

    export.main(result, out=result.with_name("csv"), kind="csv")
    table = np.genfromtxt(sorted(result.with_name("csv").glob("*.csv"))[-1], delimiter=",", names=True)
    assert len(table) == 80
    export.main(result, out=result.with_name("vtk"), kind="vtk")
    mesh = pyvista.read(sorted(result.with_name("vtk").glob("*.vtp"))[-1])
    assert set(np.unique(mesh["id"])) == set(range(80))
    rows = table["id"].astype(int)
    centres = np.array([mesh.points[mesh["id"] == i].mean(axis=0) for i in range(80)])
    assert centres[rows, 2] == pytest.approx(table["position_2"], abs=2e-5)


def test_export_to_gsd_is_read_back(result: Path) -> None:
    import gsd.hoomd
    import h5py

    from pardem.io.views import export

    export.main(result, out=result.with_name("r.gsd"), kind="gsd")
    with h5py.File(result) as file, gsd.hoomd.open(result.with_name("r.gsd")) as frames:
        position = file["particles/grains/position/value"]
        box = file["particles/grains/box"].attrs
        assert len(frames) == len(position)
        last = frames[-1]
        middle = 0.5 * (np.array(box["lower"]) + np.array(box["upper"]))
        np.testing.assert_allclose(last.particles.position + middle, position[-1], rtol=0, atol=1e-6 * np.ptp(position[-1]))
        np.testing.assert_allclose(last.particles.orientation, file["particles/grains/orientation/value"][-1], rtol=0, atol=1e-6)
        (shape,) = last.particles.type_shapes
        assert shape["type"] == "ConvexPolyhedron"
        assert np.array(shape["vertices"]).shape == (2, 3)


def test_a_grain_that_is_not_convex_is_drawn_feature_by_feature() -> None:
    """All points lie within the radius of the core (balls and tubes are inscribed), faces at the radius on both sides, and edges are covered."""
    from reference_polygon import point_polygon2
    from skeletons import ell

    from pardem.io.views.picture import grain_mesh
    from pardem.shapes import Shape, Species, build_catalogue

    vertices, faces = ell(2.0, 2.0, 1.0, 1.0, 1.0)
    shape = Shape.skeleton(vertices=[*vertices, (4.0, 0.0, 0.0)], faces=faces, edges=[(1, 12)], radius=0.2, solid=True)
    catalogue = build_catalogue([Species("ball", Shape.sphere(radius=1.0), 1.0), Species("ell", shape, 1.0)])
    mesh = grain_mesh(catalogue._asdict(), 1)
    points = np.asarray(mesh.points, dtype=float) @ catalogue.axes[1].T + catalogue.centre[1]
    core = [shape.vertices[list(loop)] for loop in shape.faces]
    apart = np.sqrt(np.min([point_polygon2(points, polygon) for polygon in core], axis=0))
    assert apart[points[:, 0] < 2.0].max() == pytest.approx(0.2, rel=1e-5)
    np.testing.assert_allclose(points.max(axis=0), [4.2, 2.2, 1.2], rtol=1e-2)
    on_tube = (points[:, 0] > 3.9) & (points[:, 0] < 4.1)
    np.testing.assert_allclose(np.linalg.norm(points[on_tube][:, 1:], axis=1).max(), 0.2, rtol=1e-5)


def test_a_case_in_the_plane_is_seen_from_above_with_its_body_walls(tmp_path: Path) -> None:
    """A disk above the left end of a bar: blue at the upper left, grey across the lower edge, nothing between."""
    case = tmp_path / "plane.toml"
    case.write_text("""
        dimension = 2
        time = { step = 1e-3 }
        domain = { lower = [-1, -2], upper = [11, 8] }
        contact = { interaction = "superposition", restitution = 1.0, contact_time = 0.1 }
        output = { frame_steps = 1 }
        species = [
            { name = "disk", shape = "disk", radius = 1.0, density = 1.0 },
            { name = "bar", shape = "rice", length = 8.0, radius = 0.5, density = 1.0 },
        ]
        wall = [{ name = "ground", kind = "body", species = "bar", position = [5, 0] }]
        grain = [{ species = "disk", position = [1.5, 5] }]
        stage = [{ name = "go", kind = "run", steps = 1 }]
    """)
    assert cli.main(["run", str(case), "-o", str(tmp_path / "r.h5")]) == 0
    from pardem.io.views import render

    render.main(tmp_path / "r.h5", out=tmp_path / "r.png", size=(450, 325))
    picture = pixels(tmp_path / "r.png")
    colour, dark = np.ptp(picture, axis=2) > 0.15, picture.max(axis=2) < 0.8
    rows, columns = np.nonzero(colour)
    assert rows.max() < 0.6 * 325
    assert columns.max() < 0.35 * 450
    assert np.ptp(columns) == pytest.approx(np.ptp(rows), abs=3)
    below = np.nonzero(dark[250:])[1]
    assert below.min() < 0.1 * 450
    assert below.max() > 0.9 * 450
