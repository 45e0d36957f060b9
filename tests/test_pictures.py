"""Pictures of results, really made: of a small run, and of grains and walls at given places."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import drawn_scene as scene
import numpy as np
import pytest

import pardem
from pardem import cli
from pardem.errors import FileError


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
    from pardem.io.views.picture import Look

    whole, cut = result.with_name("whole.png"), result.with_name("cut.png")
    render.main(result, out=whole, look=Look(size=(400, 500)))
    render.main(result, out=cut, look=Look(cut=True, size=(400, 500)))
    a, b = pixels(whole), pixels(cut)
    assert a.shape == (500, 400, 3)
    for picture in (a, b):
        coloured = np.ptp(picture, axis=2) > 0.15
        assert 0.01 < coloured.mean() < 0.9
    assert np.abs(a - b).mean() > 0.005


def test_the_colour_bar_spans_the_right_angle(result: Path) -> None:
    """Rods are coloured by their angle unless something else is asked for."""
    from pardem.io.views.picture import Look, Painter

    with pardem.open(result) as opened:
        plotter = Painter(opened, Look(size=(200, 260)), [0]).plotter(opened[0])
    (bar,) = plotter.scalar_bars.values()
    assert tuple(bar.GetLookupTable().GetRange()) == (0.0, 90.0)
    plotter.close()


def solid(surface: Any) -> tuple[float, float]:
    """Area and volume of a closed surface; its triangles must be counter-clockwise from outside."""
    a, b, c = surface.points[surface.triangles].transpose(1, 0, 2)
    across = np.cross(b - a, c - a)
    return 0.5 * float(np.linalg.norm(across, axis=1).sum()), float((across * a).sum()) / 6.0


def test_surfaces_of_rounded_shapes_have_their_areas_and_volumes() -> None:
    """By Steiner's formula: of a rod, and of a cube with side a (6 faces, 12 quarter cylinders, 8 eighths of a ball)."""
    from pardem.io.views.surface import grain_surface

    rod = {"vertex_start": np.array([0, 2]), "vertices": np.array([[0, 0, -1.0], [0, 0, 1.0]]), "radius": np.array([0.3])}
    area, volume = 2 * np.pi * 0.3 * 2.0 + 4 * np.pi * 0.09, np.pi * 0.09 * 2.0 + 4 / 3 * np.pi * 0.027
    assert solid(grain_surface(rod, 0, 60)) == pytest.approx((area, volume), rel=5e-3)
    cube = pardem.shapes.build_catalogue([pardem.shapes.Species("cube", pardem.Shape.cube(side=1.0, radius=0.2), 1.0)])._asdict()
    area = 6.0 + 3.0 * 2 * np.pi * 0.2 + 4 * np.pi * 0.04
    volume = 1.0 + 6 * 0.2 + 3.0 * np.pi * 0.04 + 4 / 3 * np.pi * 0.008
    assert solid(grain_surface(cube, 0, 40)) == pytest.approx((area, volume), rel=5e-3)


def test_faces_are_flat_and_edges_round() -> None:
    """The normal at every point leads back to the core, which is the sphero-radius below; faces of a cube keep their full size."""
    from pardem.io.views.surface import grain_surface

    cube = pardem.shapes.build_catalogue([pardem.shapes.Species("cube", pardem.Shape.cube(side=1.0, radius=0.2), 1.0)])._asdict()
    surface = grain_surface(cube, 0, 12)
    core = surface.points - 0.2 * surface.normals
    np.testing.assert_allclose(np.abs(core), 0.5, rtol=1e-12)
    a, b, c = surface.points[surface.triangles].transpose(1, 0, 2)
    across = np.cross(b - a, c - a)
    flat = np.abs(across).max(axis=1) > (1.0 - 1e-9) * np.linalg.norm(across, axis=1)
    assert 0.5 * np.linalg.norm(across[flat], axis=1).sum() == pytest.approx(6.0, rel=1e-6)


