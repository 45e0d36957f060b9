"""How far grains whose places are known can move before they meet others: the part of a straight way that no other grain takes up.

Grains that are packed fall together, by no more than the gaps between them and the way of the lowest ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..insertion import PlacedGrains
from ..shapes import Catalogue
from ..shapes.rotations import into_body

SAMPLED = 300
"""Grains whose ways are looked at, at most."""
LOOKED_AT = 30_000_000
"""Pairs of a way and a grain that are looked at, so that a forecast takes about a second at most."""


class Planes(NamedTuple):
    """The planes around a convex grain of size factor 1, from its centre of mass in its principal frame.

    Attributes:
        normals: (m, 3) outwards.
        distances: (m,) (m).
    """

    normals: np.ndarray
    distances: np.ndarray


class FreeWays:
    """Grains at known places, and what they leave free.

    Solid convex grains are taken as the polytopes whose faces are moved outwards by the sphero-radius, cut off at the furthest point of the grain;
    spheres as they are; others as balls of the same volume, which fill the same share of long ways.

    Args:
        catalogue: shapes of the grains.
        grains: where they are.
        periods: (3,) periods of the domain (m), 0 along axes that are not periodic.

    Attributes:
        x: (n, 3) centres of mass (m).
        reach: (n,) distances of the furthest points from them (m).
    """

    def __init__(self, catalogue: Catalogue, grains: PlacedGrains, periods: np.ndarray) -> None:
        self.species, self.x, self.q = np.asarray(grains.species), grains.positions, grains.orientations
        self.scale = np.broadcast_to(np.asarray(grains.scale, float), len(self.x))
        self.periods = periods
        self.planes = {int(s): planes_around(catalogue, int(s)) for s in np.unique(self.species)}
        ball = np.where(catalogue.dimension == 2, np.sqrt(catalogue.volume / math.pi), np.cbrt(0.75 * catalogue.volume / math.pi))
        inner = catalogue.radius.copy()
        for s, planes in self.planes.items():
            if planes is not None:
                ball[s], inner[s] = catalogue.core_radius[s] + catalogue.radius[s], planes.distances.min()
        self.reach = (catalogue.core_radius + catalogue.radius)[self.species] * self.scale
        self.ball, self.inner = ball[self.species] * self.scale, inner[self.species] * self.scale

    def some(self, along: np.ndarray) -> list[int]:
        """Numbers of the grains from which ways are looked at: all of a few, some of many, with the one that is furthest along a direction.

        Args:
            along: (3,) unit vector.
        """
        count = min(SAMPLED, max(1, LOOKED_AT // max(1, len(self.x))))
        return sorted({int(np.argmax(self.x @ along)), *range(0, len(self.x), -(-len(self.x) // count))})

    def free(self, k: int, along: np.ndarray, length: float) -> float:
        """The part of a way from the centre of a grain that neither it nor others take up (m).

        Args:
            k: number of the grain.
            along: (3,) unit vector.
            length: length of the way (m).
        """
        apart = self.x - self.x[k]
        for c in np.flatnonzero(self.periods > 0.0):
            apart[:, c] -= self.periods[c] * np.round(apart[:, c] / self.periods[c])
        ahead = apart @ along
        half = self.ball**2 - ((apart**2).sum(axis=1) - ahead**2)
        half = np.sqrt(np.maximum(half, 0.0))
        half[k] = 0.0
        near = np.flatnonzero((half > 0.0) & (ahead + half > 0.0) & (ahead - half < length))
        begin, end = ahead[near] - half[near], ahead[near] + half[near]
        for n, j in enumerate(near):
            if (planes := self.planes[int(self.species[j])]) is not None:
                begin[n], end[n] = self._within(planes, int(j), apart[j], along, (begin[n], end[n]))
        return _uncovered(begin, end, float(self.inner[k]), length)

    def fall(self, k: int, down: np.ndarray, length: float) -> float:
        """How far a grain falls (m): over what is free below it, and beside a grain that it comes to lie on, hence by its own size more.

        Args:
            k: number of the grain.
            down: (3,) unit vector.
            length: way from its centre to the wall below (m).
        """
        free = self.free(k, down, length)
        return free + min(free, 2.0 * float(self.inner[k]))

    def _within(self, planes: Planes, j: int, apart: np.ndarray, along: np.ndarray, within: tuple[float, float]) -> tuple[float, float]:
        """Where a way from a point at ``-apart`` from a polytope enters and leaves it, within an interval; empty intervals end before they begin."""
        turn = self.q[j : j + 1]
        slope, room = planes.normals @ into_body(turn, along)[0], planes.distances * self.scale[j] + planes.normals @ into_body(turn, apart)[0]
        if (room[slope == 0.0] < 0.0).any():
            return 0.0, 0.0
        out, back = slope > 0.0, slope < 0.0
        first = float((room[back] / slope[back]).max(initial=within[0]))
        last = float((room[out] / slope[out]).min(initial=within[1]))
        return first, last


def planes_around(catalogue: Catalogue, s: int) -> Planes | None:
    """The planes around the grains of a species; None if it is not convex or its core encloses nothing.

    Args:
        catalogue: shape catalogue.
        s: row of the species.
    """
    if not catalogue.convex[s] or not catalogue.solid[s]:
        return None
    v = catalogue.vertices[catalogue.vertex_start[s] : catalogue.vertex_start[s + 1]]
    if catalogue.dimension[s] == 2:
        edges = catalogue.edges[catalogue.edge_start[s] : catalogue.edge_start[s + 1]]
        if len(edges) < 3:
            return None
        first, side = v[edges[:, 0]], v[edges[:, 1]] - v[edges[:, 0]]
        normals = np.column_stack([side[:, 1], -side[:, 0], np.zeros(len(edges))])
    else:
        faces = range(catalogue.face_start[s], catalogue.face_start[s + 1])
        if len(faces) < 4:
            return None
        loops = [v[catalogue.face_vertices[catalogue.face_vertex_start[f] : catalogue.face_vertex_start[f + 1]]] for f in faces]
        first = np.array([loop[0] for loop in loops])
        normals = np.array([np.cross(loop[1:-1] - loop[0], loop[2:] - loop[0]).sum(axis=0) for loop in loops])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    heights = (first * normals).sum(axis=1)
    # the centre of mass is inside, whatever the sense in which loops go around
    return Planes(normals * np.where(heights < 0.0, -1.0, 1.0)[:, None], np.abs(heights) + catalogue.radius[s])


def _uncovered(begin: np.ndarray, end: np.ndarray, first: float, last: float) -> float:
    """Length of the part of an interval from ``first`` to ``last`` that other intervals leave; those that end before they begin cover nothing."""
    if last <= first:
        return 0.0
    order = np.argsort(begin)
    begin, end = np.clip(begin[order], first, last), np.clip(end[order], first, last)
    before = np.maximum.accumulate(np.concatenate([[first], np.maximum(begin, end)]))
    return float(np.maximum(np.append(begin, last) - before, 0.0).sum())
