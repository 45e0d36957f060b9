"""Convex polytopes against a plane: the regularised minimum in closed steps, and the barycentre of the lowest feature."""

from __future__ import annotations

import numpy as np

from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.types import zero_of
from ...compiled.vectors import add, ahead, choose, dot_from, row, scale, square
from .polytope_active import (
    ACTIVE_SIZE,
    aim_at,
    coldest,
    count,
    grow,
    move,
    newcomer,
    slot,
    start_in_the_middle,
    step_length,
    support,
)
from .polytope_faces import MAX_TIES, TILT2, centroid, order, plane_axes, ties
from .polytope_flat import combined, coordinates_of, either, face_flat, flat, foot, lowest, products, summed, weights, within
from .polytope_pair import GAP, MAX_ITERATIONS

WORK_SIZE = ACTIVE_SIZE + 2 * MAX_TIES


@inlined
def _over_flat(normal, h, eps2, a, p):
    """Minimum over the flat of an active set of ``p`` vertices (formula: ``regularised_plane``); for one body, or for several in lanes.

    Returns:
        coordinates s of X, X (m), whether the vertices are independent and the minimum is unique.
    """
    none, several, ok = zero_of(h), p > 1, a.independent
    s, x = coordinates_of(a, none, none), a.origin
    if any_of(several):
        c, d = products(a, normal), products(a, a.origin)
        bottom = eps2 + within(a, c, c)
        rho = (dot_from(h, normal, a.origin) - within(a, c, d)) / bottom
        s = either(a, several, foot(a, summed(a, rho, c, d), -1.0), s)
        x = choose(several, add(x, combined(a, s)), x)
        ok = ok & ((bottom > 0.0) | (p < 2))
    return s, x, ok


@inlined
def _value(space, eps2, x):
    """Value at a point, and its height (m)."""
    height = dot_from(space.height, space.normal, x)
    return height * height + eps2 * square(x), height


@inlined
def _asked_for(space, core, eps2, pack, p, x, height, own2):
    """A vertex that the gradient at a minimum asks for: whether there is one, and its number (``newcomer``)."""
    gradient = ahead(scale(height, space.normal), eps2, x)
    return newcomer(core, pack, p, x, gradient, GAP * GAP * (space.height * space.height + own2), own2)


@inlined
def plane_minimum_where_it_was(space, core, eps2, pack):
    """The minimum over the flat of a given active set, and whether it is that over the body: the first round of `regularised_plane` from this set.

    Sets of four vertices are left to that.

    For one body, or several in lanes.

    Args:
        space: ``features.HalfSpace``.
        core: ``polytope_active.Core``.
        eps2: squared regularisation (1).
        pack: active set.

    Returns:
        the minimum (m^2), height of its point (m), the point relative to the centre (m), whether the search ends there.
    """
    p = count(pack)
    a = face_flat(core, pack, p)
    s, x, ok = _over_flat(space.normal, space.height, eps2, a, p)
    ended = ok & (p < 4) & (lowest(a, p, weights(a, s)) > 0.0)
    f, height = _value(space, eps2, x)
    if any_of(ended):
        new, _ = _asked_for(space, core, eps2, pack, p, x, height, square(a.origin))
        ended = ended & ~new & (f < np.inf)
    return f, height, x, ended


@inlined
def _stepped(pack, p, new, work):
    """Go towards the minimum over the flat as far as the simplex allows and drop the vertices whose weights vanish.

    Args:
        pack: active set.
        p: number of its vertices.
        new: whether the last of them is a newcomer.
        work: scratch with the weights.

    Returns:
        the same three, and whether there is still something to try: where by rounding a newcomer gains nothing, the minimum before it stands.
    """
    last, step = slot(pack, p - 1), step_length(work, 0, p, 1.0)
    pack, p = move(work, 0, p, pack, step)
    return pack, p, new and not step > 0.0, step > 0.0 or not new or slot(pack, p - 1) == last


@inlined
def regularised_plane(space, core, eps2, warm, work):
    """Minimiser of f = (h + n.X)^2 + eps^2 |X|^2 over X in conv(A): a polytope against the plane at height h below its centre.

    Over the flat a + <q1, q2, q3> of an active set (orthogonal directions) the system is diagonal plus one rank, so with c_i = n.q_i

        rho = (h + n.a - sum c_i q_i.a/|q_i|^2) / (eps^2 + sum c_i^2/|q_i|^2),   s_i = -(rho c_i + q_i.a)/|q_i|^2.

    Args:
        space: ``features.HalfSpace``: n and h.
        core: ``polytope_active.Core`` of A.
        eps2: squared regularisation, >= 0; where it is 0, any lowest point.
        warm: active set of the call before, 0 for a cold start.
        work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        f (m^2), X relative to the centre (m), the active set for the next call, status: 0 solved, 1 not converged (or not a number).
    """
    normal, h = space
    if warm == 0:
        warm = coldest(core, scale(h, normal))
    pack, p = warm, count(warm)
    best = pack
    inside = accepted = new = False
    x, f = (0.0, 0.0, 0.0), 0.0
    solved = False
    for _ in range(MAX_ITERATIONS):
        a = flat(core, pack, p)
        s, u, ok = _over_flat(normal, h, eps2, a, p)
        if not ok:
            if accepted:  # the newcomer lies in the flat of the others and cannot lower the value
                solved = True
                break
            pack, p = coldest(core, scale(h, normal)), 1
            continue
        weight = weights(a, s)
        aim_at(work, 0, weight)
        if lowest(a, p, weight) > 0.0:
            x, best, accepted = u, pack, True
            f, height = _value(space, eps2, x)
            new, k = _asked_for(space, core, eps2, pack, p, x, height, square(a.origin))
            if not new:
                solved = True
                break
            pack, p = grow(work, 0, p, pack, k, True)
            inside = True
            continue
        if not inside:
            start_in_the_middle(work, 0, p)
            inside = True
        pack, p, new, left = _stepped(pack, p, new, work)
        if not left:
            solved = True
            break
    return f, x, best, 0 if solved and f < np.inf else 1


@inlined
def nearest_plane(space, core, work):
    """Lowest point of conv(A) above a plane; where an edge or a face is parallel to it (relative determinant below 1e-14), its centroid.

    Args:
        space: ``features.HalfSpace``.
        core: ``polytope_active.Core``.
        work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        squared height of the lowest vertex (m^2), X relative to the centre (m) at that height, status: 0 solved, 2 a face has more than ``MAX_TIES``
        vertices (X is then its lowest vertex).
    """
    normal, h = space
    low, k = support(core, normal)
    x = row(core.vert, core.first + k)
    height = h + low
    status = 0
    if core.count > 1:
        axes = plane_axes(normal)
        n = ties(core, x, axes, TILT2, work, ACTIVE_SIZE)
        if n > MAX_TIES:
            status = 2
        elif n > 1:
            order(work, ACTIVE_SIZE, n)
            u, v = centroid(work, ACTIVE_SIZE, n, 0.0)
            x = ahead(ahead(x, u, axes.e), v, axes.f)
    return height * height, x, status
