"""The time step against the contact time, once masses are known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..case.contact_parameters import Resolved
from ..case.walls import WallTable
from ..errors import CaseError, ShapeError
from ..laws.registry import KINDS
from ..walls.surfaces.wall_table import Corners

if TYPE_CHECKING:
    from ..case.model import Case
    from ..shapes import Shape

MOST_WARNINGS = 20


@dataclass(frozen=True)
class ContactTime:
    """Duration of a collision.

    Attributes:
        between: the two materials.
        seconds: the duration (s).
        fastest: the duration, were its fastest part the whole (s): Walton's unloading is stiffer than his loading.
        multiplicity: contacts that can act at once between the two bodies.
    """

    between: tuple[str, str]
    seconds: float
    fastest: float
    multiplicity: int = 1


class ContactTimes(NamedTuple):
    """Durations of the collisions of all pairs of materials.

    Attributes:
        rows: materials of grains.
        columns: materials of grains, then those of walls.
        seconds: (rows, columns) durations as in `ContactTime` (s); NaN for pairs that are listed elsewhere or have no duration.
        fastest: (rows, columns) shortest durations as in `ContactTime` (s); NaN for the same pairs.
        multiplicity: (rows, columns) int64 largest number of simultaneous contacts of a pair.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    seconds: np.ndarray
    fastest: np.ndarray
    multiplicity: np.ndarray

    def pairs(self, among: np.ndarray | None = None) -> list[ContactTime]:
        """List contact times.

        Args:
            among: (rows, columns) bool, which pairs to list, or None for all.

        Returns:
            The contact times.
        """
        found = np.argwhere(np.isfinite(self.seconds) if among is None else among).tolist()
        return [
            ContactTime((self.rows[i], self.columns[j]), float(self.seconds[i, j]), float(self.fastest[i, j]), int(self.multiplicity[i, j]))
            for i, j in found
        ]

    def near(self, step: float) -> list[ContactTime]:
        """Select the contact times for which a time step can be too long.

        Args:
            step: time step (s).

        Returns:
            The contact times.
        """
        return self.pairs(self.fastest < 20.0 * step)

    def between(self, grain: str, other: str) -> float | None:
        """Return the contact time of grains of one material with grains or walls of another.

        Args:
            grain: name of the first material.
            other: name of the second material.

        Returns:
            The contact time (s); None if it is not known.
        """
        if grain not in self.rows or other not in self.columns:
            return None
        seconds = float(self.seconds[self.rows.index(grain), self.columns.index(other)])
        return seconds if math.isfinite(seconds) else None

    @property
    def most_at_once(self) -> int:
        """Most springs that act at once between two bodies."""
        return max(1, int(self.multiplicity.max(initial=1)))


Values = Any
"""A number, or an array of them."""


def contact_time(between: tuple[str, str], parameters: Resolved, mass: float, radius: float, multiplicity: int = 1) -> ContactTime | None:
    """Shortest collision that the parameters allow; None for a user's law without ``contact_time``.

    Args:
        between: names of the two materials.
        parameters: parameters of the pair (`Case.contact_between`).
        mass: smallest effective mass of the pair (kg).
        radius: smallest effective radius of the pair (m).
        multiplicity: contacts that can act at once between the two bodies.
    """
    found = KINDS[parameters.law].durations(parameters, mass, radius, multiplicity)
    return None if found is None else ContactTime(between, float(found[0]), float(found[1]), multiplicity)


