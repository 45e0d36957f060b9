"""Covering spheres of all grains of a run: tables by species and size, and the spheres in space, images across periodic faces among them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit
from ..compiled.quaternions import matrix, orientation, times
from ..compiled.vectors import add, magnitudes, put_row, row, scale, subtract
from ..shapes.catalogue import Catalogue
from .covering import Cover, Kind, cover_mixture

SIZE_STEP = 2.0 ** (1.0 / 3.0)  # ratio of size factors that share a cover
IMAGES = 8  # of a grain: itself, and shifted by a period back along each set of axes


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
        every_step: whether there is no other skin than the way of the fastest grain in a step.
    """

    tables: SphereTables
    overlap: float
    skin: float
    every_step: bool = False


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
def bodies_of(total, g, extent, skin, lower, period, widest):
    """List the grains and those of their images that another grain may meet across a periodic face.

    A pair that meets across faces is met by shifting one of the two, or one along one axis and the other along another, a period back. So the images
    are those of grains that reach as far as the upper face, shifted towards the lower one.

    Args:
        total: number of grains, ghosts included.
        g: `state.Grains`.
        extent: (N, 3) half-extents (m).
        skin: distance beyond contact within which pairs are candidates (m).
        lower: (3,) lower corner of the domain (m).
        period: (3,) period of the domain (m); 0: open.
        widest: (3,) largest half-extents (m).

    Returns:
        (B,) int32 grain and (B,) int32 image of each body; bit c of the image is set if it is shifted back along axis c.
    """
    capacity = total
    grain, image = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    n = 0
    for i in range(total):
        near = 0
        for c in range(3):
            if period[c] > 0.0 and g.x[i, c] - period[c] + extent[i, c] + skin >= lower[c] - widest[c]:
                near |= 1 << c
        for m in range(near + 1):
            if (m & near) != m:
                continue
            if n == capacity:
                capacity += capacity // 2 + 8
                more, other = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
                more[:n], other[:n] = grain, image
                grain, image = more, other
            grain[n], image[n] = i, m
            n += 1
    return grain[:n], image[:n]


@njit
def place_spheres(grain, image, g, tables, period):
    """Compute the covering spheres of bodies in space.

    Args:
        grain: (B,) int32 grain of each body, see `bodies_of`.
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


@njit
def name_spheres(grain, image, gid, start, most):
    """Determine the body and the name of each sphere.

    Args:
        grain: (B,) int32 grain of each body, see `bodies_of`.
        image: (B,) int32 image of each body.
        gid: (N,) int64 global ids.
        start: (B + 1,) int64 first sphere of each body.
        most: largest number of spheres of a body.

    Returns:
        (M,) int32 body of each sphere; (M,) int64 name, unique for each grain, image and sphere of it.
    """
    body, name = np.empty(start[-1], np.int32), np.empty(start[-1], np.int64)
    for b in range(grain.shape[0]):
        for m in range(start[b], start[b + 1]):
            body[m] = b
            name[m] = (gid[grain[b]] * IMAGES + image[b]) * most + (m - start[b])
    return body, name


@njit
def _slot(table, names, name):
    """Where a name is in the table, or would be."""
    mask = np.uint64(table.shape[0] - 1)
    mixed = np.uint64(name) * np.uint64(0x9E3779B97F4A7C15)
    k = (mixed ^ (mixed >> np.uint64(32))) & mask
    while table[k] >= 0 and names[table[k]] != name:
        k = (k + np.uint64(1)) & mask
    return k


@njit
def follow_spheres(known, place, names, xw, half, middle, margin):
    """Match the points of a triangulation with the present spheres.

    Args:
        known: (n,) int64 name of each point; negative: not a sphere.
        place: (n, 4) points (m) and weights (m^2), set to the new values for spheres that are still present.
        names: (M,) int64 names of the present spheres.
        xw: (M, 4) centres (m) and squares of the radii (m^2) of these.
        half: (3,) largest displacement of a sphere (m); one that is further away counts as another sphere.
        middle: (3,) middle of the frame (m).
        margin: largest distance of a sphere from the middle along each axis (m).

    Returns:
        (n,) int32 sphere of each point, -1: none; (g,) int64 points whose spheres have gone; (k,) int64 spheres that are new; whether one is
        beyond the margin.
    """
    size = 16
    while size < 2 * names.shape[0]:
        size *= 2
    table, out = np.full(size, -1, np.int32), False
    for m in range(names.shape[0]):
        away = magnitudes(subtract(row(xw, m), middle))
        out |= not max(away[0], max(away[1], away[2])) <= margin
        table[_slot(table, names, names[m])] = m
    sphere, gone, new = np.full(known.shape[0], -1, np.int32), np.empty(known.shape[0], np.int64), np.ones(names.shape[0], np.bool_)
    lost = 0
    for p in range(known.shape[0]):
        if known[p] < 0:
            continue
        m = table[_slot(table, names, known[p])]
        there = m >= 0
        if there:
            way = magnitudes(subtract(row(xw, m), row(place, p)))
            there = not (way[0] >= half[0] or way[1] >= half[1] or way[2] >= half[2])
        if not there:
            gone[lost] = p
            lost += 1
            continue
        sphere[p] = m
        new[m] = False
        for c in range(4):
            place[p, c] = xw[m, c]
    return sphere, gone[:lost], np.nonzero(new)[0], out
