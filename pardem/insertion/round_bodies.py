"""Compiled: what insertion by rounds has to know of the shapes of grains: where they may be, and whether two conflict (``round_kernels.py``).

Spheres and other grains differ in the type of ``Recipe.form``. Of other grains two are placed at a time, the one that is treated and another one;
their orientations follow from their ids and need not be kept.
"""

from __future__ import annotations

from ..compiled.jit import inlined, kernel, njit
from ..compiled.quaternions import put_orientation
from ..compiled.static import static
from ..compiled.vectors import length, nearest_image, put_row, row, square
from .clearance import GAP, bounds_between
from .counter import POSITION, SIZE, random_angle, random_orientation, uniforms
from .insert_kernels import extents, in_cylinder
from .occupants import rotate
from .round_tables import Balls

MOST = 100_000  # positions to try for one grain
ONE, OTHER = 0, 1
"""Rows of ``Bodies.pair``."""


@inlined
def size_of(recipe, gid):
    """Size factor of a grain.

    Args:
        recipe: `Recipe`.
        gid: its id.
    """
    low, high = recipe.sizes
    return low + (high - low) * uniforms(recipe.seed, gid, SIZE, 0)[0] if high != low else low


@kernel
def _put(form, which, species, scale):
    """Let a row of the pair hold a grain of a species and size, whose orientation is there already."""
    b, first = form.pair, form.vertex_start[species]
    start, count = b.start[which], form.vertex_start[species + 1] - first
    b.start[which + 1] = start + count
    b.r[which] = form.radius[species] * scale
    b.reach[which] = b.r[which] + form.core_radius[species] * scale
    b.species[which] = species
    for k in range(count):
        for c in range(3):
            b.verts[start + k, c] = form.vertices[first + k, c] * scale
    rotate(b, which)


@inlined
def _put_new(form, recipe, which, gid):
    """Let a row of the pair hold a grain of this insert."""
    q = form.pair.q
    if recipe.region.planar:
        q[which, 1], q[which, 2] = 0.0, 0.0
        q[which, 0], q[which, 3] = random_angle(recipe.seed, gid)
    else:
        put_orientation(q, which, random_orientation(recipe.seed, gid))
    _put(form, which, form.species, size_of(recipe, gid))


@inlined
def _take_up_ball(form, recipe, gid):
    return form.radius * size_of(recipe, gid)


@kernel
def _take_up_body(form, recipe, gid):
    b, region = form.pair, recipe.region
    _put_new(form, recipe, ONE, gid)
    extents(b, ONE, form.ends[0], form.ends[1])
    for c in range(3):
        if region.free[c]:
            form.ends[0, c] = form.ends[1, c] = 0.0
    return b.reach[ONE]


@static(lambda kind: _take_up_ball if kind is Balls else _take_up_body)
def take_up(form, recipe, gid):
    """Make a grain of this insert the one that is treated, of which ``place_of`` and ``meets`` speak.

    Args:
        form: `Balls` or `Bodies`.
        recipe: `Recipe`.
        gid: its id.

    Returns:
        How far it reaches from its centre (m).
    """


@static(lambda kind: 0.0 if kind is Balls else _take_up_body)
def hold(form, recipe, gid):
    """The same, where it is known how far the grain reaches."""


@inlined
def _along(recipe, layers, c, u, low, high):
    """Coordinate of a position along an axis by its random number, as in ``insert_kernels.insert``."""
    bottom, top = recipe.region.lower[c] - low, recipe.region.upper[c] - high
    x = bottom + u * (top - bottom)
    if layers.period[c] > 0.0 and x >= layers.lower[c] + layers.period[c]:
        x = layers.lower[c]
    return x


@inlined
def _ball_place(form, recipe, layers, gid, trial, reach):
    region = recipe.region
    a, b = (region.axis + 1) % 3, (region.axis + 2) % 3
    free = region.radius - reach
    ends = (0.0 if region.free[0] else reach, 0.0 if region.free[1] else reach, 0.0 if region.free[2] else reach)
    while True:
        u = uniforms(recipe.seed, gid, POSITION, trial)
        x = (
            _along(recipe, layers, 0, u[0], -ends[0], ends[0]), _along(recipe, layers, 1, u[1], -ends[1], ends[1]),
            _along(recipe, layers, 2, u[2], -ends[2], ends[2]),
        )  # fmt: skip
        if region.axis < 0 or trial >= MOST:
            return x, trial
        p, q = pick(x, a) - region.centre[a], pick(x, b) - region.centre[b]
        if not p * p + q * q > free * free:
            return x, trial
        trial += 1


