"""What every integrator shares: sums of forces, periodic wraps, vertices and spins from poses, and how far grains have moved."""

from __future__ import annotations

import numpy as np

from ..compiled.choices import larger
from ..compiled.fixedpoint import total
from ..compiled.jit import inlined, kernel, njit
from ..compiled.lanes.memory import load, load_row, pick, store
from ..compiled.lanes.places import members, neighbours
from ..compiled.lanes.rows import gather, transpose
from ..compiled.lanes.types import ROW, WIDTH, lane, row_of, spread
from ..compiled.quaternions import body_rate, half_angle_cosine, matrix, orientation, to_world, transposed
from ..compiled.vectors import length, nearest_image, put_row, row, scale, square, subtract

AXIS = (0.0, 0.0, 1.0)
"""Direction of a spherocylinder in its body frame."""


@inlined
def force_on(g, i, wide):
    """Read the force on a grain.

    Args:
        g: `state.Grains`.
        i: row of the grain.
        wide: whether sums have two limbs.

    Returns:
        The force (quanta).
    """
    return total(g.ft, i, 0, wide), total(g.ft, i, 1, wide), total(g.ft, i, 2, wide)


@inlined
def torque_on(g, i, wide):
    """Read the torque on a grain.

    Args:
        g: `state.Grains`.
        i: row of the grain.
        wide: whether sums have two limbs.

    Returns:
        The torque (quanta).
    """
    return total(g.ft, i, 4, wide), total(g.ft, i, 5, wide), total(g.ft, i, 6, wide)


@inlined
def gravity(settings):
    """Read the acceleration of gravity.

    Args:
        settings: `state.Settings`.

    Returns:
        The acceleration (m/s^2).
    """
    return settings.gx, settings.gy, settings.gz


@inlined
def inverse_size(s, planar):
    """Compute the factor by which the inverse moments of inertia of a grain differ from those of its species.

    Args:
        s: size factor.
        planar: whether the simulation is two-dimensional.

    Returns:
        s^-5, in two dimensions s^-4.
    """
    return 1.0 / (s * s * s * s if planar else s * s * s * s * s)


@inlined
def inverse_moments(g, i, shapes, planar):
    """Compute the inverse principal moments of inertia of a grain.

    Args:
        g: `state.Grains`.
        i: row of the grain.
        shapes: `state.Shapes`.
        planar: whether the simulation is two-dimensional.

    Returns:
        One over each principal moment (1/(kg m^2)).
    """
    return scale(inverse_size(g.scale[i], planar), row(shapes.inverse, g.species[i]))


@inlined
def wrap(i, g, settings):
    """Move a centre back into the periodic domain and count the wraps. A centre that rounds to the upper edge is moved to the lower one.

    Args:
        i: row of ``g``.
        g: `state.Grains`.
        settings: `state.Settings`.
    """
    for c in range(3):
        period = settings.period[c]
        if period > 0.0:
            low, high = settings.lower[c], settings.upper[c]
            if g.x[i, c] >= high:
                g.x[i, c] -= period
                g.image[i, c] += 1
            elif g.x[i, c] < low:
                g.x[i, c] += period
                g.image[i, c] -= 1
                if g.x[i, c] >= high:
                    g.x[i, c] = low
                    g.image[i, c] += 1


@inlined
def _place(vert, at, columns, size, vertex):
    """Write one vertex, turned and scaled, to a place of ``vert``.

    Args:
        vert: flat array of the vertices.
        at: the place (word).
        columns: columns of the rotation matrix, as rows of four whose last number is zero.
        size: size factor of the grain.
        vertex: in the body frame, as a row of four (m).
    """
    a = size * vertex
    store(vert, at, lane(a, 0) * columns[0] + lane(a, 1) * columns[1] + lane(a, 2) * columns[2])


@kernel
def place_vertices(first, last, g, shapes):
    """Compute the world vertices of some grains, relative to their centres, from their orientations and sizes: those needed, or all.

    Args:
        first: row of the first grain.
        last: one past the row of the last grain.
        g: `state.Grains`.
        shapes: `state.Shapes`.
    """
    vert, body, needed = g.vert.reshape(g.vert.size), shapes.vertices.reshape(shapes.vertices.size), g.needed
    row_ = np.uintp(ROW)
    for i in range(first, last):
        own, beyond = g.vert_start[i], g.vert_start[i + 1]
        if own == beyond:
            continue
        a, b, c = transposed(matrix(orientation(g.q, i)))
        columns, size = (row_of(a[0], a[1], a[2], 0.0), row_of(b[0], b[1], b[2], 0.0), row_of(c[0], c[1], c[2], 0.0)), g.scale[i]
        to, of = row_ * np.uintp(own), row_ * np.uintp(shapes.vertex_start[g.species[i]])
        if needed.start.shape[0] == 0:
            for k in range(np.uintp(0), row_ * np.uintp(beyond - own), row_):
                _place(vert, to + k, columns, size, load_row(body, of + k))
        else:
            for n in range(needed.start[i], needed.start[i + 1]):
                k = row_ * np.uintp(needed.number[n])
                _place(vert, to + k, columns, size, load_row(body, of + k))


