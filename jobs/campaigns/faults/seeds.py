"""Small valid cases that faults are put into: together they hold every shape, law, interaction, wall, motion, stage and table of the case file."""

from __future__ import annotations

import copy
from typing import Any

Table = dict[str, Any]

BOX = {"lower": [0.0, 0.0, 0.0], "upper": [0.02, 0.02, 0.02]}
SQUARE = {"lower": [0.0, 0.0], "upper": [0.02, 0.02]}
CORNERS = [[0.0, 0.0, 0.0], [2e-3, 0.0, 0.0], [0.0, 2e-3, 0.0], [0.0, 0.0, 2e-3]]
TRIANGLE = [[0.0, 0.0], [2e-3, 0.0], [0.0, 2e-3]]
ARROW = [[0.0, 0.0], [3e-3, -1e-3], [1e-3, 0.0], [3e-3, 1e-3]]

SHAPES: dict[str, Table] = {
    "sphere": {}, "spherocylinder": {"length": 2e-3}, "spherotriangle": {"edge": 2e-3}, "spherotetrahedron": {"circumradius": 2e-3},
    "polyhedron": {"vertices": [*CORNERS, [2e-3, 2e-3, 2e-3]]}, "cube": {"side": 2e-3}, "polyline": {"vertices": CORNERS},
    "yermis": {"edge": 1e-3, "segments": 3, "bend": 1.2, "torsion": 0.5},
    "skeleton": {"vertices": CORNERS, "edges": [[0, 1], [0, 3]], "faces": [[0, 1, 2]]},
    "compound": {"pieces": [[[0.0, 0.0, 0.0], [2e-3, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 2e-3, 0.0], [0.0, 0.0, 2e-3]]]},
}  # fmt: skip
PLANAR: dict[str, Table] = {
    "disk": {}, "rice": {"length": 2e-3}, "peanut": {"length": 2e-3, "bend": 1.0}, "pebble": {"circumradius": 1e-3},
    "regular_polygon": {"sides": 5, "edge": 1e-3}, "polygon": {"vertices": ARROW}, "clump": {"vertices": TRIANGLE},
    "planar_compound": {"pieces": [TRIANGLE, [[0.0, 0.0], [-2e-3, 0.0]]]}, "planar_polyline": {"vertices": TRIANGLE}, "cow": {"length": 4e-3},
}  # fmt: skip
CONVEX = ("sphere", "spherocylinder", "spherotriangle", "spherotetrahedron", "polyhedron", "cube", "compound")
CONVEX_PLANAR = ("disk", "rice", "pebble", "regular_polygon", "planar_compound")
LAWS: tuple[Table, ...] = (
    {"restitution": 0.5, "contact_time": 1e-3, "friction": 0.3},
    {"law": "viscoelastic", "normal_stiffness": 20.0, "normal_damping": 1e-3, "tangential_stiffness": 5.0, "friction": 0.3},
    {"law": "walton", "restitution": 0.5, "contact_time": 1e-3},
    {"law": "walton", "loading_stiffness": 10.0, "unloading_stiffness": 20.0},
    {"law": "hertz", "young": 1e6, "poisson": 0.3, "reference_speed": 1.0, "restitution": 0.5},
    {"law": "elastic", "contact_time": 1e-3},
    {"law": "user", "user_law": "law.py:spring", "force_scale": 1.0, "user_parameters": [20.0], "contact_time": 1e-3},
)  # fmt: skip
USER_LAW = "def spring(delta, rate, m_eff, r_eff, parameters):\n    return parameters[0] * delta\n"
MOTIONS: tuple[Any, ...] = (
    "fixed", {"kind": "sinusoidal", "amplitude": 1e-4, "frequency": 30.0, "direction": [0.0, 1.0, 0.0], "start": 0.0},
    {"kind": "velocity", "velocity": [0.0, 0.0, 1e-3], "start": "rest"},
    {"kind": "rotation", "rate": 3.0, "center": [0.0, 0.0, 0.0], "axis": [0.0, 0.0, 1.0]},
    {"kind": "servo", "direction": [0.0, 0.0, 1.0], "pressure": 10.0, "area": 4e-4, "mass": 1e-3, "damping": 0.1},
)  # fmt: skip
STAGES: list[Table] = [
    {"name": "rest", "kind": "settle", "energy_per_grain": 1e-12, "max_time": 0.01, "check_every": 10},
    {"name": "shake", "kind": "vibrate", "wall": "base", "taps": 1, "frequency": 100.0, "gamma": 2.0, "direction": [0.0, 0.0, 1.0]},
    {"name": "go", "kind": "run", "steps": 100},
]
OUTPUT: Table = {
    "file": "out.h5", "frame_taps": 0.5, "observable_steps": 10, "checkpoint_interval": 0.01, "checkpoint_minutes": 5.0, "precision": "single",
    "fields": ["position", "orientation", "force"],
    "observables": {
        "energy_budget": True, "base": "base", "layers": {"thickness": 5e-3, "origin": 0.0}, "near_wall": {"wall": "tube", "distance": 1e-3},
    },
}  # fmt: skip


