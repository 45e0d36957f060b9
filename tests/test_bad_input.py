"""Bad input through the command line: exit status 1 and one sentence that names file, key, value and remedy."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from run_scene import case_file, settings
from scenes import ELASTIC, FLOOR, SPHERE, case_of

from pardem import cli
from pardem.case.base import normalised
from pardem.case.contact import Contact
from pardem.errors import CaseError
from pardem.io.casefile import read_case
from pardem.io.views.compare import compare
from pardem.setup.preparation import build_scene
from pardem.setup.start import read_grains_file, size_range
from pardem.setup.timestep import contact_times, lightest_grains

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


NARROW = {"insert__0__region__radius": 2e-3}


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
        (settings(species__rod__density=1e-320), "species.rod.density = 1e-320 must be 0 or of a size between 1e-60 and 1e+60"),
        (settings(species__rod__radius=1e-120, species__rod__length=1e-3), "species.rod.radius = 1e-120 must be 0 or of a size between"),
        (settings(species__rod__radius="'big'"), "species.rod.radius = 'big' must be a number"),
        (settings(insert__0__size=-1), "insert.0.size.value = -1 must be greater than 0"),
        (settings(time__step=5e-5), "time.step = 5e-05 s is too long: a contact between 'rod' and 'tube' lasts 0.0004243 s, 8.49 steps; make"),
        (settings(domain='{lower=[-2e-3, -5e-3, 0], upper=[2e-3, 5e-3, 3e-2], periodic=[true, false, false]}', **NARROW), "domain: the"),
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


BIG = "1" + "0" * 399


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("title = " + "[" * 100_000 + "]" * 100_000, "tables and lists lie in each other over more than 16 levels"),
        ("title = " + "[" * 300 + "]" * 300, "tables and lists lie in each other over more than 16 levels"),
        ("a" + ".a" * 3000 + " = 1", "tables and lists lie in each other over more than 16 levels"),
        ("seed = " + "9" * 5000, "holds a whole number of thousands of digits"),
        ("seed = 0x" + "f" * 5000, "holds a whole number of thousands of digits"),
        ("wall = [{ kind = 0x" + "f" * 5000 + "}]", "holds a whole number of thousands of digits"),
        ('base = "a\\u0000b"', "is no name of a case file (base of"),
        ("base = 0x" + "f" * 500, "base = a whole number of about 603 digits must be the name of a case file"),
        ("dimension = 2\nspecies = [{ shape = [1] }]", "species.0.shape = [1] must be one of"),
        ("species = [{ shape = { a = 1 } }]", "species.0.shape = {'a': 1} must be one of"),
        ("dimension = 2\ngrain = [{ orientation = inf }, { orientation = nan }]", "grain.0.orientation"),
    ],
    ids=lambda text: str(text)[:20],
)
def test_a_text_that_is_no_case(folder: Path, capfd: pytest.CaptureFixture[str], content: str, expected: str) -> None:
    Path("bad.toml").write_text(content)
    assert cli.main(["check", "bad.toml"]) == 1
    err = capfd.readouterr().err
    assert expected in err
    assert all(line.startswith("pardem: error: ") and len(line) < 600 for line in err.splitlines())


def test_a_name_with_a_nul_character(folder: Path, refused: Callable[..., str]) -> None:
    assert refused("check", "a\0b.toml").startswith("'a\\x00b.toml': is no name of a case file: it holds a NUL character")
    for key in ("output.file", "grains_file"):
        assert f"{key} = 'a\\x00b' must be the name of a file" in refused("check", "case.toml", "--set", f'{key}="a\\u0000b"')
    law = "contact={law='user', user_law=\"a\\u0000b.py:f\", force_scale=1.0}"
    assert "contact.user_law = 'a\\x00b.py:f' must match" in refused("check", "case.toml", "--set", law)
    for command in ("info", "plot", "render", "export"):
        assert "is no name of a file" in refused(command, "a\0b.h5")


@pytest.mark.parametrize("name", ["a" * 300, "a" * 5000])
def test_a_name_that_is_too_long(folder: Path, refused: Callable[..., str], name: str) -> None:
    for command in ("info", "plot", "render", "export"):
        assert refused(command, name)
    for command in ("check", "run"):
        assert "File name too long" in refused(command, f"{name}.toml")
        assert refused(command, "case.toml", *settings(contact=f"{{law='user', user_law='{name}.py:f', force_scale=1.0}}")).startswith(
            "case.toml: contact.user_law = 'aaa"
        )
    assert refused("run", "case.toml", *SHORT, *settings(output__file=f"'{name}'"))


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("insert.²=1", "--set insert.²=1: there is no insert.²; entries are 0 to 0"),
        ("insert.٣=1", "there is no insert.٣"),
        (f"insert.{'9' * 5000}=1", "there is no insert.9"),
        ("a" + ".a" * 5000 + "=1", "the key has 5001 parts; no key of a case has more than 16"),
        ("title=" + "[" * 100_000 + "]" * 100_000, "tables and lists lie in each other over more than 16 levels"),
        ("seed=" + "9" * 5000, "holds a whole number of thousands of digits"),
    ],
    ids=lambda text: str(text)[:20],
)
def test_a_setting_that_cannot_be(folder: Path, refused: Callable[..., str], setting: str, expected: str) -> None:
    said = refused("check", "case.toml", "--set", setting)
    assert expected.startswith("--set") or said.startswith("--set ")
    assert expected in said


RUN = "stage=[{name='go', kind='run', time=1e60}]"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (settings(time__step="1e-300"), "time.step = 1e-300 must be 0 or of a size between 1e-60 and 1e+60"),
        (settings(species__rod__radius="1e100"), "species.rod.radius = 1e+100 must be 0 or of a size between"),
        (settings(stage__shake__frequency="1e-320"), "stage.shake.frequency = 1e-320 must be 0 or of a size between"),
        (settings(stage__shake__taps=BIG), "stage.shake.taps = a whole number of about 400 digits must be at most 9007199254740992"),
        (settings(insert__0__count=BIG), "insert.0.count = a whole number of about 400 digits must be less than 2147483648"),
        (settings(gravity=f"[0, 0, {BIG}]"), "gravity.2"),
        (settings(insert__0__count=10**12), "insert.0.count = 1000000000000 must be less than 2147483648"),
        (settings(output__observables__layers="{thickness=1e-12}"), "output.observables.layers.thickness = 1e-12 makes 3e+10 layers from 0.0"),
        ([*settings(output="{}"), "--set", RUN], "stage.go takes 5e+64 steps of time.step = 2e-05 s, but a run can have at most 9.01e+15"),
        (
            settings(insert__0__region__center="[2e-3, 0, 0]", insert__0__region__radius=4e-3),
            "insert.0.region reaches from -0.002 to 0.006 along x, beyond [domain] (-0.005 to 0.005)",
        ),
        (settings(insert__0__region__upper=31e-3), "insert.0.region reaches from 0.0 to 0.031 along z, beyond [domain] (-0.002 to 0.03)"),
        (["--set", "wall.base.normal=[0, 0, 0]"], "wall.base.normal must not be the zero vector"),
    ],
)  # fmt: skip
def test_what_overflows_or_does_not_fit_is_found_by_check(folder: Path, refused: Callable[..., str], change: list[str], expected: str) -> None:
    assert refused("check", "case.toml", *change).startswith(f"case.toml: {expected}")


@pytest.mark.parametrize("sides", [10**13, 1001, 2])
def test_a_polygon_has_a_bounded_number_of_sides(sides: int) -> None:
    species = [{"name": "a", "shape": "regular_polygon", "sides": sides, "edge": 1.0, "radius": 1.0, "density": 1.0}]
    with pytest.raises(CaseError, match=rf"species\.a\.sides = {sides} must be at"):
        case_of(species, ELASTIC, 1e-4, dimension=2, domain={"lower": (0, 0), "upper": (1, 1)}, gravity=(0, 0))


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e-9, 1.0, 1e9, 1e200, 1e308])
def test_vectors_of_any_length_are_normalised(size: float) -> None:
    for vector in ((0.0, 0.0, size), (size, size, 0.0), (0.6 * size, 0.0, -0.8 * size)):
        out = normalised(vector)
        assert math.fsum(c * c for c in out) == pytest.approx(1.0, rel=1e-15 if size > 1e-300 else 1e-3)
        assert all(math.copysign(1.0, a) == math.copysign(1.0, b) for a, b in zip(vector, out, strict=True))
    assert normalised((0.6, 0.0, 0.8)) == (0.6, 0.0, 0.8)


def test_an_orientation_of_any_length_is_normalised(folder: Path) -> None:
    found = []
    for size in (1e-200, 1.0, 1e200):
        np.savez("grains.npz", **GRAINS, orientation=size * np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 2.0, 3.0, 4.0]]))
        case = read_case("case.toml", ["insert=[]", "grains_file='grains.npz'"])
        found.append(read_grains_file(case)["orientation"])
    assert np.allclose(found[0], found[1], rtol=1e-15, atol=0.0)
    assert np.allclose(found[2], found[1], rtol=1e-15, atol=0.0)


def test_many_materials_are_not_looked_at_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2000 materials, alike but for one pair, parameters are worked out twice, and the tables of the law have a row for each that differs."""
    asked: list[Any] = []
    whole = Contact.resolve
    monkeypatch.setattr(Contact, "resolve", lambda self, pair, bodies: asked.append(pair) or whole(self, pair, bodies))
    species = [SPHERE | {"name": f"s{k}"} for k in range(2000)]
    contact = {"restitution": 0.5, "contact_time": 0.02, "pair": [{"between": ["s1", "s2"], "restitution": 0.9}]}
    case = case_of(species, contact, 1e-4, grain=[{"species": "s0", "position": (0, 0, 0)}], wall=[FLOOR])
    setup = build_scene(case, *size_range(case))
    assert len(asked) < 20
    assert setup.scene.law.kn.shape == (4, 4)
    row = setup.scene.shapes.material
    assert row[0] == row[3] == row[1999]
    assert setup.scene.law.cn[row[1], row[2]] < setup.scene.law.cn[row[0], row[2]] == setup.scene.law.cn[row[5], row[6]]
    assert contact_times(case, *lightest_grains(case)).seconds.shape == (2000, 2001)


