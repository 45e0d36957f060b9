"""Bad input through the command line: exit status 1 and one sentence that names file, key, value and remedy."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from run_scene import case_file, settings

from pardem import cli
from pardem.io.compare import compare

SHORT = settings(insert__0__count=3, stage="[{name='go', kind='run', steps=20}]", output__frame_steps=10)
TWO = "grain=[{{species='rod', position=[-1e-3, 0, 20e-3], {}}}, {{species='rod', position=[1e-3, 0, 20e-3]}}]"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a case."""
    case_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def refused(capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """``refused(*arguments)``: the one sentence with which a command ends; nothing else is printed to the error stream."""

    def refuse(*arguments: str) -> str:
        capfd.readouterr()
        assert cli.main(list(arguments)) == 1
        err = capfd.readouterr().err
        lines = [line for line in err.splitlines() if not line.startswith("stage '")]
        assert len(lines) == 1, err
        assert lines[0].startswith("pardem: error: ")
        return lines[0].removeprefix("pardem: error: ")

    return refuse


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[time\nstep = 1", "is no valid TOML: Expected ']' at the end of a table declaration (at line 1, column 6)"),
        (b"[time]\nstep = 1\nstep = 2\n", "is no valid TOML: Cannot overwrite a value (at line 3"),
        (b"\x89HDF\r\n\x1a\n", "is no text in UTF-8 (byte 0): a case is a TOML file"),
    ],
)
def test_a_file_that_is_no_case(folder: Path, refused: Callable[..., str], content: bytes, expected: str) -> None:
    Path("bad.toml").write_bytes(content)
    for command in ("run", "check"):
        assert refused(command, "bad.toml").startswith(f"bad.toml: {expected}")


def test_a_case_that_is_not_there(folder: Path, refused: Callable[..., str]) -> None:
    assert refused("run", "cse.toml") == "cse.toml: no such case file; did you mean 'case.toml'?"


def species(text: str) -> list[str]:
    return ["--set", f"species=[{{name='rod', density=1e3, radius=1e-4, {text}}}]"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (species("shape='polyhedron', vertices=[[0,0,0],[1e-3,0,0],[0,1e-3,0],[1e-3,1e-3,0]]"), "species.rod: The vertices of the polyhedron lie in"),
        (species("shape='polyhedron', vertices=[[0,0,0],[1e-3,0,0],[2e-3,0,0],[3e-3,0,0]]"), "species.rod: The vertices of the polyhedron lie on"),
        (species("shape='polyhedron', vertices=[[0,0,0],[1e-3,0,0],[0,1e-3,0]]"), "species.rod.vertices = [[0, 0, 0], [0.001, 0, 0], [0, 0.001"),
        (species("shape='spherotriangle', vertices=[[0,0,0],[1e-3,0,0],[2e-3,0,0]]"), "species.rod: The three vertices of the spherotriangle"),
        (species("shape='spherocylinder', length=0.0"), "species.rod.length = 0.0 must be greater than 0"),
        (settings(species__rod__density=0.0), "species.rod.density = 0.0 must be greater than 0"),
        (settings(species__rod__density=1e-320), "species.rod: the mass of its smallest grain comes out as 0 kg"),
        (settings(species__rod__radius=1e-120, species__rod__length=1e-120), "species.rod: The volume of the grain comes out as 0 m^3"),
        (settings(species__rod__radius="'big'"), "species.rod.radius = 'big' must be a number"),
        (settings(insert__0__size=-1), "insert.0.size.value = -1 must be greater than 0"),
        (settings(time__step=5e-5), "time.step = 5e-05 s is too long: a contact between 'rod' and 'tube' lasts 0.0004243 s, 8.49 steps; make"),
        (settings(domain__periodic="[true, false, false]", domain__lower="[-2e-3, -5e-3, 0]", domain__upper="[2e-3, 5e-3, 3e-2]"), "domain: the"),
    ],
)  # fmt: skip
def test_a_case_that_cannot_be(folder: Path, refused: Callable[..., str], change: list[str], expected: str) -> None:
    assert refused("run", "case.toml", *SHORT, *change).removeprefix("case.toml: ").startswith(expected)
    assert not Path("case.h5").exists()


