"""From the motions of a case to the rows that the kernels read, and what cannot be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import CaseError
from ...state.arrays import Walls
from ...state.population import Population
from ..surfaces.kinds import BODY, CYLINDER, DISC, PIERCED, PLANE
from .driven import (
    AREA,
    CENTRE,
    DAMPING,
    DIRECTION,
    FIRST,
    FIXED,
    FORCE,
    FREQUENCY,
    KIND,
    LAST,
    MASS,
    MOTION,
    PHASE,
    PRESSURE,
    REACH,
    ROTATION,
    SERVO,
    SINUSOIDAL,
    SIZE,
    SLIDE,
    SPAN,
    VELOCITY,
)

if TYPE_CHECKING:
    from ...case import Case

FOREVER = 1e18  # steps
PARALLEL = 1e-9  # sine of an angle, or a distance over a radius, below which directions and axes count as the same


def unit(vector: Any) -> np.ndarray:
    """The vector at length one."""
    v = np.array(vector, dtype=float)
    return v / np.sqrt(v @ v)


def motion_row(case: Case, motion: Any, first: float, rows: dict[str, list[int]]) -> np.ndarray:
    """The row of a motion that begins at a step; ``rows``: of the walls by name, for those that span an area."""
    row = np.zeros(MOTION)
    row[[FIRST, LAST]] = first, FOREVER
    row[SPAN : SPAN + 4] = -1.0
    if motion.kind == "sinusoidal":
        row[[KIND, SIZE]] = SINUSOIDAL, motion.amplitude_for(case.gravity)
        row[[FREQUENCY, PHASE]] = 2.0 * math.pi * motion.frequency, motion.phase
        row[DIRECTION : DIRECTION + 3] = unit(motion.direction)
    elif motion.kind == "velocity":
        velocity = np.array(motion.velocity, dtype=float)
        speed = float(np.sqrt(velocity @ velocity))
        row[[KIND, SIZE]] = VELOCITY, speed
        row[DIRECTION : DIRECTION + 3] = velocity / speed if speed > 0.0 else 0.0
    elif motion.kind == "rotation":
        row[[KIND, SIZE]] = ROTATION, motion.rate
        row[DIRECTION : DIRECTION + 3] = unit(motion.axis)
        row[CENTRE : CENTRE + 3] = motion.center
    elif motion.kind == "servo":
        row[[KIND, MASS, DAMPING]] = SERVO, motion.mass, motion.damping
        row[[FORCE, PRESSURE, AREA]] = motion.force or 0.0, motion.pressure or 0.0, motion.area or 1.0
        row[DIRECTION : DIRECTION + 3] = unit(motion.direction)
        row[SLIDE : SLIDE + 3] = motion.velocity
        for k, (a, b) in enumerate(motion.span or ()):
            row[SPAN + 2 * k : SPAN + 2 * k + 2] = rows[a][0], rows[b][0]
    else:
        row[KIND] = FIXED
    return row


def reach_of(row: np.ndarray, kind: int, shape: np.ndarray, vertices: np.ndarray | None) -> float:
    """How far (m) the furthest point of a wall (a body: of its core) is from its axis of rotation; 0 where turning leaves the surface as it is.

    Args:
        row: of its motion. kind: of wall. shape: its row of ``Walls.shape``. vertices: (m, 3) of a body, world (m).
    """
    axis, centre = row[DIRECTION : DIRECTION + 3], row[CENTRE : CENTRE + 3]
    if kind == BODY:
        assert vertices is not None
        return float(_off_axis(vertices - centre, axis).max())
    distance = float(_off_axis(shape[None, :3] - centre, axis)[0])
    if kind in (DISC, PIERCED):
        parallel = float(_off_axis(shape[None, 3:6], axis)[0]) <= PARALLEL
        return 0.0 if parallel and distance <= PARALLEL * shape[6] else distance + float(shape[6])
    return distance if kind == CYLINDER and distance > PARALLEL * shape[6] else 0.0


def _off_axis(points: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Distances of points ((m, 3)) from the line through the origin along a unit vector, (m,)."""
    across = points - (points @ axis)[:, None] * axis
    return np.asarray(np.sqrt((across**2).sum(axis=1)))


def finish_rows(
    case: Case, walls: Walls, names: dict[str, list[int]], bodies: Population, vertices: list[np.ndarray], smallest: float
) -> dict[tuple[int, int], np.ndarray]:
    """Fill in what a motion needs of its wall's geometry, and hold every motion of the case against the size of the grains and the periods.

    Args:
        case: validated case. walls: with the motions of the start. names: rows by name. bodies: among the walls. vertices: world vertices of each
            body (m). smallest: sphero-radius of the smallest grain (m).

    Returns:
        rows of the motions that take over later, by the wall's row and the number of the motion in ``then``.

    Raises:
        CaseError: a wall cannot turn so, or moves by more than a sphero-radius in a step.
    """
    later: dict[tuple[int, int], np.ndarray] = {}
    where = {int(-1 - gid): (corners, float(x[3])) for gid, corners, x in zip(bodies.gid, vertices, bodies.x, strict=True)}
    for wall in case.wall:
        for index, motion in enumerate(wall.motions):
            key = f"wall.{wall.name}.motion" if index == 0 else f"wall.{wall.name}.then.{index - 1}"
            for k in names[wall.name]:
                row = motion_row(case, motion, 0.0, names)
                if motion.kind == "rotation":
                    _check_rotation(case, key, row, int(walls.kind[k]), walls.shape[k])
                    corners, radius = where.get(k, (None, 0.0))
                    row[REACH] = reach_of(row, int(walls.kind[k]), walls.shape[k], corners) + radius
                elif motion.kind == "servo":
                    row[REACH] = smallest
                _check_sweep(case, key, motion, row, smallest)
                if index == 0:
                    walls.motion[k, REACH] = row[REACH]
                else:
                    later[k, index - 1] = row
    return later


def _check_rotation(case: Case, key: str, row: np.ndarray, kind: int, shape: np.ndarray) -> None:
    axis = row[DIRECTION : DIRECTION + 3]
    if kind in (PLANE, CYLINDER) and float(_off_axis(shape[None, 3:6], axis)[0]) > PARALLEL:
        what = "the normal of the plane" if kind == PLANE else "the axis of the cylinder"
        raise CaseError(f"{key}.axis = {[float(c) for c in axis]} must be parallel to {what}: other walls that turn are bodies or discs")
    for c, name in enumerate("xyz"):
        if case.domain is not None and case.domain.periodic[c] and abs(axis[c]) < 1.0 - PARALLEL:
            raise CaseError(f"{key}: a wall that turns needs a domain that is periodic along its axis at most, but this one is along {name}")


def _check_sweep(case: Case, key: str, motion: Any, row: np.ndarray, smallest: float) -> None:
    """No wall may move by more than the smallest sphero-radius in a step: it would pass grains, or be within them at once."""
    if motion.kind == "sinusoidal":
        speed = float(row[SIZE] * row[FREQUENCY])
    elif motion.kind == "rotation":
        speed = abs(float(row[SIZE])) * float(row[REACH])
    elif motion.kind == "servo":
        speed = math.sqrt(sum(c * c for c in motion.velocity))
    else:
        speed = float(row[SIZE])
    if speed * case.time.step > smallest:
        raise CaseError(
            f"{key}: the wall moves at up to {speed:.6g} m/s, {speed * case.time.step:.3g} m in a step, through grains of a sphero-radius of "
            f"{smallest:.3g} m; slow it down, or shorten time.step to {smallest / speed:.3g} s at most"
        )
