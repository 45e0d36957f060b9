"""Active-set solver for the regularised distance of two convex polytopes; with both eps zero, for their distance.

Wolfe's method for the point of least norm (Math. Programming 11, 1976) carried over to a pair of polytopes: minimise over the flats of the two active
sets; where a weight would become negative go as far as the simplices allow and drop the vertex; where the minimum lies inside, take in the vertices
that the gradient asks for, until there are none. The value falls from one inner minimum to the next, so no active set comes back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.types import zero_of
from ...compiled.vectors import ZERO, add, ahead, behind, choose, negative, scale, square, subtract
from .polytope_active import (
    ACTIVE_SIZE,
    SLOT,
    Core,
    aim_at,
    coldest,
    count,
    grow,
    move,
    newcomer,
    slot,
    start_in_the_middle,
    step_length,
)
from .polytope_affine import point_of_b
from .polytope_flat import combined, coordinates_of, either, face_flat, flat, foot, lowest, products, weights

WORK_SIZE = ACTIVE_SIZE
MAX_ITERATIONS = 200
GAP = 2e-15  # optimality gap of a body, relative to its own size times the size of the whole


class TwoCores(NamedTuple):
    """The vertices of two bodies A and B.

    Attributes:
        vert: (M, 3) world vertices, each relative to its own centre (m).
        a0: row of A's first vertex.
        na: number of A's vertices.
        b0: row of B's first vertex.
        nb: number of B's vertices.
    """

    vert: Any
    a0: Any
    na: Any
    b0: Any
    nb: Any


@inlined
def core_a(cores):
    """The ``polytope_active.Core`` of body A.

    Args:
        cores: `TwoCores`.
    """
    return Core(cores.vert, cores.a0, cores.na)


@inlined
def core_b(cores):
    """The ``polytope_active.Core`` of body B.

    Args:
        cores: `TwoCores`.
    """
    return Core(cores.vert, cores.b0, cores.nb)


class Minimum(NamedTuple):
    """A minimum of the regularised distance of two cores.

    Attributes:
        f: squared regularised distance (m^2).
        x: point on A relative to its centre (m).
        y: point on B relative to its centre (m).
        sets: active sets of A and B.
    """

    f: Any
    x: Any
    y: Any
    sets: Any


class Newcomers(NamedTuple):
    """The active sets of two bodies and which of them has taken in a vertex, with weight 0, since the last minimum.

    Attributes:
        set_a: active set of A.
        set_b: active set of B.
        p: number of vertices in A's.
        q: number of vertices in B's.
        new_a: whether the last vertex of A's is a newcomer.
        new_b: whether the last vertex of B's is one.
        spare: slot value of B's newcomer, set aside; 0: none.
        left: whether there is still something to try.
    """

    set_a: Any
    set_b: Any
    p: Any
    q: Any
    new_a: Any
    new_b: Any
    spare: Any
    left: Any


@inlined
def _over_flats(w, a, p, b, q, eps2):
    """Minimum over the flats of two active sets of ``p`` and ``q`` vertices.

    Returns:
        coordinates s of X and t of Y, X and Y (m), whether the small system could be solved.
    """
    ea, eb = eps2
    ok = a.independent & b.independent
    none = zero_of(w[0])
    s, t = coordinates_of(a, none, none), coordinates_of(b, none, none)
    x, y = a.origin, b.origin
    if any_of(ok & (q > 1)):
        if any_of(p == 1):  # the foot of a point on B's flat: its directions are orthogonal
            t = foot(b, products(b, behind(add(w, a.origin), 1.0 + eb, b.origin)), 1.0 / (1.0 + eb))
        if any_of(p > 1):
            common, solved = point_of_b(w, a, b, q, eps2)
            t = either(b, p > 1, common, t)
            ok = ok & (solved | (p < 2) | (q < 2))
        t = either(b, q > 1, t, coordinates_of(b, none, none))
        y = choose(q > 1, add(y, combined(b, t)), y)
    if any_of(p > 1):  # the foot of Y on A's flat
        s = foot(a, products(a, behind(subtract(y, w), 1.0 + ea, a.origin)), 1.0 / (1.0 + ea))
        s = either(a, p > 1, s, coordinates_of(a, none, none))
        x = choose(p > 1, add(x, combined(a, s)), x)
    return s, t, x, y, ok


@inlined
def _without_newcomers(sets, a_independent):
    """What to try where newcomers depend on the other vertices and so cannot lower the value: A's alone, then B's alone."""
    set_a, set_b, p, q, new_a, new_b, spare, _ = sets
    if new_a and new_b and a_independent:
        spare = (set_b >> (16 * (q - 1))) & SLOT
        return Newcomers(set_a, set_b & ((1 << (16 * (q - 1))) - 1), p, q - 1, True, False, spare, True)
    if not new_a:
        return Newcomers(set_a, set_b, p, q, new_a, new_b, spare, False)
    set_a &= (1 << (16 * (p - 1))) - 1
    if spare != 0:
        return Newcomers(set_a, set_b | (spare << (16 * q)), p - 1, q + 1, False, True, 0, True)
    return Newcomers(set_a, set_b, p - 1, q, False, new_b, spare, new_b)


@inlined
def _cold(w, cores):
    """Active sets of one vertex each: those that face the other's centre."""
    return Newcomers(coldest(core_a(cores), w), coldest(core_b(cores), negative(w)), 1, 1, False, False, 0, True)


@inlined
def _accepted(w, eps2, x, y, sets):
    """The minimum over two flats that lies within both simplices."""
    f = square(subtract(add(w, x), y)) + eps2[0] * square(x) + eps2[1] * square(y)
    return Minimum(f, x, y, sets)


