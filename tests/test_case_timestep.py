"""The time step against contact times."""

from __future__ import annotations

import math

import numpy as np
import pytest
from case_scene import changed
from scenes import CUBE, ELASTIC, FLOOR, ROD, TETRAHEDRON, case_of

from pardem.case import Case
from pardem.errors import CaseError
from pardem.laws.hertz import hertz_contact_time
from pardem.laws.linear import spring_contact_time
from pardem.setup.preparation import build_scene
from pardem.setup.timestep import ContactTime, check_time_step, contact_time, contact_times

FEATURES = ELASTIC | {"interaction": "superposition"}


def test_error_above_a_tenth_and_warning_above_a_twentieth() -> None:
    time = ContactTime(("rod", "base"), 6e-4, 6e-4)
    assert check_time_step(3e-5, [time]) == []
    assert check_time_step(2e-5, [time]) == []
    (warning,) = check_time_step(3.1e-5, [time])
    assert "between 'rod' and 'base' lasts 0.0006 s" in warning
    assert len(check_time_step(6e-5, [time])) == 1
    with pytest.raises(CaseError, match=r"time\.step = 6\.1e-05 s is too long: a contact between 'rod' and 'base'"):
        check_time_step(6.1e-5, [time])


def test_spring_against_the_oscillator() -> None:
    # half a period of x'' = -(n k/m) x, counted between zeros of a numerical solution
    m, k, n, h = 0.3, 700.0, 2, 1e-6
    x, v, t = 0.0, 1.0, 0.0
    while t == 0.0 or x > 0.0:
        v -= h * n * k / m * x
        x += h * v
        t += h
    assert spring_contact_time(m, k, n) == pytest.approx(t, rel=1e-4)


def test_hertz_against_the_equation_of_motion() -> None:
    m, r, e, v0, h = 2e-6, 1e-3, 1e7, 0.4, 1e-9
    x, v, t = 0.0, v0, 0.0
    while t == 0.0 or x > 0.0:
        v -= h * 4.0 / 3.0 * e * math.sqrt(r * max(x, 0.0)) * x / m
        x += h * v
        t += h
    assert hertz_contact_time(m, r, e, v0) == pytest.approx(t, rel=1e-4)


def test_walton_raw_and_restitution_agree() -> None:
    m, e, tc = 1e-6, 0.4, 6e-4
    k1 = m * (np.pi * (1 + e) / (2 * tc)) ** 2
    raw = Case(**changed("contact", {"law": "walton", "loading_stiffness": float(k1), "unloading_stiffness": float(k1 / e**2)}))
    nominal = Case(**changed("contact", {"law": "walton", "restitution": e, "contact_time": tc}))
    pair = ("bead", "bead")
    first = contact_time(pair, raw.contact_between(*pair), m, 1e-3)
    second = contact_time(pair, nominal.contact_between(*pair), m, 1e-3)
    assert first is not None
    assert second is not None
    assert first.seconds == pytest.approx(second.seconds, rel=1e-12)
    assert first.fastest == pytest.approx(second.fastest, rel=1e-12)


def test_rod_along_a_cylinder_has_two_contacts() -> None:
    case = Case(**changed("wall.0", {"name": "tube", "kind": "cylinder", "radius": 0.1}) | {"stage": [{"name": "r", "kind": "run", "steps": 1}]})
    times = {t.between: t.seconds for t in contact_times(case, {"bead": 1e-6, "rod": 2e-6}, {"bead": 1e-3, "rod": 1e-3}).pairs()}
    assert times["rod", "tube"] == pytest.approx(1e-3 / math.sqrt(2.0))
    assert times["bead", "tube"] == times["bead", "rod"] == 1e-3


def test_raw_takes_the_lightest_pair() -> None:
    case = Case(**changed("contact", {"normal_stiffness": 100.0}))
    times = {t.between: t.seconds for t in contact_times(case, {"bead": 1e-6, "rod": 3e-6}, {"bead": 1e-3, "rod": 1e-3}).pairs()}
    assert times["bead", "bead"] == pytest.approx(math.pi * math.sqrt(0.5e-6 / 100.0))
    assert times["bead", "rod"] == pytest.approx(math.pi * math.sqrt(0.75e-6 / 100.0))
    assert times["bead", "base"] == pytest.approx(math.pi * math.sqrt(1e-6 / 100.0))


