"""The state of another run, from which a run starts: what `[start]` of a case refers to, once it has been read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .population import ContactTable, Population
from .saved import RunHeader

if TYPE_CHECKING:
    from ..case import Case


class SettledGrains(NamedTuple):
    """All grains that a case takes over, in the order of their new ids; the same on every rank.

    Attributes:
        species: (n,) int64 rows in the species of the case.
        scale: (n,) size factors.
        position: (n, 3) centres of mass (m).
        orientation: (n, 4) principal frame -> world.
        velocity: (n, 3) (m/s).
    """

    species: np.ndarray
    scale: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray


@dataclass(frozen=True, eq=False)
class OriginState:
    """The state itself.

    Attributes:
        header: its numbers.
        case: case of the other run.
        catalogue: shapes of its species, name -> array.
        rows: (number of species of the case,) int64 row in the catalogue of the other run, -1: it has no such species.
        settled: the grains on all ranks.
        grains: grains of this rank, with new ids and with species of the case; everything else as it was.
        contacts: that this rank knows, with new ids; walls by their numbers in the other run.
        wall_motion: (W, MOTION) motion of the walls of the other run.
        whole: whether no grain was left out.
        contact_count: number of contacts of the other run, those of grains that are left out included.
    """

    header: RunHeader
    case: Case
    catalogue: Mapping[str, np.ndarray]
    rows: np.ndarray
    settled: SettledGrains
    grains: Population
    contacts: ContactTable
    wall_motion: np.ndarray
    whole: bool
    contact_count: int


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
