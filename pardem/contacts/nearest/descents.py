"""Whether the edges and faces that hold a point of a core go on from there along a direction: then it is no local minimum of a distance."""

from __future__ import annotations

from ...compiled.jit import inlined
from ...compiled.vectors import behind, cross, dot, square, subtract
from .features import outline, vertex
from .neighbours import at_vertex, count_edges, count_faces, incident_edge, incident_face
from .outlines import area_vector, corner, over_face
from .polytope_faces import TILT2


@inlined
def _descends(face, place, across, a):
    """Whether a face, from a point on its outline, goes on along a: from a vertex where it turns inwards, or from a side.

    Args:
        face: `Outline`.
        place: place of the vertex in ``Features.loops``, or of the side's first corner.
        across: whether the point lies on a side.
        a: direction, of any length.
    """
    normal = area_vector(face)
    p = corner(face, place)
    q = subtract(corner(face, place + 1 if place + 1 < face.last else face.first), p)
    a2 = square(a)
    if across:
        inwards = cross(normal, q)
        rise = dot(inwards, a)
        return rise > 0.0 and rise * rise > TILT2 * a2 * square(inwards)
    b = subtract(corner(face, place - 1 if place > face.first else face.last - 1), p)
    if dot(normal, cross(q, b)) >= 0.0:
        return False  # its edges say it all
    c = behind(a, dot(normal, a) / square(normal), normal)
    if square(c) <= TILT2 * a2:
        return False
    # outside the face at the vertex is what lies between the sides, clockwise
    after = dot(normal, cross(b, c)) > 0.0
    before = dot(normal, cross(c, q)) > 0.0
    return not (after and before)


@inlined
def edges_descend(interaction, g, i, v, a):
    """Whether an edge of grain ``i`` from vertex ``v`` goes along a, not just across it.

    Args:
        interaction: `local_minima.LocalMinima`.
        g: `Grains`.
        i: row of the grain.
        v: number of the vertex.
        a: direction, of any length.
    """
    f, nb, species = interaction.features, interaction.neighbours, g.species[i]
    p = vertex(g, i, v)
    a2, at = square(a), at_vertex(v)
    for m in range(count_edges(nb, species, at)):
        e = f.edge_start[species] + incident_edge(nb, species, at, m)
        q = subtract(vertex(g, i, f.edges[e, 1] if f.edges[e, 0] == v else f.edges[e, 0]), p)
        rise = dot(q, a)
        if rise > 0.0 and rise * rise > TILT2 * a2 * square(q):
            return True
    return False


@inlined
def faces_descend(interaction, g, i, at, a):
    """Whether a face of grain ``i`` that holds a vertex or an edge goes along a where its edges there do not.

    Args:
        interaction: `local_minima.LocalMinima`.
        g: `Grains`.
        i: row of the grain.
        at: `Place` of the vertex or edge.
        a: direction, of any length.
    """
    f, nb, species = interaction.features, interaction.neighbours, g.species[i]
    for m in range(count_faces(nb, f, species, at)):
        k, place = incident_face(nb, f, species, at, m)
        if _descends(outline(f, g, i, k), place, at.vertex < 0, a):
            return True
    return False


@inlined
def over_a_face(interaction, g, i, at, p):
    """Whether a point lies over the inside of a face of grain ``i`` that holds a vertex or an edge.

    Args:
        interaction: `local_minima.LocalMinima`.
        g: `Grains`.
        i: row of the grain.
        at: `Place` of the vertex or edge.
        p: the point, relative to the grain's centre (m).
    """
    f, nb, species = interaction.features, interaction.neighbours, g.species[i]
    for m in range(count_faces(nb, f, species, at)):
        k, _ = incident_face(nb, f, species, at, m)
        if over_face(outline(f, g, i, k), p):
            return True
    return False