def check_time_step(step: float, times: Iterable[ContactTime]) -> list[str]:
    """Check the time step against every contact time.

    Args:
        step: time step (s).
        times: contact times.

    Returns:
        A warning for each pair whose contact time, or the fastest part of it, is under 20 steps; if there are very many, the first `MOST_WARNINGS`.

    Raises:
        CaseError: a contact time is under 10 steps.
    """
    warnings = []
    for time in sorted(times, key=lambda t: (t.seconds, t.between)):
        pair = f"between '{time.between[0]}' and '{time.between[1]}'"
        steps = time.seconds / step
        # a ratio that is whole but for rounding (6e-4 s / 6e-5 s) counts as reached
        if steps < 10.0 * (1.0 - 1e-12):
            raise CaseError(
                f"time.step = {step:.6g} s is too long: a contact {pair} lasts {time.seconds:.4g} s, {steps:.3g} steps; "
                f"make it at most {time.seconds / 10:.4g} s (a tenth), better {time.seconds / 20:.4g} s"
            )
        if time.fastest / step < 20.0 * (1.0 - 1e-12):
            what = "lasts" if time.fastest == time.seconds else "unloads as one that lasts"
            warnings.append(
                f"time.step = {step:.6g} s is long: a contact {pair} {what} {time.fastest:.4g} s, {time.fastest / step:.3g} steps; "
                f"better at most {time.fastest / 20:.4g} s (a twentieth)"
            )
    if len(warnings) > MOST_WARNINGS:
        warnings[MOST_WARNINGS:] = [f"time.step = {step:.6g} s is long for {len(warnings) - MOST_WARNINGS} pairs of materials more"]
    return warnings


def contact_times(case: Case, mass: Mapping[str, float], radius: Mapping[str, float]) -> ContactTimes:
    """Contact times of all pairs of a case.

    Args:
        case: the case.
        mass: mass of the lightest grain of each species (kg).
        radius: effective contact radius of the smallest grain of each species, that of the law `hertz` (m).
    """
    from ..shapes.compound import most_that_meet

    features, minima = case.contact.interaction_kind.by_features, case.contact.interaction_kind.by_minima
    present = set(case.grain_species)
    by_edges = any(wall.met_by_edges for wall in case.wall)
    extremes: dict[str, _Extremes] = {}
    for species in case.species:
        if species.name in present:
            degrees = _degrees(species.make_shape()) if features or by_edges else (1, 0)
            # several minima of the distance act at once where a grain is not convex: two hold it in the plane, three in space
            shape = species.make_shape()
            several = case.dimension if minima and not shape.convex else 1
            pieces = (len(shape.pieces), most_that_meet(shape.vertices, shape.pieces, shape.radius)) if shape.pieces else (1, 1)
            own = _Extremes(mass[species.name], radius[species.name], *degrees, species.core_vertices, several, *pieces)
            extremes[species.material] = own.joined(extremes.get(species.material, own))
    rows = tuple(extremes)
    columns = tuple(dict.fromkeys([*rows, *(wall.material for wall in case.wall)]))
    size = (len(rows), len(columns))
    out = ContactTimes(rows, columns, np.full(size, np.nan), np.full(size, np.nan), np.zeros(size, np.int64))
    parameters = case.contact_table(rows, columns)
    each = np.array([extremes[name][2:] for name in rows], dtype=np.int64).reshape(-1, len(_Extremes._fields) - 2)
    a = _Extremes(np.array([e.mass for e in extremes.values()]), np.array([e.radius for e in extremes.values()]), *each.T)

    def add(column: int, last: int, m: np.ndarray, r: np.ndarray, multiplicity: np.ndarray, share: Values = 1.0) -> None:
        """Enter the first ``last`` rows of a column where they are shorter than what is there."""
        multiplicity = np.broadcast_to(multiplicity, (last,))
        for k, values in parameters.of_column(column, last):
            durations = KINDS[case.contact.law].durations(values, m[k], r[k], multiplicity[k])
            if durations is None:
                continue
            # with a wall that is free to move: exact for linear springs
            seconds, fastest = (np.sqrt(share[k] if np.ndim(share) else share) * part for part in durations)
            k, seconds, fastest = (part[~(seconds >= out.seconds[k, column])] for part in (k, seconds, fastest))
            out.seconds[k, column], out.fastest[k, column], out.multiplicity[k, column] = seconds, fastest, multiplicity[k]

    for n, name in enumerate(rows):
        b, above = extremes[name], _Extremes(*(values[: n + 1] for values in a))
        multiplicity = Corners(above.edges, above.faces).together(Corners(b.edges, b.faces), case.dimension) if features else above.at_once(b)
        add(n, n + 1, above.mass * b.mass / (above.mass + b.mass), above.radius * b.radius / (above.radius + b.radius), multiplicity)
    for wall in case.wall:
        by_vertex = features or not wall.flat
        count = _vertices_on_wall(a.vertices, case.dimension) if by_vertex else np.maximum(a.minima, a.pieces)
        corner = next((Corners(*_degrees(s.make_shape())) for s in case.species if s.name == wall.shape_of), None)
        count = np.maximum(count, wall.at_a_corner(Corners(a.edges, a.faces), corner, case.dimension))
        add(columns.index(wall.material), len(rows), a.mass, a.radius, count, _share(wall, a.mass))
    return out


