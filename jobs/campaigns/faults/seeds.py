"""Small valid cases that faults are put into: together they hold every table, every key and every choice of the case file.

What a run fills in itself is left out, `start.digest` and `start.quanta`; `tests/test_faults.py` holds the seeds against the model of the case.
"""

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
    "skeleton": {"vertices": [*CORNERS, [-1e-3, 0.0, 0.0]], "edges": [[0, 1], [0, 3]], "faces": [[0, 1, 2]], "points": [4], "solid": False},
    "compound": {"pieces": [[[0.0, 0.0, 0.0], [2e-3, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 2e-3, 0.0], [0.0, 0.0, 2e-3]]]},
    "mesh": {"file": "wedge.obj", "scale": 1e-3, "erode": False, "solid": True, "faces": 4},
}  # fmt: skip
MESH = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
PLANAR: dict[str, Table] = {
    "disk": {}, "rice": {"length": 2e-3}, "peanut": {"length": 2e-3, "bend": 1.0}, "pebble": {"circumradius": 1e-3},
    "regular_polygon": {"sides": 5, "edge": 1e-3}, "polygon": {"vertices": ARROW}, "clump": {"vertices": TRIANGLE},
    "planar_compound": {"pieces": [TRIANGLE, [[0.0, 0.0], [-2e-3, 0.0]]]}, "planar_polyline": {"vertices": TRIANGLE}, "cow": {"length": 2.5e-3},
}  # fmt: skip
CONVEX = ("sphere", "spherocylinder", "spherotriangle", "spherotetrahedron", "polyhedron", "cube", "compound")
CONVEX_PLANAR = ("disk", "rice", "pebble", "regular_polygon", "planar_compound")
LAWS: tuple[Table, ...] = (
    {"restitution": 0.5, "contact_time": 1e-3, "friction": 0.3},
    {
        "law": "viscoelastic", "normal_stiffness": 20.0, "normal_damping": 1e-3, "tangential_stiffness": 5.0, "tangential_damping": 1e-3,
        "friction": 0.3, "clamped": False,
    },
    {"law": "walton", "restitution": 0.5, "contact_time": 1e-3},
    {"law": "walton", "loading_stiffness": 10.0, "unloading_stiffness": 20.0, "rocking_damping": False, "torsional_friction": False},
    {"law": "hertz", "young": 1e6, "poisson": 0.3, "reference_speed": 1.0, "restitution": 0.5},
    {"law": "elastic", "contact_time": 1e-3},
    {"law": "user", "user_law": "law.py:spring", "force_scale": 1.0, "user_parameters": [20.0], "contact_time": 1e-3},
    {"law": "walton_tangential", "restitution": 0.5, "contact_time": 1e-3, "tangential_restitution": 0.4, "friction": 0.3},
)  # fmt: skip
USER_LAW = "def spring(delta, rate, m_eff, r_eff, parameters):\n    return parameters[0] * delta\n"
MOTIONS: tuple[Any, ...] = (
    "fixed", {"kind": "sinusoidal", "amplitude": 1e-4, "frequency": 30.0, "direction": [0.0, 1.0, 0.0], "start": 0.0},
    {"kind": "velocity", "velocity": [0.0, 0.0, 1e-3], "start": "rest"},
    {"kind": "rotation", "rate": 3.0, "center": [0.0, 0.0, 0.0], "axis": [0.0, 0.0, 1.0], "start": "shake"},
    {"kind": "servo", "direction": [0.0, 0.0, 1.0], "pressure": 10.0, "area": 4e-4, "mass": 1e-3, "damping": 0.1},
    {"kind": "servo", "direction": [0.0, 0.0, -1.0], "force": 1e-3, "mass": 1e-3, "velocity": [1e-3, 0.0, 0.0], "start": "rest"},
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
    out += [_given(), _voronoi(), _attracted(), _lennard_jones(), _hopper(), _materials(), _planar_forms()]
    region = {"kind": "cylinder", "axis": "x", "center": [0.01, 0.01, 0.0], "radius": 2e-3, "lower": 0.0, "upper": 5e-3}
    out += [_started({"walls": "continue"}), _started({"without": ["dust"], "without_region": region, "walls": "case"})]
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
        "time": {"step": 1e-5, "integrator": "gear4"}, "grains_file": "grains.npz",
        "domain": BOX | {"outflow": ["lower-x", "lower-y", "lower-z", "upper-x", "upper-y", "upper-z"]},
        "species": [{"name": "grain", "shape": "spherocylinder", "density": 1000.0, "radius": 5e-4, "length": 1e-3}],
        "grain": [
            {
                "name": "first", "species": "grain", "position": [0.01, 0.01, 0.01], "orientation": [1.0, 0.0, 1.0, 0.0],
                "velocity": [0.1, 0.0, 0.0], "angular_velocity": [0.0, 0.0, 1.0], "scale": 1.1,
            }
        ],
        "contact": LAWS[0], "detection": {"method": "triangulation", "max_overlap": 1e-5, "every_step": True},
        "wall": [{"name": "box", "kind": "box", "lower": [1e-3, 1e-3, -1.0], "upper": [0.019, 0.019, 0.019]}],
        "stage": [{"name": "go", "kind": "run", "time": 1e-3, "outflow_share": 1.0}],
    }  # fmt: skip


