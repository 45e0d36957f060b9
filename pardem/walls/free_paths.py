"""Candidates of planes at rest that are passed over as long as their grains have not gone far enough to touch."""

from __future__ import annotations

from ..compiled.jit import inlined
from ..contacts.dispatch import solves
from ..contacts.encounter import free_path
from .motion.driven import rests
from .surfaces.place import from_wall
from .surfaces.registry import ENDLESS


@inlined
def _counts(k, loop):
    """Whether a grain's distance to a wall changes by no more than the grain's points move, and finding it takes a solver."""
    return ENDLESS[loop.walls.kind[k]] and rests(loop.walls.motion, k)


@inlined
def out_of_touch(p, i, k, loop):
    """Whether a candidate that did not touch in the step before cannot touch in this one.

    Args:
        p: the candidate.
        i: row of the grain.
        k: the wall.
        loop: `WallLoop`.
    """
    return solves(loop.interaction) and loop.g.path[i] < loop.pairs.free[p] and _counts(k, loop)


@inlined
def note_path(p, i, k, distance, loop):
    """Note up to which path of its grain a candidate cannot touch (m): none where the wall may move, or is not there to be measured.

    Args:
        p: the candidate.
        i: row of the grain.
        k: the wall.
        distance: (regularised) distance of the core (m).
        loop: `WallLoop`.
    """
    if not solves(loop.interaction):
        return
    path, radius = 0.0, loop.g.x[i, 3]
    if distance > radius and _counts(k, loop):
        path = free_path(loop.g.path[i], distance * distance, radius, from_wall(loop.walls, loop.g, i, k)[0])
    loop.pairs.free[p] = path
