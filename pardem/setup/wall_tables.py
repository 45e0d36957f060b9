"""From the walls of a case to what the kernels read."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from ..contacts.nearest.feature_lanes import outline_work
from ..errors import CaseError
from ..insertion.placed_grains import PlacedGrains
from ..shapes.catalogue import Catalogue, principal_orientations
from ..shapes.rotations import rotated
from ..state.arrays import Features, Walls
from ..state.population import Population, make_population
from ..walls.motion.drives import FOREVER, motion_row
from ..walls.motion.motion_table import unit
from ..walls.motion.rows import MOTION
from ..walls.surfaces.place import POSE, SHAPE, SIZES
from ..walls.surfaces.registry import LINES, SURFACES

if TYPE_CHECKING:
    from ..case import Case


def build_walls(case: Case, materials: dict[str, int], features: Features) -> tuple[Walls, dict[str, list[int]], list[str]]:
    """Build the tables of the walls of a case.

    Args:
        case: validated case.
        materials: row of each material in the tables of the law, by name.
        features: features of all species.

    Returns:
        The walls, their rows by the name in the case (a box has six), and a name for each row.
    """
    kind: list[int] = []
    material: list[int] = []
    shape = np.zeros((sum(len(wall.surfaces(case.dimension)) for wall in case.wall), SHAPE))
    motion: list[np.ndarray] = []
    names: list[str] = []
    rows: dict[str, list[int]] = {}
    for wall in case.wall:
        for placed in wall.surfaces(case.dimension):
            k = len(kind)
            rows.setdefault(wall.name, []).append(k)
            kind.append(SURFACES.index(placed.surface))
            material.append(materials[wall.material])
            shape[k, :SIZES] = np.concatenate([placed.point, unit(placed.normal)])
            shape[k, SIZES : SIZES + len(placed.sizes)] = placed.sizes
            names.append(f"{wall.name}:{placed.part}" if placed.part else wall.name)
    for wall in case.wall:
        start = getattr(wall.motion, "start", 0.0)
        row = motion_row(case, wall.motion, FOREVER if isinstance(start, str) else start / case.time.step, rows)
        motion += [row.copy() for _ in rows[wall.name]]
    n = len(kind)
    body = np.array([wall.solid is not None for wall in case.wall for _ in rows[wall.name]], bool)
    from_end = np.where(body, np.cumsum(body) - body.sum() - 1, 0).astype(np.int32)
    walls = Walls(
        np.array(kind, np.int32), from_end, features, np.ones(n, np.uint8), np.full(n, -1, np.int8), np.zeros(n, np.uint8),
        np.zeros(LINES, np.int64), np.zeros(outline_work(features.loop_start)),
        np.array(material, np.int32), shape, np.array(motion, float).reshape(n, MOTION),
        np.zeros((n, POSE)), np.zeros((n, 6, 2), np.int64), np.zeros((n, 6, 2), np.int64), np.zeros((n, 2), np.int64),
    )  # fmt: skip
    return walls, rows, names


def placed_bodies(case: Case, catalogue: Catalogue, stage: str | None = None) -> PlacedGrains:
    """List the bodies among the walls.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        stage: name of a stage in which they must be present, or None for any stage.

    Returns:
        Their species, sizes, centres of mass and principal orientations.
    """
    names = [s.name for s in case.species]
    there = [wall for wall in case.wall if stage is None or wall.stages is None or stage in wall.stages]
    bodies = [wall.solid for wall in there if wall.solid is not None]
    species = np.array([names.index(body.species) for body in bodies], np.int64)
    scale = np.array([body.scale for body in bodies], float)
    given = np.array([unit(body.orientation) for body in bodies], float).reshape(-1, 4)
    centres = [np.array(body.position) + rotated(q, body.scale * catalogue.centre[s]) for body, s, q in zip(bodies, species, given, strict=True)]
    return PlacedGrains(species, scale, np.array(centres, float).reshape(-1, 3), principal_orientations(catalogue, species, given))


def build_bodies(case: Case, catalogue: Catalogue, walls: Walls) -> Population:
    """Make the bodies among the walls, as grains that do not move, and set the points of their walls to the centres of mass.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        walls: tables of the walls; changed.

    Returns:
        The bodies.
    """
    rows = np.flatnonzero(walls.body)
    placed = placed_bodies(case, catalogue)
    walls.shape[rows, :3] = placed.positions
    population = make_population(catalogue, placed.species, np.asarray(placed.scale), placed.positions, placed.orientations)
    population.gid[:] = -1 - rows
    return population


def body_vertices(catalogue: Catalogue, bodies: Population) -> list[np.ndarray]:
    """Compute the world vertices of the cores of bodies at the start.

    Args:
        catalogue: shape catalogue of the case.
        bodies: the bodies.

    Returns:
        (m, 3) vertices (m) of each body.
    """
    found = []
    for s, scale, q, x in zip(bodies.species, bodies.scale, bodies.q, bodies.x, strict=True):
        core = scale * catalogue.vertices[catalogue.vertex_start[s] : catalogue.vertex_start[s + 1]]
        found.append(np.array([x[:3] + rotated(q, v) for v in core]))
    return found


def check_features(case: Case, catalogue: Catalogue, bodies: Population, period: np.ndarray, reach: float) -> None:
    """Check that the edges of bodies are short enough for the periods of the domain, since each is met in its nearest image.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        bodies: bodies made by `build_bodies`.
        period: (3,) periods of the domain (m); 0 along open axes.
        reach: distance of the furthest point of the largest grain from its centre, plus the skin (m).

    Raises:
        CaseError: an edge of a body is too long.
    """
    names = [wall.name for wall in case.wall if wall.solid is not None]
    for name, s, vertices, radius in zip(names, bodies.species, body_vertices(catalogue, bodies), bodies.x[:, 3], strict=True):
        first, last = catalogue.face_start[s], catalogue.face_start[s + 1]
        faces = [catalogue.face_vertices[a:b] for a, b in itertools.pairwise(catalogue.face_vertex_start[first : last + 1])]
        edges = catalogue.edges[catalogue.edge_start[s] : catalogue.edge_start[s + 1]]
        for feature in (*edges, *(faces if case.dimension == 3 else ())):
            size = np.ptp(vertices[feature], axis=0)
            for c, axis in enumerate("xyz"):
                if period[c] > 0.0 and size[c] + radius + reach >= 0.5 * period[c]:
                    raise CaseError(
                        f"wall.{name}: an edge or face of species '{case.species[s].name}' is {size[c]:.6g} m long along {axis}, too long for the "
                        f"period of {period[c]:.6g} m: with grains it must stay below half of it; give it more vertices"
                    )
