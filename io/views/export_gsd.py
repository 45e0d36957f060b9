"""Frames with shapes for OVITO and other programs that know HOOMD-blue's files (GSD, schema of HOOMD)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pardem.errors import FileError

from ..analysis.frame import Frame
from ..analysis.mesh import orientations
from ..analysis.result import Result
from .rounded_surfaces import grain_surface

SIDES = 24  # points around a ball of a mesh


def write_gsd(result: Result, target: Path) -> None:
    """Write all frames into one file; its box is centred at the origin, so positions are relative to the middle of the domain.

    Args:
        result: result of a run.
        target: file to write.

    Raises:
        FileError: the package gsd is not installed.
    """
    try:
        import gsd.hoomd
    except ImportError:
        raise FileError("GSD files need the gsd package: pip install 'pardem[export]'") from None
    shapes = [gsd_shape(result, s) for s in range(len(result.catalogue["kind"]))]
    with gsd.hoomd.open(target, "w") as out:
        for frame in result:
            out.append(gsd_frame(frame, shapes, gsd.hoomd.Frame()))


def gsd_frame(frame: Frame, shapes: list[dict[str, object]], out: Any) -> Any:
    """A frame in HOOMD's schema.

    Args:
        frame: frame of a result.
        shapes: definition of each species.
        out: an empty ``gsd.hoomd.Frame``, which is filled.
    """
    result, rows = frame.result, np.nonzero(frame.present)[0]
    lower, upper = result.box.lower, result.box.upper
    out.configuration.step = frame.step
    out.configuration.dimensions = result.dimension
    out.configuration.box = [*(upper - lower), 0.0, 0.0, 0.0]
    particles = out.particles
    particles.N = len(rows)
    particles.types = list(result.species_names)
    particles.type_shapes = shapes
    particles.typeid = result.species_rows[rows]
    particles.position = frame["position"][rows] - 0.5 * (lower + upper)
    particles.orientation = orientations(frame, rows)
    particles.mass = frame.mass[rows]
    particles.diameter = 2.0 * sizes(result)[result.species_rows[rows]] * frame.scale[rows]
    if "velocity" in result.fields:
        particles.velocity = frame["velocity"][rows]
    if "image" in result.fields:
        particles.image = frame["image"][rows]
    for name in ("stress", "coordination", "local_fraction"):  # what the schema does not know; OVITO shows it as properties
        if name in result.fields:
            values = frame[name][rows]
            out.log[f"particles/{name}"] = values.reshape(-1, 9) if values.ndim == 3 else values
    return out


def sizes(result: Result) -> np.ndarray:
    """Furthest reach of each species from its centre (m), (ns,): half the diameter that is written, and the unit of length of its shape.

    Args:
        result: result of a run.
    """
    return np.asarray(result.catalogue["core_radius"] + result.catalogue["radius"])


def gsd_shape(result: Result, species: int) -> dict[str, object]:
    """Definition of a species as HOOMD's schema has it: a ball, a rounded polygon or convex polyhedron, or a mesh of its surface.

    Args:
        result: result of a run.
        species: row of the catalogue.
    """
    catalogue = result.catalogue
    size = float(sizes(result)[species])
    radius = float(catalogue["radius"][species]) / size
    first, last = catalogue["vertex_start"][species : species + 2]
    core = catalogue["vertices"][first:last] / size
    if catalogue["kind"][species] == 1:
        return {"type": "Sphere", "diameter": 2.0}
    solid = catalogue["convex"][species] and len(core) > 3 and np.linalg.matrix_rank(core - core[0], tol=1e-9 * float(np.ptp(core))) == 3
    if solid:
        return {"type": "ConvexPolyhedron", "rounding_radius": radius, "vertices": core.tolist()}
    surface = grain_surface(catalogue, species, SIDES)
    return {"type": "Mesh", "vertices": (surface.points / size).tolist(), "indices": surface.triangles.tolist()}
