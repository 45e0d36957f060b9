"""Which grains may meet which walls before the next rebuild."""

from __future__ import annotations

from ..compiled.jit import kernel
from .surfaces.listing import GrainNearWall
from .surfaces.place import from_wall
from .surfaces.registry import list_near, out_of_reach


@kernel
def find_wall_pairs(owned, g, walls, parts, reach, rule, entries):
    """Candidate contacts of owned grains with walls, in the order of grains; of walls that are met vertex by vertex those of the vertices in reach.

    Args:
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        walls: `state.Walls`.
        parts: pieces of all species: each may meet a plane or a disc.
        reach: (N,) bounding radii of the grains (m) and (W,) reach beyond the grain for each wall: skin and what the wall may move (m).
        rule: whether every wall is met vertex by vertex, otherwise those alone whose surface says so; whether planes are met by the vertices, edges
            and faces of grains.
        entries: (capacity, 3) int64: grain, wall, and vertex or piece, or the grain's feature as a pair with a face, or part of the surface and the
            number of the vertex or edge. Bodies have lists of their own (``surfaces.bodies.find_near_bodies``).

    Returns:
        number of entries; where it exceeds the capacity, call again with a larger array.
    """
    found = 0
    radius, extra = reach
    for i in range(owned):
        for k in range(walls.kind.shape[0]):
            centre, _, _ = from_wall(walls, g, i, k)
            if not out_of_reach(walls.kind[k], walls, k, centre, radius[i] + extra[k]):
                near = GrainNearWall(walls, g, parts, i, k, centre, g.x[i, 3] + extra[k], rule[0], rule[1])
                found = list_near(walls.kind[k], near, entries, found)
    return found
