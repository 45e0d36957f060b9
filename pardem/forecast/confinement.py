"""Whether grains that lie together stay together: where there is no room beside them, they go down as a whole; else they slump, each on its own."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .ground import Face
from .openings import around
from .starts import StartingGroup

if TYPE_CHECKING:
    from ..case import Case


def held_together(case: Case, starts: list[StartingGroup], faces: list[Face]) -> list[StartingGroup]:
    """The same groups, but without the places of the single grains where these may spread beside the others under gravity.

    Args:
        case: validated case.
        starts: where its grains are at the start.
        faces: its walls, where they are at the start.
    """
    return [start if start.ways is None or _confined(case, start, faces) else replace(start, ways=None) for start in starts]


def _confined(case: Case, start: StartingGroup, faces: list[Face]) -> bool:
    """Whether no grain fits between these grains and the walls around them, or their periodic images, in any stage."""
    if (ways := start.ways) is None or (strength := math.sqrt(sum(c * c for c in case.gravity))) == 0.0:
        return True
    up = -np.array(case.gravity, float) / strength
    heights, middle = ways.x @ up, 0.5 * (ways.x.min(axis=0) + ways.x.max(axis=0))
    longest = 2.0 * float(np.linalg.norm(np.ptp(np.concatenate([ways.x, *(face.point[None] for face in faces)]), axis=0)))
    for along in around(case, up):
        reach = float((ways.x @ along + ways.reach).max() - middle @ along)
        for height in (heights.min(), 0.5 * (heights.min() + heights.max()), heights.max()):
            point = middle + (height - middle @ up) * up
            for stage in case.stage:
                held = min((face.meets(point, along, longest) for face in faces if face.there(stage.name)), default=math.inf)
                if min(held, _image(ways.periods, along)) - reach > 2.0 * float(ways.reach.min()):
                    return False
    return True


def _image(periods: np.ndarray, along: np.ndarray) -> float:
    """Half of the way to the nearest periodic image along a direction (m); infinite where there is none."""
    across = (periods > 0.0) & (along != 0.0)
    return float((0.5 * periods[across] / np.abs(along[across])).min(initial=math.inf))
