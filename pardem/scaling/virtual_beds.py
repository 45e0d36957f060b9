"""Beds of any size for virtual ranks: copies of a settled bed, of which only the places and extents of the grains are kept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..bench.beds import settled_tile, tiling_of
from ..bench.scenes import bed_of, scene_case
from ..decomposition.ghosts import moving_numbers
from ..detection.bounds import bounded_grains
from ..integrators.phases import follows
from ..setup.initial_grains import size_range
from ..setup.preparation import build_scene
from ..setup.scene import Scene
from ..state.placing import place_grains
from ..state.population import ContactTable, Population

CORE = (0.1, 0.9)  # shares of the grains between which the mean density over height is taken


class VirtualBed(NamedTuple):
    """Grains as the decomposition sees them.

    Attributes:
        x: (n, 3) float64 centres (m).
        like: (n,) int32 row of the tile's grain of which each is a copy.
        extent: (grains of a tile, 3) float64 half-extents (m).
        radius: (grains of a tile,) float64 bounding radii (m).
        period: (3,) float64 period of the domain (m), 0 where it is not periodic.
        bytes_per_ghost: bytes that a ghost takes in each step.
    """

    x: np.ndarray
    like: np.ndarray
    extent: np.ndarray
    radius: np.ndarray
    period: np.ndarray
    bytes_per_ghost: int


class SettledBed(NamedTuple):
    """A settled bed of ``pardem bench``.

    Attributes:
        scene: constants of the run.
        grains: its grains.
        contacts: its contacts.
    """

    scene: Scene
    grains: Population
    contacts: ContactTable


def settled_bed(name: str, grains: int) -> SettledBed:
    """Load or make a settled bed on this process alone.

    Args:
        name: name of the scene.
        grains: number of grains.

    Returns:
        The bed.
    """
    case = scene_case(name, grains)
    population, contacts = settled_tile(MPI.COMM_SELF, name, grains)
    return SettledBed(build_scene(case, *size_range(case)).scene, population, contacts)


def virtual_bed(name: str, grains: int, form: str) -> VirtualBed:
    """Compose a bed of copies of a settled one.

    Args:
        name: name of the scene.
        grains: number of grains wanted, to within a few thousandths.
        form: "tiled": side by side, the bed that `pardem bench` and `pardem scaling run` measure, with its number of grains; "cubic": also above each
            other, as wide as high.

    Returns:
        The bed.
    """
    tiling = tiling_of(name, grains)
    settled = settled_bed(name, tiling.grains)
    x = np.ascontiguousarray(settled.grains.x[:, :3])
    bounds = bounded_grains(len(x), len(x), place_grains(settled.grains, settled.scene))
    count = settled.grains.count
    if form == "tiled":
        number, like = np.arange(tiling.tiles).repeat(count), np.tile(np.arange(count, dtype=np.int32), tiling.tiles)
        places = x[like]
        places[:, :2] += tiling.places(number)
    else:
        places, like = _cube(x, grains, tiling.width, bed_of(name).dimension)
    extent, radius = bounds.extent[:count], bounds.radius[:count]
    return VirtualBed(places, like, extent, radius, np.zeros(3), _bytes_per_ghost(settled.scene))


def _bytes_per_ghost(scene: Scene) -> int:
    """Bytes that a ghost takes in each step."""
    spheres = bool((scene.shapes.kind == 1).all())
    return 8 * int(moving_numbers(spheres, follows(scene.integrator, spheres), scene.settings.planar).sum())


def _cube(x: np.ndarray, grains: int, width: float, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Fill a cube (in two dimensions a square) with copies of a bed.

    The bed is repeated upwards with the height that it would have if all of it were as dense as its middle, so that rough surfaces interlock.

    Args:
        x: (m, 3) places of the bed (m), from 0 to ``width`` in horizontal directions.
        grains: number of grains wanted.
        width: width of the bed (m).
        dimension: 2 or 3.

    Returns:
        (n, 3) places and (n,) int32 rows of the bed; n is near to the number wanted.
    """
    up = dimension - 1
    low, high = np.quantile(x[:, up], CORE)
    period = np.array([width] * up + [(high - low) / (CORE[1] - CORE[0])])
    side = (grains * period.prod() / len(x)) ** (1.0 / dimension)
    base = x.copy()
    base[:, up] -= base[:, up].min()
    places, like = [], []
    for copy in np.ndindex(*np.ceil(side / period).astype(int)):
        moved = base.copy()
        moved[:, :dimension] += copy * period
        inside = np.flatnonzero((moved < side).all(axis=1))
        places.append(moved[inside])
        like.append(inside.astype(np.int32))
    return np.concatenate(places), np.concatenate(like)
