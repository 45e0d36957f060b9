"""Constants of single materials: what Hertz's law makes of two of them, densities, and what is said where they are missing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scenes import FLOOR, SPHERE, case_of, engine_of

from pardem.case import Case
from pardem.case.contact import Contact
from pardem.errors import CaseError
from pardem.laws.hertz import effective_young
from pardem.setup.initial_grains import size_range
from pardem.setup.law_tables import build_law
from pardem.setup.preparation import build_scene
from pardem.setup.timestep import contact_times, lightest_grains

SPEED = 0.5
HERTZ = {"law": "hertz", "reference_speed": SPEED}
GLASS = {"name": "glass", "young": 7e7, "poisson": 0.22, "density": 2500.0}
RUBBER = {"name": "rubber", "young": 5e6, "poisson": 0.49, "density": 1100.0}
BALL = {"name": "ball", "shape": "sphere", "radius": 0.5, "material": "glass"}
SMALL = {"name": "small", "shape": "sphere", "radius": 0.3, "material": "rubber"}
WALL = FLOOR | {"material": "steel"}
IN_ROW = [{"species": f"s{k}", "position": (2.0 * (k % 40) - 40.0, 2.0 * (k // 40) - 10.0, 2)} for k in range(400)]
IN_THE_AIR = [{"species": "ball", "position": (0, 0, 2)}, {"species": "small", "position": (2, 0, 2)}]


def of(contact: dict[str, Any], *materials: dict[str, Any], **more: Any) -> Case:
    given: dict[str, Any] = {"grain": IN_THE_AIR, "wall": [WALL]} | more
    return case_of([BALL, SMALL], HERTZ | contact, 1e-4, material=materials, **given)


def effective(first: dict[str, Any], second: dict[str, Any]) -> tuple[float, float]:
    """E* and G* (Pa) as Johnson and Mindlin have them."""
    compliance = sum((1.0 - m["poisson"] ** 2) / m["young"] for m in (first, second))
    shear = sum((2.0 - m["poisson"]) * 2.0 * (1.0 + m["poisson"]) / m["young"] for m in (first, second))
    return 1.0 / compliance, 1.0 / shear


def impact(mass: float, radius: float, modulus: float) -> tuple[float, float]:
    """Largest overlap (m) and duration (s) of an elastic impact (Landau and Lifshitz, Theory of Elasticity, section 9)."""
    return (15.0 * mass * SPEED**2 / (16.0 * math.sqrt(radius) * modulus)) ** 0.4, 2.868 * (mass**2 / (radius * modulus**2 * SPEED)) ** 0.2


def test_one_material_for_all_gives_the_tables_of_the_keys() -> None:
    """To the bit, time steps too: constants by body or for both bodies are one thing."""
    same = {"young": 7e7, "poisson": 0.22}
    density = [GLASS | same | {"name": name} for name in ("glass", "rubber", "steel")]
    by_body, by_keys = of({}, *density), case_of([s | {"density": 2500.0} for s in (BALL, SMALL)], HERTZ | same, 1e-4, grain=IN_THE_AIR, wall=[WALL])
    for name, table in build_law(by_body)._asdict().items():
        assert set(table.ravel()) == set(getattr(build_law(by_keys), name).ravel()), name
    sizes = ({"ball": 1.0, "small": 0.2}, {"ball": 0.5, "small": 0.3})
    assert np.array_equal(contact_times(by_body, *sizes).seconds, contact_times(by_keys, *sizes).seconds, equal_nan=True)


def test_tables_hold_the_constants_of_every_pair() -> None:
    steel = {"name": "steel", "young": 2e9, "poisson": 0.3}
    case = of({"pair": [{"between": ("rubber", "steel"), "young": 1e6, "poisson": 0.1}]}, GLASS, RUBBER, steel)
    law, row = build_law(case), case.material_rows
    all_three = {m["name"]: m for m in (GLASS, RUBBER, steel)}
    for a, b in (("glass", "glass"), ("glass", "rubber"), ("rubber", "glass"), ("glass", "steel"), ("rubber", "rubber")):
        expected = effective(all_three[a], all_three[b])
        assert (law.e_star[row[a], row[b]], law.g_star[row[a], row[b]]) == pytest.approx(expected, rel=1e-14)
    both = {"young": 1e6, "poisson": 0.1}
    assert law.e_star[row["steel"], row["rubber"]] == pytest.approx(effective(both, both)[0], rel=1e-14)
    assert np.array_equal(law.e_star, law.e_star.T)


def test_a_rigid_wall_leaves_the_grain_its_own_modulus() -> None:
    case = of({}, GLASS, RUBBER, {"name": "steel", "young": 1e50, "poisson": 0.3})
    law, row = build_law(case), case.material_rows
    for m in (GLASS, RUBBER):
        assert law.e_star[row[m["name"]], row["steel"]] == pytest.approx(m["young"] / (1.0 - m["poisson"] ** 2), rel=1e-14)
        assert law.g_star[row[m["name"]], row["steel"]] == pytest.approx(m["young"] / (2.0 * (1.0 + m["poisson"]) * (2.0 - m["poisson"])), rel=1e-14)


def test_general_constants_are_for_materials_without_their_own() -> None:
    case = of({"young": 3e8, "poisson": 0.25}, RUBBER, {"name": "glass", "density": 2500.0})
    law, row = build_law(case), case.material_rows
    general = {"young": 3e8, "poisson": 0.25}
    assert law.e_star[row["glass"], row["steel"]] == 3e8 / (2.0 * (1.0 - 0.25**2))
    assert law.e_star[row["glass"], row["rubber"]] == pytest.approx(effective(general, RUBBER)[0], rel=1e-14)


@pytest.mark.parametrize("wall", [False, True])
def test_an_impact_of_unlike_bodies_is_that_of_hertz(wall: bool) -> None:
    """Of a glass ball on a rubber one, and on a floor of steel: largest overlap and duration."""
    steel = {"name": "steel", "young": 2e8, "poisson": 0.3}
    grains = [{"species": "ball", "position": (0, 0, 0.5 + 1e-7), "velocity": (0, 0, -SPEED)}]
    if not wall:
        grains = [{"species": "ball", "position": (0, 0, 1)}, {"species": "small", "position": (0, 0, 1.8 + 1e-7), "velocity": (0, 0, -SPEED)}]
    case = of({"restitution": 1.0}, GLASS, RUBBER, steel, grain=grains)
    engine, setup = engine_of(case)
    m1, m2 = setup.catalogue.mass
    mass, radius = (float(m1), 0.5) if wall else (float(m1 * m2 / (m1 + m2)), 0.5 * 0.3 / 0.8)
    deepest, duration = impact(mass, radius, effective(GLASS, steel if wall else RUBBER)[0])
    most, touched = 0.0, 0
    for _ in range(round(1.5 * duration / 1e-4)):
        engine.advance(1)
        x = engine.grains.x[np.argsort(engine.grains.gid), 2]
        overlap = 0.5 - x[0] if wall else 0.8 - (x[1] - x[0])
        most, touched = max(most, overlap), touched + (overlap > 0.0)
    assert most == pytest.approx(deepest, rel=1e-3)
    assert touched * 1e-4 == pytest.approx(duration, abs=3e-4)
    assert duration / 1e-4 > 100.0


def test_species_take_the_density_of_their_material() -> None:
    case = of({"young": 1e7, "poisson": 0.3}, GLASS, RUBBER, {"name": "steel"})
    assert [s.density for s in case.species] == [2500.0, 1100.0]
    assert Case(**case.model_dump(exclude_none=True)) == case
    own = case_of([BALL | {"density": 7.0}, SMALL], HERTZ | {"young": 1e7, "poisson": 0.3}, 1e-4, material=[GLASS, RUBBER], grain=IN_THE_AIR)
    assert [s.density for s in own.species] == [7.0, 1100.0]
    planar = {"name": "disk", "shape": "disk", "radius": 0.5, "material": "glass"}
    flat = case_of(
        [planar], {"contact_time": 0.1, "restitution": 0.5}, 1e-3, dimension=2, gravity=(0, 0), material=[GLASS],
        domain={"lower": (-1, -1), "upper": (9, 9)}, grain=[{"species": "disk", "position": (0, 0)}],
    )  # fmt: skip
    assert flat.species[0].density == 2500.0


STEEL = {"name": "steel", "young": 2e9, "poisson": 0.3}


@pytest.mark.parametrize(
    ("contact", "materials", "sentence"),
    [
        ({}, [GLASS, RUBBER], "contact.young is missing: material 'glass' meets one without a [[material]] table; give it that table"),
        ({}, [GLASS, RUBBER, {"name": "steel", "young": 1e9}], "material.steel.poisson is missing: the law needs young and poisson of both bodies"),
        ({"pair": [{"between": ("glass", "steel"), "young": 1e7}]}, [GLASS, RUBBER, STEEL],
         "contact.pair.glass-steel.young is for both bodies, but material 'glass' has constants of its own: give poisson for the pair too"),
        ({}, [GLASS, RUBBER, STEEL, STEEL], "material.name = 'steel' is used twice"),
        ({}, [GLASS, RUBBER, STEEL, {"name": "stel"}], "material.stel.name = 'stel' is not a material of a species or wall of this case"),
        ({}, [GLASS, RUBBER, STEEL | {"poisson": 0.6}], "material.steel.poisson = 0.6 must be at most 0.5"),
        ({}, [GLASS | {"density": None}, RUBBER, STEEL], "species.ball.density is missing (mass density, in kg/m^3)"),
        ({"reference_speed": None}, [GLASS, RUBBER, STEEL], "reference_speed missing for law = 'hertz'"),
    ],
)  # fmt: skip
def test_what_is_missing_or_contradicts_itself_is_said(contact: dict[str, Any], materials: list[dict[str, Any]], sentence: str) -> None:
    with pytest.raises(CaseError) as error:
        of(contact, *materials)
    assert sentence in str(error.value)


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


def test_materials_that_the_law_does_not_tell_apart_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2000 materials with tables of their own, those with the same constants of the law share parameters and rows; another density is none."""
    asked: list[Any] = []
    whole = Contact.resolve
    monkeypatch.setattr(Contact, "resolve", lambda self, pair, bodies: asked.append(bodies) or whole(self, pair, bodies))
    species = [SPHERE | {"name": f"s{k}", "material": f"m{k}"} for k in range(2000)]
    tables: list[dict[str, Any]] = [{"name": f"m{k}", "density": 1000.0 + k, "poisson": 0.2, "young": 1e7 * (1 + k % 2)} for k in range(2000)]
    for contact, kinds in (({"restitution": 0.5, "contact_time": 0.02}, 1), ({"law": "hertz", "restitution": 0.5, "reference_speed": 0.1}, 2)):
        asked.clear()
        case = case_of(species, contact, 1e-6, grain=[{"species": "s0", "position": (0, 0, 0)}], material=tables)
        setup = build_scene(case, *size_range(case))
        assert len(asked) < 20
        row = setup.scene.shapes.material
        assert set(row.tolist()) == set(range(kinds))
        assert row[0] == row[2] == row[1998]
        assert row[1] == row[3]
        assert (row[0] == row[1]) == (kinds == 1)


