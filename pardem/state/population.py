"""The grains that a rank owns, between two rebuilds of its lists, and the living contacts: each array is described here, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np

from ..shapes.catalogue import Catalogue
from .arrays import Grains
from .table import Column, Table


@dataclass(eq=False)
class Population(Table):
    """Grains, one row each (see docs/architecture.md for the arrays).

    What moves at every step does so in the order of the arrays here: ``decomposition.halo``.
    """

    gid: Annotated[np.ndarray, Column(np.int64, saved=False)]  # files hold the grains in the order of their ids
    species: Annotated[np.ndarray, Column(np.int32)]
    scale: Annotated[np.ndarray, Column(np.float64, fill=1.0)]
    x: Annotated[np.ndarray, Column(np.float64, (4,), moves=3)]
    v: Annotated[np.ndarray, Column(np.float64, (4,), moves=3)]
    w: Annotated[np.ndarray, Column(np.float64, (4,), moves=3)]
    q: Annotated[np.ndarray, Column(np.float64, (4,), moves=4)]
    am: Annotated[np.ndarray, Column(np.float64, (4,), ghosts=False)]
    ft: Annotated[np.ndarray, Column(np.int64, (8,), ghosts=False)]
    image: Annotated[np.ndarray, Column(np.int32, (3,), ghosts=False)]
    past: Annotated[np.ndarray, Column(np.int64, (0,), ghosts=False)]

    @classmethod
    def of(cls, grains: Grains, count: int) -> Self:
        """Return the first rows of the kernels' grains as views.

        Args:
            grains: arrays of the grains.
            count: number of rows.

        Returns:
            The grains.
        """
        return cls(**{name: getattr(grains, name)[:count] for name in cls.columns})

    def widen(self, columns: int, past: int) -> None:
        """Give the force arrays of grains that have not moved yet the width that the run needs.

        Args:
            columns: numbers per grain for the forces of this step.
            past: numbers per grain for the forces of earlier steps.
        """
        if self.ft.shape[1] != columns:
            self.ft = np.zeros((self.count, columns), np.int64)
        if self.past.shape[1] != past:
            self.past = np.zeros((self.count, past), np.int64)


def make_population(catalogue: Catalogue, species: np.ndarray, scale: np.ndarray, position: np.ndarray, orientation: np.ndarray) -> Population:
    """Make grains at rest, with ids in the order of the rows.

    Args:
        catalogue: shape catalogue.
        species: (n,) int rows of the catalogue.
        scale: (n,) size factors.
        position: (n, 3) centres of mass (m).
        orientation: (n, 4) quaternions of the principal frames.

    Returns:
        The grains.
    """
    p = Population.made(len(species))
    p.gid[:] = np.arange(p.count)
    p.species[:] = species
    p.scale[:] = scale
    p.x[:, :3] = position
    p.x[:, 3] = catalogue.radius[species] * scale
    p.v[:, 3] = catalogue.masses(species, scale)
    p.q[:] = orientation
    return p


@dataclass(eq=False)
class ContactTable(Table):
    """Living contacts by key, wherever their bodies are. If tables are joined, a contact known to two ranks occurs twice, with equal rows.

    Attributes:
        key: (n, 3) int64: lower global id; higher global id, or -1 - wall; vertex, or pair of features or pieces (0 if there is none).
        hist: (n, 8, 12, 13 or 17) histories (see ``laws.history``).
        warm: (n, 2) int64 active sets of the solver.
    """

    key: Annotated[np.ndarray, Column(np.int64, (3,))]
    hist: Annotated[np.ndarray, Column(np.float64, (8,))]
    warm: Annotated[np.ndarray, Column(np.int64, (2,))]

    @classmethod
    def blank(cls, width: int, count: int = 0) -> Self:
        """Make rows of zeros.

        Args:
            width: number of floats in a history.
            count: number of rows.

        Returns:
            The table.
        """
        return cls.made(count, {"hist": np.zeros((count, width))})
