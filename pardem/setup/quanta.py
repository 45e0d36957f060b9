"""The choice of the quanta of a run: from the forces and levers of its weakest contacts to those of its strongest (docs/theory/motion.md)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..compiled.fixedpoint import LIMIT, MOST, WIDE_LIMIT
from ..errors import CaseError
from ..laws.kind import LawTables
from ..laws.magnitudes import power_of_size, spring_force, strongest
from .resistance_tables import largest_torque

if TYPE_CHECKING:
    from ..case import Case
    from ..shapes.catalogue import Catalogue

HARDENED = 4.5  # largest force of a contact that has hardened (2.2 k D) over that of its law at an overlap of the smaller sphero-radius (k D/2)
FAINT = 2.0**-8  # share of the smaller sphero-radius: an overlap at which the force is resolved as well as the next numbers say
FINE, LEAST = 2.0**20, 2.0**16  # counts of that force: one limb should give the first, two limbs must give the second
WEIGHT = 2.0**30  # counts of the lightest weight that one limb should give
BOOKS = 2.0**30  # counts of the energy of such a contact; and how many the largest energy may have, so that long sums of it hold
FULLEST = 2.0**76


class Quanta(NamedTuple):
    """The quanta of a run.

    Attributes:
        force: N per count.
        torque: N m per count.
        energy: J per count.
        wide: whether the sums of bodies have two limbs.
    """

    force: float
    torque: float
    energy: float
    wide: bool


class Span(NamedTuple):
    """Range of the forces or torques of a run.

    Attributes:
        unit: N or N m.
        largest: largest value that one contact can give.
        least: value that the weakest pair gives at a very small overlap.
        big: grain to which ``largest`` belongs, for messages.
        small: grain to which ``least`` belongs, for messages.
        sizes: ratio of the sphero-radii of these two grains.
        power: exponent with which the largest value grows with the size; 0 if it does not depend on the size.
    """

    unit: str
    largest: float
    least: float
    big: str = ""
    small: str = ""
    sizes: float = 1.0
    power: int = 0


class Spans(NamedTuple):
    """Forces (N) and torques (N m) of a run's contacts; ``energy``: force times overlap of the weakest pair at a faint overlap (J)."""

    force: Span
    torque: Span
    energy: float


class _Bodies(NamedTuple):
    """One grain of each species, then the walls: rows in the law's tables, mass (kg), sphero-radius (m), lever (m), all (n,)."""

    material: np.ndarray
    mass: np.ndarray
    radius: np.ndarray
    lever: np.ndarray


