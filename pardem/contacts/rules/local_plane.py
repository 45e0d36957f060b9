"""Local minima of the height of a core, convex or not, over a plane: one contact each."""

from __future__ import annotations

from ...compiled.jit import inlined
from ...compiled.vectors import ZERO, add, ahead, cross, dot, dot_from, negative, over, subtract
from ..nearest.descents import edges_descend, faces_descend
from ..nearest.features import EDGE_FACE, FACE_FACE, VERTEX_FACE, edge, first_of, kind_of, outline, vertex
from ..nearest.flats import TILT2_FACES, sine2, sine2_faces
from ..nearest.neighbours import at_vertex, count_edges, count_faces, in_edge, in_face, incident_edge, incident_face, into_solid
from ..nearest.outlines import area_vector, corner
from ..nearest.polytope_faces import TILT2


@inlined
def _centroid(face, normal):
    """Centroid of a face, relative to the grain's centre (m).

    Args:
        face: `Outline`.
        normal: its ``area_vector`` (m^2).
    """
    p = corner(face, face.first)
    moment, total = ZERO, 0.0
    u = subtract(corner(face, face.first + 1), p)
    for m in range(face.first + 2, face.last):
        v = subtract(corner(face, m), p)
        part = dot(normal, cross(u, v))
        moment, total = ahead(moment, part, add(u, v)), total + 3.0 * part
        u = v
    return add(p, over(moment, total))


@inlined
def _level_vertex(interaction, g, i, v, down):
    """Whether a vertex is lower than its edges along ``down``, none of which is level: else a larger feature has the contact."""
    nb, species, at = interaction.neighbours, g.species[i], at_vertex(v)
    if edges_descend(interaction, g, i, v, down):
        return False
    for m in range(count_edges(nb, species, at)):
        _, u = edge(interaction.features, g, i, incident_edge(nb, species, at, m))
        if sine2(u, down) <= TILT2:
            return False
    return True


@inlined
def _lowest(interaction, g, i, sub, n):
    """Whether a vertex, edge or face is a local minimum of the height: parallel to the plane, on nothing that leads down, and no part of a larger
    feature that is parallel too.

    Args:
        interaction: `LocalMinima`.
        g: `Grains`.
        i: row of the grain.
        sub: ``VERTEX_FACE``, ``EDGE_FACE`` or ``FACE_FACE`` and the feature.
        n: unit normal of the plane.

    Returns:
        the answer, and the feature's barycentre relative to the grain's centre (m).
    """
    f, nb, species = interaction.features, interaction.neighbours, g.species[i]
    kind, one, down = kind_of(sub), first_of(sub), negative(n)
    if kind == FACE_FACE:
        face = outline(f, g, i, one)
        normal = area_vector(face)
        level = sine2_faces(normal, n) <= TILT2_FACES
        return level and not into_solid(interaction, g, i, in_face(one), down), _centroid(face, normal)
    if kind == EDGE_FACE:
        at = in_edge(one)
        x, u = edge(f, g, i, one)
        level = sine2(u, n) <= TILT2
    else:
        at = at_vertex(one)
        x = vertex(g, i, one)
        level = _level_vertex(interaction, g, i, one, down)
    if not level:
        return False, x
    for m in range(count_faces(nb, f, species, at)):
        k, _ = incident_face(nb, f, species, at, m)
        if sine2_faces(area_vector(outline(f, g, i, k)), n) <= TILT2_FACES:
            return False, x
    return not (into_solid(interaction, g, i, at, down) or faces_descend(interaction, g, i, at, down)), x


@inlined
def closest_to_plane(interaction, g, i, space, pairs, p, touching):
    """Height of a vertex, edge or face over a plane, and a distance beyond touch unless it is a local minimum; see ``dispatch.closest_to_plane``.

    A candidate that is a bare vertex is what it is: discs and cylinders are met vertex by vertex.
    """
    sub = pairs.sub[p]
    if kind_of(sub) < VERTEX_FACE:
        x = vertex(g, i, sub)
        h = dot_from(space.height, space.normal, x)
        return h * h, h, x, 0
    lowest, x = _lowest(interaction, g, i, sub, space.normal)
    h = dot_from(space.height, space.normal, x)
    far = 2.0 * g.x[i, 3]
    return (h * h if lowest else far * far), h, x, 0
