"""Grains that start behind a wall or across it, where they overlap it before anything has moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import CaseError
from .ground import Face
from .starts import SETTLED, StartingGroup

if TYPE_CHECKING:
    from ..case import Case

ROUNDING = 1e-9  # of the extent of a region: by how much it may reach behind a wall
SAMPLED = 11  # points between two corners of a region


def region_warnings(case: Case, starts: list[StartingGroup], faces: list[Face]) -> list[str]:
    """A sentence for each region of insertion that reaches behind a plane, out of a cylinder, or across a disc or cone, if it is there at first.

    Args:
        case: validated case.
        starts: where its grains are at the start.
        faces: its walls.

    Raises:
        CaseError: all of a region, or the centre of a given grain, is behind the wall, so that the run stops before its first step.
    """
    out = []
    for start in starts:
        size = float(np.ptp(start.points, axis=0).max()) + start.radius
        for face in faces:
            if not face.there(start.stage or case.stage[0].name):
                continue
            if not face.one_sided:
                out += _across(start, face, size)
                continue
            depth = face.depth(start.points)
            behind = -float(depth.min())
            if behind <= ROUNDING * size:
                continue
            where = "out of" if face.kind == "cylinder" else "behind"
            if start.whole and (depth.max() > 0.0 or face.kind == "cylinder"):
                out.append(
                    f"{start.key}.region reaches {behind:.3g} m {where} wall '{face.label}', and a run with grains there stops at its start: make "
                    "the region smaller, or move the wall"
                )
            elif start.whole:
                raise CaseError(f"{start.key}.region lies {where} wall '{face.label}': move the region or the wall, or turn the wall's normal")
            else:
                n = int(np.argmin(depth))
                said = f"{start.key}: grain {n * start.every} at {start.points[n].tolist()} has its centre {behind:.3g} m {where} wall '{face.label}'"
                if start.key != SETTLED:
                    raise CaseError(f"{said}: move it or the wall, or turn the wall's normal")
                out.append(f"{said} of the case: move the wall, or leave such grains out by start.without_region, unless the wall begins elsewhere")
    return out


def _across(start: StartingGroup, face: Face, size: float) -> list[str]:
    """A sentence if a region lies on both sides of a disc or cone."""
    if not start.whole:
        return []
    share = np.linspace(0.0, 1.0, SAMPLED)[:, None, None, None]
    between = (start.points[:, None] + share * (start.points[None] - start.points[:, None])).reshape(-1, 3)
    nearer = np.linspace(0.2, 1.0, 5)[:, None, None]
    side = face.side((start.middle + nearer * (between - start.middle)).reshape(-1, 3))
    if not (side > ROUNDING * size).any() or not (side < -ROUNDING * size).any():
        return []
    return [
        f"{start.key}.region lies on both sides of wall '{face.label}', so that grains start across it or on its wrong side: make the region "
        "smaller, or move the wall"
    ]