def test_a_shape_or_step_that_cannot_be_names_the_file(folder: Path, refused: Callable[..., str]) -> None:
    for change in (settings(time__step=5e-5), species("shape='polyhedron', vertices=[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]")):
        for command in ("run", "check"):
            assert refused(command, "case.toml", *SHORT, *change).startswith("case.toml: ")


def test_a_long_step_is_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "case.toml", *SHORT, *settings(time__step=4e-5)]) == 0
    assert "time.step = 4e-05 s is long: a contact between 'rod' and 'tube'" in capsys.readouterr().err


GRAINS = {"species": np.array(["rod", "rod"]), "position": np.array([[0.0, 0.0, 10e-3], [0.0, 2e-3, 10e-3]])}


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"position": np.array([[0, 0, 10e-3], [0, 0, 10.1e-3]])}, "1 pairs of grains overlap at the start: 0 (rod) and 1 (rod) by 0.0005 m; move"),
        (
            {"position": np.array([[0, 0, 10e-3], [0, 0, 1.0]])},
            "1 grains lie outside the domain ([-0.005, -0.005, -0.002] to [0.005, 0.005, 0.03] m)",
        ),
        ({"position": np.array([[0, 0, 10e-3], [0, np.nan, 0]])}, "grains_file = 'grains.npz': position of grain 1 = [0.0, nan, 0.0] must be finite"),
        ({"position": np.zeros((2, 2))}, "grains_file = 'grains.npz': array 'position' must be of shape (2, 3), not (2, 2)"),
        ({"scale": np.array([1.0, -1.0])}, "Grain 1 has size factor -1.0"),
        ({"species": np.array(["rod", "rood"])}, "grains_file = 'grains.npz' names species 'rood'; the case has rod"),
        ({"species": np.array(["rod", None])}, "grains_file = 'grains.npz': grains.npz is no .npz file of plain arrays"),
    ],
)
def test_grains_that_cannot_be(folder: Path, refused: Callable[..., str], arrays: dict[str, np.ndarray], expected: str) -> None:
    np.savez("grains.npz", **(GRAINS | arrays))
    said = refused("run", "case.toml", *SHORT, *settings(insert="[]", grains_file="'grains.npz'"))
    assert said.removeprefix("case.toml: ").startswith(expected)


def test_a_file_of_grains_that_cannot_be_read(folder: Path, refused: Callable[..., str]) -> None:
    np.savez("whole.npz", **GRAINS)
    np.save("array.npy", GRAINS["position"])
    Path("cut.npz").write_bytes(Path("whole.npz").read_bytes()[:300])
    Path("text.npz").write_text("species position")
    np.savez("lacking.npz", position=GRAINS["position"])
    for name, expected in {
        "none.npz": "does not exist; give an .npz file beside the case file", "array.npy": "is no .npz file", "cut.npz": "or damaged",
        "text.npz": "is no .npz file", "lacking.npz": "has no array 'species'",
    }.items():  # fmt: skip
        for command in ("run", "check"):
            said = refused(command, "case.toml", *SHORT, *settings(grains_file=f"'{name}'"))
            assert f"grains_file = '{name}'" in said
            assert expected in said


# --- files of HDF5 -------------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good result and all kinds of bad ones."""
    folder = tmp_path_factory.mktemp("results")
    good = folder / "good.h5"
    assert cli.main(["run", str(case_file(folder)), "-o", str(good), *SHORT]) == 0
    (folder / "cut.h5").write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    (folder / "text.h5").write_text("no numbers")
    (folder / "empty.h5").touch()
    (folder / "folder.h5").mkdir()
    with h5py.File(folder / "foreign.h5", "w") as file:
        file["x"] = 1.0
    with h5py.File(folder / "later.h5", "w") as file:
        file.attrs["pardem_kind"], file.attrs["pardem_format"] = "result", 99
    return folder


