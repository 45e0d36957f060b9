"""Periodic axes of the domain that pass through a wall which has no opening there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .ground import Face

if TYPE_CHECKING:
    from ..case import Case

ALONG = 1e-6  # cosine or sine below which directions count as across or along each other

CLOSED = {
    "plane": "the plane cuts the period off: a grain beyond the face would come back behind the wall, and images of grains act through it",
    "cylinder": "the tube closes the period off: grains never reach the faces of the domain, or reach them within the wall",
}


def period_warnings(case: Case, faces: list[Face]) -> list[str]:
    """A sentence for each wall that a periodic axis cannot pass through.

    Args:
        case: validated case.
        faces: its walls.
    """
    if case.domain is None:
        return []
    out = []
    for c in np.flatnonzero(case.domain.periodic):
        for wall in case.wall:
            crossed = [face for face in faces if face.wall is wall and _crosses(face, int(c))]
            if crossed:
                out.append(
                    f"domain.periodic: the domain is periodic along {'xyz'[c]}, but wall '{wall.name}' lies across that axis: "
                    f"{CLOSED[crossed[0].kind]}; make domain.periodic false along {'xyz'[c]}, or turn the wall along it"
                )
    return out


def _crosses(face: Face, axis: int) -> bool:
    """Whether a grain that moves along an axis must meet the surface."""
    along = abs(float(face.normal[axis]))
    if face.kind == "plane":
        return along > ALONG
    return face.kind == "cylinder" and along < 1.0 - ALONG