# --- code of the user ----------------------------------------------------------------------------------------------------------------------

USER = ["--set", "contact={law='user', user_law='law.py:f', force_scale=1.0}"]


def test_code_that_a_case_brings_along_is_named_and_can_be_forbidden(
    folder: Path, refused: Callable[..., str], capfd: pytest.CaptureFixture[str]
) -> None:
    Path("law.py").write_text("from pathlib import Path\nPath('ran').touch()\ndef f(delta, rate, m, r, p):\n    return 1e3 * delta\n")
    for command in ("check", "run", "warmup"):
        said = refused(command, "case.toml", *USER, "--no-user-code")
        assert said.startswith("case.toml: contact.user_law = 'law.py:f' is code that comes with the case, which --no-user-code forbids to run")
    assert not Path("ran").exists()
    assert cli.main(["check", "case.toml", *USER, "--effective"]) == 0
    assert not Path("ran").exists()
    assert cli.main(["check", "case.toml", *USER]) == 0
    assert "contact.user_law = 'law.py:f' runs code that comes with the case; --no-user-code forbids it" in capfd.readouterr().out
    assert Path("ran").exists()
    assert cli.main(["check", "case.toml", "--no-user-code"]) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("raise RuntimeError('no')", "cannot be loaded (RuntimeError: no)"),
        ("def f(:", "cannot be loaded (SyntaxError: "),
        ("import sys\nsys.exit(3)", "cannot be loaded (SystemExit: 3)"),
        ("g = 1", "has no function 'f'"),
        ("f = 1", "has no function 'f'"),
        ("def f(delta):\n    return delta", "does not compile as f(delta, rate, m_eff, r_eff, parameters)"),
        ("def f(delta, rate, m, r, p):\n    return open(delta)", "does not compile as f(delta, rate, m_eff, r_eff, parameters)"),
        ("def f(delta, rate, m, r, p):\n    pass", "must return the force as a number, not none"),
    ],
)
def test_a_law_of_the_user_that_cannot_be(folder: Path, refused: Callable[..., str], text: str, expected: str) -> None:
    Path("law.py").write_text(text)
    said = refused("check", "case.toml", *USER)
    assert said.startswith("case.toml: contact.user_law = 'law.py:f'")
    assert expected in said


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
        (
            {"velocity": np.array(["a", "b"])},
            "grains_file = 'grains.npz': velocity must be an array of numbers, a row for each grain, not <U1 of shape (2,)",
        ),
        (
            {"position": np.float64(1.0)},
            "grains_file = 'grains.npz': position must be an array of numbers, a row for each grain, not float64 of shape ()",
        ),
        ({"species": np.zeros((2, 2), int)}, "grains_file = 'grains.npz': array 'species' must be of shape (2,), not (2, 2)"),
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
    "foreign.h5": "is an HDF5 file that pardem did not write; name a result", "later.h5": "has format 99 and this pardem reads formats up to 2",
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