def seeds() -> list[Table]:
    """The cases, as tables of TOML; what is returned may be changed."""
    out = [_solid(shape, LAWS[k % len(LAWS)], MOTIONS[k % len(MOTIONS)], k) for k, shape in enumerate(SHAPES)]
    out += [_planar(shape, LAWS[k % len(LAWS)], k) for k, shape in enumerate(PLANAR)]
    out += [_given(), _voronoi(), _attracted(), _lennard_jones()]
    return copy.deepcopy(out)


def _solid(shape: str, law: Table, motion: Any, number: int) -> Table:
    interaction = "regularised" if shape in CONVEX else ("superposition", "minima")[number % 2]
    body = [{"name": "rock", "kind": "body", "species": "stone", "position": [0.01, 0.01, 2e-3]}] if shape != "compound" else []
    return {
        "title": f"{shape}, {law.get('law', 'viscoelastic')}", "seed": number, "gravity": [0.0, 0.0, -9.81],
        "time": {"step": 1e-5, "integrator": ("verlet", "euler")[number % 2], "rotation": ("splitting", "fincham")[number // 2 % 2]},
        "domain": BOX | {"periodic": [False, number % 3 == 1, False]},
        "species": [
            {"name": "grain", "shape": shape, "density": 1000.0, "radius": 5e-4} | SHAPES[shape],
            {"name": "stone", "shape": "cube", "density": 1000.0, "radius": 5e-4, "side": 1e-3, "material": "rock"},
        ],
        "insert": [
            {
                "name": "some", "species": "grain", "count": 3, "size": {"kind": "uniform", "min": 0.8, "max": 1.0},
                "region": {"kind": "cylinder", "center": [0.01, 0.01, 0.0], "radius": 8e-3, "lower": 8e-3, "upper": 0.018},
            }
        ],
        "contact": law | {"interaction": interaction, "pair": [{"between": ["grain", "base"], "friction": 0.0}]},
        "wall": [
            {"name": "base", "kind": "disc", "center": [0.01, 0.01, 0.0], "normal": [0.0, 0.0, 2.0], "radius": 0.02},
            {"name": "tube", "kind": "cylinder", "center": [0.01, 0.01, 0.0], "axis": [0.0, 0.0, 1.0], "radius": 9e-3},
            {"name": "lid", "kind": "plane", "point": [0.0, 0.0, 0.019], "normal": [0.0, 0.0, -1.0], "motion": motion},
            *body,
        ],
        "stage": STAGES, "output": OUTPUT, "parallel": {"grid": [0, 1, 1], "rebalance": True},
        "detection": {"method": "cells", "skin": 1e-4},
    }  # fmt: skip


def _planar(shape: str, law: Table, number: int) -> Table:
    interaction = "regularised" if shape in CONVEX_PLANAR else ("superposition", "minima")[number % 2]
    turning = {"kind": "rotation", "rate": 1.0} if number % 2 else "fixed"
    return {
        "title": f"{shape}, {law.get('law', 'viscoelastic')}", "dimension": 2, "gravity": [0.0, -9.81], "time": {"step": 1e-5},
        "domain": SQUARE | {"periodic": [number % 2 == 0, False], "outflow": ["upper-y"]},
        "species": [{"name": "grain", "shape": shape, "density": 1.0, "radius": 3e-4} | PLANAR[shape]],
        "insert": [{"species": "grain", "count": 3, "size": 0.9, "region": {"kind": "box", "lower": [1e-3, 2e-3], "upper": [0.018, 0.018]}}],
        "grain": [{"species": "grain", "position": [0.01, 1.5e-3], "orientation": 0.3, "velocity": [0.1, 0.0], "angular_velocity": 2.0}],
        "contact": law | {"interaction": interaction},
        "wall": [
            {"name": "base", "kind": "plane", "point": [0.0, 0.0], "normal": [0.0, 1.0]},
            {"name": "tube", "kind": "cylinder", "center": [0.01, 0.01], "radius": 0.1, "motion": turning},
        ],
        "stage": [STAGES[1] | {"direction": [0.0, 1.0]}, {"name": "go", "kind": "run", "time": 1e-3, "outflow_share": 0.5}],
        "output": {"frame_steps": 50, "observables": {"layers": {"thickness": 5e-3}}},
    }  # fmt: skip


def _given() -> Table:
    """Grains one by one and from a file, `gear4`, a box as container, the triangulation."""
    return {
        "time": {"step": 1e-5, "integrator": "gear4"}, "domain": BOX | {"outflow": ["lower-z"]}, "grains_file": "grains.npz",
        "species": [{"name": "grain", "shape": "spherocylinder", "density": 1000.0, "radius": 5e-4, "length": 1e-3}],
        "grain": [
            {
                "name": "first", "species": "grain", "position": [0.01, 0.01, 0.01], "orientation": [1.0, 0.0, 1.0, 0.0],
                "velocity": [0.1, 0.0, 0.0], "angular_velocity": [0.0, 0.0, 1.0], "scale": 1.1,
            }
        ],
        "contact": LAWS[0], "detection": {"method": "triangulation", "max_overlap": 1e-5},
        "wall": [{"name": "box", "kind": "box", "lower": [1e-3, 1e-3, -1.0], "upper": [0.019, 0.019, 0.019]}],
        "stage": [{"name": "go", "kind": "run", "time": 1e-3, "outflow_share": 1.0}],
    }  # fmt: skip


def _voronoi() -> Table:
    return {
        "time": {"step": 1e-5}, "domain": BOX, "contact": LAWS[5] | {"eps": 0.01},
        "voronoi": [
            {"name": "rock", "density": 2000.0, "count": 8, "void_ratio": 0.2, "roundness": 1.0, "regularity": 1, "upper": [0.02, 0.02, 0.02]}
        ],
        "stage": STAGES[:1],
    }  # fmt: skip


def _attracted() -> Table:
    return {
        "time": {"step": 1e-5}, "domain": BOX, "attraction": {"strength": 1.0, "center": [0.01, 0.01, 0.01], "softening": 1e-3}, "contact": LAWS[1],
        "species": [{"name": "ball", "shape": "sphere", "density": 1000.0, "radius": 5e-4}],
        "insert": [{"species": "ball", "count": 5, "region": {"kind": "box", "lower": [1e-3, 1e-3, 1e-3], "upper": [0.01, 0.01, 0.01]}}],
        "stage": STAGES[2:], "output": {"observables": {"energy_budget": False}},
    }  # fmt: skip


def _lennard_jones() -> Table:
    return {
        "time": {"step": 1e-4}, "gravity": [0.0, 0.0, 0.0], "domain": BOX | {"periodic": [True, True, True]},
        "species": [{"name": "ball", "shape": "sphere", "density": 1000.0, "radius": 5e-4}],
        "insert": [{"species": "ball", "count": 5, "region": {"kind": "periodic"}}],
        "contact": {"law": "lennard_jones", "depth": 1e-10, "sigma": 1e-3, "cutoff": 2.5}, "stage": STAGES[2:],
    }  # fmt: skip
