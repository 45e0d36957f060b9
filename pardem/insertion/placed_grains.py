"""Grains with positions, as the kernels of insertion want them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import InsertionError
from ..shapes import Catalogue
from .occupants import LinkedCells, Occupants, enter_first, rotate_range
from .regions import BoxDomain
from .skeletons import make_skeletons


class PlacedGrains(NamedTuple):
    """Grains at given positions.

    Attributes:
        species: (n,) rows of the catalogue.
        scale: (n,) size factors, or one for all.
        positions: (n, 3) centres of mass (m).
        orientations: (n, 4) unit quaternions (w, x, y, z), principal frame -> world.
    """

    species: np.ndarray
    scale: np.ndarray | float
    positions: np.ndarray
    orientations: np.ndarray


def wrapped(positions: np.ndarray, domain: BoxDomain | None) -> np.ndarray:
    """Move positions by whole periods into the domain.

    Args:
        positions: (n, 3) positions (m).
        domain: box with periodic axes, if any.

    Returns:
        (n, 3) positions in the domain (m).
    """
    x = np.array(positions, dtype=float).reshape(-1, 3)
    if domain is not None:
        for c, period in enumerate(domain.period):
            if period > 0.0:
                x[:, c] -= np.floor((x[:, c] - domain.lower[c]) / period) * period
                x[x[:, c] >= domain.upper[c], c] = domain.lower[c]
                x[x[:, c] < domain.lower[c], c] = domain.lower[c]
    return x


def require_sizes(sizes: np.ndarray, before: int = 0) -> None:
    """Refuse size factors that are not positive.

    Args:
        sizes: (n,) size factors of the grains.
        before: number of grains before these, for messages.

    Raises:
        InsertionError: names the first such grain.
    """
    _refuse(~(np.isfinite(sizes) & (sizes > 0.0)), "has size factor", sizes, "size factors must be positive", before)


def make_bodies(
    catalogue: Catalogue, placed: PlacedGrains, species: np.ndarray, scale: np.ndarray | float, domain: BoxDomain | None,
    walls: PlacedGrains | None = None,
) -> Occupants:  # fmt: skip
    """Make the arrays of grains that are already placed, of new grains, and of the bodies among the walls, in this order.

    Args:
        catalogue: shape catalogue.
        placed: grains already placed.
        species: (n,) rows of the catalogue of the new grains.
        scale: (n,) size factors of the new grains, or one for all.
        domain: box with periodic axes, if any.
        walls: bodies among the walls.

    Returns:
        The arrays, in which the new grains have no position yet.

    Raises:
        InsertionError: values that are not finite, no such species, sizes not positive, or a period too short for the grains.
    """
    new = _rows(species, catalogue)
    old = _rows(placed.species, catalogue)
    count = len(old) + len(new)
    walls = walls if walls is not None else PlacedGrains(np.empty(0, np.int64), 1.0, np.empty((0, 3)), np.empty((0, 4)))
    rows = np.concatenate([old, new, _rows(walls.species, catalogue)])
    parts = ((placed.scale, len(old)), (scale, len(new)), (walls.scale, len(rows) - count))
    sizes = np.concatenate([np.broadcast_to(np.asarray(part, float), n) for part, n in parts])
    x, q = np.zeros((len(rows), 3)), np.zeros((len(rows), 4))
    x[: len(old)] = _table(placed.positions, len(old), 3, "positions")
    q[: len(old)] = _table(placed.orientations, len(old), 4, "orientations")
    require_sizes(sizes)
    x = wrapped(x, domain)
    x[count:], q[count:] = walls.positions, walls.orientations  # met in every image, wherever they are
    radius = catalogue.radius[rows] * sizes
    counts = np.diff(catalogue.vertex_start)[rows]
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    source = np.arange(start[-1]) - np.repeat(start[:-1] - catalogue.vertex_start[:-1][rows], counts)
    period = np.zeros(3) if domain is None else domain.period
    bodies = Occupants(
        x=x,
        q=q,
        r=radius,
        reach=radius + catalogue.core_radius[rows] * sizes,
        start=start,
        verts=catalogue.vertices[source] * np.repeat(sizes, counts)[:, None],
        lower=np.zeros(3) if domain is None else np.array(domain.lower, float),
        period=period,
        half=np.where(period > 0.0, 0.5 * period, np.inf),
        periodic=bool((period > 0.0).any()),
        species=rows,
        skeletons=make_skeletons(catalogue),
        grains=count,
        hollow=np.zeros(len(rows) - count, dtype=bool),
    )
    rotate_range(bodies, 0, len(old))
    rotate_range(bodies, count, len(rows))
    _require_long_periods(period, 2.0 * bodies.reach[:count].max(initial=0.0))
    return bodies


def _require_long_periods(period: np.ndarray, largest: float) -> None:
    """Refuse periods in which a grain of the largest diameter (m) could touch two images of another."""
    for axis, length in zip("xyz", period):
        if 0.0 < length <= 2.0 * largest:
            raise InsertionError(
                f"The period of {length:g} m along {axis} is too short for grains of diameter {largest:g} m: it must exceed twice the diameter, "
                "or a grain could touch two images of another; make the domain longer."
            )


def make_cells(bodies: Occupants, lower: np.ndarray, upper: np.ndarray, entered: int) -> LinkedCells:
    """Make linked cells over a box; along periodic axes they extend over the period.

    Args:
        bodies: grains and walls.
        lower: (3,) lower corner of the box (m).
        upper: (3,) upper corner of the box (m).
        entered: number of grains, from the first, to enter in the cells.

    Returns:
        The cells.
    """
    n = bodies.grains
    periodic = bodies.period > 0.0
    origin = np.where(periodic, bodies.lower, lower)
    span = np.where(periodic, bodies.period, np.subtract(upper, lower))
    least = 2.0 * bodies.reach[:n].max(initial=0.0) * (1.0 + 1e-6)
    count = np.maximum(1, np.minimum(span / least, 1e6)).astype(np.int64) if least > 0.0 else np.ones(3, dtype=np.int64)
    while np.prod(count) > 4 * n + 64:
        count[np.argmax(count)] = -(-count.max() // 2)
    edge = np.where(span > 0.0, span / count, 1.0)
    cells = LinkedCells(origin, edge, count, np.full(np.prod(count), -1, np.int32), np.full(n, -1, np.int32), np.empty((n, 4)))
    enter_first(bodies, cells, entered)
    return cells


def _rows(species: Any, catalogue: Catalogue) -> np.ndarray:
    rows = np.asarray(species, dtype=np.int64).reshape(-1)
    bad = np.flatnonzero((rows < 0) | (rows >= len(catalogue.kind)))
    if len(bad):
        raise InsertionError(f"Grain {bad[0]} is of species {rows[bad[0]]}, but the catalogue has rows 0 to {len(catalogue.kind) - 1}.")
    return rows


def _table(values: Any, rows: int, columns: int, name: str) -> np.ndarray:
    table = np.asarray(values, dtype=float)
    if table.shape != (rows, columns):
        raise InsertionError(f"The {name} of {rows} grains must be an array of shape ({rows}, {columns}), not {table.shape}.")
    _refuse(~np.isfinite(table).all(axis=1), f"has {name}", table, "they must be finite")
    if columns == 4:
        _refuse(np.abs((table**2).sum(axis=1) - 1.0) > 1e-6, f"has {name}", table, "they must be unit quaternions (w, x, y, z)")
    return table


def _refuse(bad: np.ndarray, what: str, values: np.ndarray, remedy: str, before: int = 0) -> None:
    where = np.flatnonzero(bad)
    if len(where):
        raise InsertionError(f"Grain {before + where[0]} {what} {values[where[0]].tolist()}: {remedy}.")
