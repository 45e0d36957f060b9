"""Where the grains of a case are at the start: regions of insertion and given grains, as corners, centres and sets of points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from ..setup.given_grains import given_count, given_grains
from ..setup.initial_grains import settled_grains
from ..setup.insert_fraction import mean_volume
from ..setup.preparation import Setup
from ..state.origin_state import SHOWN

if TYPE_CHECKING:
    from ..case import Case
    from ..case.placement import AnyRegion

AROUND = 16  # points of a circle
SETTLED = "start.from"  # key of the grains of another run


@dataclass(frozen=True)
class StartingGroup:
    """Grains that start together.

    Attributes:
        key: key of the case.
        species: names.
        count: number of them.
        points: (n, 3) corners and rims of their region, or their centres (m).
        middle: (3,) (m).
        whole: whether the grains as a whole lie within the points; else these are their centres.
        radius: least sphero-radius (m).
        volume: volume of the grains together (m^3, in 2D m^2).
        speed: fastest of them (m/s).
        every: 1, or n if only every n-th of the grains is among the points.
    """

    key: str
    species: tuple[str, ...]
    count: int
    points: np.ndarray
    middle: np.ndarray
    whole: bool
    radius: float
    volume: float
    speed: float = 0.0
    every: int = 1


def starts_of(case: Case, setup: Setup) -> list[StartingGroup]:
    """All groups of grains of a case: one for each insert, one for those that are given one by one or by a file, one for those of another run.

    Args:
        case: validated case.
        setup: the same case prepared.
    """
    row = {s.name: k for k, s in enumerate(case.species)}
    radius, volume = setup.catalogue.radius, setup.catalogue.volume
    out = []
    for i, insert in enumerate(case.insert):
        points, k = region_points(case, insert.region), row[insert.species]
        least = insert.size.value if insert.size.kind == "constant" else insert.size.min
        filled = insert.count * float(volume[k]) * mean_volume(insert, case.dimension)
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        key, smallest = f"insert.{insert.name or i}", float(radius[k]) * least
        out.append(StartingGroup(key, (insert.species,), insert.count, points, middle, True, smallest, filled))
    if count := given_count(case):
        every = -(-count // SHOWN)
        out.append(_group(case, setup, "grains_file" if case.grains_file is not None else "grain", given_grains(case, every), count))
    settled_grains(MPI.COMM_SELF, case)  # refuses what cannot be
    if case.origin is not None and case.origin.state is not None:
        out.append(_group(case, setup, SETTLED, vars(case.origin.state.shown), case.origin.state.grain_count))
    return out


def _group(case: Case, setup: Setup, key: str, grains: dict[str, np.ndarray], count: int) -> StartingGroup:
    """Grains that are given with place and velocity, or every n-th of them."""
    x, kinds, sizes = grains["position"], grains["species"], grains["scale"]
    speed = float(np.sqrt((grains["velocity"] ** 2).sum(axis=1).max()))
    species = tuple(case.species[k].name for k in np.unique(kinds))
    filled = float((setup.catalogue.volume[kinds] * sizes**case.dimension).sum()) * (count / len(x))
    least = float((setup.catalogue.radius[kinds] * sizes).min())
    return StartingGroup(key, species, count, x, 0.5 * (x.min(axis=0) + x.max(axis=0)), False, least, filled, speed, -(-count // SHOWN))


def region_points(case: Case, region: AnyRegion) -> np.ndarray:
    """Corners of a region, or points of the rims of a cylinder, (n, 3) m."""
    if region.kind != "cylinder":
        box = case.domain if region.kind == "periodic" else region
        assert box is not None
        lower, upper = np.array(box.lower, float), np.array(box.upper, float)
        if case.dimension == 2:
            lower[2] = upper[2] = 0.0
        return np.stack(np.meshgrid(*zip(lower, upper, strict=True), indexing="ij"), -1).reshape(-1, 3)
    a = "xyz".index(region.axis)
    turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
    rim = np.zeros((AROUND, 3))
    rim[:, (a + 1) % 3], rim[:, (a + 2) % 3] = region.radius * np.cos(turn), region.radius * np.sin(turn)
    rim += np.array(region.center)
    low, high = rim.copy(), rim.copy()
    low[:, a], high[:, a] = (0.0, 0.0) if case.dimension == 2 else (region.lower, region.upper)
    return np.concatenate([low, high])
