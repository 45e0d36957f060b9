"""Contacts of a frame as tubes from centre to centre, as thick as their normal forces are strong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pardem.errors import FileError

from ..analysis.frame import Frame
from ..analysis.result import Result
from .rounded_surfaces import TriangleMesh, tubes

THICKEST = 0.35  # radius of the strongest, in mean reaches of the grains from their centres
THINNEST = 0.03  # of the weakest, relative to the strongest
SIDES = 8
NEEDED = ("point", "normal", "force")


class Chains(NamedTuple):
    """Contacts as a surface.

    Attributes:
        surface: all tubes.
        force: normal force (N) at each point.
    """

    surface: TriangleMesh
    force: np.ndarray


def force_chains(frame: Frame, shown: np.ndarray, strongest: float) -> Chains:
    """The contacts of some grains.

    Args:
        frame: frame of a result.
        shown: (n,) bool, the grains whose contacts are drawn; of two grains both must be among them.
        strongest: normal force of the thickest tube (N).
    """
    contacts, result = frame.contacts, frame.result
    rows = np.nonzero(shown[contacts.first] & (contacts.with_wall | shown[np.maximum(contacts.second, 0)]))[0]
    begin = frame["position"][contacts.first[rows]]
    force = np.maximum(contacts.normal_force[rows], 0.0)
    reach = (result.catalogue["core_radius"] + result.catalogue["radius"])[result.species_rows] * frame.scale
    thickest = THICKEST * float(reach[shown].mean()) if shown.any() else 0.0
    radius = thickest * np.clip(force / (strongest or 1.0), THINNEST, 1.0)
    return Chains(tubes(begin, begin + contacts.branch[rows], radius, SIDES), np.repeat(force, 2 * SIDES))


def strongest_of(result: Result, frames: list[int]) -> float:
    """Largest normal force (N) in some frames; 0 without contacts.

    Args:
        result: result of a run.
        frames: numbers of the frames.

    Raises:
        FileError: frames of the result do not show what is drawn of contacts.
    """
    if not set(NEEDED) <= set(result.contact_fields):
        raise FileError(f"{result.path} does not hold what --contacts draws: put contacts = true into [output] of the case")
    return max((float(result[k].contacts.normal_force.max(initial=0.0)) for k in frames), default=0.0)
