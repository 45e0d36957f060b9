"""Results of grains of all shapes at given places, written without a run: for tests of pictures and exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from pardem.case import Case
from pardem.io.results.contact_frames import ContactFrame
from pardem.io.results.output_path import prepare_output
from pardem.io.results.static_part import DomainBox, StaticPart
from pardem.io.results.writer import ResultWriter
from pardem.shapes import Species, build_catalogue, rotations

ELL = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [1, 1, 0], [1, 2, 0], [0, 2, 0], [0, 0, 1], [2, 0, 1], [2, 1, 1], [1, 1, 1], [1, 2, 1], [0, 2, 1]]
ELL_FACES = [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], [0, 1, 7, 6], [1, 2, 8, 7], [2, 3, 9, 8], [3, 4, 10, 9], [4, 5, 11, 10], [5, 0, 6, 11]]
SHAPES: list[dict[str, Any]] = [
    {"name": "ball", "shape": "sphere", "radius": 0.5},
    {"name": "rod", "shape": "spherocylinder", "radius": 0.25, "length": 1.2},
    {"name": "cube", "shape": "cube", "side": 0.8, "radius": 0.1},
    {"name": "tetra", "shape": "spherotetrahedron", "edge": 1.2, "radius": 0.08},
    {"name": "ell", "shape": "skeleton", "vertices": (0.5 * np.array(ELL)).tolist(), "faces": ELL_FACES, "radius": 0.08, "solid": True},
]
FLOOR = {"name": "floor", "kind": "plane", "point": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0]}
UNIT = 1e-3  # m: lengths of the scene are in millimetres, as those of grains are


def case_of(species: list[dict[str, Any]], walls: list[dict[str, Any]], **more: Any) -> Case:
    """A case that has these species and walls; lengths are given in ``UNIT``."""
    given: dict[str, Any] = {
        "time": {"step": 1e-5}, "domain": {"lower": (-3 * UNIT,) * 3, "upper": (9 * UNIT,) * 3},
        "species": [scaled(s) | {"density": 1e3} for s in species],
        "contact": {"interaction": "superposition", "restitution": 0.5, "contact_time": 1e-3}, "wall": [scaled(w) for w in walls],
        "grain": [{"species": species[0]["name"], "position": (0.0, 0.0, UNIT)}],
        "stage": [{"name": "fill", "kind": "run", "steps": 10}, {"name": "flow", "kind": "run", "steps": 10}],
    } | more  # fmt: skip
    return Case(**given)


def scaled(table: dict[str, Any]) -> dict[str, Any]:
    """A table with its lengths in metres."""
    lengths = ("radius", "length", "edge", "side", "vertices", "point", "center", "position", "hole", "lower", "upper")
    return {name: (np.array(value) * UNIT).tolist() if name in lengths else value for name, value in table.items()}


def write(
    out: Path, case: Case, species: list[str], position: Any, *, frames: list[dict[str, Any]] | None = None, scale: Any = None,
    contacts: list[ContactFrame] | None = None,
) -> Path:  # fmt: skip
    """Write a result of grains that do not move, and of walls where observables put them.

    Args:
        out: result file.
        case: of the result.
        species: of each grain.
        position: (n, 3) in ``UNIT``.
        frames: observables of each frame (steps 0, 10, 20, ...); default: one frame without any.
        scale: (n,) size factors; default: 1.
        contacts: of each frame; None: frames show none.
    """
    comm, n, frames = MPI.COMM_SELF, len(species), [{}] if frames is None else frames
    names = [s.name for s in case.species]
    catalogue = build_catalogue([Species(s.name, s.make_shape(), s.density) for s in case.species])
    gid, rows = np.arange(n), np.array([names.index(name) for name in species])
    assert case.domain is not None
    box = DomainBox(case.domain.lower, case.domain.upper, case.domain.periodic)
    prepare_output(comm, out, resume=False, force=False, fresh=True)
    sizes = np.ones(n) if scale is None else np.array(scale)
    results = ResultWriter(comm, out, StaticPart(case.to_toml(), case.hash(), catalogue._asdict(), gid, rows, sizes, box))
    for k, values in enumerate(frames):
        results.observables(10 * k, 1e-4 * k, {"taps": 0.0} | values)
        results.frame(10 * k, 1e-4 * k, gid, fields(n, position), None if contacts is None else contacts[k])
    results.close()
    return out


def fields(n: int, position: Any) -> dict[str, np.ndarray]:
    """Fields of n grains: turned at random, at speeds 0, 1, 2, ... m/s."""
    rng = np.random.default_rng(3)
    q = rng.standard_normal((n, 4))
    along = np.zeros((n, 3))
    along[:, 1] = np.arange(n)
    return {
        "position": UNIT * np.array(position, float).reshape(n, 3), "image": np.arange(3 * n, dtype=np.int32).reshape(n, 3),
        "orientation": q / np.linalg.norm(q, axis=1, keepdims=True), "velocity": along, "angular_velocity": 2.0 * along[:, [1, 0, 2]],
    }  # fmt: skip


def zoo(out: Path) -> Path:
    """One grain of each shape in a row, and the first again at twice the size, over a floor."""
    names = [shape["name"] for shape in SHAPES]
    position = [(1.6 * k - 2.0, 0.0, 1.0) for k in range(len(names))] + [(6.0, 0.0, 1.0)]
    return write(out, case_of(SHAPES, [FLOOR]), [*names, "ball"], position, scale=[1.0] * len(names) + [2.0])


def corner(frame_position: np.ndarray, orientation: np.ndarray, body: np.ndarray) -> np.ndarray:
    """A point of the body frame of a grain in the world, (3,)."""
    return np.asarray(frame_position + rotations.matrices(orientation[None])[0] @ body)


def pixels(path: Path) -> np.ndarray:
    """A picture file as (rows, columns, 3) numbers from 0 to 1."""
    import matplotlib.image

    return np.asarray(matplotlib.image.imread(path))[:, :, :3]


def picture_of(result: Path, **look: Any) -> np.ndarray:
    """The picture of the last frame of a result."""
    from pardem.io.views import render
    from pardem.io.views.picture import Look

    render.main(result, out=result.with_suffix(".png"), look=Look(**look))
    return pixels(result.with_suffix(".png"))
