"""Contact zones of convex polytopes, from the features of their cores that share the contact."""

from __future__ import annotations

from ...compiled.choices import root, select, smaller
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.types import zero_of
from ...compiled.vectors import ZERO, choose, cross, square, subtract
from ..nearest.polytope_active import count, slot, vertex
from ..nearest.polytope_pair import core_a, core_b
from .rods import rocking_axis


@inlined
def _longer(far, longest, k, m, counts):
    """The longer of a difference of two vertices and the longest so far, with its square; ``counts``: whether the difference does."""
    d = subtract(k, m)
    d2 = square(d)
    more = counts & (d2 > far)
    return select(more, d2, far), choose(more, d, longest)


@inlined
def _feature(core, pack):
    """The feature of a core on which its regularised point lies: the vertices of the solver's active set, one for a corner, two for an edge, more for
    a face. A face bears as a whole up to the tilt eps^2 a/D at which the point reaches its rim.

    Args:
        core: ``polytope_active.Core``.
        pack: active set (``polytope_active``).

    Returns:
        number of vertices, half their largest distance (m), the vector of that distance (m).
    """
    n, a = count(pack), vertex(core, slot(pack, 0))
    none = zero_of(a[0])
    far, longest = none, (none, none, none)
    if any_of(n > 1):
        b = vertex(core, slot(pack, 1))
        far, longest = _longer(far, longest, b, a, n > 1)
        if any_of(n > 2):
            c = vertex(core, slot(pack, 2))
            far, longest = _longer(far, longest, c, a, n > 2)
            far, longest = _longer(far, longest, c, b, n > 2)
            if any_of(n > 3):
                d = vertex(core, slot(pack, 3))
                far, longest = _longer(far, longest, d, a, n > 3)
                far, longest = _longer(far, longest, d, b, n > 3)
                far, longest = _longer(far, longest, d, c, n > 3)
    return n, 0.5 * root(far), longest


@inlined
def feature_zone(cores, sets, bearing):
    """Half-length of the contact zone of two cores and its rocking axis, from the features that share the contact (``_feature``).

    Face on face: the smaller half-diameter, any axis. Edge on face: the edge. Edge on edge: sqrt(r delta)/sin(angle), at most the shorter. A corner
    touches in a point. One text for a pair and for several in lanes.

    Args:
        cores: ``polytope_pair.TwoCores``.
        sets: their active sets (``polytope_active``).
        bearing: ``rule.Bearing``.
    """
    ka, ra, a = _feature(core_a(cores), sets[0])
    kb, rb, b = _feature(core_b(cores), sets[1])
    edge_a, edge_b = ka == 2, kb == 2
    lever = smaller(ra, rb)
    if any_of(edge_a & edge_b):
        sine2 = square(cross(a, b)) / (16.0 * ra * ra * rb * rb)
        limit = bearing.radius * bearing.overlap
        lever = select(edge_a & edge_b & (lever * lever * sine2 > limit), root(limit / sine2), lever)
    extended = (ka > 1) & (kb > 1)
    axis = rocking_axis(bearing.normal, choose(edge_a, a, b))
    return select(extended, lever, 0.0), choose(extended & (edge_a | edge_b), axis, ZERO)


@inlined
def feature_zone_on_plane(core, pack, normal):
    """Half-length of the contact zone of a core on a plane (m) and its rocking axis, as in `feature_zone`; for one, or for several in lanes.

    Args:
        core: ``polytope_active.Core``.
        pack: its active set.
        normal: unit normal, towards the plane.
    """
    n, lever, e = _feature(core, pack)
    return select(n > 1, lever, 0.0), choose(n == 2, rocking_axis(normal, e), ZERO)
