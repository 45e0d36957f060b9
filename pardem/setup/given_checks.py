"""Given grains that no run can begin with: so fast that they cross the domain in a step, outside of it, or in each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..case import Case
from ..case.grains_file import GrainsFile
from ..errors import FileError, InsertionError
from ..insertion import PlacedGrains, require_clear
from ..shapes.catalogue import Catalogue, principal_orientations
from ..state.origin_state import SHOWN, SettledGrains
from .given_grains import given_blocks, given_count, given_grains
from .insert_regions import domain_of


class GivenGrains(NamedTuple):
    """Grains that a case gives one by one.

    Attributes:
        arrays: as ``given_grains`` returns them, with orientations in principal frames.
        placed: where those of another run and then these are.
    """

    arrays: dict[str, np.ndarray]
    placed: PlacedGrains


def placed_given(case: Case, catalogue: Catalogue, settled: SettledGrains, overlaps: bool) -> GivenGrains:
    """Read all given grains, and place them after those of another run.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        settled: grains of the other run.
        overlaps: whether given grains may overlap.

    Returns:
        The grains.

    Raises:
        InsertionError: given grains overlap or lie outside the domain.
        FileError: ``grains_file`` cannot be read, or holds grains that are too fast.
    """
    given = given_grains(case)
    require_slow(case, catalogue, given)
    given["orientation"] = principal_orientations(catalogue, given["species"], given["orientation"])
    placed = PlacedGrains(
        np.concatenate([settled.species, given["species"]]), np.concatenate([settled.scale, given["scale"]]),
        np.concatenate([settled.position, given["position"]]), np.concatenate([settled.orientation, given["orientation"]]),
    )  # fmt: skip
    if len(given["species"]) and not overlaps:
        require_clear(catalogue, placed, domain=domain_of(case), names=[s.name for s in case.species], settled=settled.count)
    return GivenGrains(given, placed)


def require_given(case: Case, catalogue: Catalogue, settled: SettledGrains) -> None:
    """Refuse the given grains that a run refuses, but for those of more than a million that are outside the domain or in each other.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        settled: grains of another run.

    Raises:
        PardemError: as ``placed_given``.
    """
    if settled.count + given_count(case) <= SHOWN:
        placed_given(case, catalogue, settled, overlaps=False)
        return
    first = 0
    for table in given_blocks(case):
        require_slow(case, catalogue, table, first)
        first += len(table["species"])


def require_slow(case: Case, catalogue: Catalogue, table: dict[str, np.ndarray], first: int = 0) -> None:
    """Refuse given grains of which a point crosses the whole domain in one step, or whose speed is out of range.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        table: some of the given grains, as ``given_grains`` returns them.
        first: number of given grains before these.

    Raises:
        FileError: a grain of ``grains_file`` is so fast.
        InsertionError: a ``[[grain]]`` is.
    """
    bad = np.flatnonzero(too_fast(case, catalogue, *(table[name] for name in ("species", "scale", "velocity", "angular_velocity"))))
    if len(bad):
        row = int(bad[0])
        said = f"velocity = {table['velocity'][row].tolist()} m/s and angular_velocity = {table['angular_velocity'][row].tolist()} rad/s"
        remedy = "so fast that it crosses the whole domain in one step: reduce them, or time.step"
        in_file = GrainsFile(case).count if case.grains_file else 0
        if first + row < in_file:
            raise FileError(f"grains_file = '{case.grains_file}': {said} of grain {first + row} make it {remedy}")
        number = first + row - in_file
        raise InsertionError(f"grain.{case.grain[number].name or number}: {said} make it {remedy}")


def too_fast(case: Case, catalogue: Catalogue, species: np.ndarray, scale: np.ndarray, velocity: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """Find the grains of which a point crosses the whole domain in one step, or whose speed is out of range.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        species: (n,) rows of the catalogue.
        scale: (n,) size factors.
        velocity: (n, 3) (m/s).
        spin: (n, 3) angular velocities (rad/s).

    Returns:
        (n,) bool.
    """
    reach = np.where(catalogue.kind > 1, catalogue.core_radius, 0.0)[species] * scale
    side = np.inf if case.domain is None else float(np.subtract(case.domain.upper, case.domain.lower)[: case.dimension].min())
    with np.errstate(over="ignore", invalid="ignore"):
        way = (np.sqrt((velocity**2).sum(axis=1)) + reach * np.sqrt((spin**2).sum(axis=1))) * case.time.step
    return ~((way <= side) & np.isfinite(way))  # a sphere may turn as it likes, but not beyond all numbers