def _voronoi() -> Table:
    return {
        "time": {"step": 1e-5}, "domain": BOX, "contact": LAWS[5] | {"eps": 0.01},
        "voronoi": [
            {"name": "rock", "density": 2000.0, "count": 8, "void_ratio": 0.2, "roundness": 1.0, "regularity": 1, "upper": [0.02, 0.02, 0.01]},
            {"name": "grit", "density": 2000.0, "count": 8, "erosion": 2e-4, "radius": 1e-4, "seed": 3, "lower": [0.0, 0.0, 0.01]},
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


def _hopper() -> Table:
    """Grains lowered onto a disc with a hole, cones, a plate that is pushed, shaken and stopped, contacts in frames."""
    return {
        "time": {"step": 1e-5}, "domain": BOX,
        "species": [
            {"name": "grain", "shape": "spherocylinder", "density": 1000.0, "radius": 5e-4, "length": 1e-3, "inertia": [1.0, 1.1, 1.1]},
            {"name": "stone", "shape": "cube", "density": 1000.0, "radius": 5e-4, "side": 1e-3},
        ],
        "insert": [
            {
                "species": "grain", "count": 5, "size": {"kind": "constant", "value": 0.9}, "lowered": True,
                "region": {"kind": "cylinder", "axis": "z", "center": [0.01, 0.01, 0.0], "radius": 4e-3, "lower": 9e-3, "upper": 0.018},
            }
        ],
        "contact": {
            "law": "walton_tangential", "loading_stiffness": 10.0, "unloading_stiffness": 20.0, "tangential_loading_stiffness": 5.0,
            "tangential_unloading_stiffness": 10.0, "friction": 0.3,
        },
        "wall": [
            {"name": "base", "kind": "disc", "center": [0.01, 0.01, 8e-3], "normal": [0.0, 0.0, 1.0], "radius": 6e-3, "hole": 2e-3},
            {
                "name": "hopper", "kind": "cone", "center": [0.01, 0.01, 4e-3], "axis": [0.0, 0.0, 1.0], "length": 4e-3, "radius": 1e-3,
                "end_radius": 2e-3,
            },
            {"name": "tip", "kind": "cone", "center": [0.01, 0.01, 1e-3], "length": 2e-3, "half_angle": 0.4, "stages": ["drain", "go"]},
            {"name": "floor", "kind": "plane", "point": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0]},
            {"name": "left", "kind": "plane", "point": [1e-3, 0.0, 0.0], "normal": [1.0, 0.0, 0.0]},
            {"name": "right", "kind": "plane", "point": [0.019, 0.0, 0.0], "normal": [-1.0, 0.0, 0.0]},
            {
                "name": "lid", "kind": "plane", "point": [0.0, 0.0, 0.019], "normal": [0.0, 0.0, -1.0],
                "motion": {"kind": "servo", "direction": [0.0, 0.0, -1.0], "pressure": 1.0, "span": [["left", "right"]], "mass": 1e-3},
                "then": [
                    {"kind": "sinusoidal", "gamma": 0.1, "frequency": 100.0, "phase": 0.3, "start": "go"},
                    {"kind": "fixed", "start": "end"},
                ],
            },
            {
                "name": "rock", "kind": "body", "species": "stone", "position": [0.013, 0.01, 6e-3], "orientation": [1.0, 0.0, 1.0, 0.0],
                "scale": 0.8,
            },
        ],
        "stage": [
            STAGES[0] | {"name": "drain", "energy_of": "translation", "until_clear": "base"}, STAGES[2],
            {"name": "end", "kind": "run", "time": 1e-3},
        ],
        "output": {
            "frame_interval": 1e-3, "observable_interval": 5e-4, "compression": "gzip", "one_file": False, "sync_frames": True,
            "contacts": ["point", "normal", "overlap", "force", "couple"],
            "fields": ["position", "image", "velocity", "angular_velocity", "torque", "local_fraction", "stress", "coordination"],
            "observables": {"above_hole": "base", "fabric": True},
        },
    }  # fmt: skip


def _materials() -> Table:
    """Constants of materials, resistance to rolling, other forms of shapes, pouring."""
    common = {"radius": 5e-4, "material": "glass"}
    return {
        "time": {"step": 1e-5}, "domain": BOX,
        "species": [
            {"name": "pyramid", "shape": "spherotetrahedron", "edge": 1e-3} | common,
            {"name": "wedge", "shape": "spherotetrahedron", "vertices": CORNERS} | common,
            {"name": "plate", "shape": "spherotriangle", "vertices": CORNERS[:3]} | common,
            {"name": "chip", "shape": "spherotriangle", "circumradius": 1e-3} | common,
        ],
        "insert": [
            {
                "species": name, "count": 2,
                "region": {"kind": "cylinder", "axis": axis, "center": [0.01, 0.01, 0.01], "radius": 8e-3, "lower": 2e-3, "upper": 0.018},
            }
            for name, axis in (("pyramid", "x"), ("wedge", "y"), ("plate", "x"), ("chip", "y"))
        ],
        "pour": [
            {
                "name": "rain", "species": "chip", "count": 3, "rate": 5000.0, "velocity": [0.0, 0.0, -1.0], "start": "go", "size": 0.9,
                "region": {"kind": "box", "lower": [2e-3, 2e-3, 0.01], "upper": [0.018, 0.018, 0.018]},
            }
        ],
        "material": [
            {"name": "glass", "density": 1000.0, "young": 1e6, "poisson": 0.3}, {"name": "steel", "young": 2e6, "poisson": 0.2},
        ],
        "contact": {
            "law": "hertz", "reference_speed": 1.0, "restitution": 0.5, "friction": 0.3, "resistance": "spring", "rolling_friction": 0.1,
            "twisting_friction": 0.1, "rolling_damping": 0.2, "twisting_damping": 0.2, "resistance_stiffness": "jiang",
            "pair": [{"between": ["glass", "steel"], "resistance_stiffness": "iwashita"}],
        },
        "wall": [{"name": "box", "kind": "box", "material": "steel", "lower": [0.0, 0.0, 0.0], "upper": [0.02, 0.02, 0.02]}],
        "stage": STAGES[2:], "output": {"observable_steps": 10, "compression": "zstd", "observables": {"container": "box"}},
    }  # fmt: skip


def _planar_forms() -> Table:
    """Other forms of shapes in the plane, a constant resistance."""
    return {
        "dimension": 2, "time": {"step": 1e-5}, "domain": SQUARE,
        "species": [
            {"name": "pebble", "shape": "pebble", "density": 1.0, "radius": 3e-4, "vertices": TRIANGLE},
            {"name": "nut", "shape": "regular_polygon", "density": 1.0, "radius": 3e-4, "sides": 6, "circumradius": 1e-3},
        ],
        "insert": [
            {"species": name, "count": 3, "region": {"kind": "cylinder", "center": [0.01, 0.01], "radius": 9e-3}} for name in ("pebble", "nut")
        ],
        "pour": [{"species": "nut", "count": 2, "rate": 1e5, "region": {"kind": "cylinder", "center": [0.01, 0.01], "radius": 9e-3}}],
        "contact": LAWS[0] | {"resistance": "constant", "rolling_friction": 0.1},
        "wall": [{"name": "base", "kind": "plane", "point": [0.0, 0.0], "normal": [0.0, 1.0]}],
        "stage": [STAGES[1] | {"direction": [0.0, 1.0]}],
        "output": {
            "frame_taps": 0.5, "observable_taps": 0.25, "checkpoint_steps": 20, "contacts": True,
            "observables": {"layers": {"thickness": 5e-3, "axis": "x"}},
        },
    }  # fmt: skip


def origin() -> Table:
    """The case whose result a seed starts from."""
    ball = {"shape": "sphere", "density": 1000.0, "radius": 5e-4}
    return {
        "time": {"step": 1e-5}, "domain": BOX, "contact": LAWS[0], "stage": STAGES[2:], "seed": 1,
        "species": [{"name": "grain"} | ball, {"name": "dust"} | ball],
        "insert": [
            {"species": name, "count": 3, "region": {"kind": "box", "lower": [1e-3, 1e-3, 1e-3], "upper": [0.019, 0.019, 0.01]}}
            for name in ("grain", "dust")
        ],
        "wall": [{"name": "base", "kind": "plane", "point": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0]}],
    }  # fmt: skip


def _started(more: Table) -> Table:
    """A case that starts from the state of another one."""
    case = origin()
    del case["insert"]
    return case | {"start": {"from": "origin.h5"} | more}
