"""Grains as a case places them, and all of their state, which follows from that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..case import Case
from ..insertion import PlacedGrains
from ..shapes.catalogue import Catalogue
from ..shapes.rotations import matrices
from ..state.origin_state import SettledGrains
from ..state.population import Population, make_population
from ..state.table import Column
from .law_tables import lent_radii


@dataclass(eq=False)
class StartingGrains(SettledGrains):
    """Grains as a case places them; the rest of their state follows from it.

    Attributes:
        spin: (n, 3) angular velocity, as the case gives it (rad/s).
    """

    spin: Annotated[np.ndarray, Column(np.float64, (3,))]

    def placed(self) -> PlacedGrains:
        """Where the grains are."""
        return PlacedGrains(self.species, self.scale, self.position, self.orientation)


def population_of(case: Case, catalogue: Catalogue, grains: StartingGrains) -> Population:
    """Make grains with all of their state.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        grains: the grains as they are placed.

    Returns:
        The same grains.
    """
    p = make_population(catalogue, grains.species, grains.scale, grains.position, grains.orientation)
    lent = lent_radii(case)
    p.gid[:] = grains.gid
    p.x[:, 3] += np.array([lent.get(s.material, 0.0) for s in case.species])[p.species]
    p.v[:, :3], p.w[:, :3] = grains.velocity, grains.spin
    turns = np.flatnonzero(grains.spin.any(axis=1))
    p.am[turns, :3] = angular_momentum(p.q[turns], p.w[turns, :3], catalogue.moments(p.species[turns], p.scale[turns]))
    return p


def angular_momentum(q: np.ndarray, w: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Compute R I R^T w for each grain.

    Args:
        q: (n, 4) orientations.
        w: (n, 3) angular velocities (rad/s).
        inertia: (n, 3) principal moments (kg m^2).

    Returns:
        (n, 3) angular momenta, world frame (kg m^2/s).
    """
    rotation = matrices(q)
    body = np.einsum("nji,nj->ni", rotation, w) * inertia
    return np.einsum("nij,nj->ni", rotation, body)