def test_a_ball_is_drawn_round_and_in_its_size(tmp_path: Path) -> None:
    """Seen without perspective in two dimensions: as many pixels as a circle has, and as wide as high."""
    disks = [{"name": "disk", "shape": "disk", "radius": 1.0}]
    case = scene.case_of(disks, [{"name": "frame", "kind": "box", "lower": (-2.0, -2.0), "upper": (2.0, 2.0)}], dimension=2, gravity=(0.0, 0.0),
                         domain={"lower": (-3e-3, -3e-3), "upper": (3e-3, 3e-3)}, grain=[{"species": "disk", "position": (0.0, 0.0)}])  # fmt: skip
    picture = drawn(scene.write(tmp_path / "r.h5", case, ["disk"], [(0.0, 0.0, 0.0)]), size=(400, 460))
    seen = np.ptp(picture, axis=2) > 0.1
    rows, columns = np.nonzero(seen)
    assert np.ptp(rows) == pytest.approx(np.ptp(columns), abs=2)
    assert seen.sum() == pytest.approx(np.pi / 4.0 * (1.0 + np.ptp(rows)) ** 2, rel=0.02)
    border = np.nonzero((picture.max(axis=2) < 0.8).sum(axis=0) > 200)[0]  # the sides of the box
    assert np.ptp(border) / np.ptp(columns) == pytest.approx(2.0, rel=0.02)


def drawn(result: Path, **look: Any) -> np.ndarray:
    """The picture of the last frame of a result."""
    from pardem.io.views import render
    from pardem.io.views.picture import Look

    render.main(result, out=result.with_suffix(".png"), look=Look(**look))
    return pixels(result.with_suffix(".png"))


def test_a_wall_that_is_a_body_is_drawn_where_its_case_says(tmp_path: Path) -> None:
    """A bent plate, turned, scaled and displaced: its surface reaches as far as its core and its radius."""
    from pardem.io.views.walls import View, wall_tables

    plate = {"name": "plate", "shape": "skeleton", "radius": 0.1,
             "vertices": [(1, 0, 0), (3, 0, 0), (3, 1, 0), (1, 1, 0), (3, 0, 2), (3, 1, 2)], "faces": [(0, 1, 2, 3), (1, 4, 5, 2)]}  # fmt: skip
    wall = {"name": "chute", "kind": "body", "species": "plate", "position": (5.0, 0.0, 0.0), "orientation": (1.0, 0.0, 0.0, 1.0), "scale": 2.0,
            "motion": {"kind": "rotation", "rate": 1.0}}  # fmt: skip
    case = scene.case_of([scene.SHAPES[0], plate], [wall])
    moved = {"wall_displacement/chute": scene.UNIT * np.array([0.0, 0.0, 0.5])}
    turned = [moved | {"wall_turn/chute": angle} for angle in (0.0, np.pi)]
    result = pardem.open(scene.write(tmp_path / "r.h5", case, ["ball"], [(0, 0, 1)], frames=turned))
    meshes = []
    for frame in result:
        view = View(frame, np.zeros((2, 3)), None)
        view.draw(wall_tables(result)[0])
        (one,) = view.drawn
        meshes.append(np.asarray(one.mesh.points) / scene.UNIT)
    centre = np.array([5.0, 0.0, 0.5]) + 2.0 / scene.UNIT * np.array([-1.0, 1.0, 1.0]) * result.catalogue["centre"][1][[1, 0, 2]]
    np.testing.assert_allclose(meshes[1][:, :2], 2.0 * centre[:2] - meshes[0][:, :2], atol=1e-5)  # pictures hold single precision
    np.testing.assert_allclose(meshes[1][:, 2], meshes[0][:, 2], atol=1e-5)
    # a quarter turn about z takes (x, y) to (-y, x)
    assert meshes[0].min(axis=0) == pytest.approx([5.0 - 2.2, 1.8, 0.3], abs=0.02)
    assert meshes[0].max(axis=0) == pytest.approx([5.2, 6.2, 4.7], abs=0.02)


LID = {"name": "lid", "kind": "disc", "center": (0.0, 0.0, 4.0), "normal": (0.0, 0.0, -1.0), "radius": 2.0, "stages": ["fill"]}