class _Extremes(NamedTuple):
    """Of the species of a material, or arrays of several: least mass (kg) and radius (m), most edges and faces at a vertex, most vertices, most
    minima of the distance, most convex pieces, most of them that one contact may touch.
    """

    mass: Values
    radius: Values
    edges: Values
    faces: Values
    vertices: Values
    minima: Values
    pieces: Values
    meeting: Values

    def joined(self, other: _Extremes) -> _Extremes:
        """Extremes of both groups of grains together: the least mass and radius, the largest numbers of features."""
        edges, faces, vertices = max(self.edges, other.edges), max(self.faces, other.faces), max(self.vertices, other.vertices)
        minima, pieces, meeting = max(self.minima, other.minima), max(self.pieces, other.pieces), max(self.meeting, other.meeting)
        return _Extremes(min(self.mass, other.mass), min(self.radius, other.radius), edges, faces, vertices, minima, pieces, meeting)

    def at_once(self, other: _Extremes) -> Values:
        """Springs of whole grains that act at once: minima of the distance, pieces that lie flat on the other, pieces that meet where both touch."""
        return np.maximum.reduce(
            [
                np.maximum(self.minima, other.minima), np.maximum(self.pieces, other.pieces), self.meeting * other.meeting,
            ]
        )  # fmt: skip


def _share(wall: WallTable, mass: np.ndarray) -> np.ndarray:
    """Effective mass of a grain on a wall over the grain's own: below 1 where the wall itself is free to move."""
    heavy = min(motion.inertia for motion in wall.motions)
    return 1.0 / (1.0 + mass / heavy)


def _degrees(shape: Shape) -> tuple[int, int]:
    """Most edges and most faces that meet in a vertex; a vertex without edges counts as an edge in space, in the plane as none."""
    corners = [v for loop in shape.faces for v in loop]
    edges = int(np.bincount(shape.edges.ravel()).max()) if len(shape.edges) else shape.dimension - 2
    return edges, int(np.bincount(corners).max()) if corners and shape.dimension == 3 else 0


def _vertices_on_wall(count: np.ndarray, dimension: int) -> np.ndarray:
    """Vertices that can lie on a wall at once: a face holds half of a body's vertices at most, an edge both of its two."""
    if dimension == 2:
        return np.minimum(count, 2)
    return np.where(count < 4, count, np.maximum(3, count // 2))


def lightest_grains(case: Case) -> tuple[dict[str, float], dict[str, float]]:
    """Determine the smallest grain of each species; those of ``grains_file`` count with the size factor 1.

    Args:
        case: validated case.

    Returns:
        Mass (kg) and sphero-radius (m) of these grains, by name of the species.

    Raises:
        ShapeError: a shape is degenerate, or so small or light that its mass is zero.
    """
    mass, radius = {}, {}
    scales: dict[str, float] = {}
    for item in case.at_random:
        scales[item.species] = min(item.sizes[0], scales.get(item.species, math.inf))
    for grain in case.grain:
        scales[grain.species] = min(grain.scale, scales.get(grain.species, math.inf))
    for name, (least, _) in (case.origin.sizes if case.origin is not None else {}).items():
        scales[name] = min(least, scales.get(name, math.inf))
    for species in case.species:
        scale = scales.get(species.name, 1.0)
        shape = species.make_shape()
        try:
            mass[species.name] = float(shape.mass_properties(density=species.density).mass) * scale**case.dimension
        except ShapeError as error:
            raise ShapeError(f"species.{species.name}: {error}") from None
        if not 0.0 < mass[species.name] < math.inf:
            m = mass[species.name]
            raise ShapeError(f"species.{species.name}: the mass of its smallest grain comes out as {m:g} kg; check density, lengths and size factors")
        radius[species.name] = species.radius * scale
    return mass, radius
