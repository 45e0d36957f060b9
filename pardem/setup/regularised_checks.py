"""Checks of the regularisation of contacts (`contact.eps`) against the shapes of the grains and the time step."""

from __future__ import annotations

import math

import numpy as np

from ..case import Case
from ..case.walls import WallTable
from ..errors import CaseError
from ..shapes.catalogue import Catalogue
from ..state.arrays import Parts
from .timestep import ContactTimes

CLOSEST_TOUCH = 1.0 / 3.0  # smallest distance of the cores at which tips must still touch, as a share of the sum of the sphero-radii
LEAST_HARDENED = 5.0  # number of steps that a hardened contact should take at least
LEAST_ROCKING = 0.01  # overlap up to which flat contacts must rock slowly enough for the time step, as a share of the sphero-radius


def regularisation_warnings(case: Case, catalogue: Catalogue, parts: Parts, eps2: np.ndarray, times: ContactTimes) -> list[str]:
    """Check the regularisation of a case whose interaction is `regularised`.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        parts: convex pieces of the species.
        eps2: (ns,) square of the regularisation of each species.
        times: contact times of the case.

    Returns:
        Sentences for the user.

    Raises:
        CaseError: the regularisation is so strong that the tips of grains would hardly touch.
    """
    _check_tips(case, catalogue, parts, eps2)
    return _pressing_warnings(case, catalogue, parts, eps2, times) + _rocking_warnings(case, catalogue, eps2, times)


def _check_tips(case: Case, catalogue: Catalogue, parts: Parts, eps2: np.ndarray) -> None:
    """The tips of grains must still touch: beta = eps |X| adds to their distance from a plane, sqrt(2) eps |X| to that of two tips.

    Raises:
        CaseError: where surfaces meet at a tip, the cores are closer than CLOSEST_TOUCH of the distance at which they should.
    """
    present = set(case.grain_species)
    flat = _flat_walls(case)
    for k, species in enumerate(case.species):
        if species.name not in present:
            continue  # bodies are met by other rules, in which eps has no part
        tip, radius = _longest_tip(catalogue, parts, k), float(catalogue.radius[k])
        beta2 = eps2[k] * tip**2 / (radius**2 if flat else 2.0 * radius**2)
        if beta2 > 1.0 - CLOSEST_TOUCH**2:
            limit = math.sqrt((1.0 - CLOSEST_TOUCH**2) * eps2[k] / beta2)
            whom = f"wall '{flat[0].name}'" if flat else "each other"
            when = f"only when they overlap by {1.0 - math.sqrt(1.0 - beta2):.0%} of the radii" if beta2 < 1.0 else "not at all"
            raise CaseError(
                f"contact.eps = {math.sqrt(eps2[k]):.3g} is too large for species '{species.name}': its tips would touch {whom} {when}; "
                f"make it at most {limit:.2g}"
            )


def _flat_walls(case: Case) -> list[WallTable]:
    """Walls that a grain meets by the regularised rule."""
    return [wall for wall in case.wall if wall.flat]


def _pressing_warnings(case: Case, catalogue: Catalogue, parts: Parts, eps2: np.ndarray, times: ContactTimes) -> list[str]:
    """A sentence for each species whose tips, pressed into a wall so far that the contact hardens, are too stiff for the time step.

    Between grains an overlap of a sphero-radius comes before that range unless kappa < 3.6: contacts there last half the contact time or more.
    """
    present = set(case.grain_species)
    out = []
    for k, species in enumerate(case.species):
        if species.name not in present or eps2[k] == 0.0 or catalogue.kind[k] == 1:
            continue
        ratio = math.sqrt(eps2[k]) * _longest_tip(catalogue, parts, k) / float(catalogue.radius[k])
        for wall in _flat_walls(case):
            lasts = times.between(species.material, wall.material)
            if lasts is not None and (steps := hardened_contact_time(lasts, ratio) / case.time.step) < LEAST_HARDENED:
                out.append(
                    f"time.step = {case.time.step:.6g} s is long for contact.eps = {math.sqrt(eps2[k]):.3g}: where a tip of species "
                    f"'{species.name}' is pressed deep into wall '{wall.name}', the contact hardens to one that lasts {steps:.2g} steps; better "
                    f"at most {steps * case.time.step / LEAST_HARDENED:.3g} s"
                )
    return out


def _longest_tip(catalogue: Catalogue, parts: Parts, s: int) -> float:
    """Largest distance (m) of a vertex of species ``s`` from the centre of its piece."""
    rows, out = catalogue.piece_vertex_start, 0.0
    for n in range(catalogue.piece_start[s], catalogue.piece_start[s + 1]):
        out = max(out, float(np.linalg.norm(catalogue.vertices[rows[n] : rows[n + 1]] - parts.centre[n], axis=1).max()))
    return out


def _rocking_warnings(case: Case, catalogue: Catalogue, eps2: np.ndarray, times: ContactTimes) -> list[str]:
    """A sentence for each species whose flat contacts rock too fast for the time step before they overlap by LEAST_ROCKING of the radius."""
    present = set(case.grain_species)
    out = []
    for k, name in enumerate(s.name for s in case.species):
        inertia = float(catalogue.inertia[k].max() if catalogue.kind[k] == 2 else catalogue.inertia[k].min())
        material = case.species[k].material
        if catalogue.kind[k] == 1 or eps2[k] == 0.0 or name not in present or (seconds := times.between(material, material)) is None:
            continue
        eps, radius = math.sqrt(eps2[k]), float(catalogue.radius[k])
        overlap = rocking_overlap(case.time.step, seconds, eps, inertia, float(catalogue.mass[k]), radius)
        if overlap < LEAST_ROCKING * radius:
            better = eps * math.sqrt(LEAST_ROCKING * radius / overlap)
            out.append(
                f"contact.eps = {eps:.3g} is small for species '{name}' at time.step = {case.time.step:.6g} s: flat contacts rock too fast for "
                f"the step above an overlap of {overlap / radius:.2g} sphero-radii; better make it {better:.2g} or shorten the step"
            )
    return out


def rocking_overlap(step: float, contact_time: float, eps: float, inertia: float, mass: float, radius: float) -> float:
    """Compute the overlap up to which half a period of two equal grains that rock on each other takes at least ten steps.

    The regularised contact resists tilting like a spring of stiffness N D/eps^2, where D = 2 radius, N = k overlap is the normal force, and
    k = (mass/2) (pi/contact_time)^2.

    Args:
        step: time step (s).
        contact_time: contact time of the two grains (s).
        eps: weight of the regularisation.
        inertia: moment of inertia about the axis of tilt (kg m^2).
        mass: mass of a grain (kg).
        radius: sphero-radius (m).

    Returns:
        The overlap (m).
    """
    return eps**2 * inertia * (contact_time / step) ** 2 / (100.0 * mass * radius)


def hardened_contact_time(seconds: float, ratio: float) -> float:
    """Compute the duration of the contact of a tip with a plane once it hardens; it is stiffer by at most kappa + 1 - 1/GUARD
    (``contacts.hardening``).

    Args:
        seconds: contact time without hardening (s).
        ratio: beta/D, which is eps times the distance of the tip from the centre over the sphero-radius.

    Returns:
        The duration (s).
    """
    from ..contacts.hardening import GUARD, STEEPEST

    kappa = 1.0 / math.sqrt(ratio**2 + 1.0 / STEEPEST**2)
    return seconds / math.sqrt(kappa + 1.0 - 1.0 / GUARD)
