"""No false alarms: cases that are known to run are foreseen to run. And each kind of trouble is foreseen, with a remedy that does away with it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pardem import cli
from pardem.case import Case
from pardem.errors import CaseError, InsertionError
from pardem.forecast import forecast
from pardem.io.casefile import read_case
from pardem.setup.initial_grains import size_range
from pardem.setup.preparation import build_scene

ROOT = Path(__file__).resolve().parent.parent
JOBS = [path for path in sorted(ROOT.glob("jobs/**/*.toml")) if not path.name.endswith("base.toml") and "[[measure]]" not in path.read_text()]
TEXTS = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/guide.md").read_text(), re.DOTALL)
BLOCKS = [data for data in map(tomllib.loads, TEXTS) if "stage" in data and "base" not in data]


pytestmark = pytest.mark.usefixtures("rough_masses")


def foreseen(case: Case) -> list[str]:
    return forecast(case, build_scene(case, *size_range(case)))


@pytest.mark.parametrize("path", JOBS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_alarm_in_jobs(path: Path) -> None:
    case = read_case(path)
    if case.grains_file is not None and not (path.parent / case.grains_file).exists():
        pytest.skip("its grains are made by a script")
    if case.start is not None:
        pytest.skip("it starts from a result")
    assert foreseen(case) == []


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_no_alarm_in_the_guide(number: int) -> None:
    assert foreseen(Case(**BLOCKS[number])) == []


def bucket(**changes: Any) -> Case:
    """Beads that fall into a bucket of four planes and a floor; ``changes`` replace keys, in lists of tables by name."""
    planes = {"floor": ((0, 0, 0), (0, 0, 1)), "left": ((0, 0, 0), (1, 0, 0)), "right": ((0.04, 0, 0), (-1, 0, 0))}
    planes |= {"front": ((0, 0, 0), (0, 1, 0)), "back": ((0, 0.04, 0), (0, -1, 0))}
    wall = [{"name": name, "kind": "plane", "point": point, "normal": normal} for name, (point, normal) in planes.items()]
    data: dict[str, Any] = {
        "time": {"step": 1e-5},
        "contact": {"restitution": 0.5, "contact_time": 3e-4, "friction": 0.5},
        "domain": {"lower": (-0.01, -0.01, -0.01), "upper": (0.05, 0.05, 0.2)},
        "species": [{"name": "bead", "shape": "sphere", "radius": 1e-3, "density": 2500.0}],
        "insert": [{"name": "all", "species": "bead", "count": 200, "region": {"kind": "box", "lower": (0, 0, 0), "upper": (0.04, 0.04, 0.15)}}],
        "wall": wall,
        "stage": [{"name": "fall", "kind": "run", "time": 0.5}],
    }
    without = changes.pop("without", ())
    for key, value in changes.items():
        data[key] = value if not isinstance(value, dict) or not isinstance(data[key], dict) else data[key] | value
    data["wall"] = [entry for entry in data["wall"] if entry["name"] not in without]
    return Case(**data)


def region(lower: tuple[float, ...], upper: tuple[float, ...], count: int = 200) -> list[dict[str, Any]]:
    return [{"name": "all", "species": "bead", "count": count, "region": {"kind": "box", "lower": lower, "upper": upper}}]


def test_nothing_is_foreseen_of_a_sound_case() -> None:
    assert foreseen(bucket()) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"contact": {"contact_time": 4e-3}}, r"insert.all: grains fall up to 0.14\d m to wall 'floor'.*make contact.contact_time at most \S+ s"),
        ({"without": ("back",)}, r"insert.all: in stage 'fall' grains on wall 'floor' can roll to the face 'upper-y'.*domain.outflow"),
        ({"without": ("floor",)}, r"insert.all: in stage 'fall' there is no wall between these grains and the face 'lower-z' of the domain"),
        ({"domain": {"periodic": (True, False, False)}}, r"domain.periodic: the domain is periodic along x, but wall '\w+' lies across that axis"),
        (
            {"domain": {"periodic": (True, False, False)}, "gravity": (1e9, 0.0, -9.81)},
            r"gravity: its x component of 1e\+09 m/s2 moves grains by \S+ m in a step of .*the period of 0.06 m.*make gravity.0 or time.step smaller",
        ),
        ({"insert": region((0, 0, 0), (0.04, 0.045, 0.15))}, r"insert.all.region reaches 0.005 m behind wall 'back'.*make the region smaller"),
        ({"insert": region((0, 0, 0), (0.04, 0.04, 0.15), 25000)}, r"insert.all: 25000 grains .* would fill 44% of it.*at most 17\d\d\d grains"),
    ],
    ids=["overlap", "roll", "fall", "period", "leap", "region", "filling"],
)
def test_trouble_is_foreseen(changes: dict[str, Any], said: str) -> None:
    sentences = foreseen(bucket(**changes))
    assert any(re.search(said, sentence) for sentence in sentences), sentences


@pytest.mark.parametrize(
    "contact",
    [
        {"restitution": 0.5, "contact_time": 4e-3},
        {"law": "walton", "restitution": 0.5, "contact_time": 4e-3},
        {"law": "elastic", "contact_time": 4e-3},
        {"normal_stiffness": 1.0, "normal_damping": 1e-4},
        {"law": "hertz", "young": 2e3, "poisson": 0.3, "reference_speed": 2.0, "restitution": 0.5},
    ],
    ids=["viscoelastic", "walton", "elastic", "raw", "hertz"],
)
def test_the_remedy_does(contact: dict[str, Any]) -> None:
    data = bucket().model_dump(exclude_none=True)
    (sentence,) = foreseen(Case(**data | {"contact": contact}))
    found = re.search(r"make contact\.(\w+) at (most|least) (\S+) \w", sentence)
    assert found is not None, sentence
    mended = contact | {found[1]: float(found[3])}
    if "normal_damping" in contact:
        mended["normal_damping"] = 0.0
    assert foreseen(Case(**data | {"contact": mended, "time": {"step": 1e-7}})) == []


def test_a_swinging_wall_and_a_pushed_one_are_heeded() -> None:
    soft = {"restitution": 0.5, "contact_time": 3e-4}
    stage = [{"name": "shake", "kind": "vibrate", "wall": "floor", "taps": 3, "frequency": 50.0, "amplitude": 0.05}]
    (swing,) = foreseen(bucket(stage=stage, contact=soft))
    assert re.match(r"stage.shake: wall 'floor' swings at up to 15.7 m/s", swing)
    wall = [*bucket().model_dump(exclude_none=True)["wall"]]
    servo = {"kind": "servo", "direction": (0, 0, -1), "pressure": 1e6, "area": 1.6e-3, "mass": 1.0, "damping": 1e4}
    lid = {"name": "lid", "kind": "plane", "point": (0, 0, 0.16), "normal": (0, 0, -1), "motion": servo}
    (press,) = foreseen(bucket(wall=[*wall, lid], contact=soft))
    assert re.match(r"wall.lid.motion: a load of 1.6e\+03 N presses up to 16 N onto a grain of species 'bead'", press)


def test_what_cannot_be_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InsertionError, match=r"insert.all: 50000 grains of species 'bead' .* would fill 87% of it"):
        foreseen(bucket(insert=region((0, 0, 0), (0.04, 0.04, 0.15), 50000)))
    with pytest.raises(CaseError, match=r"insert.all.region lies behind wall 'floor'"):
        foreseen(bucket(insert=region((0, 0, -0.009), (0.04, 0.04, -0.001), 20)))
    with pytest.raises(CaseError, match=r"grain: grain 0 at \[0.01, 0.01, -0.002\] has its centre 0.002 m behind wall 'floor'"):
        foreseen(bucket(insert=[], grain=[{"species": "bead", "position": (0.01, 0.01, -0.002)}]))
    path = tmp_path / "full.toml"
    path.write_text(bucket(insert=region((0, 0, 0), (0.04, 0.04, 0.15), 50000)).to_toml())
    for command in ("check", "run"):
        assert cli.main([command, str(path)]) == 1
        assert re.match(r"pardem: error: .*full.toml: insert.all: 50000 grains", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("lower", "crossing"), [(0.0, True), (0.019, True), (0.02, False), (0.03, False)], ids=["below", "just below", "on it", "above"]
)
def test_a_region_across_a_disc_or_a_cone_is_seen(lower: float, crossing: bool) -> None:
    """A disc at a height of 0.02 m, and a cone that opens from there: a region above the disc is still partly outside the cone."""
    disc = {"name": "sieve", "kind": "disc", "center": (0.02, 0.02, 0.02), "normal": (0, 0, 1), "radius": 0.03}
    cone = {"name": "hopper", "kind": "cone", "center": (0.02, 0.02, 0.02), "radius": 0.005, "end_radius": 0.03, "length": 0.05}
    walls = bucket().model_dump(exclude_none=True)["wall"]
    for wall, expected in ((disc, crossing), (cone, True)):
        sentences = foreseen(bucket(wall=[*walls, wall], insert=region((0, 0, lower), (0.04, 0.04, 0.15), 20)))
        assert any(re.match(rf"insert.all.region lies on both sides of wall '{wall['name']}'", said) for said in sentences) == expected, sentences
    above = foreseen(bucket(wall=[*walls, cone], insert=region((0, 0, 0.07), (0.04, 0.04, 0.15), 20)))
    assert not any("both sides" in said for said in above)


def test_what_may_go_wrong_is_a_warning_and_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "open.toml"
    path.write_text(bucket(without=("back",)).to_toml())
    assert cli.main(["check", str(path)]) == 0
    assert re.search(r"^warning    insert.all: in stage 'fall' grains on wall 'floor' can roll", capsys.readouterr().out, re.MULTILINE)


def test_of_many_sizes_the_volume_is_the_mean() -> None:
    from pardem.setup.insert_fraction import mean_volume

    insert = bucket(insert=[region((0, 0, 0), (0.04, 0.04, 0.15))[0] | {"size": {"kind": "uniform", "min": 0.5, "max": 1.5}}]).insert[0]
    sizes = np.linspace(0.5, 1.5, 100_001)
    for dimension in (2, 3):
        assert mean_volume(insert, dimension) == pytest.approx(float((sizes**dimension).mean()), rel=1e-4)
