"""What the model says about wrong keys and values: the dotted key, the value, what is allowed, a suggestion."""

from __future__ import annotations

from typing import Any

import pytest
from case_scene import changed, error, scene


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("contact.restituton", 0.5, "unknown key contact.restituton; did you mean 'restitution'?"),
        ("restitution", 0.5, "unknown key restitution; this key belongs to [contact]"),
        ("wall.0.position", [0.0, 0.0, 0.0], "unknown key wall.base.position; allowed are name, material, motion"),  # of a wall of another kind
        ("wall.0.nomal", [0.0, 0.0, 1.0], "unknown key wall.base.nomal; did you mean 'normal'?"),
        ("species.1.lenght", 1.0, "unknown key species.rod.lenght; did you mean 'length'?"),
        ("self", 1, "unknown key self; allowed are title, dimension, seed"),
        ("time.step", None, "time.step is missing (time step, in s)"),
        ("time.step", 0.0, "time.step = 0.0 must be greater than 0"),
        ("time.step", "1e-5", "time.step = '1e-5' must be a number"),
        ("time.step", True, "time.step = true must be a number"),
        ("time.step", float("nan"), "time.step = nan must be finite"),
        ("time.integrator", "verle", "did you mean 'verlet'?"),
        ("time", 3, "time = 3 must be a table"),
        ("seed", 1.5, "seed = 1.5 must be a whole number"),
        ("seed", -1, "seed = -1 must be at least 0"),
        ("contact.restitution", 1.5, "contact.restitution = 1.5 must be at most 1"),
        ("contact.restitution", 0.0, "contact.restitution = 0.0 must be greater than 0"),
        ("contact.clamped", 1, "contact.clamped = 1 must be true or false"),
        ("contact.eps", "atuo", "contact.eps = 'atuo' must be 'auto'"),
        ("detection", {"skin": -1e-3}, "detection.skin = -0.001 must be 'auto' or greater than 0"),
        ("species.0.shape", "spere", "species.bead.shape = 'spere' must be one of 'sphere'"),
        ("species.0.shape", None, "species.bead.shape is missing: give one of 'sphere', 'spherocylinder'"),
        ("species.0.density", -1.0, "species.bead.density = -1.0 must be greater than 0.0 (mass density, in kg/m^3)"),
        ("species.0.name", "a b", "species.a b.name = 'a b' must match"),
        ("species", [], "the case has no species: give [[species]] or [[voronoi]]"),
        ("wall.0.normal", [0.0, 0.0, 0.0], "wall.base.normal must not be the zero vector"),
        ("wall.0.point", [0.0, 0.0], "wall.base.point takes three numbers, not [0.0, 0.0]"),
        ("gravity", [-9.81], "gravity takes three numbers, not [-9.81]"),
        ("gravity", [0.0, 0.0, 0.0, 1.0], "gravity takes three numbers, not [0.0, 0.0, 0.0, 1.0]"),
        ("domain.periodic", [True], "domain.periodic takes three values (true or false), not [True]"),
        ("wall.0.motion", "fxed", "wall.base.motion.kind = 'fxed' must be one of 'fixed', 'sinusoidal', 'velocity', 'rotation', 'servo'; did"),
        ("wall.0.motion", {"kind": "velocity", "velocity": [0.0, 0.0, "1"]}, "wall.base.motion.velocity.2 = '1' must be a number"),
        ("wall.0.motion", {"kind": "sinusoidal", "frequency": 30.0}, "wall.base.motion needs exactly one of amplitude, gamma, but none is given"),
        ("insert.0.count", 0, "insert.0.count = 0 must be at least 1"),
        ("insert.0.size", {"kind": "uniform", "min": 2.0, "max": 1.0}, "insert.0.size needs min <= max"),
        ("stage.0.kind", "setle", "did you mean 'settle'?"),
        ("stage.1.amplitude", 1e-3, "stage.shake needs exactly one of amplitude, gamma, but amplitude and gamma are given"),
        ("output", {"fields": ["position", "velocty"]}, "did you mean 'velocity'?"),
    ],
)
def test_sentence(path: str, value: Any, expected: str) -> None:
    assert expected in error(changed(path, value))


def test_every_problem_has_its_line() -> None:
    data = scene()
    data["seed"] = -1
    data["time"]["stp"] = 1.0
    lines = sorted(error(data).splitlines())
    assert lines == ["seed = -1 must be at least 0 (seed of the random numbers for insertion)", "unknown key time.stp; did you mean 'step'?"]


def test_of_many_mistakes_the_first_are_told_and_the_others_counted() -> None:
    """A mistake of a script is in every entry of a case; thousands of lines say no more than a few do."""
    species = [{"name": f"s{k}", "shape": "sphere", "radius": 1e-3, "density": 1e3, "restitution": 0.5} for k in range(1000)]
    lines = error(scene() | {"species": species}).splitlines()
    assert lines[0] == "unknown key species.s0.restitution; this key belongs to [contact]"
    assert len(lines) == 21
    assert lines[-1] == "and 980 more problems"
