"""The case model: defaults, contact parameters, cross checks, hash, effective TOML."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
from case_scene import changed, error, scene

from pardem.case import Case
from pardem.case.output import Cadence
from pardem.case.stages import steps_in
from pardem.errors import CaseError


def test_defaults() -> None:
    case = Case(**scene())
    assert case.gravity == (0.0, 0.0, -9.81)
    assert case.time.integrator == "verlet"
    assert case.wall[0].material == "base"
    assert case.wall[0].normal == (0.0, 0.0, 1.0)
    assert case.materials == ("bead", "rod", "base")
    assert (case.eps("rod"), case.eps("bead")) == (0.1, 0.0)
    assert case.max_steps() == 10000 + 10000


def test_frozen() -> None:
    case = Case(**scene())
    with pytest.raises(ValueError, match="frozen"):
        case.seed = 3  # type: ignore[misc]


def test_arrays_are_taken() -> None:
    data = changed("species.1", {"name": "rod", "shape": "polyhedron", "radius": 0.1, "density": 1.0, "vertices": np.eye(4, 3)})
    data["grain"][0]["position"] = np.array([0.0, 0.5, 0.25])
    case = Case(**data)
    assert case.grain[0].position == (0.0, 0.5, 0.25)
    assert case.species[1].core_vertices == 4


def test_effective_toml_reads_back() -> None:
    data = scene()
    data["wall"][0]["motion"] = {"kind": "velocity", "velocity": [0.0, 0.0, 0.1], "start": "shake"}
    data["stage"][1] = {"name": "shake", "kind": "run", "steps": 3}
    data["contact"]["eps"] = {"rod": 0.05}
    data["contact"]["pair"] = [{"between": ["rod", "base"], "friction": 0.0}]
    data["title"] = 'a "quoted" \\ line\nand another, \u00e9'
    data["output"] = {"observables": {"layers": {"thickness": 4e-3}}}
    case = Case(**data)
    text = case.to_toml()
    again = Case(**tomllib.loads(text))
    assert again.model_dump() == case.model_dump()
    assert again.hash() == case.hash()
    assert 'integrator = "verlet"' in text


def test_amplitude_from_gamma() -> None:
    case = Case(**scene())
    # PHYSICS: a = Gamma g/(2 pi 30)^2 = 0.5522 mm for Gamma = 2
    assert case.stage[1].amplitude_for(case.gravity) == pytest.approx(0.5522e-3, abs=0.5e-7)


@pytest.mark.parametrize(("duration", "step", "steps"), [(0.1, 1e-5, 10000), (1.0, 3e-1, 4), (0.3, 0.1, 3), (4134 / 30.0, 2e-5, 6890000)])
def test_steps_in(duration: float, step: float, steps: int) -> None:
    assert steps_in(duration, step) == steps


def test_cadence_does_not_drift() -> None:
    cadence = Cadence(every=1666 + 2 / 3)
    assert [cadence.step(k) for k in range(4)] == [0, 1667, 3333, 5000]
    assert cadence.step(3_000_000) == 5_000_000_000
    assert [cadence.next_after(s) for s in (0, 1666, 1667, 3332, 3333)] == [1667, 1667, 3333, 3333, 5000]


def test_cadence_of_a_case() -> None:
    case = Case(**scene() | {"output": {"frame_taps": 1.5, "checkpoint_interval": 0.01, "observable_steps": 7}})
    assert case.cadence("frame") == Cadence(every=5000.0)
    assert case.cadence("checkpoint") == Cadence(every=1000.0)
    assert case.cadence("observable") == Cadence(every=7.0)
    assert Case(**scene()).cadence("frame") is None


class TestContact:
    def test_tangential_restitution_follows(self) -> None:
        data = changed("contact.pair", [{"between": ["base", "rod"], "restitution": 0.2}])
        case = Case(**data)
        assert case.contact_between("rod", "base").tangential_restitution == 0.2
        assert case.contact_between("base", "rod") == case.contact_between("rod", "base")
        other = case.contact_between("rod", "bead")
        assert (other.restitution, other.tangential_restitution, other.friction, other.form) == (0.5, 0.5, 0.3, "restitution")

    def test_pair_in_another_form(self) -> None:
        data = changed("contact.pair", [{"between": ["base", "rod"], "normal_stiffness": 1e4, "tangential_stiffness": 2e3}])
        found = Case(**data).contact_between("rod", "base")
        assert (found.form, found.restitution, found.contact_time) == ("raw", None, None)
        assert (found.normal_stiffness, found.normal_damping, found.friction) == (1e4, 0.0, 0.3)

    @pytest.mark.parametrize(
        ("contact", "expected"),
        [
            ({"restitution": 0.5}, "contact_time missing"),
            ({"restitution": 0.5, "contact_time": 1e-3, "normal_stiffness": 1e4}, "mixes two forms"),
            ({}, "no parameters given"),
            ({"young": 1e6, "restitution": 0.5, "contact_time": 1e-3}, "contact.young is not used by law = 'viscoelastic'"),
            ({"law": "elastic", "contact_time": 1e-3, "restitution": 0.4}, "contact.restitution is not used by law = 'elastic'"),
            ({"law": "hertz", "young": 1e6, "poisson": 0.3}, "reference_speed missing"),
            ({"law": "walton", "loading_stiffness": 2.0, "unloading_stiffness": 1.0}, "contact.unloading_stiffness = 1.0 must be at least"),
            ({"normal_stiffness": 1.0, "friction": 0.1}, "contact.tangential_stiffness is missing"),
            ({"law": "user"}, "user_law"),
            ({"law": "user", "user_law": "law.py:f"}, "force_scale"),
            ({"law": "user", "user_law": "law.py", "force_scale": 1.0}, "contact.user_law = 'law.py' must match"),
            ({"restitution": 0.5, "contact_time": 1e-3, "eps": {"rdo": 0.1}}, "did you mean 'rod'?"),
        ],
    )
    def test_errors(self, contact: dict[str, Any], expected: str) -> None:
        assert expected in error(changed("contact", contact))


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("insert.0.species", "rood", "insert.0.species = 'rood' is not a species of this case (bead, rod); did you mean 'rod'?"),
        ("grain.0.species", "x", "grain.0.species = 'x' is not a species"),
        ("grain.0.position", [0.0, 0.0, 2.0], "lies outside [domain]"),
        ("stage.1.wall", "bse", "stage.shake.wall = 'bse' is not a wall of this case (base); did you mean 'base'?"),
        ("stage.1.name", "settle", "stage.name = 'settle' is used twice"),
        ("stage.1.frequency", 1e4, "too high for time.step"),
        ("wall.0.motion", {"kind": "velocity", "velocity": [1.0, 0.0, 0.0]}, "already moves"),
        ("wall.0.motion", {"kind": "velocity", "velocity": [1.0, 0.0, 0.0], "start": "shak"}, "did you mean 'shake'?"),
        ("gravity", [0.0, 0.0, 0.0], "has no meaning without gravity"),
        ("insert.0.region", {"kind": "periodic"}, "needs [domain] with at least one periodic axis"),
        ("insert.0.region.upper", [0.1, 0.1, 7.0], "beyond [domain]"),
        ("contact.pair", [{"between": ["rod", "bases"], "friction": 0.0}], "did you mean 'base'?"),
        ("contact.pair", [{"between": ["rod", "bead"]}, {"between": ["bead", "rod"]}], "given twice"),
        ("output", {"observables": {"container": "base"}}, "is not a wall of kind cylinder or box of this case"),
        ("output", {"observables": {"near_wall": {"wall": "b", "distance": 1.0}}}, "near_wall.wall = 'b' is not a wall"),
        ("output", {"frame_steps": 3, "frame_interval": 0.1}, "at most one of"),
        ("output", {"fields": ["velocity"]}, "needs 'position' among fields"),
        ("domain.upper", [1.0, -1.0, 1.0], "needs lower < upper along y"),
    ],
)
def test_cross_checks(path: str, value: Any, expected: str) -> None:
    data = scene()
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    at: Any = data
    for part in parents:
        at = at[part]
    at[last] = value
    assert expected in error(data)


def test_no_grains_and_nowhere_to_be() -> None:
    data = scene()
    del data["grain"], data["insert"]
    assert "the case has no grains" in error(data)
    data = scene()
    del data["domain"], data["wall"]
    data["stage"] = [{"name": "run", "kind": "run", "steps": 1}]
    assert "neither [domain] nor [[wall]]" in error(data)


def test_taps_need_a_vibration() -> None:
    data = changed("stage", [{"name": "run", "kind": "run", "steps": 1}])
    data["output"] = {"frame_taps": 1.0}
    assert "output.frame_taps needs a stage with kind = 'vibrate'" in error(data)


class TestHash:
    @pytest.mark.parametrize(
        ("path", "value"),
        [("title", "x"), ("output", {"precision": "single"}), ("detection", {"skin": 1e-4}), ("parallel", {"grid": [2, 1, 1]}), ("stage.1.taps", 9)],
    )
    def test_left_out(self, path: str, value: Any) -> None:
        assert Case(**changed(path, value)).hash() == Case(**scene()).hash()

    @pytest.mark.parametrize(
        ("path", "value"),
        [("seed", 1), ("time.step", 2e-5), ("contact.friction", 0.31), ("stage.0.max_time", 0.2), ("stage.1.gamma", 2.1), ("insert.0.count", 6)],
    )
    def test_counted(self, path: str, value: Any) -> None:
        assert Case(**changed(path, value)).hash() != Case(**scene()).hash()

    def test_defaults_written_out_make_no_difference(self) -> None:
        assert Case(**changed("time", {"step": 1e-5, "integrator": "verlet"})).hash() == Case(**scene()).hash()

    def test_files_enter_with_their_contents(self, tmp_path: Any) -> None:
        case = Case(**scene() | {"grains_file": "grains.npz"}).located(tmp_path)
        with pytest.raises(CaseError, match=r"grains_file = 'grains\.npz' cannot be read"):
            case.hash()
        (tmp_path / "grains.npz").write_bytes(b"one")
        first = case.hash()
        (tmp_path / "grains.npz").write_bytes(b"two")
        assert case.hash() != first