@kernel
def extend_paths(first, last, g, shapes, dt):
    """Add to the paths of some grains, where they are kept, how far a point of them can have gone in the drift of this step.

    Twice the angle omega dt leaves room for what the net rotation of a scheme differs from it, of third order in the step.

    Args:
        first: row of the first grain.
        last: row after the last one.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        dt: time step (s).

    Returns:
        The longest of these distances (m); not a number if one of them is not.
    """
    kept, even_last = g.path.shape[0] > 0, last - (last - first) % WIDTH
    furthest = sums = spread(0.0)
    for n in range(first, even_last, WIDTH):
        rows, species = neighbours(n), members(g.species, n)
        vx, vy, vz, _ = transpose(gather(g.v, rows, ROW, 0))
        wx, wy, wz, _ = transpose(gather(g.w, rows, ROW, 0))
        far = 2.0 * pick(shapes.core_radius, species) * load(g.scale, n)
        way = dt * (length((vx, vy, vz)) + far * length((wx, wy, wz)))
        furthest, sums = larger(furthest, way), sums + way
        if kept:
            store(g.path, n, load(g.path, n) + way)
    longest, poison = 0.0, 0.0  # a sum keeps what is not a number, where a maximum would lose it
    for k in range(WIDTH):
        longest, poison = max(longest, lane(furthest, k)), poison + 0.0 * lane(sums, k)
    for i in range(even_last, last):
        reach = 2.0 * shapes.core_radius[g.species[i]] * g.scale[i]
        way = dt * (length(row(g.v, i)) + reach * length(row(g.w, i)))
        longest, poison = max(longest, way), poison + 0.0 * way
        if kept:
            g.path[i] += way
    return longest + poison


@kernel
def longest_drift(first, last, g, dt):
    """Bound how far any of some spheres can have gone in the drift of this step: the largest components of all velocities together.

    Args:
        first: row of the first sphere.
        last: row after the last one.
        g: `state.Grains`.
        dt: time step (s).

    Returns:
        The distance (m), at most sqrt(3) times the longest one; not a number if a velocity is not.
    """
    nothing = row_of(0.0, 0.0, 0.0, 0.0)
    a, b, sums = nothing, nothing, nothing
    pairs = last - (last - first) % 2
    for n in range(first, pairs, 2):  # two of them do not wait for each other
        i = np.uintp(ROW * n)
        v, w = load_row(g.v, i), load_row(g.v, i + np.uintp(ROW))
        a, b, sums = larger(a, v * v), larger(b, w * w), sums + (v + w)
    for n in range(pairs, last):
        v = load_row(g.v, np.uintp(ROW * n))
        a, sums = larger(a, v * v), sums + v
    top = larger(a, b)
    poison = 0.0 * (lane(sums, 0) + lane(sums, 1) + lane(sums, 2))
    return dt * np.sqrt(lane(top, 0) + lane(top, 1) + lane(top, 2)) + poison


@inlined
def _chord2(q, q0, about_axis):
    """Square of how far the furthest point has moved by a turn from q0 to q, over the radius squared.

    Args:
        q: unit quaternion now.
        q0: unit quaternion before.
        about_axis: whether turning about the own axis moves nothing.
    """
    if about_axis:
        return square(subtract(to_world(q, AXIS), to_world(q0, AXIS)))
    same = half_angle_cosine(q, q0)  # a point at the radius R moves by 2 R sin(angle / 2)
    return 4.0 * max(0.0, 1.0 - same * same)


@kernel
def furthest_moved(owned, g, shapes, settings):
    """Bounds on how far any core point has moved since the last rebuild, and on how fast any moves.

    Args:
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.

    Returns:
        distance (m), speed (m/s).
    """
    moved, speed, poison = 0.0, 0.0, 0.0
    for i in range(owned):
        d2 = square(nearest_image(subtract(row(g.x, i), row(g.x0, i)), settings))
        v2 = square(row(g.v, i))
        a = g.species[i]
        if shapes.kind[a] != 1:
            reach = shapes.core_radius[a] * g.scale[i]
            chord2 = _chord2(orientation(g.q, i), orientation(g.q0, i), shapes.kind[a] == 2 and not settings.planar)
            d = np.sqrt(d2) + reach * np.sqrt(chord2)
            v = np.sqrt(v2) + reach * length(row(g.w, i))
            d2, v2 = d * d, v * v
        moved = max(moved, d2)
        speed = max(speed, v2)
        poison += 0.0 * (d2 + v2)  # not-a-number and infinity stay, where a maximum would lose them
    return np.sqrt(moved) + poison, np.sqrt(speed)


@njit
def greatest_speed(v, w, species, scales, reach):
    """Find how fast the fastest point of some grains moves.

    Args:
        v: (n, 4) velocities (m/s).
        w: (n, 4) angular velocities (rad/s).
        species: (n,) int32 species.
        scales: (n,) size factors.
        reach: (ns,) distance from the centre at which a point of a species may move (m).

    Returns:
        (m/s); not a number if a velocity is none.
    """
    fastest, poison = 0.0, 0.0
    for i in range(v.shape[0]):
        speed = length(row(v, i)) + reach[species[i]] * scales[i] * length(row(w, i))
        fastest = max(fastest, speed)
        poison += 0.0 * speed
    return fastest + poison


@kernel
def update_spins(first, last, g, shapes, settings):
    """Compute the angular velocities of non-spheres from orientation and angular momentum, for use between two steps.

    Args:
        first: row of the first grain.
        last: one past the row of the last grain.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
    """
    for i in range(first, last):
        if shapes.kind[g.species[i]] != 1:
            q = orientation(g.q, i)
            put_row(g.w, i, to_world(q, body_rate(q, row(g.am, i), inverse_moments(g, i, shapes, settings.planar))))
