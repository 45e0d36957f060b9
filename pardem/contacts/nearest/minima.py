"""Nearest points of two convex polytopes; between parallel features the barycentre of all of them (the thesis' rule)."""

from __future__ import annotations

from ...compiled.jit import inlined
from ...compiled.vectors import add, ahead, dot_from, scale, square, subtract
from .polytope_faces import MAX_TIES, TILT, TILT2, centroid, clip, extent, order, plane_axes, ties
from .polytope_pair import WORK_SIZE as PAIR_SIZE
from .polytope_pair import core_a, core_b, minimum

# scratch: the pair solver's, then the two features and a spare, each long enough for a clip of faces (each cut adds at most one point)
_A = PAIR_SIZE
_B = _A + 4 * MAX_TIES
_SPARE = _B + 4 * MAX_TIES
WORK_SIZE = _SPARE + 4 * MAX_TIES
TOUCHING = 1e-20  # squared distance relative to squared lengths below which the normal is lost in rounding: no barycentre
NOISE2 = 1e-28  # squared tilt of the normal by rounding, where the distance equals the lengths that enter


@inlined
def _shared_stretch(work):
    """Middle of the stretch over which two edges face each other, in plane coordinates; (0, 0), the solver's point, if they cross.

    Edges whose relative determinant is below TILT2 are parallel. Along A's edge, B's covers the interval of its feet.
    """
    au, av, du, dv = work[_A], work[_A + 1], work[_A + 2] - work[_A], work[_A + 3] - work[_A + 1]
    bu, bv, eu, ev = work[_B], work[_B + 1], work[_B + 2] - work[_B], work[_B + 3] - work[_B + 1]
    d2, e2 = du * du + dv * dv, eu * eu + ev * ev
    cross = du * ev - dv * eu
    offset = du * (bv - av) - dv * (bu - au)
    if cross * cross > TILT2 * d2 * e2 or offset * offset > 4.0 * TILT2 * d2 * (d2 + e2):
        return 0.0, 0.0
    one = ((bu - au) * du + (bv - av) * dv) / d2
    two = one + (eu * du + ev * dv) / d2
    low, high = max(0.0, min(one, two)), min(1.0, max(one, two))
    if low >= high:
        return 0.0, 0.0
    s = 0.5 * (low + high)
    return au + s * du, av + s * dv


@inlined
def _keep_ends(work, place, n):
    """Reduce a feature whose points lie on one line to its two ends. Returns its number of points and its squared extent (m^2)."""
    first, second, size = extent(work, place, n)
    width = 0.0
    u, v = work[place + 2 * first], work[place + 2 * first + 1]
    du, dv = work[place + 2 * second] - u, work[place + 2 * second + 1] - v
    for k in range(n):
        width = max(width, abs(du * (work[place + 2 * k + 1] - v) - dv * (work[place + 2 * k] - u)))
    if n < 3 or width > TILT * size:
        return n, size
    work[place], work[place + 1], work[place + 2], work[place + 3] = u, v, u + du, v + dv
    return 2, size


@inlined
def _barycentre(work, na, nb, square_lengths):
    """Centroid of what two features (na, nb >= 2 points) share, in plane coordinates; (0, 0), the solver's point, where rounding leaves nothing."""
    (na, extent_a), (nb, extent_b) = _keep_ends(work, _A, na), _keep_ends(work, _B, nb)
    if na == 2 and nb == 2:
        return _shared_stretch(work)
    subject, n, window, m = _A, na, _B, nb
    if nb == 2:
        subject, n, window, m = _B, nb, _A, na
    order(work, window, m)
    if n > 2:
        order(work, subject, n)
    place, left = clip(work, subject, n, window, m, _SPARE)
    if left == 0:
        return 0.0, 0.0
    return centroid(work, place, left, square_lengths + extent_a + extent_b)


@inlined
def nearest_polytopes(w, cores, warm, work):
    """Nearest points X in conv(A), Y in conv(B), relative to their own centres: the minimisers of |W + X - Y|.

    Where edges or faces are parallel (relative determinant below 1e-14) the minimisers form a segment or a convex polygon, the features' common part
    seen along the normal; the result is its centroid. The distance is the least one in every case. Parallel features are found from the vertices that
    tie along the normal, so no topology is needed.

    Args:
        w: W, centre of A less centre of B (m).
        cores: ``polytope_pair.TwoCores`` of both.
        warm: two int64 active sets to start from, (0, 0) for a cold start.
        work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        squared distance (m^2), X (m), Y (m), the two active sets for the next call, status: 0 solved, 1 not converged (or not a number), 2 a face has
        more than ``MAX_TIES`` vertices (its barycentre is then not sought). Cores that overlap give 0 to rounding and any common point.
    """
    (d2, x, y, sets), status = minimum(w, cores, (0.0, 0.0), warm, work)
    size = dot_from(dot_from(square(w), x, x), y, y)
    if cores.na == 1 or cores.nb == 1 or status != 0 or not d2 > TOUCHING * size:
        return d2, x, y, sets, status
    axes = plane_axes(subtract(add(w, x), y))
    tilt2 = TILT2 + NOISE2 * size / d2
    ka = ties(core_a(cores), x, axes, tilt2, work, _A)
    if ka > 1:
        kb = ties(core_b(cores), y, axes, tilt2, work, _B)
        if ka > MAX_TIES or kb > MAX_TIES:
            status = 2
        elif kb > 1:
            u, v = _barycentre(work, ka, kb, size)
            shift = ahead(scale(u, axes.e), v, axes.f)
            x, y = add(x, shift), add(y, shift)
    return d2, x, y, sets, status
