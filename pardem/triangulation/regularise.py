"""Compiled: algorithm 1 of the thesis, flips of illegal facets until there are none (Pournin, section 3.3.2), and what tells whether it is needed.

Every flip lowers the lifted surface, so the loop ends; where the triangulation is that of the points before a small move, or of all points but one
that was put into its tetrahedron (Edelsbrunner and Shah, Algorithmica 15, 223, 1996), it ends with all facets legal.
"""

from __future__ import annotations

from ..compiled.jit import inlined, kernel
from .flips import flip_23, flip_32, flip_41, flip_44
from .incidence import have_edge, have_triangle, joined
from .predicates import INFINITE, ORIENTATION_BOUND, above_hyperplane, exact_power, hyperplane, orientation, power
from .tetrahedral_mesh import HIGH, QUEUED, STAR, dequeue, enqueue, facet_of, free_tetrahedra, place_of

LEGAL, FLIPPED, UNFLIPPABLE = 0, 1, 2  # what became of a facet
DONE, STUCK, FULL = 0, 1, 2  # how a loop ended: FULL: the arrays hold no more tetrahedra; it goes on once they are longer
NEEDED = 4
"""Spare rows for tetrahedra that a flip or an insertion needs."""


@kernel
def _four_around(mesh, t, n, facet, apices):
    """Find the sixth vertex of a 4-4 flip at the edge ab of the facet abc with the apices d and e.

    Args:
        mesh: the triangulation's arrays.
        t: tetrahedron abcd.
        n: tetrahedron abce.
        facet: numbers of a, b and c.
        apices: numbers of d and e.

    Returns:
        The vertex f if the edge ab has the tetrahedra abcd, abce, abdf and abef, its facet abf is illegal, and the flip is possible; otherwise -1.
    """
    (a, b, c), (d, e) = facet, apices
    p, q = mesh.nbr[t, place_of(mesh, t, c)], mesh.nbr[n, place_of(mesh, n, c)]
    if p < 0 or q < 0:
        return -1
    f = mesh.vert[p >> 2, p & 3]
    if f != mesh.vert[q >> 2, q & 3] or mesh.nbr[p >> 2, place_of(mesh, p >> 2, d)] >> 2 != q >> 2:
        return -1
    xw, key = mesh.xw, mesh.key
    if orientation(xw, key, a, f, e, d) < 0 or orientation(xw, key, f, b, e, d) < 0:
        return -1
    return f if power(xw, key, a, b, d, f, e) < 0 else -1


@kernel
def flip_facet(mesh, facet, guarded):
    """Flip a facet 4 t + i if it is illegal and can be flipped.

    Args:
        mesh: the triangulation's arrays.
        facet: number of the facet.
        guarded: whether flips are restricted, see `flip_circuit`.

    Returns:
        LEGAL, FLIPPED or UNFLIPPABLE.
    """
    t, i = facet >> 2, facet & 3
    if mesh.vert[t, 0] < 0:
        return LEGAL
    beyond = mesh.nbr[t, i]
    if beyond < 0:
        return LEGAL
    a, b, c = facet_of(mesh, t, i)
    if power(mesh.xw, mesh.key, a, b, c, mesh.vert[t, i], mesh.vert[beyond >> 2, beyond & 3]) > 0:
        return LEGAL
    return flip_circuit(mesh, mesh.xw, facet, guarded)


@kernel
def flip_circuit(mesh, xw, facet, guarded):
    """Flip a facet 4 t + i that is illegal or about to be, if the positions of the points allow it.

    Let d and e be the apices over the facet abc. If the three tetrahedra of de and an edge of abc are all positive, the flip is 2-3. If one is not,
    and its edge has three or four tetrahedra, it is 3-2 or 4-4. If two are not, and the vertex of both edges has four tetrahedra, it is 4-1.

    Args:
        mesh: the triangulation's arrays.
        xw: (N, 4) positions and weights to be used.
        facet: number of the facet.
        guarded: for meshes with negative tetrahedra, and for positions at the moment at which the facet becomes illegal. The edge de (2-3) or any of
            the new triangles (3-2, 4-1) must then not exist yet. If one of the five points is at infinity, the other four lie, or lay, in a plane:
            their tetrahedron is an old one if it exists, else a new one. There are no 4-4 flips, which belong to two facets.

    Returns:
        FLIPPED or UNFLIPPABLE.
    """
    t, i = facet >> 2, facet & 3
    beyond = mesh.nbr[t, i]
    n = beyond >> 2
    key = mesh.key
    a, b, c = facet_of(mesh, t, i)
    d, e = mesh.vert[t, i], mesh.vert[n, beyond & 3]
    at_a = orientation(xw, key, b, c, e, d)
    at_b = orientation(xw, key, c, a, e, d)
    at_c = orientation(xw, key, a, b, e, d)
    if guarded and min(d, e) >= INFINITE:
        if a < INFINITE and min(b, c) >= INFINITE:
            at_a = -1 if joined(mesh, t, n, a) else 1
        if b < INFINITE and min(c, a) >= INFINITE:
            at_b = -1 if joined(mesh, t, n, b) else 1
        if c < INFINITE and min(a, b) >= INFINITE:
            at_c = -1 if joined(mesh, t, n, c) else 1
    positive = at_a + at_b + at_c
    if positive == 3:
        if guarded and have_edge(mesh, d, e):
            return UNFLIPPABLE
        flip_23(mesh, facet)
        return FLIPPED
    if positive == 1:
        while at_c > 0:
            a, b, c, at_a, at_b, at_c = b, c, a, at_b, at_c, at_a
        if joined(mesh, t, n, c):
            if guarded and have_triangle(mesh, t, n, c):
                return UNFLIPPABLE
            flip_32(mesh, facet, c)
            return FLIPPED
        if not guarded and _four_around(mesh, t, n, (a, b, c), (d, e)) >= 0:
            flip_44(mesh, facet, c)
            return FLIPPED
        return UNFLIPPABLE
    if positive == -1:
        while at_a < 0:
            a, b, c, at_a, at_b, at_c = b, c, a, at_b, at_c, at_a
        if joined(mesh, t, n, b) and joined(mesh, t, n, c) and not (guarded and a < INFINITE):
            flip_41(mesh, facet, a)
            return FLIPPED
    return UNFLIPPABLE


