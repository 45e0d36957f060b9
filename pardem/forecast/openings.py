"""Ways out: grains that have no wall below them, or that can roll off a floor to a face of the domain where the run stops."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..case.settings import Domain
from .ground import Face
from .speeds import way_in
from .starts import AROUND, StartingGroup

if TYPE_CHECKING:
    from ..case import Case


def opening_warnings(case: Case, starts: list[StartingGroup], faces: list[Face]) -> list[str]:
    """A sentence for each group of grains that can leave the domain where it is neither periodic nor open, under gravity.

    Walls are taken where they are at the start; bodies and cones count as closed all around.

    Args:
        case: validated case.
        starts: where its grains are at the start.
        faces: its walls.
    """
    domain, strength = case.domain, math.sqrt(sum(c * c for c in case.gravity))
    if domain is None or strength == 0.0:
        return []
    down = np.array(case.gravity, float) / strength
    out = []
    for start in starts:
        for stage in case.stage:
            there = [face for face in faces if face.there(stage.name)]
            found = _falls_out(start, stage.name, down, there, domain) or _rolls_off(case, start, stage.name, down, there, domain)
            if found and found[0] < way_in(case, start.speed, strength):
                out.append(found[1])
                break
    return out


def _closed(face: Face) -> bool:
    return face.kind in ("body", "cone")


def _exit(start: np.ndarray, along: np.ndarray, domain: Domain) -> tuple[float, str]:
    """Length of a ray until it leaves the domain (m), and the face through which; infinite where all faces on its way are periodic."""
    found = (math.inf, "")
    for c in range(3):
        if along[c] != 0.0 and not domain.periodic[c]:
            side = domain.upper[c] if along[c] > 0.0 else domain.lower[c]
            length = (side - start[c]) / along[c]
            if 0.0 <= length < found[0]:
                found = length, f"{'upper' if along[c] > 0.0 else 'lower'}-{'xyz'[c]}"
    return found


def _falls_out(start: StartingGroup, stage: str, down: np.ndarray, faces: list[Face], domain: Domain) -> tuple[float, str] | None:
    """Below the middle of the grains there is nothing but the face of the domain: how far it is (m), and a sentence."""
    length, side = _exit(start.middle, down, domain)
    if not side or side in (domain.outflow or ()) or any(_closed(face) for face in faces):
        return None
    if any(face.meets(start.middle, down, length) <= length for face in faces):
        return None
    return length, (
        f"{start.key}: in stage '{stage}' there is no wall between these grains and the face '{side}' of the domain, {length:.3g} m below them, and "
        f"a run stops when a grain falls through it: put a floor there, or name '{side}' in domain.outflow"
    )


def _rolls_off(case: Case, start: StartingGroup, stage: str, down: np.ndarray, faces: list[Face], domain: Domain) -> tuple[float, str] | None:
    """Along the floor, away from the middle of the grains, there is nothing that holds them; a single grain has nothing that sends it there."""
    if start.count == 1 or any(_closed(face) for face in faces):
        return None
    longest = 2.0 * float(np.linalg.norm(np.subtract(domain.upper, domain.lower)))
    fall, floor = min(((face.meets(start.middle, down, longest), face) for face in faces), key=lambda pair: pair[0], default=(math.inf, None))
    if floor is None or not fall < math.inf or floor.kind == "cylinder":
        return None
    foot = start.middle + (fall - start.radius) * down
    for along in around(case, floor.normal if floor.normal @ down < 0.0 else -floor.normal):
        edge, side = _exit(foot, along, domain)
        rim = _rim(floor, foot, along)
        if not side or (edge <= rim and side in (domain.outflow or ())):
            continue
        if any(face.meets(foot, along, longest) <= min(edge, rim) for face in faces if face is not floor):
            continue
        if rim < edge and (_caught(foot + 1.001 * rim * along, down, faces, domain)):
            continue
        what = f"the face '{side}' of the domain" if edge <= rim else f"the rim of wall '{floor.label}'"
        cure = f"put a wall there, enlarge [domain], or name '{side}' in domain.outflow" if edge <= rim else "put a wall around it"
        return min(edge, rim), (
            f"{start.key}: in stage '{stage}' grains on wall '{floor.label}' can roll to {what}, {min(edge, rim):.3g} m from the middle of where "
            f"they start, with no wall on the way, and a run stops when one leaves the domain: {cure}"
        )
    return None


def _rim(floor: Face, foot: np.ndarray, along: np.ndarray) -> float:
    """Distance (m) from a point over the floor to its rim; infinite for planes."""
    if floor.kind == "plane":
        return math.inf
    apart = foot - floor.point
    apart = apart - (apart @ floor.normal) * floor.normal
    cross = float(apart @ along)
    inside = cross * cross - float(apart @ apart) + float(floor.sizes[0]) ** 2
    return math.sqrt(inside) - cross if inside > 0.0 else 0.0


def _caught(point: np.ndarray, down: np.ndarray, faces: list[Face], domain: Domain) -> bool:
    """Whether there is another floor below a point, or a face through which grains may leave."""
    length, side = _exit(point, down, domain)
    return side in (domain.outflow or ()) or any(face.meets(point, down, length) <= length for face in faces)


def around(case: Case, up: np.ndarray) -> list[np.ndarray]:
    """Directions across another one, (3,) unit vectors.

    Args:
        case: validated case.
        up: (3,) unit vector.
    """
    if case.dimension == 2:
        side = np.array([-up[1], up[0], 0.0])
        return [side, -side]
    first = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    first /= np.linalg.norm(first)
    second = np.cross(up, first)
    turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
    return [np.cos(a) * first + np.sin(a) * second for a in turn]
