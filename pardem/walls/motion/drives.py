"""From the motions of a case to the rows that the kernels read, and what cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import CaseError
from ...state.arrays import Walls
from ...state.population import Population
from ..surfaces.registry import SURFACES
from ..surfaces.surface import PARALLEL, Surface, off_axis
from .registry import MOVERS
from .rows import CENTRE, DIRECTION, FIRST, KIND, LAST, MOTION, REACH, SPAN

if TYPE_CHECKING:
    from ...case import Case
    from .fixed import Halt
    from .registry import AnyMotion

FOREVER = 1e18  # steps


def motion_row(case: Case, motion: AnyMotion | Halt, first: float, rows: dict[str, list[int]]) -> np.ndarray:
    """The row of a motion that begins at a step.

    Args:
        case: validated case.
        motion: the motion.
        first: the step.
        rows: rows of the walls by name, for motions that span an area between walls.
    """
    row = np.zeros(MOTION)
    row[[KIND, FIRST, LAST]] = MOVERS.index(motion.mover), first, FOREVER
    row[SPAN : SPAN + 4] = -1.0
    motion.fill(row, case.gravity, rows)
    return row


def _reach_of(row: np.ndarray, surface: Surface, shape: np.ndarray, vertices: np.ndarray | None) -> float:
    """How far (m) the furthest point of a wall (a body: of its core) is from its axis of rotation; 0 where turning leaves the surface as it is.

    Args:
        row: row of its motion.
        surface: surface of the wall.
        shape: its row of ``Walls.shape``.
        vertices: (m, 3) of a body, world (m).
    """
    axis, centre = row[DIRECTION : DIRECTION + 3], row[CENTRE : CENTRE + 3]
    return surface.swept(shape, axis, centre) if vertices is None else float(off_axis(vertices - centre, axis).max())


def finish_rows(
    case: Case, walls: Walls, names: dict[str, list[int]], bodies: Population, vertices: list[np.ndarray], smallest: float
) -> dict[tuple[int, int], np.ndarray]:
    """Fill in what a motion needs of its wall's geometry, and hold every motion of the case against the size of the grains and the periods.

    Args:
        case: validated case.
        walls: the walls, with the motions of the start.
        names: rows of the walls by name.
        bodies: the bodies among the walls.
        vertices: world vertices of each body (m).
        smallest: sphero-radius of the smallest grain (m).

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
                if motion.turns:
                    _check_rotation(case, key, row, SURFACES[walls.kind[k]], walls.shape[k])
                    corners, radius = where.get(k, (None, 0.0))
                    row[REACH] = _reach_of(row, SURFACES[walls.kind[k]], walls.shape[k], corners) + radius
                elif motion.pushed:
                    row[REACH] = smallest
                _check_sweep(case, key, motion, row, smallest)
                if index == 0:
                    walls.motion[k, REACH] = row[REACH]
                else:
                    later[k, index - 1] = row
    return later


def _check_rotation(case: Case, key: str, row: np.ndarray, surface: Surface, shape: np.ndarray) -> None:
    axis = row[DIRECTION : DIRECTION + 3]
    if surface.turns_about and float(off_axis(shape[None, 3:6], axis)[0]) > PARALLEL:
        what = surface.turns_about
        raise CaseError(f"{key}.axis = {[float(c) for c in axis]} must be parallel to {what}: other walls that turn are bodies, discs or cones")
    for c, name in enumerate("xyz"):
        if case.domain is not None and case.domain.periodic[c] and abs(axis[c]) < 1.0 - PARALLEL:
            raise CaseError(f"{key}: a wall that turns needs a domain that is periodic along its axis at most, but this one is along {name}")


def _check_sweep(case: Case, key: str, motion: AnyMotion | Halt, row: np.ndarray, smallest: float) -> None:
    """No wall may move by more than the smallest sphero-radius in a step: it would pass grains, or be within them at once."""
    speed = motion.speed(row)
    if speed * case.time.step > smallest:
        raise CaseError(
            f"{key}: the wall moves at up to {speed:.6g} m/s, {speed * case.time.step:.3g} m in a step, through grains of a sphero-radius of "
            f"{smallest:.3g} m; slow it down, or shorten time.step to {smallest / speed:.3g} s at most"
        )