def power_of_two_above(value: float) -> float:
    """The smallest power of two that is not below ``value`` (> 0)."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(1.0, exponent - 1 if mantissa == 0.5 else exponent)


def contact_spans(
    case: Case, catalogue: Catalogue, law: LawTables, reach: dict[str, float], largest_scale: dict[str, float], smallest_scale: dict[str, float]
) -> Spans:
    """Determine the range of the forces and torques of all contacts of a case: all pairs of species, and all species on walls.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        law: tables of the contact law.
        reach: bounding radius of the largest grain of each species (m), by name.
        largest_scale: largest size factor of each species, by name.
        smallest_scale: smallest size factor of each species, by name.

    Returns:
        The ranges of forces, torques and energies.
    """
    names = [s.name for s in case.species]
    present = set(case.grain_species)
    rows = [k for k, name in enumerate(names) if name in present]
    number = case.material_rows
    bodies = {s.name: float(catalogue.radius[k]) for k, s in enumerate(case.species)}
    walls = [(number[w.material], w.rounding(bodies)) for w in case.wall]
    gyration = np.sqrt(catalogue.inertia.min(axis=1) / catalogue.mass)

    def side(scales: dict[str, float], levers: list[float], of_walls: float) -> _Bodies:
        scale = np.array([scales[names[k]] for k in rows])
        return _Bodies(
            np.array([number[case.species[k].material] for k in rows] + [row for row, _ in walls], np.int64),
            np.concatenate([catalogue.mass[rows] * scale**case.dimension, np.full(len(walls), np.inf)]),
            np.concatenate([catalogue.radius[rows] * scale, [radius for _, radius in walls]]),
            np.concatenate([levers, np.full(len(walls), of_walls)]),
        )

    largest = side(largest_scale, [reach[names[k]] for k in rows], 0.0)
    smallest = side(smallest_scale, [float(gyration[k]) * smallest_scale[names[k]] for k in rows], np.inf)

    def pairs(of: _Bodies, share: float) -> tuple[np.ndarray, ...]:
        """Arguments for the laws: rows of species down, of species and walls across."""
        n = len(rows)
        mass, radius = of.mass[:n, None] / (1.0 + of.mass[:n, None] / of.mass), of.radius[:n, None] / (1.0 + of.radius[:n, None] / of.radius)
        smaller = np.minimum(of.radius[:n, None], np.where(np.arange(len(of.mass)) < n, of.radius, np.inf))
        a, b = np.broadcast_arrays(of.material[:n, None], of.material)
        return a, b, mass, radius, share * smaller

    # dampers of given strength matter most for the smallest grains, springs for the largest
    top = np.maximum(strongest(law, *pairs(largest, 1.0)), strongest(law, *pairs(smallest, 1.0)))
    if case.contact.interaction == "regularised" and any(case.eps(name) > 0.0 for name in present):
        top = top * HARDENED
    faint = pairs(smallest, FAINT)
    low = spring_force(law, *faint)
    n = len(rows)

    def span(unit: str, high: np.ndarray, least: np.ndarray, power: int) -> Span:
        i, j = (int(k) for k in np.unravel_index(np.argmax(high), high.shape))
        p, q = (int(k) for k in np.unravel_index(np.argmin(least), least.shape))
        growth = power_of_size(law, int(largest.material[i]), int(largest.material[j]), case.dimension)
        big = j if j < n and largest.radius[j] > largest.radius[i] else i
        small = q if q < n and smallest.radius[q] < smallest.radius[p] else p
        r_big, r_small = float(largest.radius[big]), float(smallest.radius[small])
        return Span(
            unit, float(high[i, j]), float(least[p, q]), f"species '{names[rows[big]]}' (sphero-radius {r_big:.4g} m)",
            f"species '{names[rows[small]]}' (sphero-radius {r_small:.4g} m)", r_big / r_small, growth + power,
        )  # fmt: skip

    force = span("N", top, low, 0)
    strong = largest_torque(case) * top
    torque = span("N m", strong * np.maximum(largest.lever[:n, None], largest.lever), low * np.minimum(smallest.lever[:n, None], smallest.lever), 1)
    return Spans(force, torque, float((low * faint[4]).min()))


def choose_quanta(spans: Spans, lightest_weight: float, lightest_lever: float, contributions: float) -> Quanta:
    """Choose the quanta from the largest and smallest forces and torques of a run.

    A single limb is used if its range covers the largest values and its quantum resolves the weakest contacts and the lightest weight; otherwise sums
    take two limbs.

    Args:
        spans: ranges of the forces, torques and energies.
        lightest_weight: smallest weight of a grain (N); 0 without gravity.
        lightest_lever: smallest sphero-radius (m).
        contributions: estimate of the number of forces that may act on one body at once.

    Returns:
        The quanta.

    Raises:
        CaseError: the largest force is not a positive number, or even two limbs cannot span the range.
    """
    if not (spans.force.largest > 0.0 and math.isfinite(spans.force.largest)):
        value = spans.force.largest
        raise CaseError(f"The largest contact force comes out as {value} N; check the stiffnesses and radii in [contact] and [[species]].")
    force, torque = (2.0 * power_of_two_above(span.largest) / LIMIT for span in spans[:2])
    fine = spans.force.least >= FINE * force and spans.torque.least >= FINE * torque and not 0.0 < lightest_weight < WEIGHT * force
    if fine and contributions < MOST:
        return Quanta(force, torque, torque, False)
    energy = min(spans.energy, lightest_weight * lightest_lever or math.inf) / BOOKS
    energy = min(torque, max(power_of_two_above(energy), power_of_two_above(spans.torque.largest) / FULLEST))
    force, torque = (2.0 * power_of_two_above(span.largest) / WIDE_LIMIT for span in spans[:2])
    for span, quantum in ((spans.force, force), (spans.torque, torque)):
        if span.least < LEAST * quantum:
            raise CaseError(_too_far_apart(span, quantum))
    return Quanta(force, torque, energy, True)


def _too_far_apart(span: Span, quantum: float) -> str:
    """The sentence that refuses a run whose forces or torques lie too far apart."""
    asked, held = span.largest / span.least, span.largest / (LEAST * quantum)
    sizes = span.sizes * (held / asked) ** (1.0 / span.power) if span.power else 0.0
    remedy = f"with this law their radii may differ by a factor of {_floor(sizes):.3g}, not {span.sizes:.4g}; " if sizes > 1.0 else ""
    return (
        f"contacts of {span.big} bear up to {span.largest:.3g} {span.unit}, and those of {span.small} must be told apart at {span.least:.3g} "
        f"{span.unit}: a ratio of {asked:.2g}, where sums reach {held:.2g}; {remedy}bring sizes or stiffnesses nearer to each other"
    )


def _floor(value: float) -> float:
    """``value`` rounded down to three digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return math.floor(value / unit) * unit


def weight_notes(quanta: Quanta, weight: float, field: float, label: str) -> list[str]:
    """Warn of a lightest grain whose weight is poorly resolved by the quanta.

    Args:
        quanta: quanta of the run.
        weight: weight by gravity (N).
        field: weight by the field towards a point (N), which is summed with the contact forces.
        label: name of the grain.

    Returns:
        Sentences for the user.

    Raises:
        CaseError: the field is not resolved.
    """
    if 0.0 < field < LEAST * quanta.force:
        raise CaseError(
            f"attraction.strength: the field pulls {label} with {field:.3g} N, but forces are summed in counts of {quanta.force:.3g} N; make it at "
            f"least {LEAST * quanta.force / field:.2g} times as strong, or narrow the range of sizes"
        )
    if 0.0 < weight < LEAST * quanta.force:
        return [
            f"gravity is weak against the contacts: {label} weighs {weight:.3g} N, {weight / quanta.force:.2g} counts of the forces' quantum; "
            "free fall is exact, but support and friction at rest are not resolved better than that"
        ]
    return []