def test_a_lid_that_was_taken_away_is_not_drawn(tmp_path: Path) -> None:
    from pardem.io.views.walls import drawn_walls

    case = scene.case_of(scene.SHAPES[:1], [scene.FLOOR, LID])
    path = scene.write(tmp_path / "r.h5", case, ["ball"], [(0, 0, 1)], frames=[{"stage": 0}, {"stage": 1}, {"stage": 1}])
    result = pardem.open(path)
    assert [frame.stage for frame in result] == ["fill", "flow", "flow"]
    named = [[one.name for one in drawn_walls(frame, np.zeros((2, 3)))] for frame in result]
    assert named == [["lid", "floor"], ["floor"], ["floor"]]
    old = pardem.open(scene.write(tmp_path / "old.h5", case, ["ball"], [(0, 0, 1)]))  # without word of its stages
    assert [one.name for one in drawn_walls(old[0], np.zeros((2, 3)))] == ["lid", "floor"]


def test_planes_end_where_they_bound_what_is_shown(tmp_path: Path) -> None:
    """Six planes make a box, a slanting one is cut off by it, and each lies in its plane."""
    from pardem.io.views.walls import drawn_walls

    walls = []
    for axis, side in [(axis, side) for axis in range(3) for side in (-1.0, 1.0)]:
        unit = side * np.eye(3)[axis]
        name = f"{'below' if side < 0 else 'above'}-{axis}"
        walls.append({"name": name, "kind": "plane", "point": ((2.0 + axis) * unit).tolist(), "normal": (-unit).tolist()})
    walls.append({"name": "ramp", "kind": "plane", "point": (0.0, 0.0, -1.0), "normal": (1.0, 0.0, 1.0)})
    result = pardem.open(scene.write(tmp_path / "r.h5", scene.case_of(scene.SHAPES[:1], walls), ["ball"], [(0, 0, 0)]))
    found = {one.name: np.asarray(one.mesh.points) / scene.UNIT for one in drawn_walls(result[0], np.zeros((2, 3)))}
    assert set(found) == {wall["name"] for wall in walls}
    beyond = 0.03 * np.linalg.norm([4.0, 6.0, 8.0])
    for wall in walls:
        points = found[wall["name"]]
        away = (points - wall["point"]) @ np.array(wall["normal"])
        np.testing.assert_allclose(away, 0.0, atol=1e-5)
        assert (np.abs(points) < np.array([2.0, 3.0, 4.0]) + beyond + 1e-5).all()
    np.testing.assert_allclose(np.ptp(found["above-2"], axis=0), [4.0 + 2 * beyond, 6.0 + 2 * beyond, 0.0], atol=1e-5)