@kernel
def _body_place(form, recipe, layers, gid, trial, reach):
    b, low, high = form.pair, form.ends[0], form.ends[1]
    while True:
        u = uniforms(recipe.seed, gid, POSITION, trial)
        x = (
            _along(recipe, layers, 0, u[0], low[0], high[0]), _along(recipe, layers, 1, u[1], low[1], high[1]),
            _along(recipe, layers, 2, u[2], low[2], high[2]),
        )  # fmt: skip
        put_row(b.x, ONE, x)
        if recipe.region.axis < 0 or trial >= MOST or in_cylinder(b, ONE, recipe.region):
            return x, trial
        trial += 1


@static(lambda kind: _ball_place if kind is Balls else _body_place)
def place_of(form, recipe, layers, gid, trial, reach):
    """Find a position of the grain that is treated.

    Args:
        form: `Balls` or `Bodies`.
        recipe: `Recipe`.
        layers: `InsertLayers`.
        gid: its id.
        trial: number of the position.
        reach: how far the grain reaches from its centre (m).

    Returns:
        The position (m), and its number: that asked for, or the first one after it that lies in the cylinder.
    """


@inlined
def _ball_meets(form, recipe, sites, layers, one, j):
    d = nearest_image((sites.ball[j, 0] - one.x[0], sites.ball[j, 1] - one.x[1], sites.ball[j, 2] - one.x[2]), layers)
    contact = one.reach + sites.ball[j, 3]
    far = contact * (1.0 + 10.0 * GAP)
    return square(d) <= far * far and not length(d) > contact * (1.0 + GAP)


@inlined
def _cores_meet(form, recipe, sites, one, j):
    """The same for grains that are near enough, of which that of the higher id comes first, as it does one after the other."""
    b = form.pair
    put_row(b.x, ONE, one.x)
    put_row(b.x, OTHER, row(sites.ball, j))
    if j < form.there_species.shape[0]:
        for c in range(4):
            b.q[OTHER, c] = form.there_q[j, c]
        _put(form, OTHER, form.there_species[j], form.there_scale[j])
    else:
        _put_new(form, recipe, OTHER, sites.gid[j])
    contact = b.r[ONE] + b.r[OTHER]
    gap = contact * (1.0 + GAP)
    if one.gid > sites.gid[j]:
        return not bounds_between(b, ONE, OTHER, gap, contact, form.work)[0] > gap
    return not bounds_between(b, OTHER, ONE, gap, contact, form.work)[0] > gap


@inlined
def _body_meets(form, recipe, sites, layers, one, j):
    d = nearest_image((sites.ball[j, 0] - one.x[0], sites.ball[j, 1] - one.x[1], sites.ball[j, 2] - one.x[2]), layers)
    far = (one.reach + sites.ball[j, 3]) * (1.0 + 10.0 * GAP)
    return square(d) <= far * far and _cores_meet(form, recipe, sites, one, j)


@static(lambda kind: _ball_meets if kind is Balls else _body_meets)
def meets(form, recipe, sites, layers, one, j):
    """Determine whether the grain that is treated conflicts with that of a row, by the same rule as ``clearance.is_free``.

    Args:
        form: `Balls` or `Bodies`.
        recipe: `Recipe`.
        sites: `Sites`.
        layers: `InsertLayers`.
        one: `Attempt` of the grain that is treated.
        j: the row.
    """


@inlined
def pick(x, c):
    """One of three numbers.

    Args:
        x: the numbers.
        c: 0, 1 or 2.
    """
    return x[0] if c == 0 else (x[1] if c == 1 else x[2])


@njit
def sizes_of(gid, recipe, out):
    """Find the size factors of grains.

    Args:
        gid: (n,) int64 ids.
        recipe: `Recipe`.
        out: (n,), filled.
    """
    for k in range(gid.shape[0]):
        out[k] = size_of(recipe, gid[k])


@njit
def turn(gid, seed, planar, q):
    """Find the orientations of grains that are inserted.

    Args:
        gid: (n,) int64 ids.
        seed: seed of the random numbers.
        planar: whether the simulation is two-dimensional.
        q: (n, 4), filled.
    """
    for k in range(gid.shape[0]):
        if planar:
            q[k, 0], q[k, 3] = random_angle(seed, gid[k])
        else:
            put_orientation(q, k, random_orientation(seed, gid[k]))
