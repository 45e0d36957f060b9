"""Random insertion without overlap: grain by grain, in the order of ids, at random positions until one is free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import InsertionError
from ..shapes import Catalogue
from .counter import random_sizes
from .insert_kernels import TOO_LONG, insert
from .occupants import Occupants
from .placed_grains import PlacedGrains, make_bodies, make_cells
from .regions import BoxDomain, Region

NOBODY = PlacedGrains(np.empty(0, np.int32), 1.0, np.empty((0, 3)), np.empty((0, 4)))


class NewGrains(NamedTuple):
    """Grains to be inserted, in the order of their ids.

    Attributes:
        species: (n,) row of the catalogue of each grain.
        scale: (n,) size factors, or one for all.
        first_id: id of the first grain.
        names: names of the species, for messages.
    """

    species: np.ndarray | Sequence[int]
    scale: np.ndarray | float = 1.0
    first_id: int = 0
    names: Sequence[str] = ()


class Surroundings(NamedTuple):
    """What inserted grains have to keep clear of.

    Attributes:
        domain: box with periodic axes, if there is one.
        placed: grains that are already there.
        walls: bodies among the walls; one that encloses the middle of the region may hold grains, others are solid where they are closed.
    """

    domain: BoxDomain | None = None
    placed: PlacedGrains = NOBODY
    walls: PlacedGrains = NOBODY


def insert_random(
    region: Region,
    catalogue: Catalogue,
    grains: NewGrains,
    *,
    seed: int,
    around: Surroundings = Surroundings(),  # noqa: B008 (immutable)
    max_attempts: int = 100_000,
) -> tuple[np.ndarray, np.ndarray]:
    """Put grains into a region without overlap, uniform in position (given the grains before) and, all of them, uniform in direction (in 2D about z).

    Everything depends on (seed, id) by counters: the orientation on nothing else, the position on the grains before as well. It is the same wherever
    and on however many ranks it is computed. A grain's direction is never redrawn, so that the directions stay uniform near walls too.

    Args:
        region: region that must contain the whole grains.
        catalogue: catalogue of the species.
        grains: the grains to be inserted.
        seed: seed of the random numbers, 0 <= seed < 2^63.
        around: the domain, and the grains and walls that are already there.
        max_attempts: number of positions to try for one grain.

    Returns:
        positions: (n, 3) centres of mass (m), inside the domain.
        orientations: (n, 4) unit quaternions (w, x, y, z), principal frame -> world.

    Raises:
        InsertionError: there is no free position for a grain, a grain is longer than the region, or the region reaches beyond a periodic domain.
    """
    bodies, first, stopped, reason = _tried(region, catalogue, grains, seed, around, max_attempts)
    if stopped < bodies.grains:
        new = np.asarray(grains.species, dtype=np.int64)
        sizes = np.broadcast_to(np.asarray(grains.scale, float), len(new))
        name = grains.names[new[stopped - first]] if len(grains.names) else str(new[stopped - first])
        stop = _Stop(stopped - first, grains.first_id + stopped - first, name, reason, max_attempts)
        raise _failure(region, stop, catalogue.volumes(new, sizes), 2.0 * bodies.reach[stopped])
    return bodies.x[first : bodies.grains], bodies.q[first : bodies.grains]


def insert_while_free(
    region: Region, catalogue: Catalogue, grains: NewGrains, *, seed: int, around: Surroundings, max_attempts: int
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Put grains into a region as ``insert_random`` does, up to the first that finds no free position.

    Args:
        region: region that must contain the whole grains.
        catalogue: catalogue of the species.
        grains: the grains, in the order in which they are tried.
        seed: seed of the random numbers, 0 <= seed < 2^63.
        around: the domain, and the grains and walls that are already there.
        max_attempts: number of positions to try for one grain.

    Returns:
        positions: (k, 3) centres of mass (m) of those that were placed.
        orientations: (k, 4) unit quaternions (w, x, y, z), principal frame -> world.

    Raises:
        InsertionError: the region reaches beyond a periodic domain.
    """
    bodies, first, stopped, _ = _tried(region, catalogue, grains, seed, around, max_attempts)
    return bodies.x[first:stopped], bodies.q[first:stopped]


def _tried(
    region: Region, catalogue: Catalogue, grains: NewGrains, seed: int, around: Surroundings, max_attempts: int
) -> tuple[Occupants, int, int, int]:
    """Insert grains one after the other: all bodies, the row of the first new grain, that at which it stopped, and why."""
    domain, arrays = around.domain, region.arrays()
    if domain is not None:
        for c in np.flatnonzero(domain.periodic):
            if arrays.lower[c] < domain.lower[c] or arrays.upper[c] > domain.upper[c]:
                raise InsertionError(
                    f"The region for insertion goes from {arrays.lower[c]:g} to {arrays.upper[c]:g} m along {'xyz'[c]}, beyond the periodic domain "
                    f"({domain.lower[c]:g} to {domain.upper[c]:g} m); make it smaller."
                )
    bodies = make_bodies(catalogue, around.placed, np.asarray(grains.species), grains.scale, domain, around.walls)
    first = len(around.placed.species)
    cells = make_cells(bodies, arrays.lower, arrays.upper, first)
    stopped, reason = insert(bodies, cells, first, grains.first_id, seed, arrays, max_attempts)
    return bodies, first, stopped, reason


def random_scales(seed: int, first_id: int, count: int, low: float, high: float) -> np.ndarray:
    """Draw size factors of grains with consecutive ids, uniform between two bounds, by seed and id.

    Args:
        seed: seed of the random numbers.
        first_id: id of the first grain.
        count: number of grains.
        low: lower bound.
        high: upper bound.

    Returns:
        (count,) size factors.
    """
    scale = np.empty(count)
    random_sizes(seed, first_id, low, high, scale)
    return scale


class _Stop(NamedTuple):
    """Where and why an insertion stopped.

    Attributes:
        done: number of grains placed.
        gid: id of the grain that could not be placed.
        species: its species.
        reason: NO_POSITION or TOO_LONG.
        attempts: number of positions that were tried for one grain.
    """

    done: int
    gid: int
    species: str
    reason: int
    attempts: int


def _failure(region: Region, stop: _Stop, volumes: np.ndarray, diameter: float) -> InsertionError:
    """The error of an insertion that stopped.

    Args:
        region: where the grains should go.
        stop: where and why it stopped.
        volumes: (n,) volumes of all grains to be inserted (m^3; in 2D areas, m^2).
        diameter: diameter of the grain that could not be placed, about its centre (m).
    """
    head = f"Insertion stopped at grain {stop.gid} of species '{stop.species}' with {stop.done} of {len(volumes)} grains placed: "
    if stop.reason == TOO_LONG:
        return InsertionError(
            f"{head}in its direction the grain (of diameter {diameter:g} m about its centre) is longer than the region; make it wider."
        )
    unit, reached = ("m^2", "40 to 50 %, less for long or hooked grains") if region.planar else ("m^3", "10 to 30 %, less for long grains")
    filled, asked = volumes[: stop.done].sum() / region.volume, volumes.sum() / region.volume
    return InsertionError(
        f"{head}no free position in {stop.attempts} attempts. The grains placed fill {filled:.1%} of the region ({region.volume:.4g} {unit}), all "
        f"would fill {asked:.1%}; random insertion reaches {reached}. Give a taller region and let the grains settle, or fewer grains."
    )