def damaged(name: str, change: Callable[[h5py.File], None]) -> str:
    """A copy of the good result, changed."""
    shutil.copy("good.h5", name)
    with h5py.File(name, "r+") as file:
        change(file)
    return name


def put(where: str, value: Any) -> Callable[[h5py.File], None]:
    """A change that lays a value, or a group (None), in the place of what is there."""

    def change(file: h5py.File) -> None:
        del file[where]
        if value is None:
            file.create_group(where)
        else:
            file[where] = value

    return change


def label(name: str, value: Any) -> Callable[[h5py.File], None]:
    """A change of an attribute."""
    return lambda file: file.attrs.__setitem__(name, value)


STATE = "pardem/final"
ALL = (["info"], ["plot"], ["render"], ["export"], ["compare", "good.h5"])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (label("pardem_format", "text"), "is damaged: its format is no whole number"),
        (label("pardem_format", np.arange(3)), "is damaged: its format is no whole number"),
        (label("pardem_kind", np.arange(3)), "is an HDF5 file that pardem did not write"),
        (put("observables/coordination/value", np.zeros(2)), "is damaged: observables/coordination has 2 rows"),
        (put("observables/coordination/value", None), "is damaged: observables/coordination/value is no array of numbers"),
        (put("observables/coordination/value", b"text"), "is damaged: observables/coordination/value is no array of numbers"),
        (put("observables", 1.0), "is damaged: observables is no group"),
        (put("particles/grains/id", np.arange(2)), "is damaged: particles/grains has tables of 2 and 3 grains"),
        (put("particles/grains/velocity/value", np.zeros((3, 3, 2))), "is damaged: particles/grains/velocity/value is of shape (3, 3, 2) in"),
        (put("particles/grains/velocity/value", np.zeros((3, 2, 3))), "is damaged: particles/grains/velocity/value is of shape (3, 2, 3) in"),
        (put("particles/grains/position/value", h5py.Empty("f8")), "is damaged: particles/grains/position/value is no array of numbers"),
        (put("parameters/pardem/catalogue/vertex_start", np.array([5, 9])), "is damaged: parameters/pardem/catalogue/vertex_start does not fit"),
        (put("parameters/pardem/catalogue/radius", np.zeros(7)), "is damaged: parameters/pardem/catalogue/radius is of shape (7,) in place of (1,)"),
        (put(f"{STATE}/contacts/lower", np.arange(99)), f"is damaged: {STATE}/contacts has tables of different lengths"),
        (put(f"{STATE}/grains/x", None), f"is damaged: {STATE}/grains/x is no array of numbers"),
        (put(STATE, np.zeros(3)), f"is damaged: {STATE} is no group"),
    ],
)  # fmt: skip
def test_a_damaged_result_is_named_by_all_commands(
    results: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, change: Callable[[h5py.File], None], expected: str
) -> None:
    monkeypatch.chdir(results)
    name = damaged("damaged.h5", change)
    for command in ALL:
        assert refused(*command, name).startswith(f"{name} {expected}")