@inlined
def _asked_for(w, w2, cores, eps2, own, best, sizes):
    """Which vertices the gradient at a minimum asks for.

    Args:
        w: centre of A less centre of B (m).
        w2: its square (m^2).
        cores: `TwoCores`.
        eps2: squared regularisation of each body (1).
        own: squares of the origins of the two flats (m^2).
        best: the `Minimum`.
        sizes: sizes of the two active sets.

    Returns:
        whether there is one of A, its number, whether there is one of B, its number.
    """
    x, y = best.x, best.y
    r = subtract(add(w, x), y)
    size = GAP * GAP * (w2 + own[0] + own[1])
    new_a, k = newcomer(core_a(cores), best.sets[0], sizes[0], x, ahead(r, eps2[0], x), size, own[0])
    new_b, m = newcomer(core_b(cores), best.sets[1], sizes[1], y, subtract(scale(eps2[1], y), r), size, own[1])
    return new_a, k, new_b, m


@inlined
def _stepped(sets, work):
    """Go towards the minimum over the flats as far as the simplices allow and drop the vertices whose weights vanish."""
    step = step_length(work, 4, sets.q, step_length(work, 0, sets.p, 1.0))
    last_a, last_b = slot(sets.set_a, sets.p - 1), slot(sets.set_b, sets.q - 1)
    set_a, p = move(work, 0, sets.p, sets.set_a, step)
    set_b, q = move(work, 4, sets.q, sets.set_b, step)
    if step > 0.0:
        return Newcomers(set_a, set_b, p, q, False, False, sets.spare, True)
    had = sets.new_a or sets.new_b
    new_a, new_b = sets.new_a and slot(set_a, p - 1) == last_a, sets.new_b and slot(set_b, q - 1) == last_b
    # where newcomers gain nothing by rounding, the minimum before them stands
    return Newcomers(set_a, set_b, p, q, new_a, new_b, sets.spare, not had or new_a or new_b)


@inlined
def minimum_where_it_was(w, cores, eps2, sets):
    """The minimum over the flats of given active sets, and whether it is that over the bodies: the first round of `minimum` from these sets.

    For one pair, or several in lanes. Sets of four vertices are left to `minimum`.

    Args:
        w: centre of A less centre of B (m).
        cores: `TwoCores`.
        eps2: squared regularisation of each body (1).
        sets: the two active sets.

    Returns:
        the ``Minimum``; whether the search ends there.
    """
    p, q = count(sets[0]), count(sets[1])
    a, b = face_flat(core_a(cores), sets[0], p), face_flat(core_b(cores), sets[1], q)
    s, t, x, y, ok = _over_flats(w, a, p, b, q, eps2)
    ended = ok & (p < 4) & (q < 4) & (lowest(a, p, weights(a, s)) > 0.0) & (lowest(b, q, weights(b, t)) > 0.0)
    best = _accepted(w, eps2, x, y, sets)
    if any_of(ended):
        new_a, _, new_b, _ = _asked_for(w, square(w), cores, eps2, (square(a.origin), square(b.origin)), best, (p, q))
        ended = ended & ~(new_a | new_b) & (best.f < np.inf)
    return best, ended


@inlined
def minimum(w, cores, eps2, warm, work):
    """See ``regularised.regularised_polytopes``.

    Args:
        w: centre of A less centre of B (m).
        cores: `TwoCores`.
        eps2: squared regularisation of each body (1).
        warm: the two active sets to start from, (0, 0) for a cold start.
        work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        the ``Minimum``; status: 0 solved, 1 not converged (or not a number).
    """
    if warm[0] != 0 and warm[1] != 0:
        sets = Newcomers(warm[0], warm[1], count(warm[0]), count(warm[1]), False, False, 0, True)
    else:
        sets = _cold(w, cores)
    inside = False  # whether the scratch holds the weights of a point within the simplices
    accepted = False  # whether ``best`` is a minimum over two flats
    best = Minimum(0.0, ZERO, ZERO, (sets.set_a, sets.set_b))
    w2 = square(w)
    solved = False
    for _ in range(MAX_ITERATIONS):
        p, q = sets.p, sets.q
        a, b = flat(core_a(cores), sets.set_a, p), flat(core_b(cores), sets.set_b, q)
        s, t, x, y, ok = _over_flats(w, a, p, b, q, eps2)
        if not ok and not accepted:  # a warm start whose features have become parallel
            sets = _cold(w, cores)
            continue
        if not ok:
            sets = _without_newcomers(sets, a.independent)
            if sets.left:
                continue
            solved = True  # the minimum before the newcomers stands
            break
        weight_a, weight_b = weights(a, s), weights(b, t)
        if lowest(a, p, weight_a) > 0.0 and lowest(b, q, weight_b) > 0.0:
            best, accepted = _accepted(w, eps2, x, y, (sets.set_a, sets.set_b)), True
            new_a, k, new_b, m = _asked_for(w, w2, cores, eps2, (square(a.origin), square(b.origin)), best, (p, q))
            if not new_a and not new_b:
                solved = True
                break
            aim_at(work, 0, weight_a)
            aim_at(work, 4, weight_b)
            set_a, p = grow(work, 0, p, sets.set_a, k, new_a)
            set_b, q = grow(work, 4, q, sets.set_b, m, new_b)
            sets = Newcomers(set_a, set_b, p, q, new_a, new_b, 0, True)
            inside = True
            continue
        aim_at(work, 0, weight_a)
        aim_at(work, 4, weight_b)
        if not inside:
            start_in_the_middle(work, 0, p)
            start_in_the_middle(work, 4, q)
            inside = True
        sets = _stepped(sets, work)
        if not sets.left:
            solved = True
            break
    return best, 0 if solved and best.f < np.inf else 1