def test_a_warning_where_flat_contacts_rock_too_fast() -> None:
    def warnings(eps: float) -> list[str]:
        case = case_of([CUBE], ELASTIC | {"eps": eps}, 1e-3, grain=[{"species": "cube", "position": (0, 0, 0)}])
        return [w for w in build_scene(case, {"cube": 1.0}, {"cube": 1.0}).warnings if "rock" in w]

    assert warnings(0.03) == []
    (warning,) = warnings(0.005)
    assert warning.startswith("contact.eps = 0.005 is small for species 'cube' at time.step = 0.001 s")
    better = float(warning.split("better make it ")[1].split()[0])
    assert 0.005 < better < 0.03
    assert warnings(1.05 * better) == []


def test_superposed_contacts_make_the_time_shorter() -> None:
    """Two vertices of tetrahedra make 15 contacts, a face of one on a wall 3 (paper 003; docs/theory/contacts.md)."""
    case = case_of([TETRAHEDRON, ROD], FEATURES, 1e-5, grain=[{"species": "rod", "position": (0, 0, 0)}], wall=[FLOOR])
    ones = dict.fromkeys(("rod", "tetrahedron"), 1.0)
    times = {t.between: t.seconds for t in contact_times(case, ones, ones).pairs()}
    whole = FEATURES["contact_time"]
    assert times["tetrahedron", "tetrahedron"] == pytest.approx(whole / math.sqrt(15.0))
    assert times["rod", "rod"] == whole
    assert times["tetrahedron", "rod"] == pytest.approx(whole / math.sqrt(6.0))
    assert times["tetrahedron", "floor"] == pytest.approx(whole / math.sqrt(3.0))


@pytest.mark.parametrize("dimension", [2, 3])
def test_several_minima_make_the_time_shorter(dimension: int) -> None:
    """Grains that are not convex hold each other at two points in the plane, at three in space; convex ones at one."""
    hook = {"shape": "peanut", "length": 1.0} if dimension == 2 else {"shape": "yermis", "edge": 1.0}
    ball = {"shape": "disk" if dimension == 2 else "sphere"}
    species = [{"name": name, "radius": 0.1, "density": 1.0} | shape for name, shape in (("hook", hook), ("ball", ball))]
    grains = [{"species": s["name"], "position": (3.0 * k,) * dimension} for k, s in enumerate(species)]
    plane = {"dimension": 2, "gravity": (0.0, 0.0), "domain": {"lower": (-50, -50), "upper": (50, 50)}} if dimension == 2 else {}
    case = case_of(species, ELASTIC | {"interaction": "minima"}, 1e-5, grain=grains, **plane)
    times = {t.between: t.seconds for t in contact_times(case, {"hook": 1.0, "ball": 1.0}, {"hook": 0.1, "ball": 0.1}).pairs()}
    whole = ELASTIC["contact_time"]
    assert times["ball", "ball"] == pytest.approx(whole)
    assert times["hook", "ball"] == times["hook", "hook"] == pytest.approx(whole / dimension**0.5)


def test_species_of_one_material_share_its_parameters() -> None:
    """A law has one row for a material, however many species have it; the lightest counts for the time step."""
    small = TETRAHEDRON | {"name": "small", "material": "rock", "edge": 0.5}
    case = case_of([TETRAHEDRON | {"material": "rock"}, small], {"law": "elastic", "normal_stiffness": 1e6}, 1e-5,
                   grain=[{"species": "small", "position": (0, 0, 0)}, {"species": "tetrahedron", "position": (3, 0, 0)}])  # fmt: skip
    assert case.materials == ("rock",)
    setup = build_scene(case, {"small": 1.0, "tetrahedron": 1.0}, {"small": 1.0, "tetrahedron": 1.0})
    assert setup.scene.shapes.material.tolist() == [0, 0]
    assert setup.scene.law.kn.shape == (1, 1)
    (time,) = contact_times(case, {"small": 1.0, "tetrahedron": 3.0}, {"small": 0.1, "tetrahedron": 0.1}).pairs()
    assert time.between == ("rock", "rock")
    assert time.seconds == pytest.approx(math.pi * math.sqrt(0.5 / 1e6))


def test_the_check_knows_walton_unloading_from_the_whole_collision() -> None:
    """In the table of all pairs as for a single one: a collision of the contact time, of which the unloading takes the share e/(1 + e)."""
    contact = {"law": "walton", "restitution": 0.4, "contact_time": 0.02}
    case = case_of([ROD], contact, 1e-4, grain=[{"species": "rod", "position": (0, 0, 5)}], wall=[FLOOR])
    times = contact_times(case, {"rod": 1.0}, {"rod": 0.25})
    assert times.between("rod", "floor") == 0.02
    assert [time.fastest for time in times.pairs()] == pytest.approx([0.02 * 2.0 * 0.4 / 1.4] * 2)