@pytest.mark.parametrize(
    ("where", "value", "commands", "expected"),
    [
        (f"{STATE}/header", b"no json", ("info", "compare good.h5"), "is damaged: header is no JSON"),
        (f"{STATE}/header", b"[]", ("info", "compare good.h5"), "is damaged: header is no table"),
        (f"{STATE}/header", b"[" * 9000 + b"]" * 9000, ("info", "compare good.h5"), "is damaged: header is no JSON"),
        (f"{STATE}/header", b"9" * 5000, ("info", "compare good.h5"), "is damaged: header is no JSON"),
        (f"{STATE}/header", np.arange(3), ("info", "compare good.h5"), f"is damaged: /{STATE}/header is no text"),
        (f"{STATE}/header", None, ("info", "compare good.h5"), "is damaged: header is no data set"),
        (f"{STATE}/checksums", b"null", ("info", "compare good.h5"), "is damaged: checksums is no table"),
        ("parameters/pardem/provenance", b"no json", ("info",), "is damaged: parameters/pardem/provenance is no JSON"),
        ("parameters/pardem/provenance", b"[3]", ("info",), "is damaged: provenance is not what pardem writes"),
        ("parameters/pardem/case", b"[", ("render", "export", "export --format gsd"), "is damaged: parameters/pardem/case is no TOML"),
        ("parameters/pardem/case", b"", ("render", "export"), "is damaged: parameters/pardem/case is no case"),
    ],
)
def test_a_damaged_text_in_a_result(
    results: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, where: str, value: Any, commands: tuple[str, ...], expected: str
) -> None:
    monkeypatch.chdir(results)
    name = damaged("damaged.h5", put(where, value if not isinstance(value, bytes) else np.bytes_(value)))
    for command in commands:
        assert refused(*command.split(), name).startswith(f"{name} {expected}")


