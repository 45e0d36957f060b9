"""Why two bodies came to overlap too much, when a run has stopped on it: how fast they met, and the parameters that would have borne it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..recorder import RecordedContacts
from ..state.diagnosis import Fault
from .impacts import SAFE
from .overlaps import PossibleContact, energy_held, impact_overlap, spring_of
from .remedies import remedy

if TYPE_CHECKING:
    from ..case import Case
    from ..simulation import Simulation

VELOCITY = 3  # first column of the velocity in ``Walls.pose``


class Side(NamedTuple):
    """One of the two bodies.

    Attributes:
        material: name.
        place: centre (m).
        velocity: (m/s).
        spin: (rad/s).
        mass: (kg).
        radius: sphero-radius; of a wall that by which it is rounded (m).
    """

    material: str
    place: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    mass: float
    radius: float


def stop_estimate(case: Case, sim: Simulation, contacts: RecordedContacts, fault: Fault) -> str:
    """Say how fast the two bodies of a fault met, how deep their contact goes then, and what would have borne it. Collective.

    Args:
        case: case of the run.
        sim: the simulation a few steps before the fault.
        contacts: contacts of that step, on this rank.
        fault: that the run stopped on.

    Returns:
        One sentence; empty where the law does not say how its force grows, or a body is not known.
    """
    first, second = _grain(case, sim, fault.a), _wall(case, sim, -1 - fault.b) if fault.b < 0 else _grain(case, sim, fault.b)
    key = [min(fault.a, fault.b), max(fault.a, fault.b)] if fault.b >= 0 else [fault.a, fault.b]
    mine = np.flatnonzero((contacts.key[:, :2] == key).all(axis=1))
    found = [(float(contacts.overlap[k]), contacts.normal[k], contacts.point[k]) for k in mine]
    deep = max((row for rows in sim.comm.allgather(found) for row in rows), key=lambda row: row[0], default=None)
    if first is None or second is None:
        return ""
    return _sentence(case, sim, first, second, deep)


def _sentence(case: Case, sim: Simulation, first: Side, second: Side, deep: Any) -> str:
    rows, rounded = case.material_rows, first.radius / (1.0 + first.radius / second.radius)
    depth = first.radius if math.isinf(second.mass) else min(first.radius, second.radius)
    contact = PossibleContact((rows[first.material], rows[second.material]), first.mass / (1.0 + first.mass / second.mass), rounded, depth)
    spring = spring_of(sim.setup.scene.law, contact)
    if spring is None or math.isnan(spring.force):
        return ""
    overlap, apart = (deep[0], deep[1]) if deep is not None else (0.0, None)
    relative = second.velocity - first.velocity
    if deep is not None and math.isfinite(second.mass):
        relative = relative + np.cross(second.spin, deep[2] - second.place)
    if deep is not None:
        relative = relative - np.cross(first.spin, deep[2] - first.place)
    closing = float(np.linalg.norm(relative) if apart is None else abs(relative @ apart))
    speed = math.sqrt(closing**2 + 2.0 * energy_held(contact, spring, overlap) / contact.mass)
    deepest = max(overlap, float(impact_overlap(contact, spring, speed)))
    cure = remedy(case, first.material, second.material, max(deepest / depth, 1.0) / SAFE, spring.power)
    if deepest < depth:
        return (
            f"The two met at about {speed:.3g} m/s, at which they alone overlap by {deepest:.2g} m, less than the sphero-radius of {depth:.3g} m: "
            f"others press on them; make {cure}, or press less."
        )
    return (
        f"The two met at about {speed:.3g} m/s, at which their contact overlaps by {deepest:.2g} m, {deepest / depth:.2g} times the sphero-radius of "
        f"{depth:.3g} m: make {cure}, or let them meet more slowly."
    )


def _grain(case: Case, sim: Simulation, gid: int) -> Side | None:
    """A grain, on every rank. Collective."""
    g = sim.engine.grains
    mine = [(int(g.species[k]), g.x[k].copy(), g.v[k].copy(), g.w[k, :3].copy()) for k in np.flatnonzero(g.gid == gid)]
    known = [row for rows in sim.comm.allgather(mine) for row in rows]
    if not known:
        return None
    species, x, v, w = known[0]
    return Side(case.species[species].material, x[:3], v[:3], w, float(v[3]), float(x[3]))


def _wall(case: Case, sim: Simulation, row: int) -> Side:
    """A wall, as if it did not turn."""
    name = next(name for name, rows in sim.setup.walls.items() if row in rows)
    wall = next(wall for wall in case.wall if wall.name == name)
    radii = {s.name: float(sim.setup.catalogue.radius[k]) for k, s in enumerate(case.species)}
    velocity = sim.setup.scene.walls.pose[row, VELOCITY : VELOCITY + 3]
    return Side(wall.material, np.zeros(3), velocity.copy(), np.zeros(3), math.inf, wall.rounding(radii))
