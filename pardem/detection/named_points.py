"""Bodies and their points by name, so that a triangulation can be kept from one rebuild of the lists to the next."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, njit
from ..compiled.vectors import magnitudes, row, square, subtract

IMAGES = 8  # of a grain: itself, and shifted by a period back along each set of axes


@njit
def bodies_of(total, g, extent, skin, lower, period):
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

    Returns:
        (B,) int32 grain and (B,) int32 image of each body; bit c of the image is set if it is shifted back along axis c.
    """
    capacity, widest = total, np.zeros(3)
    grain, image = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    n = 0
    for i in range(total):
        for c in range(3):
            widest[c] = max(widest[c], extent[i, c])
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
def name_points(grain, image, gid, start, most):
    """Determine the body and the name of each point of bodies.

    Args:
        grain: (B,) int32 grain of each body, see `bodies_of`.
        image: (B,) int32 image of each body.
        gid: (N,) int64 global ids.
        start: (B + 1,) int64 first point of each body.
        most: largest number of points of a body.

    Returns:
        (M,) int32 body of each point; (M,) int64 name, unique for each grain, image and point of it.
    """
    body, name = np.empty(start[-1], np.int32), np.empty(start[-1], np.int64)
    for b in range(grain.shape[0]):
        for m in range(start[b], start[b + 1]):
            body[m] = b
            name[m] = (gid[grain[b]] * IMAGES + image[b]) * most + (m - start[b])
    return body, name


@inlined
def table_size(count):
    """Size of a hash table for some entries, a power of two: at most half of it is taken."""
    size = 16
    while size < 2 * count:
        size *= 2
    return size


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
def named_before(known, names):
    """Find out which of some points have names that are known.

    Args:
        known: (n,) int64 names; negative ones stand for none.
        names: (M,) int64 names of the points.

    Returns:
        (M,) bool.
    """
    table, found = np.full(table_size(known.shape[0]), -1, np.int32), np.empty(names.shape[0], np.bool_)
    for p in range(known.shape[0]):
        if known[p] >= 0:
            table[_slot(table, known, known[p])] = p
    for m in range(names.shape[0]):
        found[m] = table[_slot(table, known, names[m])] >= 0
    return found


@njit
def follow_points(known, place, names, xw, shift, half, middle, margin):
    """Match the points of a triangulation with the present ones.

    Args:
        known: (n,) int64 name of each point of the triangulation; negative: none.
        place: (n, 4) its points (m) and weights (m^2).
        names: (M,) int64 names of the present points.
        xw: (M, 4) coordinates (m) and weights (m^2) of these.
        shift: (3,) how far all of them have gone from the frame of the triangulation (m).
        half: (3,) largest displacement of a point (m); one that is further away counts as another one.
        middle: (3,) middle of the frame (m).
        margin: largest distance of a point from the middle along each axis (m).

    Returns:
        (n,) int32 row of each point of the triangulation, -1: none; (g,) int64 points that have gone; (k,) int64 rows that are new; whether one is
        beyond the margin.
    """
    table, out = np.full(table_size(names.shape[0]), -1, np.int32), False
    far = (middle[0] + shift[0], middle[1] + shift[1], middle[2] + shift[2])
    for m in range(names.shape[0]):
        away = magnitudes(subtract(row(xw, m), far))
        out |= not max(away[0], max(away[1], away[2])) <= margin
        table[_slot(table, names, names[m])] = m
    here, gone, new = np.full(known.shape[0], -1, np.int32), np.empty(known.shape[0], np.int64), np.ones(names.shape[0], np.bool_)
    lost = 0
    for p in range(known.shape[0]):
        if known[p] < 0:
            continue
        m = table[_slot(table, names, known[p])]
        there = m >= 0
        if there:
            way = magnitudes(subtract(subtract(row(xw, m), shift), row(place, p)))
            there = not (way[0] >= half[0] or way[1] >= half[1] or way[2] >= half[2])
        if not there:
            gone[lost] = p
            lost += 1
            continue
        here[p] = m
        new[m] = False
    return here, gone[:lost], np.nonzero(new)[0], out


@njit
def lagging(place, here, xw, shift, lag, together):
    """List the points of a triangulation that are too far from their places, after their mean way has been added to the shift.

    Args:
        place: (n, 4) points of the triangulation (m).
        here: (n,) int32 row of each; -1: none.
        xw: (M, 4) where they are now (m).
        shift: (3,) how far all of them have gone from the frame of the triangulation (m); updated.
        lag: largest distance (m).
        together: whether there is a shift.

    Returns:
        (k,) int64 points.
    """
    n = here.shape[0]
    sx, sy, sz, count = 0.0, 0.0, 0.0, 0
    for p in range(n):
        if here[p] >= 0:
            m = here[p]
            sx, sy, sz = sx + (xw[m, 0] - place[p, 0]), sy + (xw[m, 1] - place[p, 1]), sz + (xw[m, 2] - place[p, 2])
            count += 1
    if together and count > 0:
        shift[0], shift[1], shift[2] = sx / count, sy / count, sz / count
    behind, k = np.empty(n, np.int64), 0
    for p in range(n):
        if here[p] >= 0 and not square(subtract(subtract(row(xw, here[p]), shift), row(place, p))) <= lag * lag:
            behind[k] = p
            k += 1
    return behind[:k]