@kernel
def regularise(mesh, guarded):
    """Carry out algorithm 1 on the facets in the queue and those that flips change.

    Args:
        mesh: the triangulation's arrays.
        guarded: whether some tetrahedra may be negative. No flip creates a negative one; whether all have vanished must be tested at the end.

    Returns:
        DONE (no facet that was in the queue or touched is illegal), STUCK (none of the illegal ones, which are left in the queue, can be flipped) or
        FULL.
    """
    passed = 0
    while mesh.tally[QUEUED] > 0:
        if free_tetrahedra(mesh) < NEEDED:
            return FULL
        facet = dequeue(mesh)
        outcome = flip_facet(mesh, facet, guarded)
        if outcome == FLIPPED:
            passed = 0
        elif outcome == UNFLIPPABLE:
            enqueue(mesh, facet)
            passed += 1
            if passed > mesh.tally[QUEUED]:
                return STUCK
    mesh.tally[STAR] = -1
    return DONE


@kernel
def _is_finite(mesh, t):
    v = mesh.vert
    return min(min(v[t, 0], v[t, 1]), min(v[t, 2], v[t, 3])) >= INFINITE


@kernel
def _scan_infinite(mesh, t):
    """`scan` of one tetrahedron with points at infinity; returns whether it is negative."""
    v = mesh.vert
    negative = orientation(mesh.xw, mesh.key, v[t, 0], v[t, 1], v[t, 2], v[t, 3]) < 0
    if negative:
        for i in range(4):
            enqueue(mesh, 4 * t + i)
    for i in range(4):
        beyond = mesh.nbr[t, i]
        n = beyond >> 2
        if n < t or _is_finite(mesh, n):  # between a positive tetrahedron and a point at infinity every facet is legal
            continue
        if power(mesh.xw, mesh.key, v[t, 0], v[t, 1], v[t, 2], v[t, 3], v[n, beyond & 3]) < 0:
            enqueue(mesh, 4 * t + i)
    return negative


@inlined
def _scan_finite(mesh, t, p):
    """`scan` of one tetrahedron without points at infinity: whether it is negative; facets opposite ``p`` are looked at whatever lies beyond."""
    v, xw = mesh.vert, mesh.xw
    a, b, c, d = v[t, 0], v[t, 1], v[t, 2], v[t, 3]
    plane = hyperplane(xw, a, b, c, d)
    negative = plane.volume <= ORIENTATION_BOUND * plane.volume_size and orientation(xw, mesh.key, a, b, c, d) < 0
    if negative:
        for i in range(4):
            enqueue(mesh, 4 * t + i)
    for i in range(4):
        beyond = mesh.nbr[t, i]
        if beyond >> 2 < t and v[t, i] != p:
            continue
        e = v[beyond >> 2, beyond & 3]
        if e < INFINITE:
            continue
        sign = above_hyperplane(xw, a, e, plane)
        if sign > 0:
            continue
        if sign < 0 or exact_power(xw, mesh.key, a, b, c, d, e) < 0:
            enqueue(mesh, 4 * t + i)
    return negative


@kernel
def scan(mesh):
    """Test every tetrahedron and every facet. Illegal facets, and those of negative tetrahedra, are put into the queue.

    Args:
        mesh: the triangulation's arrays.

    Returns:
        Number of negative tetrahedra.
    """
    negative = 0
    for t in range(mesh.tally[HIGH]):
        if mesh.vert[t, 0] >= 0:
            negative += _scan_finite(mesh, t, -1) if _is_finite(mesh, t) else _scan_infinite(mesh, t)
    return negative


@kernel
def scan_star(mesh, p, n):
    """Test the tetrahedra of a finite vertex and all their facets, up to the first negative tetrahedron. Illegal facets are put into the queue.

    Args:
        mesh: the triangulation's arrays, whose queue must be empty.
        p: the vertex.
        n: number of its tetrahedra, which are in ``mesh.star`` (`incidence.star_of`).

    Returns:
        Whether all are positive; if not, the queue is empty.
    """
    for k in range(n):
        t = mesh.star[k]
        if _is_finite(mesh, t):
            negative = _scan_finite(mesh, t, p)
        else:
            negative = orientation(mesh.xw, mesh.key, mesh.vert[t, 0], mesh.vert[t, 1], mesh.vert[t, 2], mesh.vert[t, 3]) < 0
            for i in range(4):
                enqueue(mesh, 4 * t + i)
        if negative:
            while mesh.tally[QUEUED] > 0:
                dequeue(mesh)
            return False
    return True
