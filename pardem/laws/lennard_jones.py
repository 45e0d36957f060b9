"""Lennard-Jones law: repulsion and attraction with a range, from the gap between the surfaces of two grains; no damping.

With rho = gap + sigma (of balls with sigma for a diameter: the distance of their centres) and the cut-off rho_c

    U(rho) = 4 depth ((sigma/rho)^12 - (sigma/rho)^6),      F = -dU/drho
    force  = F(rho) - F(rho_c),      energy = U(rho) - U(rho_c) + (rho - rho_c) F(rho_c),      both 0 from rho_c on

(J. E. Lennard-Jones, Proc. Phys. Soc. 43, 1931, 461; shifted force: S. Toxvaerd and J. C. Dyre, J. Chem. Phys. 134, 2011, 081102). Grains are given a
larger radius for their contacts, so that every pair within the cut-off is one that touches: ``start`` is the overlap that a gap of zero then has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.choices import select
from ..compiled.jit import inlined
from . import parameters as p
from .kind import Form, Key, LawInput, LawKind, Values
from .linear import spring_contact_time
from .quantities import NormalForce


class LennardJones(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material).

    Attributes:
        depth: depth of the potential (J).
        sigma: rho at which it is zero (m).
        limit: rho from which on there is no force (m).
        start: overlap of the enlarged radii where the surfaces just touch (m).
        force: F at the limit (N).
        energy: U at the limit (J).
        friction: zero.
        rocking: zero.
        torsion: zero.
    """

    depth: np.ndarray
    sigma: np.ndarray
    limit: np.ndarray
    start: np.ndarray
    force: np.ndarray
    energy: np.ndarray
    friction: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: all tables before friction."""
    return law.depth[a, b], law.sigma[a, b], law.limit[a, b], law.start[a, b], law.force[a, b], law.energy[a, b]


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact, negative where it attracts; arguments and result as of ``elastic.normal_force``."""
    depth, sigma, limit, start, force_there, energy_there = numbers
    rho = sigma + start - overlap
    near = rho < limit
    q = sigma / rho
    q2 = q * q
    q6 = q2 * q2 * q2
    force = 24.0 * depth * (2.0 * q6 * q6 - q6) / rho - force_there
    energy = 4.0 * depth * (q6 * q6 - q6) - energy_there + (rho - limit) * force_there
    force = select(rho > 0.0, force, np.inf)  # deeper than the law goes: out of range
    return NormalForce(select(near, force, 0.0), 0.0, 0.0, 0.0, 0.0, 0.0, select(near, energy, 0.0), memory)


@inlined
def touching_overlap(law, numbers):
    """Overlap (m) that the larger radii of the grains give where their surfaces just touch.

    Args:
        law: tables of the law.
        numbers: see ``coefficients``.
    """
    return numbers[3]


_BOTTOM = 72.0 / 2.0 ** (1.0 / 3.0)  # stiffness at the bottom of the potential, in depth/sigma^2


def _reach(c: Values, at_wall: bool) -> float:
    return ((p.LOWEST if at_wall else c.number("cutoff")) - 1.0) * c.number("sigma")


def _fill(given: LawInput) -> LennardJones:
    grid, extra, on_wall = given.grid, given.extra_radius, given.on_wall
    depth, sigma = grid(lambda c: c.number("depth")), grid(lambda c: c.number("sigma"))
    limit = np.where(on_wall, p.LOWEST, grid(lambda c: c.number("cutoff"))) * sigma
    energy, force = p.lennard_jones(depth, sigma, limit)
    return LennardJones(
        depth, sigma, limit, extra[:, None] + extra, np.where(on_wall, 0.0, force), energy, *(np.zeros_like(depth) for _ in range(3))
    )


def _complete(values: dict[str, Any], where: str) -> None:
    if values["friction"]:
        raise ValueError(f"{where}.friction = {values['friction']!r} is not used by law = 'lennard_jones'; leave it out")
    values["cutoff"] = 2.5 if values["cutoff"] is None else values["cutoff"]


def _durations(c: Values, mass: Any, radius: Any, multiplicity: Any) -> tuple[Any, Any]:
    seconds = spring_contact_time(mass, _BOTTOM * c.number("depth") / c.number("sigma") ** 2, multiplicity)
    return seconds, seconds


def _spring_force(law, a, b, mass, radius, overlap):
    return np.asarray(_BOTTOM * law.depth[a, b] / law.sigma[a, b] ** 2 * overlap)


def _bound(law, a, b):
    return p.lennard_jones(law.depth[a, b], law.sigma[a, b], p.DEEPEST * law.sigma[a, b])[1]


KIND = LawKind(
    name="lennard_jones",
    table=LennardJones,
    keys={
        "depth": Key("law `lennard_jones`: depth of the potential well (J)"),
        "sigma": Key("law `lennard_jones`: length sigma of the potential (m), for balls their diameter; the potential is zero where surfaces touch"),
        "cutoff": Key(
            "law `lennard_jones`: cut-off distance of the force divided by sigma (1); default: 2.5; at walls it is always 2^(1/6)",
            above=None, least=p.LOWEST,
        ),
    },
    forms=(Form("lennard_jones", ("depth", "sigma"), ("cutoff",), _complete),),
    fill=_fill,
    durations=_durations,
    spring_force=_spring_force,
    bound=_bound,
    coefficients=coefficients,
    normal_force=normal_force,
    reach=_reach,
    touching_overlap=touching_overlap,
)  # fmt: skip
