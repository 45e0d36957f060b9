"""Range of the forces and levers of a case, from its weakest contacts to its strongest: what the quanta of the run are chosen by."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..laws.kind import LawTables
from ..laws.magnitudes import power_of_size, spring_force, strongest
from .resistance_tables import largest_torque
from .sizes import GrainSizes

if TYPE_CHECKING:
    from ..case import Case
    from ..shapes.catalogue import Catalogue

HARDENED = 4.5  # largest force of a contact that has hardened (2.2 k D) over that of its law at an overlap of the smaller sphero-radius (k D/2)
FAINT = 2.0**-8  # share of the smaller sphero-radius: the faint overlap at which forces must still be resolved


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
    """One grain of each species, then the walls.

    Attributes:
        material: (n,) rows in the tables of the law.
        mass: (n,) masses (kg).
        radius: (n,) sphero-radii (m).
        lever: (n,) levers (m).
    """

    material: np.ndarray
    mass: np.ndarray
    radius: np.ndarray
    lever: np.ndarray


class _SizeExtremes(NamedTuple):
    """The largest and the smallest grains of a case, and how their contacts grow with the size.

    Attributes:
        law: tables of the contact law.
        dimension: 2 or 3.
        names: names of the species.
        largest: the largest grain of each species, then the walls.
        smallest: the smallest grain of each species, then the walls.
    """

    law: LawTables
    dimension: int
    names: list[str]
    largest: _Bodies
    smallest: _Bodies

    def pairs(self, bodies: _Bodies, share: float) -> tuple[np.ndarray, ...]:
        """Arguments for the laws at an overlap of a share of the smaller sphero-radius: rows of species down, of species and walls across."""
        n = len(self.names)
        mass, radius = bodies.mass[:n, None], bodies.radius[:n, None]
        smaller = np.minimum(radius, np.where(np.arange(len(bodies.mass)) < n, bodies.radius, np.inf))
        a, b = np.broadcast_arrays(bodies.material[:n, None], bodies.material)
        return a, b, mass / (1.0 + mass / bodies.mass), radius / (1.0 + radius / bodies.radius), share * smaller

    def span(self, unit: str, high: np.ndarray, low: np.ndarray, power: int) -> Span:
        """The range from the smallest entry of ``low`` to the largest of ``high``, both by pairs; ``power`` is that of a lever, 0 or 1."""
        largest, smallest, n = self.largest, self.smallest, len(self.names)
        i, j = (int(k) for k in np.unravel_index(np.argmax(high), high.shape))
        p, q = (int(k) for k in np.unravel_index(np.argmin(low), low.shape))
        growth = power_of_size(self.law, int(largest.material[i]), int(largest.material[j]), self.dimension)
        big = j if j < n and largest.radius[j] > largest.radius[i] else i
        small = q if q < n and smallest.radius[q] < smallest.radius[p] else p
        r_big, r_small = float(largest.radius[big]), float(smallest.radius[small])
        return Span(
            unit, float(high[i, j]), float(low[p, q]), f"species '{self.names[big]}' (sphero-radius {r_big:.4g} m)",
            f"species '{self.names[small]}' (sphero-radius {r_small:.4g} m)", r_big / r_small, growth + power,
        )  # fmt: skip


def contact_spans(case: Case, catalogue: Catalogue, law: LawTables, sizes: GrainSizes) -> Spans:
    """Determine the range of the forces and torques of all contacts of a case: all pairs of species, and all species on walls.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        law: tables of the contact law.
        sizes: sizes of the grains.

    Returns:
        The ranges of forces, torques and energies.
    """
    extremes = _extremes(case, catalogue, law, sizes)
    largest, smallest = extremes.largest, extremes.smallest
    # dampers of given strength matter most for the smallest grains, springs for the largest
    top = np.maximum(strongest(law, *extremes.pairs(largest, 1.0)), strongest(law, *extremes.pairs(smallest, 1.0)))
    if case.contact.interaction_kind.weighted and any(case.eps(name) > 0.0 for name in sizes.row):
        top = top * HARDENED
    faint = extremes.pairs(smallest, FAINT)
    low = spring_force(law, *faint)
    n = len(sizes.row)
    force = extremes.span("N", top, low, 0)
    strong = largest_torque(case) * top
    torque = extremes.span(
        "N m", strong * np.maximum(largest.lever[:n, None], largest.lever), low * np.minimum(smallest.lever[:n, None], smallest.lever), 1
    )
    return Spans(force, torque, float((low * faint[4]).min()))


def _extremes(case: Case, catalogue: Catalogue, law: LawTables, sizes: GrainSizes) -> _SizeExtremes:
    """The largest and the smallest grains of a case."""
    rows, number = list(sizes.row.values()), case.material_rows
    radii = {s.name: float(catalogue.radius[k]) for k, s in enumerate(case.species)}
    walls = [(number[w.material], w.rounding(radii)) for w in case.wall]
    material = np.array([number[case.species[k].material] for k in rows] + [row for row, _ in walls], np.int64)
    gyration = np.sqrt(catalogue.inertia.min(axis=1) / catalogue.mass)

    def bodies(scales: dict[str, float], levers: list[float], lever_of_walls: float) -> _Bodies:
        scale = np.array(list(scales.values()))
        return _Bodies(
            material,
            np.concatenate([catalogue.mass[rows] * scale**case.dimension, np.full(len(walls), np.inf)]),
            np.concatenate([catalogue.radius[rows] * scale, [radius for _, radius in walls]]),
            np.concatenate([levers, np.full(len(walls), lever_of_walls)]),
        )

    largest = bodies(sizes.largest, list(sizes.reach.values()), 0.0)
    smallest = bodies(sizes.smallest, [float(gyration[k]) * sizes.smallest[n] for n, k in sizes.row.items()], np.inf)
    return _SizeExtremes(law, case.dimension, list(sizes.row), largest, smallest)
