"""Pictures of results, really made: of a small run, and of grains and walls at given places."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


def test_whole_and_cut_pictures_show_grains_and_differ(result: Path) -> None:
    from pardem.io.views import render
    from pardem.io.views.picture import Look

    whole, cut = result.with_name("whole.png"), result.with_name("cut.png")
    render.main(result, out=whole, look=Look(size=(400, 500)))
    render.main(result, out=cut, look=Look(cut=True, size=(400, 500)))
    a, b = scene.pixels(whole), scene.pixels(cut)
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


def test_a_ball_is_drawn_round_and_in_its_size(tmp_path: Path) -> None:
    """Seen without perspective in two dimensions: as many pixels as a circle has, and as wide as high."""
    disks = [{"name": "disk", "shape": "disk", "radius": 1.0}]
    case = scene.case_of(disks, [{"name": "frame", "kind": "box", "lower": (-2.0, -2.0), "upper": (2.0, 2.0)}], dimension=2, gravity=(0.0, 0.0),
                         domain={"lower": (-3e-3, -3e-3), "upper": (3e-3, 3e-3)}, grain=[{"species": "disk", "position": (0.0, 0.0)}])  # fmt: skip
    picture = scene.picture_of(scene.write(tmp_path / "r.h5", case, ["disk"], [(0.0, 0.0, 0.0)]), size=(400, 460))
    seen = np.ptp(picture, axis=2) > 0.1
    rows, columns = np.nonzero(seen)
    assert np.ptp(rows) == pytest.approx(np.ptp(columns), abs=2)
    assert seen.sum() == pytest.approx(np.pi / 4.0 * (1.0 + np.ptp(rows)) ** 2, rel=0.02)
    border = np.nonzero((picture.max(axis=2) < 0.8).sum(axis=0) > 200)[0]  # the sides of the box
    assert np.ptp(border) / np.ptp(columns) == pytest.approx(2.0, rel=0.02)


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
    picture = scene.picture_of(tmp_path / "r.h5", contacts=True, size=(400, 400))
    assert (picture[:340].max(axis=2) < 0.35).any()  # the strongest is black
    bare = scene.write(tmp_path / "bare.h5", result.case, ["ball"], [(0, 0, 1)])
    with pytest.raises(FileError, match=r"does not hold what --contacts draws: put contacts = true into \[output\]"):
        scene.picture_of(bare, contacts=True)


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
        pictures.append(scene.pixels(shot)[:, 150:])  # beside the legend
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
