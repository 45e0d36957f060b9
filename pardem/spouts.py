"""Where, when and how poured grains arrive: what is known of it before a run, and how far it has come."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .insertion import BoxDomain, NewGrains, Region, Surroundings, insert_random
from .state import arrays as st

if TYPE_CHECKING:
    from .shapes.catalogue import Catalogue


@dataclass(eq=False)
class Spout:
    """Where, when and how grains arrive.

    Attributes:
        region: where.
        species: row of the catalogue.
        ids: (n,) int64 ids of the grains in the order of their arrival.
        scale: (n,) their size factors.
        velocity: (3,) with which they arrive (m/s).
        interval: number of steps between two of them.
        stage: name of the stage that starts with the first.
        base: first step of that stage, -1: it has not begun.
        arrived: number of grains that have arrived.
    """

    region: Region
    species: int
    ids: np.ndarray
    scale: np.ndarray
    velocity: np.ndarray
    interval: float
    stage: str
    base: int = -1
    arrived: int = 0

    @property
    def waiting(self) -> bool:
        """Whether grains of it are still to come, and their stage has begun."""
        return self.base >= 0 and self.arrived < len(self.ids)

    def due(self, number: int) -> int:
        """Step at which a grain is due.

        Args:
            number: of the grain, in the order of arrival.
        """
        return self.base + math.floor(min(number * self.interval, float(st.NEVER // 2)))

    def due_at(self, step: int) -> int:
        """Count the grains that should have arrived.

        Args:
            step: number of the step.
        """
        count = len(self.ids)
        last = min(count - 1, int((step + 1 - self.base) / self.interval) + 1) if self.interval > 0.0 else count - 1
        while last >= 0 and self.due(last) > step:
            last -= 1
        return last + 1


@dataclass(eq=False)
class Plan:
    """What is known of arrivals before the run, the same on all ranks.

    Attributes:
        spouts: where grains arrive, in the order in which they are looked at.
        catalogue: shape catalogue of the case.
        names: names of its species.
        domain: of the case, if it has one.
        seed: of the case.
    """

    spouts: list[Spout]
    catalogue: Catalogue
    names: list[str]
    domain: BoxDomain | None
    seed: int

    def try_first(self) -> None:
        """Put the first grain of each spout into its empty region, which also compiles what that takes.

        Raises:
            InsertionError: there is no room for it.
        """
        for spout in self.spouts:
            new = NewGrains([spout.species], spout.scale[:1], int(spout.ids[0]), self.names)
            insert_random(spout.region, self.catalogue, new, seed=self.seed, around=Surroundings(self.domain))