SAID = {
    "missing.h5": "does not exist", "cut.h5": "is truncated", "text.h5": "is not an HDF5 file", "empty.h5": "is empty", "folder.h5": "is a folder",
    "foreign.h5": "is an HDF5 file that pardem did not write; name a result", "later.h5": "has format 99 and this pardem reads formats up to 1",
}  # fmt: skip


@pytest.mark.parametrize("command", [["info"], ["plot"], ["render"], ["export"], ["export", "--format", "csv"], ["compare", "good.h5"]], ids=" ".join)
def test_a_file_that_is_no_result(results: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.chdir(results)
    before = sorted(results.iterdir())
    for name, expected in SAID.items():
        assert refused(*command, name).startswith(f"{name} {expected}")
    assert sorted(results.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["render", "good.h5", "--frame", "99"], "good.h5 has 3 frames: --frame 99 is not among them"),
        (["plot", "good.h5", "-o", "none/x.png"], "none/x.png cannot be written: No such file or directory"),
        (["plot", "good.h5", "-o", "x.foo"], "x.foo cannot be written: Format 'foo' is not supported"),
    ],
)
def test_a_picture_that_cannot_be(
    results: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], expected: str
) -> None:
    monkeypatch.chdir(results)
    assert refused(*arguments).startswith(expected)


def test_a_result_without_what_a_picture_needs(folder: Path, refused: Callable[..., str]) -> None:
    assert cli.main(["run", "case.toml", *SHORT, *settings(output__fields="['position']")]) == 0
    for command in ("render", "export"):
        assert "case.h5 holds no frames with the field 'orientation'" in refused(command, "case.h5")
    assert cli.main(["export", "case.h5", "--format", "csv"]) == 0


def test_resumed_with_another_case(folder: Path, refused: Callable[..., str]) -> None:
    assert cli.main(["run", "case.toml", *SHORT, *settings(output__checkpoint_steps=5), "--walltime", "00:00:00"]) == 75
    said = refused("run", "case.toml", *SHORT, *settings(contact__friction=0.3), "--resume")
    assert "case.h5.parts/checkpoint-" in said
    assert "belongs to another case" in said
    assert "undo the changes of the case, choose another output with -o, or start anew with --force" in said
    assert refused("run", "case.toml", *SHORT).endswith("already exists; go on with it by --resume, or replace it by --force")
    assert cli.main(["run", "case.toml", *SHORT, "--resume"]) == 0


# --- ranks ---------------------------------------------------------------------------------------------------------------------------------


def test_more_ranks_than_grains(folder: Path, run_mpi: Callable) -> None:
    run_mpi(8, "-m", "pardem", "run", "case.toml", *SHORT, "-o", "eight.h5")
    assert cli.main(["run", "case.toml", *SHORT, "-o", "one.h5"]) == 0
    assert compare("eight.h5", "one.h5") is None


@pytest.mark.parametrize(
    ("grains", "expected"),
    [
        (TWO.format("angular_velocity=[0, 0, 1e300]"), "the position or velocity of grain 0 is not a finite number"),
        (TWO.format("velocity=[40, 0, 0]"), "grain 0 and grain 1"),
    ],
    ids=["NaN", "runaway overlap"],
)
def test_an_unphysical_motion_ends_two_ranks_within_seconds(folder: Path, start_mpi: Callable, grains: str, expected: str) -> None:
    change = [*SHORT, *settings(insert="[]", stage="[{name='go', kind='run', steps=100000000}]"), "--set", grains]
    with open("err", "w") as err:
        process = start_mpi(2, "-m", "pardem", "run", "case.toml", *change, stderr=err)
        end = time.monotonic() + 100.0
        while "stage 'go' begins" not in Path("err").read_text() and time.monotonic() < end:
            time.sleep(0.01)
        assert process.wait(20.0) == 1
    said = Path("err").read_text()
    assert said.count("pardem: error: ") == 1
    assert "Traceback" not in said
    assert expected in said
    assert "No checkpoint had been written yet." in said
    with h5py.File(Path("case.h5")) as file:  # what led to it can be looked at
        assert len(file["particles/grains/position/value"]) == 1
    assert "Warning" not in said
