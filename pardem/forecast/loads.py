"""Walls that a force or pressure pushes: their load, the share of a grain below them, and how deep it is pressed in at rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..walls.motion.servo import ServoMotion
from .ground import Face
from .overlaps import loaded_overlap
from .possible_impacts import ExtremeGrains
from .remedies import remedy
from .starts import StartingGroup

if TYPE_CHECKING:
    from ..case import Case

LARGEST = 4.0
"""Largest force on a grain below a plate, over the mean: forces in packings have an exponential tail."""


def load_of(motion: ServoMotion, faces: list[Face]) -> tuple[float, float]:
    """Force of a servo wall (N) and the area on which it acts (m^2, in 2D m), with the walls that span it where they are at the start; NaN: unknown.

    Args:
        motion: motion of the wall.
        faces: the walls of the case.
    """
    places = {face.wall.name: face for face in faces}
    area = motion.area or math.nan
    if motion.span is not None:
        area = math.prod(abs(float((places[b].point - places[a].point) @ places[a].normal)) for a, b in motion.span)
    return (abs(motion.force), area) if motion.force is not None else (abs(motion.pressure or 0.0) * area, area)


def way_of(face: Face, motion: ServoMotion, starts: list[StartingGroup]) -> float:
    """How far a servo wall may go until it is beyond all places where grains start (m), or as far as known grains leave room for it.

    Args:
        face: face of the wall.
        motion: motion of the wall.
        starts: where the grains are at the start.
    """
    direction = np.array(motion.direction, float)
    direction /= np.sqrt(direction @ direction)
    return max(0.0, *(_way_into(start, face, direction) for start in starts))


def _way_into(start: StartingGroup, face: Face, direction: np.ndarray) -> float:
    """The same for one group."""
    if start.ways is None:
        return float(((start.points - face.point) @ direction).max())
    ahead = (start.ways.x - face.point) @ direction
    return max(start.ways.free(k, -direction, float(ahead[k])) for k in start.ways.some(direction))


def load_warnings(case: Case, bodies: ExtremeGrains, faces: list[Face]) -> list[str]:
    """A sentence for each servo wall that presses grains deeper than their sphero-radius, once it is at rest on a bed.

    Args:
        case: validated case.
        bodies: its grains.
        faces: its walls.
    """
    out = []
    for wall in case.wall:
        for index, motion in enumerate(wall.motions):
            if not isinstance(motion, ServoMotion):
                continue
            load, area = load_of(motion, faces)
            worst: tuple[float, str] = (1.0, "")
            for meeting in (one for several in bodies.with_wall(case.grain_species, wall, motion.mass) for one in several.known()):
                bearers = max(1.0, area / (2.0 * meeting.grain.reach) ** (case.dimension - 1)) if math.isfinite(area) else math.nan
                share = LARGEST * load / bearers
                if not math.isfinite(share):
                    continue
                overlap = loaded_overlap(meeting.contact, meeting.spring, share)
                ratio = overlap / meeting.contact.depth
                if ratio > worst[0]:
                    key = f"wall.{wall.name}.motion" if index == 0 else f"wall.{wall.name}.then.{index - 1}"
                    # under a load F ~ k x^p asks for a stiffness of ratio^p, in an impact for ratio^(p+1)
                    deeper = (2.0 * ratio) ** (meeting.spring.power / (meeting.spring.power + 1.0))
                    worst = ratio, (
                        f"{key}: a load of {load:.3g} N presses up to {share:.3g} N onto a grain of species '{meeting.grain.species}', which then "
                        f"overlaps the wall by {overlap:.2g} m, {ratio:.2g} times its sphero-radius ({meeting.contact.depth:.3g} m), and a run stops "
                        f"at one: make {remedy(case, *meeting.materials, deeper, meeting.spring.power)}, or push less"
                    )  # fmt: skip
            if worst[1]:
                out.append(worst[1])
    return out
