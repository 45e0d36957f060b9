"""Covering spheres of all grains of a run: tables by species and size, and the spheres in space, images across periodic faces among them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit
from ..compiled.quaternions import matrix, orientation, times
from ..compiled.vectors import add, put_row, row, scale, subtract
from ..shapes.catalogue import Catalogue
from .covering import Cover, Kind, cover_mixture

SIZE_STEP = 2.0 ** (1.0 / 3.0)  # ratio of size factors that share a cover


class SphereTables(NamedTuple):
    """Covers by kind; a kind is a species within a range of size factors.

    Attributes:
        kind_start: (ns + 1,) int64 first kind of each species.
        smallest: (nk,) least size factor of each kind, ascending within a species.
        start: (nk + 1,) int64 first sphere of each kind.
        sphere: (m, 4) centre in the principal frame and radius at size factor 1 (m).
    """

    kind_start: np.ndarray
    smallest: np.ndarray
    start: np.ndarray
    sphere: np.ndarray


@dataclass(frozen=True)
class Covering:
    """What detection by triangulation knows of the grains.

    Attributes:
        tables: the covering spheres.
        overlap: maximal overlap that they allow for (m).
        skin: largest reach beyond contact that they allow for (m).
    """

    tables: SphereTables
    overlap: float
    skin: float


def cover_catalogue(
    catalogue: Catalogue, names: list[str], smallest: dict[str, float], largest: dict[str, float], overlap: float, skin: float
) -> Covering:
    """Covers for the grains of a case.

    Args:
        catalogue: catalogue of all species, convex and in space.
        names: names of the species, in its order.
        smallest: smallest size factors of those that there are grains of.
        largest: largest size factors of these.
        overlap: maximal overlap (m).
        skin: largest reach beyond contact (m).

    Raises:
        CoveringError: for the same reasons as `cover_mixture`.
    """
    kinds: list[Kind] = []
    per_species = []
    for k, name in enumerate(names):
        before = len(kinds)
        if name in smallest:
            kinds += _kinds(catalogue, k, name, smallest[name], largest[name])
        per_species.append(len(kinds) - before)
    covers: list[Cover] = cover_mixture(kinds, overlap, skin)
    sphere = [np.column_stack([c.centres, c.radii]) for c in covers]
    return Covering(
        SphereTables(
            np.concatenate([[0], np.cumsum(per_species)]).astype(np.int64), np.array([kind.smallest for kind in kinds]),
            np.concatenate([[0], np.cumsum([len(s) for s in sphere])]).astype(np.int64), np.concatenate(sphere),
        ), overlap, skin,
    )  # fmt: skip


def _kinds(catalogue: Catalogue, k: int, name: str, smallest: float, largest: float) -> list[Kind]:
    """The kinds of one species: its range of sizes in equal ratios."""
    first, last = catalogue.vertex_start[k : k + 2]
    vertices = catalogue.vertices[first:last]
    edges = catalogue.edges[catalogue.edge_start[k] : catalogue.edge_start[k + 1]]
    loops = range(catalogue.face_start[k], catalogue.face_start[k + 1])
    faces = tuple(catalogue.face_vertices[catalogue.face_vertex_start[f] : catalogue.face_vertex_start[f + 1]] for f in loops)
    n = max(1, math.ceil(math.log(largest / smallest) / math.log(SIZE_STEP) - 1e-9))
    size = smallest * (largest / smallest) ** (np.arange(n + 1) / n)
    size[-1] = largest
    return [Kind(name, vertices, edges, faces, float(catalogue.radius[k]), float(low), float(high)) for low, high in pairwise(size)]


@njit
def place_spheres(grain, image, g, tables, period):
    """Compute the covering spheres of bodies in space.

    Args:
        grain: (B,) int32 grain of each body, see `named_points.bodies_of`.
        image: (B,) int32 image of each body.
        g: `state.Grains`.
        tables: tables of the spheres.
        period: (3,) period of the domain (m); 0: open.

    Returns:
        (B + 1,) int64 first sphere of each body; (M, 4) centre (m) and square of the radius (m^2) of each sphere.
    """
    bodies = grain.shape[0]
    kind, start = np.empty(bodies, np.int64), np.zeros(bodies + 1, np.int64)
    for b in range(bodies):
        i = grain[b]
        k, last = tables.kind_start[g.species[i]], tables.kind_start[g.species[i] + 1]
        while k + 1 < last and g.scale[i] >= tables.smallest[k + 1]:
            k += 1
        kind[b] = k
        start[b + 1] = start[b] + tables.start[k + 1] - tables.start[k]
    xw = np.empty((start[bodies], 4))
    for b in range(bodies):
        i, at = grain[b], start[b]
        s, rotation = g.scale[i], matrix(orientation(g.q, i))
        shift = period[0] if image[b] & 1 else 0.0, period[1] if image[b] & 2 else 0.0, period[2] if image[b] & 4 else 0.0
        centre = subtract(row(g.x, i), shift)
        for m in range(tables.start[kind[b]], tables.start[kind[b] + 1]):
            put_row(xw, at, add(centre, times(rotation, scale(s, row(tables.sphere, m)))))
            xw[at, 3] = (s * tables.sphere[m, 3]) ** 2
            at += 1
    return start, xw
