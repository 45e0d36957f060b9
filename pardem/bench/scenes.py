"""Scenes to measure: dense beds settled under gravity, all from cases."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import TypeAdapter

from ..case import Case
from ..case.any_species import AnySpecies
from ..errors import CaseError


class Bed(NamedTuple):
    """Ingredients of a benchmark scene; every grain weighs 1 kg.

    Attributes:
        shape: shape of the only species.
        diameter: diameter of the bounding sphere of a grain (m).
        fill: solid fraction of the random initial state.
        grains: usual number of grains.
        interaction: interaction of the contacts.
        settle: number of steps after which the bed is at rest.
        dimension: 2 or 3.
    """

    shape: dict[str, Any]
    diameter: float
    fill: float
    grains: int = 1_000
    interaction: str = "regularised"
    settle: int = 80_000
    dimension: int = 3

    @property
    def volume(self) -> float:
        """Volume of a grain (m^3); in two dimensions its area (m^2)."""
        species = TypeAdapter(AnySpecies).validate_python({"name": "grain", "density": 1.0, **self.shape})
        return float(species.make_shape().mass_properties().volume)


_TETRAHEDRON = {"shape": "spherotetrahedron", "edge": 1.2, "radius": 0.1}
_CUBE = {"shape": "cube", "side": 0.8, "radius": 0.1}


def polygons(sides: int) -> Bed:
    """Make a bed of regular polygons in two dimensions, with a circumradius of 0.4 m and a sphero-radius of 0.1 m.

    Args:
        sides: number of sides.

    Returns:
        The bed.
    """
    shape = {"shape": "regular_polygon", "sides": sides, "circumradius": 0.4, "radius": 0.1}
    return Bed(shape, 1.0, 0.45, grains=400, interaction="superposition", settle=100_000, dimension=2)


def clumps(disks: int) -> Bed:
    """Make a bed of similar grains, each a rigid clump of disks with a radius of 0.1 m on a triangular lattice.

    Args:
        disks: number of disks.

    Returns:
        The bed.
    """
    spacing = 0.4 * (2.0 * math.pi / (3.0**0.5 * disks)) ** 0.5
    rows = int(0.4 / (0.75**0.5 * spacing)) + 1
    points = [((i + 0.5 * (j % 2)) * spacing, j * 0.75**0.5 * spacing) for j in range(-rows, rows + 1) for i in range(-2 * rows, 2 * rows + 1)]
    nearest = [(x, y, 0.0) for x, y in sorted(points, key=lambda p: p[0] ** 2 + p[1] ** 2)[:disks]]
    return Bed({"shape": "clump", "vertices": nearest, "radius": 0.1}, 1.0, 0.45, grains=100, interaction="superposition", settle=80_000, dimension=2)


BEDS = {
    "spheres": Bed({"shape": "sphere", "radius": 0.5}, 1.0, 0.2, grains=10_000, settle=60_000),
    "rods": Bed({"shape": "spherocylinder", "length": 1.0, "radius": 0.25}, 1.5, 0.15, settle=60_000),
    "tetrahedra": Bed(_TETRAHEDRON, 1.67, 0.08),
    "cubes": Bed(_CUBE, 1.6, 0.12),
    "tetrahedra-superposed": Bed(_TETRAHEDRON, 1.67, 0.08, interaction="superposition"),
    "cubes-superposed": Bed(_CUBE, 1.6, 0.12, interaction="superposition"),
    "disks": Bed({"shape": "disk", "radius": 0.5}, 1.0, 0.45, grains=400, interaction="superposition", settle=40_000, dimension=2),
    "62-gons": polygons(62),
    "clumps": clumps(726),
}
GRAVITY = 1.0


def bed_of(scene: str) -> Bed:
    """Find a bed by name.

    Args:
        scene: name of the scene.

    Returns:
        The bed.

    Raises:
        CaseError: there is no such scene.
    """
    if scene not in BEDS:
        raise CaseError(f"there is no benchmark scene '{scene}'; choose one of {', '.join(BEDS)}")
    return BEDS[scene]


def bed_width(scene: str, grains: int) -> float:
    """Determine the side of the square floor on which a settled bed is about as high as it is wide.

    Args:
        scene: name of the scene.
        grains: number of grains.

    Returns:
        The side (m).
    """
    bed = bed_of(scene)
    if bed.dimension == 2:
        return max(1.2 * (grains * bed.volume / 0.8) ** 0.5, 4.0 * bed.diameter)
    return max(1.2 * (grains * bed.volume / 0.6) ** (1.0 / 3.0), 4.0 * bed.diameter)


def scene_case(scene: str, grains: int, columns: int = 1, rows: int = 1, contact: dict[str, Any] | None = None, budget: bool = False) -> Case:
    """Make the case of a bed between walls on a floor, or with a domain for several such beds side by side.

    Args:
        scene: name of the scene.
        grains: number of grains.
        columns: number of beds along x.
        rows: number of beds along y; 1 in two dimensions.
        contact: law and its parameters, for grains and walls; None: the usual ones.
        budget: whether the energy budget is kept.

    Returns:
        The case.

    Raises:
        CaseError: there is no such scene.
    """
    bed = bed_of(scene)
    volume = bed.volume
    width = bed_width(scene, grains)
    sizes = (columns * width, rows * width)[: bed.dimension - 1]
    flat = (0.0,) * len(sizes)
    height = grains * volume / bed.fill / width ** len(sizes) + 2.0 * bed.diameter
    return Case(
        title=f"benchmark: {scene}", dimension=bed.dimension, gravity=(*flat, -GRAVITY), seed=1, time={"step": 3e-4},
        species=[{"name": "grain", "density": 1.0 / volume, **bed.shape}],
        domain={"lower": (-1.0, *(-1.0 for _ in sizes)), "upper": (*(s + 1.0 for s in sizes), 3.0 * height)},
        insert=[{"species": "grain", "count": grains, "region": {"kind": "box", "lower": (*flat, 0.0), "upper": (*sizes, height)}}],
        wall=[_plane("floor", (*flat, 0), (*flat, 1)), *_sides(sizes)],
        contact=(contact or _contact()) | {"interaction": bed.interaction},
        stage=[{"name": "settle", "kind": "run", "steps": 1}],
        output={"observables": {"energy_budget": budget}},
    )  # fmt: skip


def state_case(path: Path) -> Case:
    """Make the case of a settled state written by ``jobs/benchmarks/lammps_spheres``, with the same grains, walls and parameters.

    Args:
        path: path of the state.

    Returns:
        The case.
    """
    with np.load(path) as file:
        d = {k: np.array(file[k]) for k in file.files}
    radius, mass = 0.5 * float(d["diameter"]), float(d["mass"])
    x, y = (float(v) for v in d["upper"][:2])
    table = path.with_suffix(".pardem.npz")
    np.savez(table, species=np.zeros(len(d["positions"]), np.int64), position=d["positions"], velocity=d["velocities"], angular_velocity=d["omegas"])
    meff = 0.5 * mass
    raw = {
        "law": "viscoelastic", "normal_stiffness": float(d["stiffness"]), "tangential_stiffness": float(d["tangential_stiffness"]),
        "normal_damping": float(d["damping"]) * meff, "tangential_damping": float(d["tangential_damping"]) * meff,
        "friction": float(d["friction"]), "clamped": False,
    }  # fmt: skip
    walls = {"between": ["grain", "side"], "normal_damping": float(d["damping"]) * mass, "tangential_damping": float(d["tangential_damping"]) * mass}
    return Case(
        title="benchmark: spheres as settled by LAMMPS", gravity=(0.0, 0.0, -float(d["gravity"])), time={"step": float(d["dt"])},
        species=[{"name": "grain", "shape": "sphere", "radius": radius, "density": mass / (4.0 / 3.0 * np.pi * radius**3)}],
        domain={"lower": (-1.0, -1.0, -1.0), "upper": (x + 1.0, y + 1.0, float(d["upper"][2]) + 1.0)},
        grains_file=str(table), wall=[_plane("floor", (0, 0, 0), (0, 0, 1)), *_sides((x, y))], contact=raw | {"pair": [walls]},
        detection={"skin": float(d["skin"])}, stage=[{"name": "settle", "kind": "run", "steps": 1}],
        output={"observables": {"energy_budget": False}},
    ).located(path.parent)  # fmt: skip


def _contact() -> dict[str, Any]:
    """The linear law of the peers' scenes: kn = 2e4 N/m, kt = 2/7 kn, damping 20 and 10 per second of effective mass (0.5 kg)."""
    walls = {"between": ["grain", "side"], "normal_damping": 20.0, "tangential_damping": 10.0}
    return {
        "law": "viscoelastic", "normal_stiffness": 2e4, "tangential_stiffness": 2e4 * 2.0 / 7.0, "normal_damping": 10.0, "tangential_damping": 5.0,
        "friction": 0.5, "clamped": False, "pair": [walls],
    }  # fmt: skip


def _plane(name: str, point: tuple[float, ...], normal: tuple[float, ...]) -> dict[str, Any]:
    return {"name": name, "kind": "plane", "point": point, "normal": normal, "material": "side"}


def _sides(sizes: tuple[float, ...]) -> list[dict[str, Any]]:
    """Walls at 0 and at the size of each horizontal axis."""
    walls = []
    for c, size in enumerate(sizes):
        inward, at = np.zeros(len(sizes) + 1), np.zeros(len(sizes) + 1)
        inward[c], at[c] = 1.0, size
        walls += [_plane(f"{'xy'[c]}0", (0.0,) * len(at), tuple(inward)), _plane(f"{'xy'[c]}1", tuple(at), tuple(-inward + 0.0))]
    return walls