@pytest.mark.parametrize("view", ["front", "back", "left", "right", "top", "bottom", "corner", "-40,65"])
@pytest.mark.parametrize("aspect", [0.5, 2.0])
def test_cameras_show_everything_and_no_more(view: str, aspect: float) -> None:
    """All corners of a box are in the picture, between the legend and the time, and one of them is near its edge."""
    from pardem.io.views.camera import ANGLE, LEGEND, MARGIN, TITLE, axes_of, fitted

    corners = np.array([[1.0, -2.0, 0.5], [4.0, 1.0, 9.5]])
    axes = axes_of(view, np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert axes[1, 2] >= 0.0 or view == "bottom"
    camera = fitted(corners, axes, aspect, flat=False)
    points = np.array([[x, y, z] for x in corners[:, 0] for y in corners[:, 1] for z in corners[:, 2]]) - camera.eye
    right, up, toward = (points @ axis for axis in axes)
    assert (toward < 0.0).all()
    slope = np.tan(np.radians(0.5 * ANGLE))
    across, above = right / -toward / (slope * aspect), up / -toward / slope
    assert max(np.abs(across).max(), above.max() / (1.0 - 2.0 * TITLE), (-above / (1.0 - 2.0 * LEGEND)).max()) <= 1.0 + 1e-9
    reach = max(np.abs(across).max(), np.abs(above - (LEGEND - TITLE)).max() / (1.0 - LEGEND - TITLE))
    assert reach > 0.99 / MARGIN**2


def test_views_by_name_and_by_angles() -> None:
    from pardem.io.views.camera import axes_of

    up = np.array([0.0, 0.0, 1.0])
    np.testing.assert_allclose(axes_of("0,0", up)[2], [0.0, -1.0, 0.0], atol=1e-12)  # the front is that of y = 0
    np.testing.assert_allclose(axes_of("90,0", up)[2], [1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(axes_of("top", up), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes_of("0,0", np.array([0.0, 1.0, 0.0])), np.eye(3), atol=1e-12)  # gravity along -y
    for wrong in ("above", "10", "10,100", "1e9,0", "a,b"):
        with pytest.raises(FileError, match=r"--view .* is unknown: give front, right"):
            axes_of(wrong, up)


def test_the_camera_frames_walls(tmp_path: Path) -> None:
    """A lid far above the only grain is on the picture, at its upper edge."""
    lid = LID | {"center": (0.0, 0.0, 8.0), "stages": ["fill", "flow"]}
    path = scene.write(tmp_path / "r.h5", scene.case_of(scene.SHAPES[:1], [lid]), ["ball"], [(0, 0, 0.5)])
    picture = drawn(path, size=(500, 800))
    dark = picture.max(axis=2) < 0.8
    dark[:60, :250] = False  # the time
    rows, columns = np.nonzero(dark & (np.ptp(picture, axis=2) < 0.08))
    assert rows.min() < 0.12 * 800
    assert 20 < columns.min() < columns.max() < 480
    blue = np.nonzero(np.ptp(picture, axis=2) > 0.2)[0]
    assert 0.5 * 800 < blue.min() < blue.max() < 0.9 * 800


def test_grains_are_coloured_by_what_is_asked_for(tmp_path: Path) -> None:
    from pardem.io.views.colours import angle_to_ground, colouring

    result = pardem.open(scene.zoo(tmp_path / "zoo.h5"))
    frame = result[0]
    assert colouring(result, None, [0]).name == "species"  # a ball has no longest axis
    assert len(colouring(result, None, [0]).legend(frame)) == 5
    speed = colouring(result, "speed", [0])
    assert speed.limits == (0.0, 5.0)
    assert speed.values(frame).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert colouring(result, "angular velocity", [0]).limits == colouring(result, "angular-velocity", [0]).limits == (0.0, 10.0)
    assert colouring(result, "id", [0]).values(frame).tolist() == [0, 1, 2, 3, 4, 5]
    _, x, y, _ = frame.orientation[1]
    angle = angle_to_ground(frame)
    assert np.isfinite(angle).tolist() == [False, True, False, False, True, False]
    assert angle[1] == pytest.approx(np.degrees(np.arcsin(abs(1.0 - 2.0 * (x * x + y * y)))), rel=1e-12)  # rods lie along z of their body
    colours = colouring(result, "angle", [0]).colours(frame)
    assert (colours[0] == colours[2]).all()  # grey, both without an axis
    with pytest.raises(FileError, match=r"holds no force of grains, which --colour force shows: put 'force' into output\.fields"):
        colouring(result, "force", [0])
    with pytest.raises(FileError, match="--colour size is unknown: give one of species, speed"):
        colouring(result, "size", [0])
    with pytest.raises(FileError, match="holds no contacts"):
        colouring(result, "contacts", [0])
    cubes = pardem.open(scene.write(tmp_path / "cubes.h5", scene.case_of(scene.SHAPES[2:3], []), ["cube"], [(0, 0, 0)]))
    assert colouring(cubes, None, [0]).name == "species"
    with pytest.raises(FileError, match="--colour angle needs elongated grains, and cube have no longest axis"):
        colouring(cubes, "angle", [0])


def touching(tmp_path: Path) -> Path:
    """Two balls on top of each other on a floor, and a third one beside them that touches nothing."""
    from pardem.io.results.contact_frames import ContactFrame

    key = np.array([[0, -1, 0], [0, 1, 0]])
    made = {"point": [(0, 0, 0), (0, 0, 1)], "normal": [(0, 0, -1), (0, 0, 1)], "force": [(0, 0, 2), (0, 0, -1)]}
    made = {name: np.array(values, float) * (scene.UNIT if name == "point" else 1.0) for name, values in made.items()}
    case = scene.case_of(scene.SHAPES[:1], [scene.FLOOR], output={"contacts": ["point", "normal", "force"]})
    contacts = [ContactFrame(key, made, ("floor",))]
    return scene.write(tmp_path / "r.h5", case, ["ball"] * 3, [(0, 0, 0.5), (0, 0, 1.5), (3, 0, 0.5)], contacts=contacts)


def test_contacts_are_tubes_as_thick_as_their_forces(tmp_path: Path) -> None:
    from pardem.io.views.chains import THICKEST, force_chains, strongest_of
    from pardem.io.views.colours import colouring

    result = pardem.open(touching(tmp_path))
    assert result[0].contact_number.tolist() == [2, 1, 0]
    assert colouring(result, "contacts", [0]).limits == (0.0, 2.0)
    strongest = strongest_of(result, [0])
    assert strongest == 2.0
    chains = force_chains(result[0], np.ones(3, bool), strongest)
    below, above = chains.surface.points.reshape(2, -1, 3) / scene.UNIT
    assert np.unique(chains.force).tolist() == [1.0, 2.0]
    for points, ends, force in ((below, (0.0, 0.5), 2.0), (above, (0.5, 1.5), 1.0)):
        np.testing.assert_allclose(np.unique(points[:, 2].round(9)), ends, atol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(points[:, :2], axis=1), THICKEST * 0.5 * force / 2.0, rtol=1e-9)
    alone = force_chains(result[0], np.array([False, True, True]), strongest)
    assert not len(alone.force)  # both grains must be on the picture
    picture = drawn(tmp_path / "r.h5", contacts=True, size=(400, 400))
    assert (picture[:340].max(axis=2) < 0.35).any()  # the strongest is black
    bare = scene.write(tmp_path / "bare.h5", result.case, ["ball"], [(0, 0, 1)])
    with pytest.raises(FileError, match=r"does not hold what --contacts draws: put contacts = true into \[output\]"):
        drawn(bare, contacts=True)


def test_a_page_turns_in_the_browser(tmp_path: Path) -> None:
    """Drawn by a browser: grains of all colours of the legend are seen, and it is another picture from the other side."""
    import shutil

    from pardem.io.views import render

    scene.zoo(tmp_path / "zoo.h5")
    assert render.main(tmp_path / "zoo.h5", page=True) == 0
    page = tmp_path / "zoo.html"
    text = page.read_text()
    assert "http" not in text.replace("http-equiv", "")  # nothing is loaded from elsewhere
    assert all(f"</span> {shape['name']}" in text for shape in scene.SHAPES)
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no chromium")
    pictures = []
    for turn in ("0,0", "3.14,0"):
        shot = tmp_path / f"shot{turn}.png"
        software = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        options = ["--headless", "--no-sandbox", *software, "--window-size=600,400", "--virtual-time-budget=3000", f"--screenshot={shot}"]
        command = [browser, *options, f"--user-data-dir={tmp_path / 'profile'}", f"file://{page}#turn={turn}"]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        pictures.append(pixels(shot)[:, 150:])  # beside the legend
    for picture in pictures:
        red, green, blue = (picture[..., c] for c in range(3))
        assert ((blue > red + 0.25) & (blue > green + 0.1)).sum() > 1000  # balls
        assert ((red > green + 0.15) & (green > blue + 0.25)).sum() > 200  # rod
        assert ((green > 2.0 * red) & (green > 1.2 * blue) & (green > 0.2)).sum() > 200  # cube
    assert np.abs(pictures[0] - pictures[1]).mean() > 0.01
    np.testing.assert_allclose((pictures[0] < 0.95).any(axis=2).mean(), (pictures[1] < 0.95).any(axis=2).mean(), rtol=0.3)


def test_a_frame_that_is_not_there_is_refused(result: Path) -> None:
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
    from pardem.io.views.picture import Look

    with h5py.File(result) as file:
        count = len(file["particles/grains/position/value"])
    film = result.with_name(f"film.{kind}")
    assert render.main(result, out=film, look=Look(size=(201, 260)), fps=10.0) == 0
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [f"frame {count} of {count}"]
    assert captured.out.split() == [str(film)]
    with imageio.get_reader(film) as reader:
        pictures = [np.asarray(picture)[..., :3].astype(float) for picture in reader]
    assert len(pictures) == count
    assert pictures[0].shape == (260, 200, 3)
    assert np.abs(pictures[0] - pictures[-1]).mean() > 0.5


def test_a_picture_that_cannot_be_written_is_a_sentence(result: Path) -> None:
    from pardem.io.views import render
    from pardem.io.views.picture import Look

    for name in ("no/such/folder.png", "no/such/film.mp4"):
        with pytest.raises(FileError, match="is no folder"):
            render.main(result, out=result.with_name("x") / name)
    with pytest.raises(FileError, match="could not be written"):
        render.main(result, out=result.with_name("picture.docx"), look=Look(size=(100, 100)))


def test_a_grain_that_is_not_convex_is_drawn_feature_by_feature() -> None:
    """All points lie within the radius of the core (balls and tubes are inscribed), faces at the radius on both sides, and edges are covered."""
    from reference_polygon import point_polygon2
    from skeletons import ell

    from pardem.io.views.surface import grain_surface
    from pardem.shapes import Shape, Species, build_catalogue

    vertices, faces = ell(2.0, 2.0, 1.0, 1.0, 1.0)
    shape = Shape.skeleton(vertices=[*vertices, (4.0, 0.0, 0.0)], faces=faces, edges=[(1, 12)], radius=0.2, solid=True)
    catalogue = build_catalogue([Species("ball", Shape.sphere(radius=1.0), 1.0), Species("ell", shape, 1.0)])
    points = grain_surface(catalogue._asdict(), 1, 12).points @ catalogue.axes[1].T + catalogue.centre[1]
    core = [shape.vertices[list(loop)] for loop in shape.faces]
    apart = np.sqrt(np.min([point_polygon2(points, polygon) for polygon in core], axis=0))
    assert apart[points[:, 0] < 2.0].max() == pytest.approx(0.2, rel=1e-5)
    np.testing.assert_allclose(points.max(axis=0), [4.2, 2.2, 1.2], rtol=1e-2)
    on_tube = (points[:, 0] > 3.9) & (points[:, 0] < 4.1)
    np.testing.assert_allclose(np.linalg.norm(points[on_tube][:, 1:], axis=1).max(), 0.2, rtol=1e-5)


def test_a_case_in_the_plane_is_seen_from_above_with_its_body_walls(tmp_path: Path) -> None:
    """A disk above the left end of a bar: blue at the upper left, grey across the lower edge, nothing between."""
    species = [{"name": "disk", "shape": "disk", "radius": 1.0}, {"name": "bar", "shape": "rice", "length": 8.0, "radius": 0.5}]
    ground = {"name": "ground", "kind": "body", "species": "bar", "position": (5.0, 0.0)}
    domain = {"lower": (-1e-3, -2e-3), "upper": (11e-3, 8e-3)}
    case = scene.case_of(species, [ground], dimension=2, gravity=(0.0, -9.81), domain=domain, grain=[{"species": "disk", "position": (1.5e-3, 5e-3)}])
    scene.write(tmp_path / "r.h5", case, ["disk"], [(1.5, 5.0, 0.0)])
    picture = drawn(tmp_path / "r.h5", size=(450, 325))
    colour, dark = np.ptp(picture, axis=2) > 0.15, picture.max(axis=2) < 0.8
    rows, columns = np.nonzero(colour)
    assert rows.max() < 0.6 * 325
    assert columns.max() < 0.35 * 450
    assert np.ptp(columns) == pytest.approx(np.ptp(rows), abs=3)
    below = np.nonzero(dark[250:])[1]
    assert below.min() < 0.1 * 450
    assert below.max() > 0.9 * 450