def test_resumed_from_damaged_files(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A checkpoint that does not hold what it should is passed over, whatever it holds, with a sentence."""
    run = ["run", "case.toml", *SHORT, *settings(output__checkpoint_steps=5)]
    state = "pardem/state"
    changes = [label("pardem_format", "x"), put(f"{state}/grains/x", np.zeros(2)), put(f"{state}/contacts/lower", np.zeros(9, int)), put(state, 1.0)]
    for change in [*changes, put(f"{state}/header", np.bytes_(b"[]")), put(f"{state}/checksums", None)]:
        assert cli.main([*run, "--force", "--walltime", "00:00:00"]) == 75
        (kept,) = Path("case.h5.parts").glob("checkpoint-*.h5")
        with h5py.File(kept, "r+") as file:
            change(file)
        capfd.readouterr()
        assert cli.main([*run, "--resume"]) == 0
        err = capfd.readouterr().err
        assert "passed over a checkpoint: " in err
        assert "Traceback" not in err


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
        ("grains_file='fast.npz'", "the position or velocity of grain 0 is not a finite number"),
        (TWO.format("velocity=[40, 0, 0]"), "grain 0 and "),
    ],
    ids=["NaN", "runaway overlap"],
)
def test_an_unphysical_motion_ends_two_ranks_within_seconds(folder: Path, start_mpi: Callable, grains: str, expected: str) -> None:
    np.savez("fast.npz", **GRAINS, angular_velocity=np.array([[0.0, 0.0, 1e300], [0.0, 0.0, 0.0]]))
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
    kept = "just before the run stopped" in said  # what led to it can be looked at
    assert ("No checkpoint has been written yet." in said) == (not kept)
    with h5py.File(Path("case.h5")) as file:
        assert len(file["particles/grains/position/value"]) == 1 + kept
    assert "Warning" not in said
