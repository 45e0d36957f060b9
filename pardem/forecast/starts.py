"""Where the grains of a case are at the start: regions of insertion and given grains, as corners, centres and sets of points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from ..insertion import PlacedGrains
from ..setup.given_grains import given_count, given_grains
from ..setup.initial_grains import initial_grains
from ..setup.insert_fraction import mean_volume
from ..setup.insert_regions import domain_of
from ..setup.preparation import Setup
from ..setup.settled_grains import settled_grains
from ..shapes.catalogue import principal_orientations
from ..state.origin_state import SHOWN
from .free_ways import FreeWays

if TYPE_CHECKING:
    from ..case import Case
    from ..case.placement import AnyRegion, RandomGrains

AROUND = 16  # points of a circle
LOWERED = 100_000  # grains of a case that are lowered for its forecast, at most: in more, they count as where they were inserted
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
        ways: the grains themselves, where each of them is known.
        stage: name of the stage in which they begin to arrive; None: they are there at the start.
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
    ways: FreeWays | None = None
    stage: str | None = None


def starts_of(case: Case, setup: Setup) -> list[StartingGroup]:
    """All groups of grains of a case: one for each insert and pour, one for those that are given one by one or by a file, one for another run's.

    Args:
        case: validated case.
        setup: the same case prepared.
    """
    lowered = _lowered(case, setup)
    out = [replace(_at_random(case, setup, f"insert.{insert.name or i}", insert), ways=lowered.get(i)) for i, insert in enumerate(case.insert)]
    for i, pour in enumerate(case.pour):
        group = _at_random(case, setup, f"pour.{pour.name or i}", pour)
        out.append(replace(group, speed=float(np.linalg.norm(pour.velocity)), stage=pour.start))
    if count := given_count(case):
        given = given_grains(case, -(-count // SHOWN))
        given["orientation"] = principal_orientations(setup.catalogue, given["species"], given["orientation"])
        out.append(_group(case, setup, "grains_file" if case.grains_file is not None else "grain", given, count))
    settled_grains(MPI.COMM_SELF, case, setup.catalogue)  # refuses what cannot be
    if case.origin is not None and case.origin.state is not None:
        out.append(_group(case, setup, SETTLED, vars(case.origin.state.shown), case.origin.state.grain_count))
    return out


def _at_random(case: Case, setup: Setup, key: str, item: RandomGrains) -> StartingGroup:
    """Grains that are inserted or poured."""
    points, k = region_points(case, item.region), [s.name for s in case.species].index(item.species)
    filled = item.count * float(setup.catalogue.volume[k]) * mean_volume(item, case.dimension)
    middle, smallest = 0.5 * (points.min(axis=0) + points.max(axis=0)), float(setup.catalogue.radius[k]) * item.sizes[0]
    return StartingGroup(key, (item.species,), item.count, points, middle, True, smallest, filled)


def _group(case: Case, setup: Setup, key: str, grains: dict[str, np.ndarray], count: int) -> StartingGroup:
    """Grains that are given with place, orientation in their principal frames, and velocity, or every n-th of them."""
    x, kinds, sizes = grains["position"], grains["species"], grains["scale"]
    speed = float(np.sqrt((grains["velocity"] ** 2).sum(axis=1).max()))
    species = tuple(case.species[k].name for k in np.unique(kinds))
    filled = float((setup.catalogue.volume[kinds] * sizes**case.dimension).sum()) * (count / len(x))
    least, every = float((setup.catalogue.radius[kinds] * sizes).min()), -(-count // SHOWN)
    ways = _ways(case, setup, PlacedGrains(kinds, sizes, x, grains["orientation"])) if every == 1 else None
    return StartingGroup(key, species, count, x, 0.5 * (x.min(axis=0) + x.max(axis=0)), False, least, filled, speed, every, ways)


def _ways(case: Case, setup: Setup, grains: PlacedGrains) -> FreeWays:
    domain = domain_of(case)
    return FreeWays(setup.catalogue, grains, np.zeros(3) if domain is None else np.asarray(domain.period))


def _lowered(case: Case, setup: Setup) -> dict[int, FreeWays]:
    """The grains of inserts that are lowered, by the number of the insert: where they come to lie follows from all grains of the case."""
    settled = case.origin.state.grain_count if case.origin is not None and case.origin.state is not None else 0
    first = settled + given_count(case)
    if not any(insert.lowered for insert in case.insert) or first + sum(insert.count for insert in case.insert) > LOWERED:
        return {}
    placed, out = initial_grains(case, setup.catalogue, overlaps=True), {}
    for i, insert in enumerate(case.insert):
        if insert.lowered:
            rows = placed.take(slice(first, first + insert.count))
            out[i] = _ways(case, setup, PlacedGrains(rows.species, rows.scale, rows.x[:, :3], rows.q))
        first += insert.count
    return out


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
