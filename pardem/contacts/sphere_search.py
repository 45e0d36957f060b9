"""Which candidates of a scene of spheres touch: WIDTH at a time and without a branch; contacts that have ended are ended here."""

from __future__ import annotations

import numpy as np

from ..compiled import vectors
from ..compiled.jit import inlined, kernel
from ..compiled.lanes.arithmetic import any_of
from ..compiled.lanes.memory import append, gather, members, members_at, raised, transpose
from ..compiled.lanes.types import ROW, WIDTH, rows_of
from ..compiled.prefetch import prefetch, prefetch_column
from ..compiled.vectors import nearest_image, square, subtract
from ..laws.energy_ledger import end_contact
from ..laws.resistance.resistance_memory import torque_lost_at_end
from ..laws.resistance.resistance_model import resists
from .accumulate import tally_losses

LINE = 8  # numbers in a line of the cache


@inlined
def _touch(d, reach):
    """Whether spheres touch whose centres are ``d`` (m) apart, with radii that make ``reach`` (m)."""
    return square(d) < reach * reach


@inlined
def part(i, j, p, loop):
    """End a contact whose bodies have parted.

    Args:
        i: row of the first body.
        j: row of the second body.
        p: the contact's row.
        loop: `PairLoop`.
    """
    pairs, g, settings = loop.pairs, loop.g, loop.settings
    pairs.touch[p] = 0
    if settings.budget and i < loop.owned:
        velocity = subtract(vectors.row(g.v, j), vectors.row(g.v, i))
        lost_n, lost_t = end_contact(velocity, pairs.hist, p, settings.dt, not settings.midstep)
        if resists(settings.resistance):
            spin = subtract(vectors.row(g.w, j), vectors.row(g.w, i))
            lost_t += torque_lost_at_end(settings.resistance, spin, pairs.hist, p, settings)
        tally_losses(loop.tally, lost_n, lost_t, 1.0 / settings.energy)


@kernel
def _look_at(first, last, found, loop):
    """Look at candidates one by one: as ``touching``."""
    pairs, settings, x, near = loop.pairs, loop.settings, loop.g.x, loop.pairs.near
    for q in range(first, last):
        p = np.uintp(q)  # unsigned indices spare the check for negative ones
        i, j = np.uintp(pairs.first[p]), np.uintp(pairs.col[p])
        if _touch(nearest_image(subtract(vectors.row(x, j), vectors.row(x, i)), settings), x[i, 3] + x[j, 3]):
            near[found] = p
            found += np.uintp(1)
        elif pairs.touch[p] != 0:
            part(i, j, p, loop)
    return found


@kernel
def _end(first, loop):
    """End the contacts among WIDTH candidates that touch no more."""
    pairs, settings, x = loop.pairs, loop.settings, loop.g.x
    for k in range(WIDTH):
        p = np.uintp(first + k)
        i, j = np.uintp(pairs.first[p]), np.uintp(pairs.col[p])
        apart = not _touch(nearest_image(subtract(vectors.row(x, j), vectors.row(x, i)), settings), x[i, 3] + x[j, 3])
        if pairs.touch[p] != 0 and apart:
            part(i, j, p, loop)


@kernel
def touching(first, last, found, loop):
    """Append the candidates ``first`` to ``last`` that touch to ``pairs.near``, and end the contacts of those that touch no more.

    Args:
        first: place of the first candidate.
        last: place after the last.
        found: how many there are in ``pairs.near`` already; WIDTH spare places must be left behind the last.
        loop: `PairLoop`.

    Returns:
        how many there are now.
    """
    pairs, settings, x, near, found = loop.pairs, loop.settings, loop.g.x, loop.pairs.near, np.uintp(found)
    minus_radius = rows_of(1.0, 1.0, 1.0, -1.0)
    even_last = last - (last - first) % WIDTH
    for q in range(first, even_last, WIDTH):
        p = np.uintp(q)
        a, b = gather(x, members(pairs.first, p), ROW, 0), gather(x, members(pairs.col, p), ROW, 0)
        # with the radius of the first body negative one subtraction gives the difference of places and the sum of radii
        row = (b[0] - a[0] * minus_radius, b[1] - a[1] * minus_radius, b[2] - a[2] * minus_radius, b[3] - a[3] * minus_radius)
        dx, dy, dz, reach = transpose(row)
        touches = _touch(nearest_image((dx, dy, dz), settings), reach)
        found += append(near, found, p, touches)
        if any_of(raised(pairs.touch, p) & (not touches)):
            _end(q, loop)
    return np.int64(_look_at(even_last, last, found, loop))


@inlined
def fetch(begin, pairs, g):
    """Ask the memory for what WIDTH contacts will need: large beds do not fit into the caches.

    They are read some hundred nanoseconds later, and no more is asked for meanwhile than the processor can wait for at a time.

    Args:
        begin: place of the first of them in ``pairs.near``; behind the last contact there may be any candidates.
        pairs: `Contacts`.
        g: `Grains`.
    """
    places = members(pairs.near, begin)
    j = members_at(pairs.col, places)
    width = pairs.hist.shape[1]
    prefetch(pairs.hist, places)
    for c in range(LINE, width, LINE):
        prefetch_column(pairs.hist, places, c)
    if width > LINE:  # rows that do not begin where lines do
        prefetch_column(pairs.hist, places, width - 1)
    prefetch(g.v, j)
    prefetch(g.w, j)
    prefetch(g.ft, j)
