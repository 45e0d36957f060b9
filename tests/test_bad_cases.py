"""Cases that cannot be: every command ends with status 1 and one sentence that names file, key, value and remedy."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from run_scene import SHORT, settings
from scenes import ELASTIC, case_of

from pardem import cli
from pardem.case_values import normalised
from pardem.errors import CaseError


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


@pytest.mark.parametrize("command", ["run", "check"])
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
        (settings(contact__eps=1.5), "contact.eps"),
        (settings(insert__0__count=9000), "insert.0: 9000 grains of species 'rod' and what else is put"),
        (settings(grain="[{species='rod', position=[0, 0, 1.0]}]"), "grain.0.position"),
        (settings(domain='{lower=[-2e-3, -5e-3, 0], upper=[2e-3, 5e-3, 3e-2], periodic=[true, false, false]}', **NARROW), "domain: the"),
    ],
)  # fmt: skip
def test_a_case_that_cannot_be(folder: Path, refused: Callable[..., str], command: str, change: list[str], expected: str) -> None:
    assert refused(command, "case.toml", *SHORT, *change).removeprefix("case.toml: ").startswith(expected)
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
    for command in ("run", "check"):
        assert cli.main([command, "bad.toml"]) == 1
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
    for command in ("check", "run"):
        assert "File name too long" in refused(command, "case.toml", *SHORT, *settings(output__file=f"'{name}'"))


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize(("name", "expected"), [(".", ". is a folder; name a file with -o"), ("none/a.h5", "none is no folder: make it, or name")])
def test_an_output_that_cannot_be_written(folder: Path, refused: Callable[..., str], command: str, name: str, expected: str) -> None:
    said = refused(command, "case.toml", *SHORT, *settings(output__file=f"'{name}'"))
    assert said.removeprefix("case.toml: ").startswith(expected)


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
    for command in ("run", "check"):
        said = refused(command, "case.toml", "--set", setting)
        assert expected.startswith("--set") or said.startswith("--set ")
        assert expected in said


RUN = "stage=[{name='go', kind='run', time=1e60}]"


@pytest.mark.parametrize("command", ["run", "check"])
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
def test_what_overflows_or_does_not_fit_is_found(folder: Path, refused: Callable[..., str], command: str, change: list[str], expected: str) -> None:
    assert refused(command, "case.toml", *change).startswith(f"case.toml: {expected}")


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