def test_materials_of_which_each_differs_are_worked_out_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 400 materials with moduli of their own, each pair has what `contact_between` and Johnson's formulas say; time steps are told apart, too."""
    materials = [{"name": f"m{k}", "density": 1000.0, "poisson": 0.1 + 1e-3 * k, "young": 1e7 * (1.0 + 0.01 * k)} for k in range(400)]
    species = [SPHERE | {"name": f"s{k}", "material": f"m{k}"} for k in range(400)]
    pair = {"between": ["m7", "m9"], "friction": 0.4}
    contact = HERTZ | {"restitution": 0.5, "friction": 0.1, "pair": [pair]}
    case = case_of(species, contact, 1e-6, grain=IN_ROW, material=materials, wall=[FLOOR | {"material": "m3"}])
    asked: list[Any] = []
    whole = Contact.resolve
    monkeypatch.setattr(Contact, "resolve", lambda self, pair, bodies: asked.append(bodies) or whole(self, pair, bodies))
    law, seconds = build_law(case), contact_times(case, *lightest_grains(case)).seconds
    assert len(asked) < 20
    for a, b in ((0, 0), (0, 399), (399, 0), (7, 9), (9, 7), (250, 3)):
        assert (law.e_star[a, b], law.g_star[a, b]) == pytest.approx(effective(materials[a], materials[b]), rel=1e-14)
        assert law.friction[a, b] == (0.4 if {a, b} == {7, 9} else 0.1)
        assert law.e_star[a, b] == effective_young(case.contact_between(f"m{a}", f"m{b}"))
    assert seconds[0, 0] > seconds[1, 1] > seconds[399, 399]


def test_of_many_materials_that_lack_the_same_each_is_named() -> None:
    """A sentence for each of three materials, not for each of their pairs."""
    species = [SPHERE | {"name": f"s{k}", "material": f"m{k}", "density": 1000.0} for k in range(5)]
    materials = [{"name": f"m{k}", "young": 1e7} | ({"poisson": 0.3} if k < 2 else {}) for k in range(5)]
    with pytest.raises(CaseError) as error:
        case_of(species, HERTZ | {"restitution": 0.5}, 1e-6, grain=IN_ROW[:1], material=materials)
    told = [line for line in str(error.value).splitlines() if "poisson is missing" in line]
    assert len(told) == 3
    assert all(f"material.m{k}.poisson is missing" in line for k, line in zip((2, 3, 4), told, strict=True))
