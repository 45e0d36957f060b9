"""The state of another run, from which a run starts: what `[start]` of a case refers to, once it has been read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from .population import ContactTable, Population
from .saved import RunHeader
from .table import Column, Table

if TYPE_CHECKING:
    from ..case import Case


SHOWN = 1 << 20  # grains that forecasts look at, at most


@dataclass(eq=False)
class SettledGrains(Table):
    """Grains that a case takes over, in the order of their new ids.

    Attributes:
        gid: (n,) new ids.
        species: (n,) rows in the species of the case.
        scale: (n,) size factors.
        position: (n, 3) centres of mass (m).
        orientation: (n, 4) principal frame -> world.
        velocity: (n, 3) (m/s).
    """

    gid: Annotated[np.ndarray, Column(np.int64)]
    species: Annotated[np.ndarray, Column(np.int32)]
    scale: Annotated[np.ndarray, Column(np.float64)]
    position: Annotated[np.ndarray, Column(np.float64, (3,))]
    orientation: Annotated[np.ndarray, Column(np.float64, (4,))]
    velocity: Annotated[np.ndarray, Column(np.float64, (3,))]


class ContactEnds(NamedTuple):
    """The grains of contacts, which may be those of other ranks.

    Attributes:
        species: (m, 2) rows in the species of the case; the second is -1 at walls.
        scale: (m,) size factor of the first.
    """

    species: np.ndarray
    scale: np.ndarray


@dataclass(frozen=True, eq=False)
class OriginState:
    """The state itself.

    Attributes:
        header: its numbers.
        case: case of the other run.
        catalogue: shapes of its species, name -> array.
        rows: (number of species of the case,) int64 row in the catalogue of the other run, -1: it has no such species.
        grain_count: number of grains that are taken over, on all ranks.
        shown: what is known of some grains of all ranks, on the first rank: of all of them where there are not many.
        grains: grains of this rank, with new ids and with species of the case, those of lower ids on lower ranks; everything else as it was.
        contacts: that this rank knows, with new ids; walls by their numbers in the other run.
        ends: their grains.
        wall_motion: (W, MOTION) motion of the walls of the other run.
        whole: whether no grain was left out.
        contact_count: number of contacts of the other run, those of grains that are left out included.
    """

    header: RunHeader
    case: Case
    catalogue: Mapping[str, np.ndarray]
    rows: np.ndarray
    grain_count: int
    shown: SettledGrains
    grains: Population
    contacts: ContactTable
    ends: ContactEnds
    wall_motion: np.ndarray
    whole: bool
    contact_count: int

    @property
    def settled(self) -> SettledGrains:
        """The grains of this rank."""
        grains = self.grains
        return SettledGrains(grains.gid, grains.species, grains.scale, grains.x[:, :3], grains.q, grains.v[:, :3])


@dataclass(eq=False)
class Origin:
    """What a case knows of the state that it starts from.

    Attributes:
        sizes: smallest and largest size factor by species of the case; of those alone that have grains.
        counts: number of grains by species.
        state: None where a run has a checkpoint of its own and does not need it any more.
    """

    sizes: Mapping[str, tuple[float, float]]
    counts: Mapping[str, int]
    state: OriginState | None
